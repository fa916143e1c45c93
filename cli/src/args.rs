//! The command line.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread;

use aligner_core::DeviceRequest;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use gpualign_benches::Experiment;
use woodstocc::{MAX_K, Report, Strategy};

use crate::commands::{Nw, NwBenchArguments, Simulate};
use crate::output::{Format, ReadGroup};

const EXAMPLES: &str = "\
Examples:
  gpualign reads.fq.gz ref.fa > out.sam
      The best locus of each read, up to 3 differences.
  gpualign -k 5 --report all a.fq b.fq ref.fa -o out.bam
      Every locus with up to 5 differences, as BAM.

A file of reads named like a command is given with its folder: ./index";

/// Aligns reads to a reference: finds every place with up to K differences, on both strands.
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
    /// Lists the GPUs, or says why there are none
    Devices,
    /// Makes up genomes and reads to measure with
    #[command(subcommand)]
    Simulate(Simulate),
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
    /// Measures the GPU's kernels for global alignments
    Nw(NwBenchArguments),
}

/// The files of mapping.
#[derive(Debug, Args)]
pub struct Operands {
    /// Reads: FASTQ or FASTA, plain or gz, bz2, zst; - is standard input
    #[arg(required = true, num_args = 1.., value_hint = ValueHint::FilePath)]
    pub reads: Vec<PathBuf>,
    /// Reference: FASTA, plain or gz, bz2, zst; its index REF.gpx is used if it is there
    #[arg(required = true, value_name = "REF", value_hint = ValueHint::FilePath)]
    pub reference: PathBuf,
}

/// The options of mapping.
#[derive(Debug, Args)]
pub struct MapOptions {
    /// Greatest number of differences (mismatches, inserted and deleted bases), 0 to 15
    #[arg(short, default_value_t = 3, help_heading = "Search",
        value_parser = clap::value_parser!(u8).range(0..=i64::from(MAX_K)))]
    pub k: u8,
    /// Which places of a read to report
    #[arg(long, default_value = "best", help_heading = "Search")]
    pub report: Loci,
    /// Report every start within K differences, not one for each locus
    #[arg(long, conflicts_with = "report", help_heading = "Search")]
    pub all_starts: bool,
    /// How to search; every strategy finds the same places
    #[arg(long, default_value = "auto", help_heading = "Search")]
    pub strategy: Search,
    /// Chooses the primary place among equally good ones, together with the read's name
    #[arg(long, default_value_t = 0, help_heading = "Search")]
    pub seed: u64,

    /// Write to FILE, as SAM, BAM or CRAM by its extension [default: SAM to standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
        value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Output format, whatever the extension
    #[arg(short = 'O', long, value_name = "FORMAT", help_heading = "Output")]
    pub output_format: Option<Format>,
    /// Read group line, as in '@RG\tID:x\tSM:y'; all reads belong to it
    #[arg(short = 'R', long, value_name = "LINE", help_heading = "Output")]
    pub read_group: Option<ReadGroup>,
    /// Write = and X in CIGAR strings, not M; CRAM has no place for them
    #[arg(long, help_heading = "Output")]
    pub eqx: bool,
    /// Print statistics to standard error at the end
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub stats: Option<StatsFormat>,

    /// Where to map: auto, cpu, cuda or cuda:N
    #[arg(long, default_value_t, help_heading = "Resources")]
    pub device: DeviceRequest,
    #[command(flatten)]
    pub threads: Threads,
    /// Reads mapped at a time; the more, the more they share
    #[arg(long, value_name = "N", default_value_t = 1 << 17, help_heading = "Resources",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub batch_size: u32,
    /// Save the index as REF.gpx if it had to be built
    #[arg(long, help_heading = "Resources")]
    pub save_index: bool,

    #[command(flatten)]
    pub messages: Messages,
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

/// Values of `--strategy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Search {
    /// For each read what costs least
    Auto,
    /// The suffix trie, for K up to 7: reads in batches on the CPU, a worklist for each on a GPU
    Trie,
    /// Exact occurrences of K + 1 pieces of the read, verified
    Filter,
    /// A linear scan of the reference, on the CPU
    Scan,
}

impl From<Search> for Strategy {
    fn from(search: Search) -> Self {
        match search {
            Search::Auto => Self::Auto,
            Search::Trie => Self::Trie,
            Search::Filter => Self::Filter,
            Search::Scan => Self::Scan,
        }
    }
}

/// Values of `--report`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Loci {
    /// The best locus
    Best,
    /// Every locus, the best one first
    All,
}

/// Values of `--stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// One JSON object
    Json,
}

impl Arguments {
    /// Parses the command line of this process; ends it with code 2 if that is wrong.
    pub fn from_command_line() -> Self {
        let arguments = Self::parse();
        let checked = match &arguments.command {
            Some(Command::Nw(nw)) => nw.check(),
            _ => arguments.options.check(),
        };
        if let Err(problem) = checked {
            Self::command().error(ErrorKind::InvalidValue, problem).exit();
        }
        arguments
    }
}

impl MapOptions {
    /// The output format; `None` if it can be told neither from the option nor from the name.
    pub fn format(&self) -> Option<Format> {
        self.output_format.or_else(|| match &self.output {
            None => Some(Format::Sam),
            Some(path) => Format::of(path),
        })
    }

    /// Checks what no single option tells.
    fn check(&self) -> Result<(), String> {
        match (self.format(), &self.output) {
            (Some(Format::Cram), _) if self.eqx => {
                Err("CRAM cannot hold = and X: leave out --eqx, or write SAM or BAM".to_owned())
            }
            (None, Some(path)) => Err(format!(
                "'{}' ends neither in .sam, .bam nor .cram: say which with --output-format",
                path.display()
            )),
            _ => Ok(()),
        }
    }

    /// What the mapper is to report.
    pub fn reported(&self) -> Report {
        match self.report {
            _ if self.all_starts => Report::AllStarts,
            Loci::Best => Report::Best,
            Loci::All => Report::All,
        }
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

    #[test]
    fn the_format_follows_option_then_name() {
        let format = |arguments: &[&str]| {
            let all = [&["gpualign", "a.fq", "ref.fa"], arguments].concat();
            Arguments::parse_from(all).options.format()
        };
        assert_eq!(format(&[]), Some(Format::Sam));
        assert_eq!(format(&["-O", "bam"]), Some(Format::Bam));
        assert_eq!(format(&["-o", "x.CRAM"]), Some(Format::Cram));
        assert_eq!(format(&["-o", "x.bam", "-O", "sam"]), Some(Format::Sam));
        assert_eq!(format(&["-o", "x.txt"]), None);
    }
}
