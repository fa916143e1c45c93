//! The command lines of `gpualign makedb` and `gpualign blastn`, the latter with NCBI's options by NCBI's names.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use aligner_core::DeviceRequest;
use blastn_pipeline::options::{BlastTask, MAX_WORD_SIZE, MAX_X_DROP_BITS, SearchOptions, Strand};
use blastn_pipeline::scoring::MAX_COST;
use blastn_pipeline::sequence::dust::Dust;
use clap::{Args, ValueEnum, ValueHint};

use crate::commands::blastn::output_format::OutputFormat;
use crate::options::{MAX_THREADS, parse_memory};

/// The command line of `gpualign makedb`.
#[derive(Debug, Args)]
pub struct MakeDbArguments {
    /// FASTA file of the sequences; may be compressed (gz, bz2, zst)
    #[arg(value_name = "FASTA", value_hint = ValueHint::FilePath)]
    pub sequences: PathBuf,
    /// File to write the database to [default: FASTA.gpdb]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub threads: crate::options::Threads,
    #[command(flatten)]
    pub messages: crate::options::Messages,
}

/// The names of the tasks on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum TaskName {
    Blastn,
    Megablast,
}

/// The names of the strands on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum StrandName {
    Both,
    Plus,
    Minus,
}

/// The command line of `gpualign blastn`. Options may be written with one dash or with two.
#[derive(Debug, Args)]
#[command(rename_all = "snake_case")]
pub struct BlastnArguments {
    /// FASTA or FASTQ file of the queries; may be compressed (gz, bz2, zst); - is standard input
    #[arg(long, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub query: PathBuf,
    /// Database to search, made by `gpualign makedb`; .gpdb may be left out
    #[arg(long, value_name = "FILE", required_unless_present = "subject",
        value_hint = ValueHint::FilePath)]
    pub db: Option<PathBuf>,
    /// FASTA file of subjects to search instead of a database
    #[arg(long, value_name = "FILE", conflicts_with = "db", value_hint = ValueHint::FilePath)]
    pub subject: Option<PathBuf>,
    /// File to write the results to [default: standard output]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Output format: 0 pairwise, 5 XML, 6 table, 7 table with comments; 6 and 7 may be followed by columns, as in
    /// "6 qseqid stitle std": std (qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore),
    /// qseqid, qacc, qlen, sseqid, sallseqid, sacc, sallacc, slen, qseq, sseq, score, nident, positive, gaps, ppos,
    /// frames, qframe, sframe, btop, stitle, salltitles, sstrand, qcovs, qcovhsp, qcovus
    #[arg(long, value_name = "FORMAT", default_value = "0")]
    pub outfmt: OutputFormat,
    /// Number of threads, 1 to 65535
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS))]
    pub num_threads: u16,
    /// Device to search on: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto")]
    pub device: DeviceRequest,
    /// Device memory for the database, with k, M or G; a larger database is searched part by part [default: half of the
    /// free memory]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub device_memory: Option<u64>,
    #[command(flatten)]
    pub shard: crate::options::ShardOptions,
    #[command(flatten)]
    pub messages: crate::options::Messages,
    #[command(flatten)]
    search: SearchArguments,
}

/// The options that decide which alignments are found and reported.
#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Search")]
struct SearchArguments {
    /// Task: the preset of the options below
    #[arg(long, value_enum, default_value_t = TaskName::Megablast)]
    task: TaskName,
    /// Greatest E-value of a reported alignment, above 0
    #[arg(long, value_name = "E", default_value_t = 10.0, value_parser = positive,
        allow_negative_numbers = true)]
    evalue: f64,
    /// Number of equal bases in a row that an alignment must have, 4 to 65535 [default: 11; megablast 28]
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u16).range(4..=MAX_WORD_SIZE as i64))]
    word_size: Option<u16>,
    /// Cost of opening a gap, 0 to 999: a gap of n columns costs gapopen + n * gapextend [not with megablast]
    /// [default: 5; megablast 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(0..=i64::from(MAX_COST)))]
    gapopen: Option<i32>,
    /// Cost of each column of a gap, the first included, 0 to 999 [not with megablast] [default: 2; megablast
    /// reward / 2 - penalty]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(0..=i64::from(MAX_COST)))]
    gapextend: Option<i32>,
    /// Score of a match, 1 to 999 [default: 2; megablast 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(1..=i64::from(MAX_COST)))]
    reward: Option<i32>,
    /// Score of a mismatch, -999 to -1 [default: -3; megablast -2]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(-i64::from(MAX_COST)..=-1))]
    penalty: Option<i32>,
    /// Masking of low-complexity regions: yes, no, or "level window linker"
    #[arg(long, value_name = "DUST", default_value = "20 64 1")]
    dust: DustChoice,
    /// Mask for seeding only: alignments may extend over masked bases
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    soft_masking: bool,
    /// Mask lower-case bases of the queries
    #[arg(long)]
    lcase_masking: bool,
    /// Strands of the queries to search
    #[arg(long, value_enum, default_value_t = StrandName::Both)]
    strand: StrandName,
    /// Greatest number of subjects reported for a query, 1 to 4294967295
    #[arg(long, value_name = "N", default_value_t = 500,
        value_parser = clap::value_parser!(u32).range(1..))]
    max_target_seqs: u32,
    /// Greatest number of alignments reported for a query and a subject, 1 to 4294967295
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_hsps: Option<u32>,
    /// Least percentage of identical columns, 0 to 100
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percentage)]
    perc_identity: f64,
    /// Least percentage of the query that an alignment covers, 0 to 100
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percentage)]
    qcov_hsp_perc: f64,
    /// Drop an alignment if at least this many better ones cover its range of the query; 0 drops none
    #[arg(long, value_name = "N", default_value_t = 0)]
    culling_limit: u32,
    /// X-drop of ungapped extensions, in bits, above 0 and up to 10000 [default: 20; megablast: the score that starts
    /// gapped extension]
    #[arg(long, value_name = "BITS", value_parser = x_drop, allow_negative_numbers = true)]
    xdrop_ungap: Option<f64>,
    /// X-drop of preliminary gapped extensions, in bits, above 0 and up to 10000 [default: 30; megablast 25]
    #[arg(long, value_name = "BITS", value_parser = x_drop, allow_negative_numbers = true)]
    xdrop_gap: Option<f64>,
    /// X-drop of final gapped extensions, in bits, above 0 and up to 10000 [default: 100]
    #[arg(long, value_name = "BITS", value_parser = x_drop, allow_negative_numbers = true)]
    xdrop_gap_final: Option<f64>,
}

/// The value of `-dust`: settings, or `None` for no masking.
#[derive(Debug, Clone, Copy)]
struct DustChoice(Option<Dust>);

impl FromStr for DustChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let settings = match text {
            "no" => return Ok(Self(None)),
            "yes" => return Ok(Self(Some(Dust::default()))),
            _ => text.split_whitespace().map(str::parse).collect::<Result<Vec<u32>, _>>(),
        };
        match settings.as_deref() {
            Ok(&[level @ 2..=64, window @ 8..=64, linker @ 1..=32]) => {
                let (window, linker) = (window as usize, linker as usize);
                Ok(Self(Some(Dust { level, window, linker })))
            }
            _ => Err("use yes, no, or three numbers: level (2-64), window (8-64), linker (1-32)"
                .to_owned()),
        }
    }
}

/// Parses a number of bytes with an optional unit.
fn bytes(text: &str) -> Result<u64, String> {
    parse_memory(text).map(|bytes| bytes as u64)
}

/// Parses a positive number.
fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err("must be greater than 0".to_owned())
    }
}

/// Parses an X-drop in bits.
fn x_drop(text: &str) -> Result<f64, String> {
    let bits = positive(text)?;
    if bits <= MAX_X_DROP_BITS { Ok(bits) } else { Err("must be at most 10000".to_owned()) }
}

/// Parses a percentage from 0 to 100.
fn percentage(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&value) { Ok(value) } else { Err("must be from 0 to 100".to_owned()) }
}

impl BlastnArguments {
    /// The search options that the arguments ask for.
    pub fn options(&self) -> SearchOptions {
        let search = &self.search;
        let task = match search.task {
            TaskName::Blastn => BlastTask::Blastn,
            TaskName::Megablast => BlastTask::Megablast,
        };
        let mut options = SearchOptions::new(task);
        let scoring = &mut options.scoring;
        scoring.reward = search.reward.unwrap_or(scoring.reward);
        scoring.penalty = search.penalty.unwrap_or(scoring.penalty);
        scoring.gap_open = search.gapopen.unwrap_or(scoring.gap_open);
        scoring.gap_extend = search.gapextend.unwrap_or(scoring.gap_extend);
        options.word_size = search.word_size.map_or(options.word_size, usize::from);
        options.e_value = search.evalue;
        options.x_drops.ungapped = search.xdrop_ungap.unwrap_or(options.x_drops.ungapped);
        options.x_drops.gapped = search.xdrop_gap.unwrap_or(options.x_drops.gapped);
        options.x_drops.gapped_final =
            search.xdrop_gap_final.unwrap_or(options.x_drops.gapped_final);
        options.dust = search.dust.0;
        options.soft_masking = search.soft_masking;
        options.masks_lower_case = search.lcase_masking;
        options.strand = match search.strand {
            StrandName::Both => Strand::Both,
            StrandName::Plus => Strand::Plus,
            StrandName::Minus => Strand::Minus,
        };
        options.max_targets = search.max_target_seqs as usize;
        options.max_hsps = search.max_hsps.map(|hsps| hsps as usize);
        options.min_identity = search.perc_identity;
        options.min_coverage = search.qcov_hsp_perc;
        options.culling_limit = Some(search.culling_limit as usize).filter(|&limit| limit > 0);
        options
    }

    /// Checks that the arguments fit together, which clap does not know.
    ///
    /// # Errors
    /// The reason why they do not.
    pub fn check(&self) -> Result<(), String> {
        let options = self.options();
        options.check().map_err(|error| error.to_string())?;
        match (options.task, options.scoring.is_linear()) {
            (BlastTask::Megablast, false) => {
                Err("-gapopen and -gapextend are not supported by megablast, whose gap costs are linear: leave \
                     them out, or add -task blastn"
                    .to_owned())
            }
            (BlastTask::Blastn, true) => {
                Err("-task blastn needs a gap cost greater than 0: change -gapopen or -gapextend, or use -task \
                     megablast for linear gap costs"
                    .to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Turns the single dashes of NCBI's options into double ones, if the command is `blastn`.
pub fn with_double_dashes(mut line: Vec<OsString>) -> Vec<OsString> {
    if line.get(1).is_none_or(|command| command != "blastn") {
        return line;
    }
    for word in &mut line[2..] {
        let Some(text) = word.to_str() else { continue };
        let is_option = text.strip_prefix('-').is_some_and(|name| {
            name.len() > 1 && name.starts_with(|c: char| c.is_ascii_lowercase())
        });
        if is_option {
            *word = format!("-{text}").into();
        }
    }
    line
}
