//! The command line of `gpualign nw`.

use std::path::{Path, PathBuf};

use aligner_core::DeviceRequest;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use nw_batch::gpu::full::Full;
use nw_batch::{Choice, FreeEnds};

use crate::options::{Messages, Threads};

/// Commands of `gpualign nw`.
#[derive(Debug, Subcommand)]
pub enum Nw {
    /// Aligns each record of a file with the record at its place in another
    Pairs {
        /// Queries: FASTA or FASTQ, plain or gz, bz2, zst; - is standard input
        #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
        queries: PathBuf,
        /// As many targets
        #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
        targets: PathBuf,
        #[command(flatten)]
        options: NwOptions,
    },
    /// Aligns each record of a file with each one of another
    OneVsAll {
        /// Queries: FASTA or FASTQ, plain or gz, bz2, zst; - is standard input
        #[arg(value_name = "Q", value_hint = ValueHint::FilePath)]
        queries: PathBuf,
        /// Targets
        #[arg(value_name = "X", value_hint = ValueHint::FilePath)]
        targets: PathBuf,
        #[command(flatten)]
        options: NwOptions,
    },
    /// Aligns each record of a file with each one behind it
    AllVsAll {
        /// Sequences: FASTA or FASTQ, plain or gz, bz2, zst; - is standard input
        #[arg(value_name = "X", value_hint = ValueHint::FilePath)]
        sequences: PathBuf,
        #[command(flatten)]
        options: NwOptions,
    },
}

/// Options of all of them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scoring")]
pub struct NwOptions {
    /// Score of two equal nucleotides [default: 5]
    #[arg(long = "match", value_name = "SCORE", allow_negative_numbers = true)]
    pub matching: Option<i32>,
    /// Score of two different ones, or of one that is not A, C, G, T or U [default: -4]
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    pub mismatch: Option<i32>,
    /// Matrix instead: BLOSUM62, NUC.4.4 or a file as NCBI's
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["matching", "mismatch"])]
    pub matrix: Option<PathBuf>,
    /// Cost of the first residue of a gap
    #[arg(long, value_name = "COST", default_value_t = 10, allow_negative_numbers = true)]
    pub gap_open: i32,
    /// Cost of each further residue of a gap; linear gaps if it is that of the first
    #[arg(long, value_name = "COST", default_value_t = 1, allow_negative_numbers = true)]
    pub gap_extend: i32,
    /// Ends that may stay unaligned at no cost, separated by commas
    #[arg(long, value_name = "END", value_delimiter = ',')]
    pub free_ends: Vec<Free>,

    /// Scores alone: no alignment, identity or length
    #[arg(long, help_heading = "Output")]
    pub score_only: bool,
    /// Leave out pairs of less identity, 0 to 1: identical columns among all columns
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "score_only",
        help_heading = "Output")]
    pub min_identity: Option<f64>,
    /// Write to FILE [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath,
        help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Output format [default: by the extension of FILE, else tsv]
    #[arg(short = 'O', long, value_name = "FORMAT", help_heading = "Output")]
    pub output_format: Option<NwFormat>,
    /// Keep what is done in FILE.partial, and go on from there if an earlier run was ended
    #[arg(long, requires = "output", help_heading = "Output")]
    pub resume: bool,

    /// Write to FILE when each tile was aligned, formatted and written: JSON for Perfetto or Chrome's
    /// tracing page
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub timeline: Option<PathBuf>,

    /// Where to align: auto, cpu, cuda or cuda:N
    #[arg(long, default_value_t, help_heading = "Resources")]
    pub device: DeviceRequest,
    /// Kernel of the GPU; all give the same scores
    #[arg(long, default_value = "auto", help_heading = "Resources")]
    pub kernel: KernelName,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub messages: Messages,
}

/// Values of `--free-ends`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Free {
    /// First residues of the query
    QueryBegin,
    /// Last residues of the query
    QueryEnd,
    /// First residues of the target
    TargetBegin,
    /// Last residues of the target
    TargetEnd,
    /// Both ends of the query
    Query,
    /// Both ends of the target: the query is sought in it
    Target,
    /// All four
    All,
}

/// Values of `--kernel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KernelName {
    /// What is fastest
    Auto,
    /// Cells in registers, two pairs a warp
    Warp,
    /// A bit a cell: scores with --match 0 --mismatch -1 --gap-open 1 --gap-extend 1
    Edit,
    /// Scores with linear gaps: tiles, a pair at a time
    Rodinia,
    /// Scores with linear gaps: tiles of all pairs
    TiledDscan,
    /// Scores with linear gaps: diagonals, a block a pair
    Dscan,
    /// Scores with linear gaps: rows, a thread a pair
    Rscan,
}

impl From<KernelName> for Choice {
    fn from(name: KernelName) -> Self {
        match name {
            KernelName::Auto => Self::Auto,
            KernelName::Warp => Self::Warp,
            KernelName::Edit => Self::Edit,
            KernelName::Rodinia => Self::Full(Full::Rodinia),
            KernelName::TiledDscan => Self::Full(Full::TiledDscan),
            KernelName::Dscan => Self::Full(Full::Dscan),
            KernelName::Rscan => Self::Full(Full::Rscan),
        }
    }
}

/// Values of `--output-format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NwFormat {
    /// A line a pair: query, target, score, identity, length, CIGAR
    Tsv,
    /// A line a pair, with cg:Z
    Paf,
    /// Sequences one above the other, as EMBOSS writes them
    Pair,
    /// Matrix of distances for phylogeny programs, names unabridged
    Phylip,
    /// Matrix of distances (or scores) as text
    Square,
    /// Matrix of distances (or scores) as a NumPy array
    Npy,
}

impl NwFormat {
    /// Whether it is one matrix of all pairs.
    pub fn is_matrix(self) -> bool {
        matches!(self, Self::Phylip | Self::Square | Self::Npy)
    }

    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_ascii_lowercase().to_str()? {
            "tsv" => Some(Self::Tsv),
            "paf" => Some(Self::Paf),
            "phy" | "phylip" => Some(Self::Phylip),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

impl Nw {
    /// The options.
    pub fn options(&self) -> &NwOptions {
        match self {
            Self::Pairs { options, .. }
            | Self::OneVsAll { options, .. }
            | Self::AllVsAll { options, .. } => options,
        }
    }

    /// Checks what no single option tells.
    pub fn check(&self) -> Result<(), String> {
        let options = self.options();
        let format = options.format();
        if format.is_matrix() {
            if !matches!(self, Self::AllVsAll { .. }) {
                return Err("a matrix is of all-vs-all alone".to_owned());
            }
            if options.min_identity.is_some() {
                return Err("a matrix has all pairs: leave out --min-identity".to_owned());
            }
        }
        if options.score_only && matches!(format, NwFormat::Paf | NwFormat::Pair | NwFormat::Phylip)
        {
            return Err("this format needs alignments: leave out --score-only".to_owned());
        }
        let is_stdout = |path: &PathBuf| path == Path::new("-");
        if options.timeline.as_ref().is_some_and(is_stdout)
            && options.output.as_ref().is_none_or(is_stdout)
        {
            return Err("output and timeline cannot both go to standard output".to_owned());
        }
        if options.resume && options.output.as_deref() == Some(Path::new("-")) {
            return Err("--resume needs a file to write to".to_owned());
        }
        match self {
            Self::Pairs { queries, targets, .. } | Self::OneVsAll { queries, targets, .. }
                if queries == Path::new("-") && targets == Path::new("-") =>
            {
                Err("only one of the files can be standard input".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl NwOptions {
    /// The output format.
    pub fn format(&self) -> NwFormat {
        let by_name = || self.output.as_deref().and_then(NwFormat::of);
        self.output_format.or_else(by_name).unwrap_or(NwFormat::Tsv)
    }

    /// The ends that are free.
    pub fn free(&self) -> FreeEnds {
        let any = |ends: &[Free]| self.free_ends.iter().any(|end| ends.contains(end));
        FreeEnds {
            query_begin: any(&[Free::QueryBegin, Free::Query, Free::All]),
            query_end: any(&[Free::QueryEnd, Free::Query, Free::All]),
            target_begin: any(&[Free::TargetBegin, Free::Target, Free::All]),
            target_end: any(&[Free::TargetEnd, Free::Target, Free::All]),
        }
    }
}

fn share(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("not a number from 0 to 1".to_owned()),
    }
}
