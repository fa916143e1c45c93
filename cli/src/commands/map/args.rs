//! The command line of mapping: options of both modes, and of each.

use std::path::{Path, PathBuf};

use aligner_core::DeviceSelection;
use clap::{Args, ValueEnum, ValueHint};
use serde::{Deserialize, Serialize};
use woodstocc::{MAX_K, Params, Report, Strategy};

use super::duplicates::DuplicateOptions;
use super::numbers::Numbers;
use super::operands::names_alignments;
use super::preset::{BEST_HEADING, Preset};
use super::sorting::{Compression, Sorting};
use crate::input::{Layout, RecordRules};
use crate::options::{MappingFiles, Messages, ShardOptions, Threads};
use crate::output::record::best::Alternatives;
use crate::output::{Format, ReadGroup, ReadGroups};

/// Mapping modes: values of `--mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The locus where each read, or pair of reads, most likely came from; clips ends that do not align
    Best,
    /// Every locus where a read aligns from end to end with up to K differences; the mates of a pair each by itself
    All,
}

impl Mode {
    /// The value of `--mode`.
    fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::All => "all",
        }
    }
}

/// Options of mode best only.
#[derive(Debug, Args)]
#[command(next_help_heading = BEST_HEADING)]
pub struct BestOptions {
    /// Tune for the length of the reads [default: standard]
    #[arg(long, value_name = "PRESET")]
    pub preset: Option<Preset>,
    /// How to report alternatives to the primary alignment; records is -a of bwa mem [default: none]
    #[arg(long, value_name = "FORM")]
    pub alternatives: Option<Alternatives>,
    /// Treat ALT contigs as all others; -j of bwa mem. The file REF.alt beside the reference names them, which is read at
    /// each run, also with an index
    #[arg(long)]
    pub ignore_alt: bool,
    #[command(flatten)]
    pub numbers: Numbers,
}

/// Options of mode all only.
#[derive(Debug, Args)]
#[command(next_help_heading = ALL_HEADING)]
pub struct AllOptions {
    /// Maximum number of differences (mismatches, inserted and deleted bases), 0 to 15 [default: 3]
    #[arg(short, value_parser = clap::value_parser!(u8).range(0..=i64::from(MAX_K)))]
    pub k: Option<u8>,
    /// Report the primary locus of each read only, not every locus
    #[arg(long)]
    pub primary_only: bool,
    /// Report every match start within K differences, not one for each locus
    #[arg(long, conflicts_with = "primary_only")]
    pub all_starts: bool,
    /// Search algorithm; all of them find the same loci [default: auto]
    #[arg(long)]
    pub strategy: Option<StrategyName>,
}

/// The heading of [`AllOptions`] in the help.
const ALL_HEADING: &str = "All mapping";

/// The default of `-k`.
const DEFAULT_K: u8 = 3;

/// The files and options of a mapping run.
#[derive(Debug, Args)]
pub struct MapArguments {
    /// Reads and the reference.
    #[command(flatten)]
    pub files: MappingFiles,
    /// How to map them.
    #[command(flatten)]
    pub options: MapOptions,
}

/// The options of mapping.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct MapOptions {
    /// Mapping mode
    #[arg(long, default_value = "best", help_heading = "Search")]
    pub mode: Mode,
    #[command(flatten)]
    pub best: BestOptions,
    #[command(flatten)]
    pub all: AllOptions,
    /// Random seed that decides, together with a read's name, which of equally good loci is the primary one
    #[arg(long, default_value_t = 0, help_heading = "Search")]
    pub seed: u64,

    /// Write to FILE, as SAM, BAM or CRAM by its extension [default: SAM to standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output",
        value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Output format, which overrides the extension
    #[arg(short = 'O', long, value_name = "FORMAT", help_heading = "Output")]
    pub output_format: Option<Format>,
    /// Read group of all reads, as a header line: '@RG\tID:x\tSM:y'; repeated, that of each pair of files (or file) in turn
    #[arg(short = 'R', long, value_name = "LINE", help_heading = "Output")]
    pub read_group: Vec<ReadGroup>,
    /// Read the lanes in the lines of FILE, not operands: read 1, read 2 (or *) and read group, separated by tabs
    #[arg(long, value_name = "FILE", help_heading = "Input", conflicts_with = "read_group",
        value_hint = ValueHint::FilePath)]
    pub lanes: Option<PathBuf>,
    /// In each file of reads, mates follow each other
    #[arg(long, help_heading = "Input")]
    pub interleaved: bool,
    /// The reads have no mates, also if there are two files of them
    #[arg(long, help_heading = "Input", conflicts_with = "interleaved")]
    pub single: bool,
    /// Write = and X in CIGAR strings, not M; SAM and BAM only
    #[arg(long, help_heading = "Output")]
    pub eqx: bool,
    /// Append the comments of reads to records: tags behind their names, or the tags of SAM, BAM and CRAM; -C of bwa mem
    #[arg(long, help_heading = "Output")]
    pub comments: bool,
    /// Leave unmapped reads out, but for those whose mate is mapped; like --sam-hit-only of minimap2. Statistics count all reads
    #[arg(long, help_heading = "Output")]
    pub no_unmapped: bool,
    #[command(flatten)]
    pub sorting: Sorting,
    #[command(flatten)]
    pub compression: Compression,
    #[command(flatten)]
    pub duplicates: DuplicateOptions,
    /// Print statistics to standard error at the end
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub stats: Option<StatsFormat>,
    /// Write a page about the run to FILE.html, and sections for `MultiQC` to FILE*_mqc.json
    #[arg(long, value_name = "FILE.html", help_heading = "Output", value_hint = ValueHint::FilePath,
        value_parser = parse_report)]
    pub report: Option<PathBuf>,
    /// Write a timeline of the steps of each batch to FILE: JSON for Perfetto or Chrome's tracing page
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub timeline: Option<PathBuf>,

    /// Where to map: auto, cpu, cuda, cuda:N, several GPUs as in cuda:0,2 or cuda:all
    #[arg(long, default_value_t, help_heading = "Resources")]
    pub device: DeviceSelection,
    #[command(flatten)]
    pub threads: Threads,
    /// Number of reads mapped at a time: more take more memory. The CPU takes at most 8,192, in mode all 16,384 or
    /// 1,024 for each thread
    #[arg(long, value_name = "N", default_value_t = 1 << 16, help_heading = "Resources",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub batch_size: u32,
    /// Use the index in FILE, which gpualign index made of this reference [default: REF.gpx if it exists]
    #[arg(long, value_name = "FILE", help_heading = "Resources", conflicts_with = "save_index",
        value_hint = ValueHint::FilePath)]
    pub index: Option<PathBuf>,
    /// Save the index as REF.gpx if it has to be built
    #[arg(long, help_heading = "Resources")]
    pub save_index: bool,

    #[command(flatten)]
    pub shard: ShardOptions,

    #[command(flatten)]
    pub messages: Messages,

    /// Options that only the command mem has.
    #[arg(skip)]
    pub of_mem: OptionsOfMem,
}

/// Options of mapping that only the command mem has, with bwa's letters.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct OptionsOfMem {
    /// Whether a read may be followed by its mate, and others have none: `-p`.
    pub has_mixed_pairs: bool,
    /// Whether `/` and a digit at the end of the name of any read are left out, as bwa does.
    pub trims_names: bool,
    /// Lines of the header: `-H`.
    pub header: Vec<String>,
    /// The most alternatives in `XA`: `-h`.
    pub max_alternatives: Option<usize>,
    /// The most alternatives in `XA` if one is on an ALT contig: the second number of `-h`.
    pub max_alternatives_with_alt: Option<usize>,
    /// `-M`.
    pub marks_parts_secondary: bool,
    /// `-Y`.
    pub clips_softly: bool,
    /// Whether records have the description of their contig: `-V`.
    pub has_descriptions: bool,
}

/// Names of search strategies: values of `--strategy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StrategyName {
    /// The fastest for the reads of each length, measured on a sample of them
    Auto,
    /// Dynamic programming over the suffix trie, for K up to 7
    Trie,
    /// Exact occurrences of the K + 1 pieces of a read, verified
    Filter,
    /// Search schemes: pieces of a read, extended to both sides with few differences, then verified
    Scheme,
    /// A linear scan of the reference on the CPU
    Scan,
}

impl From<StrategyName> for Strategy {
    fn from(name: StrategyName) -> Self {
        match name {
            StrategyName::Auto => Self::Auto,
            StrategyName::Trie => Self::Trie,
            StrategyName::Filter => Self::Filter,
            StrategyName::Scheme => Self::Scheme,
            StrategyName::Scan => Self::Scan,
        }
    }
}

impl From<Strategy> for StrategyName {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::Auto => Self::Auto,
            Strategy::Trie => Self::Trie,
            Strategy::Filter => Self::Filter,
            Strategy::Scheme => Self::Scheme,
            Strategy::Scan => Self::Scan,
        }
    }
}

/// Formats of statistics: values of `--stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// One JSON object
    Json,
}

impl MapOptions {
    /// The output format; `None` if it can be told neither from the option nor from the name. That of a shard, whose file has an
    /// own format, is BAM, as it has BAM's records.
    pub fn format(&self) -> Option<Format> {
        if self.shard.shard.is_some() {
            return Some(Format::Bam);
        }
        self.output_format.or_else(|| match &self.output {
            None => Some(Format::Sam),
            Some(path) => Format::of(path),
        })
    }

    /// An option that was given although it belongs to the other mode.
    fn option_of_other_mode(&self) -> Option<&'static str> {
        let BestOptions { preset, alternatives, ignore_alt, ref numbers } = self.best;
        let AllOptions { k, primary_only, all_starts, strategy } = self.all;
        let marks_duplicates = self.duplicates.marking().is_some();
        let given: &[(bool, &'static str)] = match self.mode {
            Mode::Best => &[
                (k.is_some(), "-k"),
                (primary_only, "--primary-only"),
                (all_starts, "--all-starts"),
                (strategy.is_some(), "--strategy"),
            ],
            Mode::All => &[
                (marks_duplicates, "marking duplicates"),
                (preset.is_some(), "--preset"),
                (alternatives.is_some(), "--alternatives"),
                (ignore_alt, "--ignore-alt"),
                (numbers.given().is_some(), numbers.given().unwrap_or_default()),
            ],
        };
        given.iter().find_map(|&(is_given, name)| is_given.then_some(name))
    }

    /// The options that records depend on, as text.
    pub fn of_records(&self) -> String {
        let Self { mode, best, all, seed, read_group, interleaved, single, eqx, .. } = self;
        let Self { comments, no_unmapped, of_mem, sorting, duplicates, .. } = self;
        let more = (comments, no_unmapped, of_mem, sorting.order(), duplicates.marking());
        format!(
            "{mode:?} {best:?} {all:?} {seed} {read_group:?} {interleaved} {single} {eqx} {more:?} {:?}",
            duplicates.umis()
        )
    }

    /// Checks the options that a shard cannot have.
    fn check_shard(&self) -> Result<(), String> {
        if self.shard.shard.is_none() {
            return Ok(());
        }
        let of_merge = [
            (self.output_format.is_some(), "--output-format"),
            (self.duplicates.metrics().is_some(), "--metrics"),
            (self.report.is_some(), "--report"),
        ];
        match of_merge.into_iter().find(|(is_given, _)| *is_given) {
            None => Ok(()),
            Some((_, name)) => Err(format!(
                "{name} is of the whole run, and this is a shard of it: give it to gpualign merge"
            )),
        }
    }

    /// How mates lie in so many files of reads.
    pub fn layout(&self, files: usize) -> Layout {
        if self.of_mem.has_mixed_pairs {
            Layout::MixedPairs
        } else if self.interleaved {
            Layout::Interleaved
        } else if files > 1 && !self.single {
            Layout::Pairs
        } else {
            Layout::Single
        }
    }

    /// How mates lie in files of SAM, BAM and CRAM, whose flags tell.
    pub fn alignments_layout(&self) -> Layout {
        if self.single { Layout::Single } else { Layout::MixedPairs }
    }

    /// What is made of records of reads.
    pub fn record_rules(&self) -> RecordRules {
        let trims_names = self.of_mem.trims_names;
        let umis = self.duplicates.umis();
        RecordRules { keeps_comments: self.comments, trims_names, umis, ..RecordRules::default() }
    }

    /// The options of mode best.
    ///
    /// # Errors
    /// Names the number that is out of range.
    pub fn best_options(&self) -> Result<seed_extend::Options, String> {
        self.best.numbers.options(self.best.preset.unwrap_or(Preset::Standard))
    }

    /// Checks combinations of options, for these files of reads.
    ///
    /// # Errors
    /// Names the options that do not go together, and the way out.
    pub fn check_with(&self, files: &[PathBuf]) -> Result<(), String> {
        let alignments = files.iter().filter(|file| names_alignments(file)).count();
        self.check(files.len() - alignments, alignments)
    }

    /// As [`check_with`](Self::check_with), for so many files of FASTQ or FASTA, and so many of SAM, BAM or CRAM.
    fn check(&self, files: usize, alignments: usize) -> Result<(), String> {
        if let Some(name) = self.option_of_other_mode() {
            let other = match self.mode {
                Mode::Best => Mode::All,
                Mode::All => Mode::Best,
            };
            let (mode, other) = (self.mode.name(), other.name());
            return Err(format!(
                "{name} is an option of --mode {other}, but the mode is {mode}: leave it out, or add --mode {other}"
            ));
        }
        if !files.is_multiple_of(self.layout(files).files()) {
            return Err(format!(
                "{files} files of reads cannot be paired: give an even number of files, or add --single"
            ));
        }
        self.check_read_groups(files, alignments)?;
        self.best_options()?;
        self.duplicates.check()?;
        self.check_shard()?;
        let is_stdout = |path: &PathBuf| path.as_os_str() == "-";
        if self.timeline.as_ref().is_some_and(is_stdout)
            && self.output.as_ref().is_none_or(is_stdout)
        {
            return Err("output and timeline both go to standard output: give one of them a file"
                .to_owned());
        }
        match (self.format(), &self.output) {
            (Some(Format::Cram), _) if self.eqx => {
                Err("--eqx needs SAM or BAM, since CRAM cannot store = and X: leave it out, or change the format".to_owned())
            }
            (None, Some(path)) => Err(format!(
                "'{}' does not end in .sam, .bam or .cram: choose the format with --output-format",
                path.display()
            )),
            _ => Ok(()),
        }
    }

    /// Checks that there is one read group, or as many as lanes of so many files.
    fn check_read_groups(&self, files: usize, alignments: usize) -> Result<(), String> {
        let (given, layout) = (self.read_group.len(), self.layout(files));
        let lanes = files / layout.files() + alignments;
        if given > 1 && given != lanes {
            let what = match (layout, lanes) {
                (Layout::Pairs, 1) if alignments == 0 => "pair of files",
                (Layout::Pairs, _) if alignments == 0 => "pairs of files",
                (_, 1) => "file",
                _ => "files",
            };
            return Err(format!(
                "{given} read groups for {lanes} {what}: give -R once for all of them, or once for each"
            ));
        }
        let mut groups = ReadGroups::default();
        self.read_group.iter().try_for_each(|group| groups.add(group).map(drop))
    }

    /// The parameters of mode all.
    pub fn all_parameters(&self) -> Params {
        let AllOptions { k, primary_only, all_starts, strategy } = self.all;
        let report = match (primary_only, all_starts) {
            (_, true) => Report::AllStarts,
            (true, false) => Report::Best,
            (false, false) => Report::All,
        };
        Params {
            k: k.unwrap_or(DEFAULT_K),
            report,
            strategy: strategy.unwrap_or(StrategyName::Auto).into(),
            seed: self.seed,
            metrics: self.stats.is_some(),
        }
    }
}

/// The name of a report's page, which must end in `.html`.
pub fn parse_report(value: &str) -> Result<PathBuf, String> {
    let path = Path::new(value);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html")) {
        Ok(path.to_owned())
    } else {
        Err("the name of the page must end in .html".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::Parser;

    use super::*;

    impl MapArguments {
        /// The arguments of a command line, whose first word is the program.
        pub fn of_words<W: Into<OsString> + Clone>(
            words: impl IntoIterator<Item = W>,
        ) -> Result<Self, clap::Error> {
            /// A command line of mapping alone.
            #[derive(Debug, Parser)]
            struct Line {
                #[command(flatten)]
                map: MapArguments,
            }
            Line::try_parse_from(words).map(|line| line.map)
        }
    }

    fn parse(arguments: &[&str]) -> Result<MapArguments, clap::Error> {
        MapArguments::of_words([&["gpualign", "a.fq", "ref.fa"], arguments].concat())
    }

    #[test]
    fn the_format_follows_option_then_name() {
        let format =
            |arguments: &[&str]| parse(arguments).expect("is a command line").options.format();
        assert_eq!(format(&[]), Some(Format::Sam));
        assert_eq!(format(&["-O", "bam"]), Some(Format::Bam));
        assert_eq!(format(&["-o", "x.CRAM"]), Some(Format::Cram));
        assert_eq!(format(&["-o", "x.bam", "-O", "sam"]), Some(Format::Sam));
        assert_eq!(format(&["-o", "x.txt"]), None);
    }

    #[test]
    fn a_report_is_a_page_of_html() {
        let page = |value| {
            let parsed = parse(&["--report", value]);
            parsed.map(|map| map.options.report).map_err(|_| "refused")
        };
        assert_eq!(page("a/run.HTML"), Ok(Some("a/run.HTML".into())));
        for wrong in ["some", ".html", "all", "best"] {
            assert_eq!(page(wrong), Err("refused"), "{wrong}");
        }
        parse(&["--report", "a.html", "--report", "b.html"]).expect_err("are two pages");
        assert_eq!(parse(&[]).expect("is a command line").options.report, None);
    }

    #[test]
    fn loci_follow_the_options_of_mode_all() {
        let report = |arguments: &[&str]| {
            let all = [&["--mode", "all"], arguments].concat();
            parse(&all).map(|map| map.options.all_parameters().report).map_err(|_| "refused")
        };
        assert_eq!(report(&[]), Ok(Report::All));
        assert_eq!(report(&["--primary-only"]), Ok(Report::Best));
        assert_eq!(report(&["--all-starts"]), Ok(Report::AllStarts));
        assert_eq!(report(&["--all-starts", "--primary-only"]), Err("refused"));
    }

    #[test]
    fn options_of_the_other_mode_are_refused() {
        let check = |arguments: &[&str]| {
            parse(arguments)
                .expect("is a command line")
                .options
                .check(1, 0)
                .expect_err("is refused")
        };
        let expected =
            "-k is an option of --mode all, but the mode is best: leave it out, or add --mode all";
        assert_eq!(check(&["-k", "2"]), expected);
        assert!(
            check(&["--primary-only"]).starts_with("--primary-only is an option of --mode all")
        );
        let preset = check(&["--mode", "all", "--preset", "short"]);
        assert!(preset.starts_with("--preset is an option of --mode best, but the mode is all"));
    }
}
