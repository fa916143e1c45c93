//! The options of mapping.

use std::path::PathBuf;

use aligner_core::DeviceRequest;
use clap::{Args, ValueEnum, ValueHint};
use serde::Serialize;
use woodstocc::{MAX_K, Params, Report, Strategy};

use super::{Loci, Messages, Reports, Sorting, Threads};
use crate::input::Layout;
use crate::output::{Alternatives, Format, ReadGroup};

/// Values of `--mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Where each read, or pair of reads, most likely came from: seeds, extended, with clipped ends
    Everyday,
    /// Every place with up to K differences, each read by itself
    Complete,
}

/// Values of `--preset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Reads of 70 bases and more
    Standard,
    /// Reads of 25 to 70 bases: shorter seeds, and alignments that score 22, not 30; slower
    Short,
}

impl From<Preset> for seed_extend::Options {
    fn from(preset: Preset) -> Self {
        match preset {
            Preset::Standard => Self::default(),
            Preset::Short => Self::short(),
        }
    }
}

/// The options of everyday mapping alone.
#[derive(Debug, Args)]
pub struct EverydayOptions {
    /// In each file, every read is followed by its mate
    #[arg(long, help_heading = "Everyday mapping")]
    pub interleaved: bool,
    /// No read has a mate, however many files there are
    #[arg(long, conflicts_with = "interleaved", help_heading = "Everyday mapping")]
    pub single: bool,
    /// What reads are like [default: standard]
    #[arg(long, value_name = "READS", help_heading = "Everyday mapping")]
    pub preset: Option<Preset>,
    /// What becomes of alternatives to the primary alignment [default: none]
    #[arg(long, value_name = "WHERE", help_heading = "Everyday mapping")]
    pub alternatives: Option<Alternatives>,
}

/// The options of complete mapping alone.
#[derive(Debug, Args)]
pub struct CompleteOptions {
    /// Greatest number of differences (mismatches, inserted and deleted bases), 0 to 15 [default: 3]
    #[arg(short, help_heading = "Complete mapping",
        value_parser = clap::value_parser!(u8).range(0..=i64::from(MAX_K)))]
    pub k: Option<u8>,
    /// Report every start within K differences, not one for each locus
    #[arg(long, help_heading = "Complete mapping")]
    pub all_starts: bool,
    /// How to search; every strategy finds the same places [default: auto]
    #[arg(long, help_heading = "Complete mapping")]
    pub strategy: Option<Search>,
}

/// Differences of complete mapping, unless told otherwise.
const K: u8 = 3;

/// The options of mapping.
#[derive(Debug, Args)]
pub struct MapOptions {
    /// What mapping is to do
    #[arg(long, default_value = "everyday", help_heading = "Search")]
    pub mode: Mode,
    #[command(flatten)]
    pub everyday: EverydayOptions,
    #[command(flatten)]
    pub complete: CompleteOptions,
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
    #[command(flatten)]
    pub sorting: Sorting,
    /// Print statistics to standard error at the end
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub stats: Option<StatsFormat>,
    #[command(flatten)]
    pub reports: Reports,
    /// Write to FILE when each batch was read, searched for, formatted and written: JSON for
    /// Perfetto or Chrome's tracing page
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub timeline: Option<PathBuf>,

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

/// Values of `--strategy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Search {
    /// For reads of each length what costs least, by a sample of them
    Auto,
    /// The suffix trie, for K up to 7: reads in batches on the CPU, a worklist for each on a GPU
    Trie,
    /// Exact occurrences of K + 1 pieces of the read, verified
    Filter,
    /// Search schemes: pieces of the read extended to both sides with few differences, then verified
    Scheme,
    /// A linear scan of the reference, on the CPU
    Scan,
}

impl From<Search> for Strategy {
    fn from(search: Search) -> Self {
        match search {
            Search::Auto => Self::Auto,
            Search::Trie => Self::Trie,
            Search::Filter => Self::Filter,
            Search::Scheme => Self::Scheme,
            Search::Scan => Self::Scan,
        }
    }
}

impl From<Strategy> for Search {
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

/// Values of `--stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// One JSON object
    Json,
}

impl MapOptions {
    /// The output format; `None` if it can be told neither from the option nor from the name.
    pub fn format(&self) -> Option<Format> {
        self.output_format.or_else(|| match &self.output {
            None => Some(Format::Sam),
            Some(path) => Format::of(path),
        })
    }

    /// The option that was given and that the mode does not have.
    fn stray(&self) -> Option<&'static str> {
        let EverydayOptions { interleaved, single, preset, alternatives } = self.everyday;
        let CompleteOptions { k, all_starts, strategy } = &self.complete;
        let given = match self.mode {
            Mode::Everyday => vec![
                (k.is_some(), "-k"),
                (self.reports.loci().is_some(), "--report best or all"),
                (*all_starts, "--all-starts"),
                (strategy.is_some(), "--strategy"),
            ],
            Mode::Complete => vec![
                (interleaved, "--interleaved"),
                (single, "--single"),
                (preset.is_some(), "--preset"),
                (alternatives.is_some(), "--alternatives"),
            ],
        };
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// Which of so many files of reads belong together.
    pub fn layout(&self, files: usize) -> Layout {
        match self.mode {
            Mode::Everyday if self.everyday.interleaved => Layout::Interleaved,
            Mode::Everyday if files > 1 && !self.everyday.single => Layout::Pairs,
            Mode::Everyday | Mode::Complete => Layout::Single,
        }
    }

    /// Checks what no single option tells, of a run with so many files of reads.
    pub(super) fn check(&self, files: usize) -> Result<(), String> {
        if let Some(name) = self.stray() {
            let other = match self.mode {
                Mode::Everyday => "complete",
                Mode::Complete => "everyday",
            };
            return Err(format!("{name} needs --mode {other}"));
        }
        self.reports.check()?;
        if self.complete.all_starts && self.reports.loci().is_some() {
            return Err("--all-starts leaves no choice of places to --report".to_owned());
        }
        if !files.is_multiple_of(self.layout(files).files()) {
            return Err(format!(
                "{files} files of reads are no pairs: give two for each, or --single"
            ));
        }
        let is_stdout = |path: &PathBuf| path.as_os_str() == "-";
        if self.timeline.as_ref().is_some_and(is_stdout)
            && self.output.as_ref().is_none_or(is_stdout)
        {
            return Err("output and timeline cannot both go to standard output".to_owned());
        }
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

    /// What complete mapping is to do.
    pub fn params(&self) -> Params {
        let CompleteOptions { k, all_starts, strategy } = &self.complete;
        let report = match self.reports.loci() {
            _ if *all_starts => Report::AllStarts,
            None | Some(Loci::Best) => Report::Best,
            Some(Loci::All) => Report::All,
        };
        Params {
            k: k.unwrap_or(K),
            report,
            strategy: strategy.unwrap_or(Search::Auto).into(),
            seed: self.seed,
            metrics: self.stats.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::args::Arguments;
    use crate::output::Format;

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
