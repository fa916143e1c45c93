//! The command line of `gpualign-bench`.

use std::path::PathBuf;

use aligner_core::DeviceRequest;
use clap::{Args, Parser, Subcommand, ValueHint};
use gpualign::options::{MappingFiles, Messages, Threads};
use gpualign_benches::Experiment;
use woodstocc::MAX_TRIE_K;

use crate::bgzf::BgzfBenchArguments;
use crate::blastn::BlastnBenchArguments;
use crate::extend::ExtendBenchArguments;
use crate::nw::NwBenchArguments;
use crate::reading::ReadingBenchArguments;
use crate::reads::ReadsBenchArguments;
use crate::seeds::SeedsBenchArguments;

/// Measures kernels and stages of gpualign on this machine.
#[derive(Debug, Parser)]
#[command(name = "gpualign-bench", version, about, max_term_width = 100)]
pub struct Arguments {
    /// The part of gpualign to measure.
    #[command(subcommand)]
    pub bench: Bench,
}

/// The commands of `gpualign-bench`, one for each part of gpualign.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Measures the streaming runtime on synthetic applications
    Runtime(RuntimeArguments),
    /// Measures the variants of all mapping over the suffix trie, which must all find the same hits
    Woodstocc(WoodstoccArguments),
    /// Measures the GPU's kernels for global alignments
    Nw(NwBenchArguments),
    /// Measures extensions of reads in bands of diagonals, on the CPU or a GPU
    Extend(ExtendBenchArguments),
    /// Measures finding the seeds and chains of reads, on the CPU or a GPU
    Seeds(SeedsBenchArguments),
    /// Measures the stages of best mapping between reads in memory and ranked alignments
    Mapping(ReadsBenchArguments),
    /// Measures the filter pipeline of blastn
    Blastn(BlastnBenchArguments),
    /// Measures compressing blocks of BGZF, on a GPU and the CPU
    Bgzf(BgzfBenchArguments),
    /// Measures reading files of FASTQ
    Reading(ReadingBenchArguments),
}

/// The command line of `gpualign-bench runtime`.
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
    /// joins, mappings, widths, shares, outputs, overflow, trees, choices, prefetch
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub experiment: Vec<Experiment>,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub messages: Messages,
}

/// The command line of `gpualign-bench woodstocc`.
#[derive(Debug, Args)]
pub struct WoodstoccArguments {
    #[command(flatten)]
    pub files: MappingFiles,
    /// Greatest number of differences, 0 to 7
    #[arg(short, default_value_t = 3,
        value_parser = clap::value_parser!(u8).range(0..=i64::from(MAX_TRIE_K)))]
    pub k: u8,
    /// Only the variants of the paper, and one run of each
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_experiment_can_be_asked_for_and_is_in_the_help() {
        let names: Vec<&str> = Experiment::ALL.map(Experiment::name).to_vec();
        let line = [&["gpualign-bench", "runtime", "--experiment"], &names[..]].concat();
        let Bench::Runtime(runtime) = Arguments::parse_from(line).bench else {
            panic!("the runtime is meant");
        };
        assert_eq!(runtime.experiment, Experiment::ALL);
        let mut bench = RuntimeArguments::augment_args(clap::Command::new("runtime"));
        let help = bench.render_long_help().to_string();
        assert!(names.iter().all(|name| help.contains(name)), "{help}");
    }
}
