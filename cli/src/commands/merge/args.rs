//! The command line of `gpualign merge`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::commands::map::args::{StatsFormat, parse_report};
use crate::commands::map::sorting::Compression;
use crate::options::{Messages, Threads, parse_memory};
use crate::output::Format;

/// The files and options of `gpualign merge`.
#[derive(Debug, Args)]
pub struct MergeArguments {
    /// The files of all shards of a run, in any order
    #[arg(required = true, value_name = "SHARD", value_hint = ValueHint::FilePath)]
    pub shards: Vec<PathBuf>,

    /// Write to FILE; alignments as SAM, BAM or CRAM by its extension [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
        value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Output format of alignments, which overrides the extension
    #[arg(short = 'O', long, value_name = "FORMAT", help_heading = "Output")]
    pub output_format: Option<Format>,
    /// The reference of alignments, which CRAM needs
    #[arg(long, value_name = "FASTA", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub reference: Option<PathBuf>,
    #[command(flatten)]
    pub compression: Compression,
    /// Write counts of duplicates to FILE, in the format of Picard's `MarkDuplicates`
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub metrics: Option<PathBuf>,
    /// Print statistics of the mapping of all shards to standard error at the end
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub stats: Option<StatsFormat>,
    /// Write a page about the mapping of all shards to FILE.html, and sections for `MultiQC` to FILE*_mqc.json
    #[arg(long, value_name = "FILE.html", help_heading = "Output", value_hint = ValueHint::FilePath,
        value_parser = parse_report)]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub threads: Threads,
    /// Memory for sorting, with k, M or G; further records go to a temporary file [default: a quarter of the memory that is
    /// free at the start]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, help_heading = "Resources")]
    pub sort_memory: Option<usize>,
    /// Folder of the temporary file that sorting needs [default: the folder of the output]
    #[arg(long, value_name = "DIR", help_heading = "Resources", value_hint = ValueHint::DirPath)]
    pub temporary_folder: Option<PathBuf>,
    #[command(flatten)]
    pub messages: Messages,
}

impl MergeArguments {
    /// An option that only shards of mapping have a use for.
    pub fn option_of_mapping(&self) -> Option<&'static str> {
        let given = [
            (self.output_format.is_some(), "--output-format"),
            (self.reference.is_some(), "--reference"),
            (self.metrics.is_some(), "--metrics"),
            (self.stats.is_some(), "--stats"),
            (self.report.is_some(), "--report"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }
}
