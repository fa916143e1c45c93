//! The command line of `gpualign nw`.

use std::fmt;
use std::path::{Path, PathBuf};

use aligner_core::DeviceSelection;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use nw_batch::gpu::plan::full_matrix::FullMatrixKernel;
use nw_batch::{Decimal, DistanceModel, FreeEnds, KernelChoice, SubstitutionMatrix};
use serde::{Deserialize, Serialize};

use crate::commands::nw::compression::Compression;
use crate::commands::nw::scoring;
use crate::options::{Messages, ShardOptions, Threads};

/// Commands of `gpualign nw`: which pairs are aligned.
#[derive(Debug, Subcommand)]
pub enum Nw {
    /// Align the first record of one file with the first of another, the second with the second, and so on
    Pairs {
        /// Queries: FASTA or FASTQ, plain or gz, bz2, zst; - is standard input
        #[arg(value_name = "QUERIES", value_hint = ValueHint::FilePath)]
        queries: PathBuf,
        /// Targets: a file with as many records
        #[arg(value_name = "TARGETS", value_hint = ValueHint::FilePath)]
        targets: PathBuf,
        #[command(flatten)]
        options: NwOptions,
    },
    /// Align each record of one file with each record of another
    OneVsAll {
        /// Queries: FASTA or FASTQ, plain or gz, bz2, zst; - is standard input
        #[arg(value_name = "QUERIES", value_hint = ValueHint::FilePath)]
        queries: PathBuf,
        /// Targets
        #[arg(value_name = "TARGETS", value_hint = ValueHint::FilePath)]
        targets: PathBuf,
        #[command(flatten)]
        options: NwOptions,
    },
    /// Align each record of a file with each later record
    AllVsAll {
        /// Sequences: FASTA or FASTQ, plain or gz, bz2, zst; - is standard input
        #[arg(value_name = "SEQUENCES", value_hint = ValueHint::FilePath)]
        sequences: PathBuf,
        #[command(flatten)]
        options: NwOptions,
    },
}

/// Options that all commands of `gpualign nw` have.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scoring")]
pub struct NwOptions {
    /// Scoring of a program of EMBOSS by its defaults; other options replace single ones
    #[arg(long, conflicts_with_all = ["match_score", "mismatch_score"])]
    pub preset: Option<Preset>,
    /// Score of two equal nucleotides, -500 to 500 and above --mismatch [default: 5]
    #[arg(long = "match", value_name = "SCORE", allow_negative_numbers = true)]
    pub match_score: Option<Decimal>,
    /// Score of two different nucleotides, or of a letter other than A, C, G, T or U, -500 to 500 [default: -4]
    #[arg(long = "mismatch", value_name = "SCORE", allow_negative_numbers = true)]
    pub mismatch_score: Option<Decimal>,
    /// Substitution matrix instead of match and mismatch scores: BLOSUM30, 35 ... 90, BLOSUMN, PAM10, 20 ... 500, NUC.4.4,
    /// EDNAFULL, EDNAMAT or EDNASIMPLE, also by EMBOSS's names as in EBLOSUM62, or a file in NCBI's format with whole scores
    /// from -500 to 500 [default: BLOSUM62 if there are letters of proteins]
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["match_score", "mismatch_score"])]
    pub matrix: Option<PathBuf>,
    /// Cost of the first residue of a gap, 0 to 500: n residues cost --gap-open + (n - 1) * --gap-extend, so NCBI's 5
    /// and 2 are --gap-open 7 --gap-extend 2 here. Scores and costs may have up to three decimals; times the smallest number
    /// that makes all of them whole, none may be beyond 500 [default: 10]
    #[arg(long, value_name = "COST", allow_negative_numbers = true)]
    pub gap_open: Option<Decimal>,
    /// Cost of each further residue of a gap, 0 to --gap-open; the same cost as the first residue's makes gaps linear
    /// [default: 1]
    #[arg(long, value_name = "COST", allow_negative_numbers = true)]
    pub gap_extend: Option<Decimal>,
    /// Ends that may stay unaligned at no cost, separated by commas
    #[arg(long, value_name = "END", value_delimiter = ',')]
    pub free_ends: Vec<FreeEnd>,

    /// Compute scores only, without alignment, identity and length, which is much faster
    #[arg(long, help_heading = "Output")]
    pub score_only: bool,
    /// Least identity of the pairs to report, 0 to 1: identical columns among all columns. Pairs whose lengths or words tell
    /// that they cannot reach it are not aligned
    #[arg(long, value_name = "IDENTITY", value_parser = identity, conflicts_with = "score_only",
        help_heading = "Output")]
    pub min_identity: Option<f64>,
    /// Distance of matrices, and of another column of tsv and csv [default of matrices: identity]
    #[arg(long, value_name = "MODEL", conflicts_with = "score_only", help_heading = "Output")]
    pub distance: Option<Distance>,
    /// Columns with a gap in distances other than identity
    #[arg(long, value_name = "RULE", requires = "distance", help_heading = "Output")]
    pub distance_gaps: Option<DistanceGaps>,
    /// Write to FILE; .gz or .zst at the end of the name compresses it [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath,
        help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Output format [default: from the extension of FILE: tsv, csv, paf, sam, pair, phy, phylip or npy; without one tsv]
    #[arg(short = 'O', long, value_name = "FORMAT", help_heading = "Output")]
    pub output_format: Option<NwFormat>,
    /// Save progress in FILE.partial, and continue from there if an earlier run of the same command was interrupted
    #[arg(long, requires = "output", conflicts_with = "shard", help_heading = "Output")]
    pub resume: bool,

    /// Write to FILE when each tile was aligned, formatted and written: JSON for Perfetto or Chrome's
    /// tracing page
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub timeline: Option<PathBuf>,

    /// Where to align: auto (the first GPU, or the CPU), cpu, cuda, cuda:N, several GPUs as in cuda:0,2 or cuda:all
    #[arg(long, default_value_t, help_heading = "Resources")]
    pub device: DeviceSelection,
    /// Kernel for the GPU; all give the same scores
    #[arg(long, default_value = "auto", help_heading = "Resources")]
    pub kernel: NwKernel,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub shard: ShardOptions,
    #[command(flatten)]
    pub messages: Messages,
}

/// Programs whose defaults `--preset` may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// EDNAFULL or EBLOSUM62, gap costs 10 and 0.5, free ends
    Needle,
    /// EDNAFULL and gap costs 16 and 4, or EBLOSUM62 and 12 and 2
    Stretcher,
}

/// Distances that `--distance` may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Distance {
    /// 1 - identity, with all columns
    Identity,
    /// Share of different residues among columns without ambiguous residues
    P,
    /// Jukes and Cantor, from p: for nucleotides or proteins
    JukesCantor,
    /// Kimura: of nucleotides with two parameters, of proteins from p
    Kimura,
}

/// Rules that `--distance-gaps` may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum DistanceGaps {
    /// They are left out (default)
    Ignore,
    /// They count as different residues
    Count,
}

impl From<Distance> for DistanceModel {
    fn from(name: Distance) -> Self {
        match name {
            Distance::Identity => Self::Identity,
            Distance::P => Self::P,
            Distance::JukesCantor => Self::JukesCantor,
            Distance::Kimura => Self::Kimura,
        }
    }
}

/// Ends of sequences that `--free-ends` may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FreeEnd {
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
    /// Both ends of the target: searches the query within the target
    Target,
    /// All four
    All,
}

/// Kernels that `--kernel` may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NwKernel {
    /// The fastest kernel
    Auto,
    /// Matrix cells in registers, two pairs for a warp
    Warp,
    /// A bit for each matrix cell: scores with --match 0 --mismatch -1 --gap-open 1 --gap-extend 1
    Edit,
    /// Baseline of Li 2016, for comparison only, scores with linear gaps: tiles, one pair at a time
    Rodinia,
    /// Baseline of Li 2016, for comparison only, scores with linear gaps: tiles of all pairs
    TiledDscan,
    /// Baseline of Li 2016, for comparison only, scores with linear gaps: diagonals, a block for each pair
    Dscan,
    /// Baseline of Li 2016, for comparison only, scores with linear gaps: rows, a thread for each pair
    Rscan,
}

impl From<NwKernel> for KernelChoice {
    fn from(name: NwKernel) -> Self {
        match name {
            NwKernel::Auto => Self::Auto,
            NwKernel::Warp => Self::Warp,
            NwKernel::Edit => Self::Edit,
            NwKernel::Rodinia => Self::FullMatrix(FullMatrixKernel::Rodinia),
            NwKernel::TiledDscan => Self::FullMatrix(FullMatrixKernel::TiledDscan),
            NwKernel::Dscan => Self::FullMatrix(FullMatrixKernel::Dscan),
            NwKernel::Rscan => Self::FullMatrix(FullMatrixKernel::Rscan),
        }
    }
}

/// Formats that `--output-format` may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum NwFormat {
    /// A line for each pair: query, target, score, identity, length, CIGAR
    Tsv,
    /// The columns of tsv, separated by commas
    Csv,
    /// PAF, a line for each pair, with the CIGAR as cg:Z
    Paf,
    /// SAM, a record for each pair with the query as read and the target as reference
    Sam,
    /// Sequences one above the other, as EMBOSS writes them
    Pair,
    /// Matrix of distances for phylogeny programs, with full names
    Phylip,
    /// Matrix of distances (or scores) as text
    Square,
    /// Matrix of distances (or scores) as a NumPy array
    Npy,
}

impl NwFormat {
    /// Whether the format is one matrix of all pairs.
    pub fn is_matrix(self) -> bool {
        match self {
            Self::Phylip | Self::Square | Self::Npy => true,
            Self::Tsv | Self::Csv | Self::Paf | Self::Sam | Self::Pair => false,
        }
    }

    /// Whether the format shows alignments, so that scores alone do not suffice for it.
    fn needs_alignments(self) -> bool {
        match self {
            Self::Paf | Self::Sam | Self::Pair | Self::Phylip => true,
            Self::Tsv | Self::Csv | Self::Square | Self::Npy => false,
        }
    }

    /// Whether the format shows the residues of sequences.
    pub fn shows_residues(self) -> bool {
        matches!(self, Self::Sam | Self::Pair)
    }

    /// Format that a file name's extension, before that of compression, stands for.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let (_, path) = Compression::of(path);
        match path.extension()?.to_ascii_lowercase().to_str()? {
            "tsv" => Some(Self::Tsv),
            "csv" => Some(Self::Csv),
            "paf" => Some(Self::Paf),
            "sam" => Some(Self::Sam),
            "pair" => Some(Self::Pair),
            "phy" | "phylip" => Some(Self::Phylip),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

impl fmt::Display for NwFormat {
    /// Writes the name that `--output-format` has for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_possible_value() {
            Some(value) => f.write_str(value.get_name()),
            None => Ok(()),
        }
    }
}

impl Nw {
    /// Files that the command reads.
    pub fn inputs(&self) -> Vec<&Path> {
        let mut files: Vec<&Path> = match self {
            Self::Pairs { queries, targets, .. } | Self::OneVsAll { queries, targets, .. } => {
                vec![queries, targets]
            }
            Self::AllVsAll { sequences, .. } => vec![sequences],
        };
        let matrix = self.options().matrix.as_deref();
        let is_file = |name: &&Path| name.to_str().and_then(SubstitutionMatrix::built_in).is_none();
        files.extend(matrix.filter(is_file));
        files
    }

    /// Options of the command.
    pub fn options(&self) -> &NwOptions {
        match self {
            Self::Pairs { options, .. }
            | Self::OneVsAll { options, .. }
            | Self::AllVsAll { options, .. } => options,
        }
    }

    /// Refuses combinations of options that do not work together.
    pub fn check(&self) -> Result<(), String> {
        let options = self.options();
        scoring::check_numbers(options)?;
        let format = options.format();
        if format.is_matrix() {
            if !matches!(self, Self::AllVsAll { .. }) {
                return Err("phylip, square and npy are formats of all-vs-all only".to_owned());
            }
            if options.min_identity.is_some() {
                return Err(
                    "phylip, square and npy have all pairs: leave out --min-identity".to_owned()
                );
            }
        }
        if options.score_only && format.needs_alignments() {
            let reason = "paf, sam, pair and phylip need alignments: leave out --score-only";
            return Err(reason.to_owned());
        }
        if options.distance.is_some()
            && matches!(format, NwFormat::Paf | NwFormat::Sam | NwFormat::Pair)
        {
            return Err("paf, sam and pair have no distances: leave out --distance".to_owned());
        }
        if options.distance == Some(Distance::Identity) && options.distance_gaps.is_some() {
            return Err("identity has a rule for gaps: leave out --distance-gaps".to_owned());
        }
        let is_stdout = |path: &PathBuf| path == Path::new("-");
        if options.timeline.as_ref().is_some_and(is_stdout)
            && options.output.as_ref().is_none_or(is_stdout)
        {
            let reason =
                "--output and --timeline cannot both write to standard output: name a file";
            return Err(reason.to_owned());
        }
        if options.resume && options.output.as_deref() == Some(Path::new("-")) {
            return Err("--resume needs a file: name one with --output".to_owned());
        }
        match self {
            Self::Pairs { queries, targets, .. } | Self::OneVsAll { queries, targets, .. }
                if queries == Path::new("-") && targets == Path::new("-") =>
            {
                Err("only one of the two files can be standard input".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl NwOptions {
    /// Output format: the one asked for, else by the name of the output, else tab-separated values.
    pub fn format(&self) -> NwFormat {
        let by_name = || self.output.as_deref().and_then(NwFormat::from_extension);
        self.output_format.or_else(by_name).unwrap_or(NwFormat::Tsv)
    }

    /// Refuses an output whose extension tells no format, if no option does.
    pub fn check_extension(&self) -> anyhow::Result<()> {
        let Some(path) = self.output.as_deref() else { return Ok(()) };
        let is_told = self.output_format.is_some() || self.shard.share().is_some();
        let (_, name) = Compression::of(path);
        match name.extension() {
            Some(extension) if !is_told && NwFormat::from_extension(path).is_none() => {
                anyhow::bail!(
                    "{}: '{}' is the extension of no output format: name the format with --output-format",
                    path.display(),
                    extension.display()
                )
            }
            _ => Ok(()),
        }
    }

    /// Compression of the output, by the extension of its name. Files of shards have their own.
    pub fn compression(&self) -> Compression {
        match &self.output {
            Some(path) if self.shard.share().is_none() => Compression::of(path).0,
            _ => Compression::None,
        }
    }

    /// Whether columns with a gap count in distances.
    pub fn are_gaps_counted(&self) -> bool {
        self.distance_gaps == Some(DistanceGaps::Count)
    }

    /// Ends that may stay unaligned at no cost.
    pub fn free_ends(&self) -> FreeEnds {
        let named: &[FreeEnd] = match self.preset {
            Some(Preset::Needle) if self.free_ends.is_empty() => &[FreeEnd::All],
            _ => &self.free_ends,
        };
        let any = |ends: &[FreeEnd]| named.iter().any(|end| ends.contains(end));
        FreeEnds {
            query_begin: any(&[FreeEnd::QueryBegin, FreeEnd::Query, FreeEnd::All]),
            query_end: any(&[FreeEnd::QueryEnd, FreeEnd::Query, FreeEnd::All]),
            target_begin: any(&[FreeEnd::TargetBegin, FreeEnd::Target, FreeEnd::All]),
            target_end: any(&[FreeEnd::TargetEnd, FreeEnd::Target, FreeEnd::All]),
        }
    }
}

/// Parses the value of `--min-identity`.
fn identity(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(identity) if (0.0..=1.0).contains(&identity) => Ok(identity),
        _ => Err("not a number from 0 to 1".to_owned()),
    }
}
