//! The command line of `gpualign blastn`, with NCBI's options by NCBI's names.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use aligner_core::DeviceSelection;
use blastn_pipeline::error::SearchError;
use blastn_pipeline::hsp::best_hit::BestHit;
use blastn_pipeline::options::{
    BlastTask, MAX_WINDOW, MAX_WORD_SIZE, MAX_X_DROP_BITS, SearchOptions, Strand,
};
use blastn_pipeline::scoring::MAX_COST;
use blastn_pipeline::seed::template::{TemplateKind, TemplateLength, WordTemplates};
use blastn_pipeline::sequence::dust::Dust;
use clap::{Args, ValueEnum, ValueHint};

use crate::commands::blastn::makedb_args;
use crate::commands::blastn::output_format::OutputFormat;
use crate::commands::blastn::pairwise_arguments::PairwiseArguments;
use crate::commands::blastn::refused::RefusedArguments;
use crate::commands::blastn::restriction::RestrictionArguments;
use crate::options::{MAX_THREADS, parse_memory};

/// The names of the tasks on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum TaskName {
    Blastn,
    BlastnShort,
    DcMegablast,
    Megablast,
}

/// The names of kinds of templates on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum TemplateName {
    Coding,
    Optimal,
    CodingAndOptimal,
}

/// The lengths of templates on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum TemplateBases {
    #[value(name = "16")]
    Sixteen,
    #[value(name = "18")]
    Eighteen,
    #[value(name = "21")]
    TwentyOne,
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
    /// Database to search: a file of `gpualign makedb`, whose .gpdb may be left out, or the name of one that makeblastdb wrote, which
    /// is looked for in the current folder and those of BLASTDB; several of these, separated by blanks, are searched as one
    #[arg(long, value_name = "NAME", required_unless_present = "subject",
        value_hint = ValueHint::FilePath)]
    pub db: Option<String>,
    /// FASTA file of subjects to search instead of a database
    #[arg(long, value_name = "FILE", conflicts_with = "db", value_hint = ValueHint::FilePath)]
    pub subject: Option<PathBuf>,
    /// File to write the results to [default: standard output]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Output format: 0 pairwise, 1 to 4 all alignments of a query under it (1 with dots for equal letters, 2 without, 3 and 4 the same
    /// with columns for insertions), 5 XML, 6 table, 7 table with comments, 8 Seq-annot as text of ASN.1, 10 table with commas, 12
    /// Seq-annot as JSON, 13 JSON and 14 XML of version 2 as a file for each query beside -out, 15 and 16 the same as one file, 17 SAM,
    /// with SR in which subjects are the references, with SQ with letters, 18 organisms, from the taxonomy; 6, 7 and 10 may be followed by delim=SEPARATOR and by columns, as in
    /// "6 qseqid stitle std": std (qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore),
    /// qseqid, qgi, qacc, qlen, sseqid, sallseqid, sgi, sallgi, sacc, sallacc, slen, qseq, sseq, score, nident, positive, gaps,
    /// ppos, frames, qframe, sframe, btop, staxid, staxids, stitle, salltitles, sstrand, qcovs, qcovhsp, qcovus, and of the
    /// taxonomy in the files taxdb.btd and taxdb.bti beside the databases, ssciname, sscinames, scomname, scomnames,
    /// sblastname, sblastnames, sskingdom, sskingdoms
    #[arg(long, value_name = "FORMAT", default_value = "0")]
    pub outfmt: OutputFormat,
    /// Part of each query to search, as two positions from 1: FIRST-LAST
    #[arg(long, value_name = "RANGE", value_parser = location)]
    pub query_loc: Option<Range<usize>>,
    /// Part of each subject to search, as two positions from 1: FIRST-LAST
    #[arg(long, value_name = "RANGE", value_parser = location, conflicts_with = "db")]
    pub subject_loc: Option<Range<usize>>,
    #[command(flatten)]
    pub pairwise: PairwiseArguments,
    /// Number of threads, 1 to 1024; beside GPUs that are named, no more than 16 are started
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS))]
    pub num_threads: u16,
    /// What NCBI's threads share, 0 or 1; ignored, as the threads here share both queries and subjects
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=1))]
    mt_mode: Option<u8>,
    /// Where to search: auto (the CPU, which all GPUs join when they are open), cpu, cuda, cuda:N, several GPUs as in cuda:0,2 or
    /// cuda:all
    #[arg(long, default_value = "auto")]
    pub device: DeviceSelection,
    /// Memory of each GPU for its share of the database, and for all of it if there is room beside, with k, M or G; a larger share is
    /// searched part by part [default: half of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub device_memory: Option<u64>,
    #[command(flatten)]
    pub shard: crate::options::ShardOptions,
    #[command(flatten)]
    pub messages: crate::options::Messages,
    #[command(flatten)]
    refused: RefusedArguments,
    #[command(flatten)]
    pub restriction: RestrictionArguments,
    #[command(flatten)]
    search: SearchArguments,
}

/// The options that decide which alignments are found and reported.
#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Search")]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of NCBI's")]
struct SearchArguments {
    /// Task: the preset of the options below
    #[arg(long, value_enum, default_value_t = TaskName::Megablast)]
    task: TaskName,
    /// Greatest E-value of a reported alignment, above 0
    #[arg(long, value_name = "E", default_value_t = 10.0, value_parser = positive,
        allow_negative_numbers = true)]
    evalue: f64,
    /// Number of equal bases in a row that an alignment must have, 4 to 65535; of discontiguous words, bases that are compared,
    /// 11 or 12 [default: 11; megablast 28, blastn-short 7]
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u16).range(4..=MAX_WORD_SIZE as i64))]
    word_size: Option<u16>,
    /// Which bases of discontiguous words are compared [default: coding with dc-megablast, else words are contiguous]
    #[arg(long, value_enum, value_name = "KIND", requires = "template_length")]
    template_type: Option<TemplateName>,
    /// Number of bases of discontiguous words [default: 18 with dc-megablast]
    #[arg(long, value_enum, value_name = "N", requires = "template_type")]
    template_length: Option<TemplateBases>,
    /// Number of bases of a subject within which two words must end that start an extension, up to 10000; 0 if one word is
    /// enough [default: 0; dc-megablast 40]
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u16).range(0..=MAX_WINDOW as i64))]
    window_size: Option<u16>,
    /// Greatest number of diagonals between two such words, up to 10000
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_WINDOW as i64))]
    off_diagonal_range: u16,
    /// Make alignments without gaps alone
    #[arg(long)]
    ungapped: bool,
    /// Make alignments with gaps by dynamic programming, not greedily
    #[arg(long)]
    no_greedy: bool,
    /// Give alignments that may follow each other an E-value together, by sum statistics [default: false]
    #[arg(long, value_name = "BOOL", value_parser = boolean)]
    sum_stats: Option<bool>,
    /// Cost of opening a gap, 0 to 999: a gap of n columns costs gapopen + n * gapextend [default: 5; megablast 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(0..=i64::from(MAX_COST)))]
    gapopen: Option<i32>,
    /// Cost of each column of a gap, the first included, 0 to 999 [default: 2; megablast, if both costs are 0, reward / 2 -
    /// penalty]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(0..=i64::from(MAX_COST)))]
    gapextend: Option<i32>,
    /// Score of a match, 1 to 999 [default: 2; megablast and blastn-short 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(1..=i64::from(MAX_COST)))]
    reward: Option<i32>,
    /// Score of a mismatch, -999 to -1 [default: -3; megablast -2]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(-i64::from(MAX_COST)..=-1))]
    penalty: Option<i32>,
    /// Masking of low-complexity regions: yes, no, or "level window linker" [default: 20 64 1]
    #[arg(long, value_name = "DUST")]
    dust: Option<DustChoice>,
    /// Mask for seeding only: alignments may extend over masked bases (true, t, yes, y, 1, or their opposites) [default:
    /// true]
    #[arg(long, value_name = "BOOL", value_parser = boolean)]
    soft_masking: Option<bool>,
    /// Mask lower-case bases of the queries
    #[arg(long)]
    lcase_masking: bool,
    /// Strands of the queries to search
    #[arg(long, value_enum, default_value_t = StrandName::Both)]
    strand: StrandName,
    /// Greatest number of subjects reported for a query, 1 to 4294967295 [default: 500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_target_seqs: Option<u32>,
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
    /// Share of its length by which an alignment may exceed a better one on each side and be dropped, above 0 and below 0.5
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "culling_limit")]
    best_hit_overhang: Option<f64>,
    /// Share by which an alignment must score less for each base than one that covers it to be dropped, above 0 and below
    /// 0.5
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "culling_limit")]
    best_hit_score_edge: Option<f64>,
    /// Drop alignments that a better one of the same subject covers
    #[arg(long)]
    subject_besthit: bool,
    /// Number of letters of the database that E-values are computed with [default: that of the database]
    #[arg(long, value_name = "N")]
    dbsize: Option<u64>,
    /// Effective search space that E-values are computed with [default: that of query and database]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=i64::MAX as u64))]
    searchsp: Option<u64>,
    /// Least score of an alignment [default: that of the greatest E-value]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..))]
    min_raw_gapped_score: Option<i32>,
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

/// The templates of discontiguous words.
fn templates(kind: TemplateName, length: TemplateBases) -> WordTemplates {
    WordTemplates {
        kind: match kind {
            TemplateName::Coding => TemplateKind::Coding,
            TemplateName::Optimal => TemplateKind::Optimal,
            TemplateName::CodingAndOptimal => TemplateKind::CodingAndOptimal,
        },
        length: match length {
            TemplateBases::Sixteen => TemplateLength::Sixteen,
            TemplateBases::Eighteen => TemplateLength::Eighteen,
            TemplateBases::TwentyOne => TemplateLength::TwentyOne,
        },
    }
}

/// Parses a boolean in any of NCBI's spellings.
fn boolean(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "1" => Ok(true),
        "false" | "f" | "no" | "n" | "0" => Ok(false),
        _ => Err("use true or false".to_owned()),
    }
}

/// Parses a share above 0 and below a half.
fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if share > 0.0 && share < 0.5 {
        Ok(share)
    } else {
        Err("must be above 0 and below 0.5".to_owned())
    }
}

/// Parses a part of a sequence: positions from 1, of which the last belongs to it. The range counts from 0.
fn location(text: &str) -> Result<Range<usize>, String> {
    let positions = text.split_once('-').ok_or("use FIRST-LAST, as in 1-100")?;
    let position =
        |text: &str| text.trim().parse::<usize>().map_err(|_| "not two positions".to_owned());
    let (first, last) = (position(positions.0)?, position(positions.1)?);
    if first == 0 {
        return Err("positions count from 1".to_owned());
    }
    if first > last {
        return Err("the first position is behind the last".to_owned());
    }
    Ok(first - 1..last)
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
        let mut options = match search.task {
            TaskName::Blastn => SearchOptions::new(BlastTask::Blastn),
            TaskName::BlastnShort => SearchOptions::for_short_queries(),
            TaskName::DcMegablast => SearchOptions::new(BlastTask::DcMegablast),
            TaskName::Megablast => SearchOptions::new(BlastTask::Megablast),
        };
        if let (Some(kind), Some(length)) = (search.template_type, search.template_length) {
            options.templates = Some(templates(kind, length));
        }
        options.window = search.window_size.map_or(options.window, usize::from);
        options.off_diagonal_range = search.off_diagonal_range.into();
        options.is_ungapped = search.ungapped;
        options.is_greedy &= !search.no_greedy;
        options.has_sum_statistics = search.sum_stats.unwrap_or(options.has_sum_statistics);
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
        options.dust = search.dust.map_or(options.dust, |dust| dust.0);
        options.soft_masking = search.soft_masking.unwrap_or(options.soft_masking);
        options.masks_lower_case = search.lcase_masking;
        options.strand = match search.strand {
            StrandName::Both => Strand::Both,
            StrandName::Plus => Strand::Plus,
            StrandName::Minus => Strand::Minus,
        };
        let is_pairwise = self.outfmt.is_pairwise();
        options.max_targets = search
            .max_target_seqs
            .map(|targets| targets as usize)
            .or_else(|| self.pairwise.targets(is_pairwise))
            .unwrap_or(options.max_targets);
        options.max_hsps = search.max_hsps.map(|hsps| hsps as usize);
        options.min_identity = search.perc_identity;
        options.min_coverage = search.qcov_hsp_perc;
        options.culling_limit = Some(search.culling_limit as usize).filter(|&limit| limit > 0);
        if search.best_hit_overhang.is_some() || search.best_hit_score_edge.is_some() {
            options.best_hit = Some(BestHit {
                overhang: search.best_hit_overhang.unwrap_or(BestHit::default().overhang),
                score_edge: search.best_hit_score_edge.unwrap_or(BestHit::default().score_edge),
            });
        }
        options.is_subject_best_hit = search.subject_besthit;
        options.database_letters = search.dbsize.filter(|&letters| letters > 0);
        options.search_space = search.searchsp.map(|space| space as i64).filter(|&space| space > 0);
        options.min_gapped_score = search.min_raw_gapped_score.filter(|&score| score > 0);
        options
    }

    /// The number of subjects in the list of a pairwise report, and the number of those whose alignments it shows.
    pub fn shown_subjects(&self) -> (usize, usize) {
        let targets = self.search.max_target_seqs;
        (self.pairwise.descriptions(targets), self.pairwise.alignments(targets))
    }

    /// Whether the report has any subjects.
    pub fn reports_subjects(&self) -> bool {
        self.pairwise.reports_subjects(self.outfmt.is_pairwise())
    }

    /// Checks that the arguments fit together, which clap does not know.
    ///
    /// # Errors
    /// The reason why they do not.
    pub fn check(&self) -> Result<(), String> {
        self.refused.check()?;
        let options = self.options();
        options.check().map_err(|error| error.to_string())?;
        if matches!(self.outfmt, OutputFormat::Files(_)) {
            if self.out.as_ref().is_none_or(|out| out == Path::new("-")) {
                return Err("-outfmt 13 and 14 write a file for each query beside the one of -out: name that".to_owned());
            }
            if self.shard.shard.is_some() {
                return Err(
                    "-outfmt 13 and 14 write a file for each query: use 15 or 16 with -shard"
                        .to_owned(),
                );
            }
        }
        if matches!(self.outfmt, OutputFormat::Sam(_)) && self.shard.shard.is_some() {
            return Err("-outfmt 17 has a header that follows from all queries: use another format with -shard"
                .to_owned());
        }
        let has_sets = options.is_ungapped || options.has_sum_statistics;
        if matches!(self.outfmt, OutputFormat::SeqAlign(_)) && has_sets {
            return Err("-outfmt 8 and 12 do not tell of sets of alignments, which -ungapped and -sum_stats make: use 0, 5, 15 or 16"
                .to_owned());
        }
        if options.task == BlastTask::Blastn && options.templates.is_some() {
            return Err("-template_type is about discontiguous words, which -task blastn does not have: use -task \
                        dc-megablast"
                .to_owned());
        }
        match (&self.device, options.needs_cpu()) {
            (DeviceSelection::Auto | DeviceSelection::Cpu, _) | (_, None) => Ok(()),
            (_, Some(what)) => Err(SearchError::NeedsCpu { what }.to_string()),
        }
    }
}

/// Turns the single dashes of NCBI's options into double ones, if the command is `blastn` or `makedb`.
pub fn with_double_dashes(mut line: Vec<OsString>) -> Vec<OsString> {
    let command = line.get(1).and_then(|command| command.to_str()).unwrap_or_default();
    let is_option: fn(&str) -> bool = match command {
        "blastn" => |name| name.len() > 1 && name.starts_with(|c: char| c.is_ascii_lowercase()),
        "makedb" => |name| makedb_args::NCBI_OPTIONS.contains(&name),
        _ => return line,
    };
    for word in &mut line[2..] {
        let Some(text) = word.to_str() else { continue };
        if text.strip_prefix('-').is_some_and(is_option) {
            *word = format!("-{text}").into();
        }
    }
    line
}
