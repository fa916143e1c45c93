//! The command line of `gpualign blastn`: NCBI's options by NCBI's names.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use aligner_core::DeviceRequest;
use blastn_pipeline::options::{BlastTask, SearchOptions, Strand};
use blastn_pipeline::sequence::dust::Dust;
use clap::{Args, ValueEnum, ValueHint};

use crate::commands::blastn::report::OutputFormat;
use crate::options::parse_memory;

/// The command line of `gpualign makedb`.
#[derive(Debug, Args)]
pub struct MakeDbArguments {
    /// Sequences: FASTA, plain or gz, bz2, zst
    #[arg(value_name = "FASTA", value_hint = ValueHint::FilePath)]
    pub sequences: PathBuf,
    /// Where to put the database [default: FASTA.gpdb]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub threads: crate::options::Threads,
    #[command(flatten)]
    pub messages: crate::options::Messages,
}

/// A task by its name.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum TaskName {
    Blastn,
    Megablast,
}

/// Strands by their names.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum StrandName {
    Both,
    Plus,
    Minus,
}

/// The command line of `gpualign blastn`. SearchOptions may be given with one dash.
#[derive(Debug, Args)]
#[command(rename_all = "snake_case")]
pub struct BlastnArguments {
    /// Queries: FASTA or FASTQ, plain or gz, bz2, zst; - is standard input
    #[arg(long, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub query: PathBuf,
    /// Database of `gpualign makedb`; .gpdb may be left out
    #[arg(long, value_name = "FILE", required_unless_present = "subject",
        value_hint = ValueHint::FilePath)]
    pub db: Option<PathBuf>,
    /// Subjects instead of a database: FASTA
    #[arg(long, value_name = "FILE", conflicts_with = "db", value_hint = ValueHint::FilePath)]
    pub subject: Option<PathBuf>,
    /// Where to write [default: standard output]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// What the output is like: 0 pairwise, 5 XML, 6 table, 7 table with comments; 6 and 7 may be
    /// followed by columns, as in "6 qseqid sseqid pident std"
    #[arg(long, value_name = "FORMAT", default_value = "0")]
    pub outfmt: OutputFormat,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..))]
    pub num_threads: u16,
    /// Where to search: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto")]
    pub device: DeviceRequest,
    /// Device memory for the database, with k, M or G; what is larger is searched part by part [default: half
    /// of what is free]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub device_memory: Option<u64>,
    #[command(flatten)]
    pub messages: crate::options::Messages,
    #[command(flatten)]
    search: SearchArguments,
}

/// What is searched for.
#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Search")]
struct SearchArguments {
    /// Preset of all that follows
    #[arg(long, value_enum, default_value_t = TaskName::Megablast)]
    task: TaskName,
    /// Greatest E-value
    #[arg(long, value_name = "E", default_value_t = 10.0, value_parser = positive)]
    evalue: f64,
    /// Bases in a row that an alignment must have [default: 11; megablast 28]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(4..))]
    word_size: Option<u16>,
    /// Cost of a gap [default: 5; megablast 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..1000))]
    gapopen: Option<i32>,
    /// Cost of a column of a gap [default: 2; megablast by match and mismatch]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..1000))]
    gapextend: Option<i32>,
    /// Score of a match [default: 2; megablast 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..1000))]
    reward: Option<i32>,
    /// Score of a mismatch [default: -3; megablast -2]
    #[arg(long, value_name = "N", allow_hyphen_values = true,
        value_parser = clap::value_parser!(i32).range(-1000..0))]
    penalty: Option<i32>,
    /// Masking of low complexity: yes, no, or "level window linker"
    #[arg(long, value_name = "DUST", default_value = "20 64 1")]
    dust: DustChoice,
    /// Whether masked bases may be aligned, though alignments do not start there
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    soft_masking: bool,
    /// Mask lower-case bases of the queries
    #[arg(long)]
    lcase_masking: bool,
    /// Strands of the queries
    #[arg(long, value_enum, default_value_t = StrandName::Both)]
    strand: StrandName,
    /// Subjects reported of a query
    #[arg(long, value_name = "N", default_value_t = 500,
        value_parser = clap::value_parser!(u32).range(1..))]
    max_target_seqs: u32,
    /// Alignments reported of a query and a subject
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_hsps: Option<u32>,
    /// Least percentage of identical columns
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percentage)]
    perc_identity: f64,
    /// Least percentage of the query that an alignment covers
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percentage)]
    qcov_hsp_perc: f64,
    /// Drop alignments whose range of the query that many better ones cover
    #[arg(long, value_name = "N", default_value_t = 0)]
    culling_limit: u32,
    /// X-drop of ungapped extensions, in bits [default: 20; megablast: what it takes to go on with gaps]
    #[arg(long, value_name = "BITS", value_parser = positive)]
    xdrop_ungap: Option<f64>,
    /// X-drop of gapped extensions, in bits
    #[arg(long, value_name = "BITS", value_parser = positive)]
    xdrop_gap: Option<f64>,
    /// X-drop of the final gapped extensions, in bits
    #[arg(long, value_name = "BITS", value_parser = positive)]
    xdrop_gap_final: Option<f64>,
}

/// `-dust`.
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
            _ => {
                Err("neither yes, no, nor level (2-64), window (8-64) and linker (1-32)".to_owned())
            }
        }
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    parse_memory(text).map(|bytes| bytes as u64)
}

fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err("not positive".to_owned()) }
}

fn percentage(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&value) { Ok(value) } else { Err("not from 0 to 100".to_owned()) }
}

impl BlastnArguments {
    /// What to search for.
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

    /// Checks what clap does not.
    pub fn check(&self) -> Result<(), String> {
        let options = self.options();
        options.check().map_err(|error| error.to_string())?;
        match (options.task, options.scoring.is_linear()) {
            (BlastTask::Megablast, false) => {
                Err("megablast has linear gap costs; -task blastn has others".to_owned())
            }
            (BlastTask::Blastn, true) => {
                Err("-task blastn has affine gap costs; megablast has linear ones".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// The command line with NCBI's single dashes made double, if it is one of `blastn`.
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
