//! The command line.

mod map;
mod reports;
mod sorting;

use std::env;
use std::num::NonZero;
use std::path::PathBuf;
use std::thread;

use aligner_core::DeviceRequest;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use gpualign_benches::Experiment;
use woodstocc::MAX_TRIE_K;

pub use self::map::{MapOptions, Mode, Preset, Search, StatsFormat};
pub use self::reports::{Loci, Reports};
pub use self::sorting::{Sorting, memory};
use crate::commands::{
    BlastnArguments, BlastnBenchArguments, EvaluateArguments, ExtendBenchArguments,
    MakeDbArguments, Nw, NwBenchArguments, ReadsBenchArguments, Simulate, with_double_dashes,
};

const EXAMPLES: &str = "\
Examples:
  gpualign reads_1.fq.gz reads_2.fq.gz ref.fa -o out.bam
      Where pairs of reads came from; one file of reads is single-end.
  gpualign --mode complete -k 5 --report all a.fq b.fq ref.fa -o out.bam
      Every locus with up to 5 differences, as BAM.

A file of reads named like a command is given with its folder: ./index";

/// Aligns reads to a reference: finds where they came from, or every place with up to K differences.
#[derive(Debug, Parser)]
#[command(
    name = "gpualign",
    version,
    about,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    max_term_width = 100
)]
pub struct Arguments {
    /// Another command than mapping.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to map; there unless another command is.
    #[command(flatten)]
    pub operands: Option<Operands>,
    /// How to map.
    #[command(flatten)]
    pub options: MapOptions,
}

/// Commands other than mapping.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Builds the index of a reference, which later runs map into memory
    Index(IndexArguments),
    /// Aligns many pairs of sequences from end to end
    #[command(subcommand)]
    Nw(Nw),
    /// Makes a database of sequences for blastn
    Makedb(MakeDbArguments),
    /// Searches a database for similar sequences, as NCBI's blastn does
    Blastn(Box<BlastnArguments>),
    /// Lists the GPUs, or says why there are none
    Devices,
    /// Makes up genomes and reads to measure with
    #[command(subcommand)]
    Simulate(Simulate),
    /// Counts how many reads were placed right, by mapping quality, or compares two mappers
    Evaluate(EvaluateArguments),
    /// Measures this machine
    #[command(subcommand)]
    Bench(Bench),
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Prints the manual page
    Man,
}

/// Commands of `gpualign bench`.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Measures the streaming runtime on synthetic applications
    Runtime(RuntimeArguments),
    /// Measures the variants of the suffix-trie aligner, which must all find the same
    Woodstocc(WoodstoccArguments),
    /// Measures the GPU's kernels for global alignments
    Nw(NwBenchArguments),
    /// Measures extensions of reads in bands of diagonals, on the CPU or a GPU
    Extend(ExtendBenchArguments),
    /// Measures the stages that find seeds of reads, on the CPU or a GPU
    Seeds(ReadsBenchArguments),
    /// Measures the stages of everyday mapping between reads in memory and ranked alignments
    Mapping(ReadsBenchArguments),
    /// Measure the filter pipeline of blastn
    Blastn(BlastnBenchArguments),
}

/// The files of mapping.
#[derive(Debug, Args)]
pub struct Operands {
    /// Reads: FASTQ or FASTA, plain or gz, bz2, zst; - is standard input. Two files are pairs, unless
    /// --mode is complete
    #[arg(required = true, num_args = 1.., value_hint = ValueHint::FilePath)]
    pub reads: Vec<PathBuf>,
    /// Reference: FASTA, plain or gz, bz2, zst; its index REF.gpx is used if it is there
    #[arg(required = true, value_name = "REF", value_hint = ValueHint::FilePath)]
    pub reference: PathBuf,
}

/// The command line of `gpualign index`.
#[derive(Debug, Args)]
pub struct IndexArguments {
    /// Reference: FASTA, plain or gz, bz2, zst
    #[arg(value_name = "REF", value_hint = ValueHint::FilePath)]
    pub reference: PathBuf,
    /// Where to put the index [default: REF.gpx]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Rows between samples of the suffix array, a power of two up to 64: more is smaller and slower
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = sample_rate)]
    pub sample_rate: u32,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub messages: Messages,
}

/// The command line of `gpualign bench runtime`.
#[derive(Debug, Args)]
pub struct RuntimeArguments {
    /// Where to run: auto, cpu, cuda or cuda:N
    #[arg(long, default_value_t, help_heading = "Resources")]
    pub device: DeviceRequest,
    /// Items at the source [default: 1,000,000 on a GPU, 20,000 on a CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub items: Option<u32>,
    /// Fewer cases and fewer runs of each
    #[arg(long)]
    pub quick: bool,
    /// Folder for runtime.json and the figures
    #[arg(long, value_name = "DIR", default_value = "bench-runtime",
        value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Only these experiments [default: all]: filtering, pipelines, occupancy, firings, loops,
    /// mappings, widths, shares, outputs, prefetch
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub experiment: Vec<Experiment>,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub messages: Messages,
}

/// The command line of `gpualign bench woodstocc`.
#[derive(Debug, Args)]
pub struct WoodstoccArguments {
    #[command(flatten)]
    pub operands: Operands,
    /// Greatest number of differences, 0 to 7
    #[arg(short, default_value_t = 3,
        value_parser = clap::value_parser!(u8).range(0..=i64::from(MAX_TRIE_K)))]
    pub k: u8,
    /// The variants of the paper alone, and one run of each
    #[arg(long)]
    pub quick: bool,
    /// Folder for woodstocc.json
    #[arg(long, value_name = "DIR", default_value = "bench-woodstocc",
        value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Where to run: auto, cpu, cuda or cuda:N
    #[arg(long, default_value_t, help_heading = "Resources")]
    pub device: DeviceRequest,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub messages: Messages,
}

/// How many threads.
#[derive(Debug, Args)]
pub struct Threads {
    /// Threads [default: all cores]
    #[arg(short, long, value_name = "N", help_heading = "Resources",
        value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Threads {
    /// The number asked for, or of the cores.
    pub fn count(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// How much to say.
#[derive(Debug, Clone, Copy, Args)]
pub struct Messages {
    /// Say what was done and how long it took
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Messages")]
    pub verbose: bool,
    /// Say nothing but errors
    #[arg(short, long, help_heading = "Messages")]
    pub quiet: bool,
}

impl Arguments {
    /// Parses the command line of this process; ends it with code 2 if that is wrong.
    pub fn from_command_line() -> Self {
        let arguments = Self::parse_from(with_double_dashes(env::args_os().collect()));
        let checked = match &arguments.command {
            Some(Command::Nw(nw)) => nw.check(),
            Some(Command::Blastn(blastn)) => blastn.check(),
            Some(_) => Ok(()),
            None => {
                let files = arguments.operands.as_ref().map_or(0, |operands| operands.reads.len());
                arguments.options.check(files)
            }
        };
        if let Err(problem) = checked {
            Self::command().error(ErrorKind::InvalidValue, problem).exit();
        }
        arguments
    }
}

fn sample_rate(value: &str) -> Result<u32, String> {
    let rate: u32 = value.parse().map_err(|_| "not a number".to_owned())?;
    if rate.is_power_of_two() && rate <= 64 {
        Ok(rate)
    } else {
        Err("not a power of two from 1 to 64".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_last_operand_is_the_reference() {
        let arguments =
            Arguments::parse_from(["gpualign", "a.fq", "-", "b.fq", "ref.fa", "-k", "0"]);
        let operands = arguments.operands.expect("mapping is meant");
        assert_eq!(operands.reads, ["a.fq", "-", "b.fq"].map(PathBuf::from));
        assert_eq!(operands.reference, Path::new("ref.fa"));
        assert!(arguments.command.is_none());
    }

    #[test]
    fn commands_need_no_reads() {
        let arguments = Arguments::parse_from(["gpualign", "index", "ref.fa", "-t", "2"]);
        assert!(arguments.operands.is_none());
        assert!(
            matches!(arguments.command, Some(Command::Index(index)) if index.threads.count() == 2)
        );
    }

    #[test]
    fn every_experiment_can_be_asked_for_and_is_in_the_help() {
        let names: Vec<&str> = Experiment::ALL.map(Experiment::name).to_vec();
        let line = [&["gpualign", "bench", "runtime", "--experiment"], &names[..]].concat();
        let Some(Command::Bench(Bench::Runtime(runtime))) = Arguments::parse_from(line).command
        else {
            panic!("bench runtime is meant");
        };
        assert_eq!(runtime.experiment, Experiment::ALL);
        let mut bench = RuntimeArguments::augment_args(clap::Command::new("runtime"));
        let help = bench.render_long_help().to_string();
        assert!(names.iter().all(|name| help.contains(name)), "{help}");
    }
}
