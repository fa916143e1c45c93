//! The statistics of a run, which `--stats` prints and reports show.

use std::fmt;
use std::time::Duration;

use aligner_core::stream::Metrics;
use serde::{Deserialize, Serialize};
use woodstocc::Mapper;

use super::args::{Mode, StrategyName};
use super::mapping_device::DeviceReads;
use crate::output::{LibraryCounts, Tally};
use crate::timeline::{Step, Timeline};

/// The statistics of one run of mapping.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub version: &'static str,
    /// The command line of the program.
    pub command: String,
    pub mode: Mode,
    /// The names of the devices.
    pub device: String,
    /// The devices, with the reads that each has mapped.
    pub devices: Vec<DeviceReads>,
    pub threads: usize,
    pub reads: u64,
    pub bases: u64,
    /// Reads with at least one alignment.
    pub aligned: u64,
    /// Alignments that were written.
    pub alignments: u64,
    /// Reads that are too long to be aligned.
    pub too_long: u64,
    /// Counts of the records that were written.
    #[serde(flatten)]
    pub tally: Tally,
    /// Duplicates, if they were looked for.
    pub duplicates: Option<DuplicateTotals>,
    pub seconds: Seconds,
    /// Reads per second of mapping and output, without the time for the device and the index.
    pub reads_per_second: f64,
    /// Statistics of mode all.
    #[serde(flatten)]
    pub all: Option<AllStats>,
}

/// A count as a percentage of all.
pub fn percent(count: u64, all: u64) -> f64 {
    100.0 * count as f64 / all.max(1) as f64
}

/// Counts of duplicates among mapped reads.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct DuplicateTotals {
    /// The number of mapped reads.
    pub examined: u64,
    /// The number of mapped reads that are duplicates.
    pub duplicates: u64,
}

impl DuplicateTotals {
    /// The sum over libraries.
    pub fn of_libraries(libraries: &[LibraryCounts]) -> Self {
        let sum = |of: fn(&LibraryCounts) -> u64| libraries.iter().map(of).sum();
        Self { examined: sum(LibraryCounts::reads), duplicates: sum(LibraryCounts::duplicates) }
    }
}

/// Statistics of mode all.
#[derive(Debug, Serialize)]
pub struct AllStats {
    /// Maximum number of differences.
    k: u8,
    engine: EngineCounters,
    /// Choices of `--strategy auto`, one for each class of read lengths that occurred on a device.
    choices: Vec<StrategyChoice>,
    /// Statistics of the filter, if it was used.
    filter: Option<FilterStats>,
    /// Statistics of search schemes, if they were used.
    scheme: Option<SchemeStats>,
}

impl AllStats {
    /// The statistics of mappers that share theirs, for up to `k` differences, and of their choices.
    pub fn new(mapper: &Mapper, k: u8, choices: Vec<woodstocc::StrategyChoice>) -> Self {
        let choices = choices.into_iter().map(|choice| StrategyChoice::new(choice, k));
        Self {
            k,
            engine: mapper.stats().into(),
            choices: choices.collect(),
            filter: Some(mapper.filter_stats()).filter(|stats| stats.queries > 0).map(Into::into),
            scheme: Some(mapper.scheme_stats()).filter(|s| s.run.queries > 0).map(Into::into),
        }
    }
}

/// Statistics of mode all that can be added up.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct AllNumbers {
    k: u8,
    engine: EngineCounters,
}

impl AllStats {
    /// The numbers that can be added up.
    pub fn numbers(&self) -> AllNumbers {
        AllNumbers { k: self.k, engine: self.engine }
    }

    /// The sums of shards of a run; `None` if there are none.
    pub fn of_shards(shards: &[AllNumbers]) -> Option<Self> {
        let engines = shards.iter().map(|shard| shard.engine);
        Some(Self {
            k: shards.first()?.k,
            engine: engines.fold(EngineCounters::default(), EngineCounters::plus),
            choices: Vec::new(),
            filter: None,
            scheme: None,
        })
    }
}

impl Summary {
    /// Mean occupancy of each module of the streaming runtime, named by its application and itself; empty for mode best.
    pub fn occupancy(&self) -> Vec<(String, f64)> {
        let Some(AllStats { filter, scheme, .. }) = &self.all else { return Vec::new() };
        let filter = filter.iter().map(|filter| ("filter", filter));
        let scheme = scheme.iter().map(|scheme| ("scheme", &scheme.run));
        let modules = filter.chain(scheme).flat_map(|(application, run)| {
            let named =
                move |(module, share): &(String, f64)| (format!("{application}: {module}"), *share);
            run.occupancy.iter().map(named)
        });
        modules.collect()
    }

    /// Whether reads have mates and it was decided which pairs are proper; mode all maps mates each by itself.
    pub fn has_proper_pairs(&self) -> bool {
        self.mode == Mode::Best && self.tally.paired > 0
    }

    /// The most important numbers as sentences.
    pub fn lines(&self) -> Vec<String> {
        let Self { reads, aligned, alignments, device, seconds, reads_per_second, .. } = self;
        let mut lines = vec![
            format!("{aligned} of {reads} reads aligned, {alignments} alignments, on {device}"),
            format!("{seconds}, {reads_per_second:.0} reads/s"),
        ];
        if let [_, _, ..] = self.devices[..] {
            lines.extend(
                self.devices.iter().map(|it| format!("{} reads on {}", it.reads, it.device)),
            );
        }
        let choices = self.all.iter().flat_map(|all| &all.choices);
        lines.extend(choices.map(StrategyChoice::to_string));
        lines
    }
}

/// The time of each step, in seconds. Steps overlap from `read` on, so they can add up to more than `total`; see [`Step`].
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Seconds {
    /// The time until the first batch could be mapped: the device and the index.
    pub start: f64,
    pub read: f64,
    pub prepare: f64,
    pub search: f64,
    /// In mode best only.
    pub plan: f64,
    /// In mode best only.
    pub align: f64,
    /// In mode best only.
    pub rank: f64,
    /// In mode best only.
    pub pair: f64,
    pub format: f64,
    pub write: f64,
    pub total: f64,
}

impl Seconds {
    /// The times of a run that mapped its first batch after `start` and took `total`.
    pub fn new(timeline: &Timeline, start: Duration, total: Duration) -> Self {
        Self {
            start: start.as_secs_f64(),
            read: timeline.seconds(Step::Read),
            prepare: timeline.seconds(Step::Prepare),
            search: timeline.seconds(Step::Search),
            plan: timeline.seconds(Step::Plan),
            align: timeline.seconds(Step::Align),
            rank: timeline.seconds(Step::Rank),
            pair: timeline.seconds(Step::Pair),
            format: timeline.seconds(Step::Format),
            write: timeline.seconds(Step::Write),
            total: total.as_secs_f64(),
        }
    }
}

impl Seconds {
    /// The sum with other times, of each step.
    pub fn plus(self, other: Self) -> Self {
        Self {
            start: self.start + other.start,
            read: self.read + other.read,
            prepare: self.prepare + other.prepare,
            search: self.search + other.search,
            plan: self.plan + other.plan,
            align: self.align + other.align,
            rank: self.rank + other.rank,
            pair: self.pair + other.pair,
            format: self.format + other.format,
            write: self.write + other.write,
            total: self.total + other.total,
        }
    }

    /// The steps with their names, in order.
    pub fn steps(&self) -> [(&'static str, f64); 10] {
        let Self { start, read, prepare, search, plan, align, rank, pair, format, write, total: _ } =
            *self;
        [
            ("start", start),
            ("read", read),
            ("prepare", prepare),
            ("search", search),
            ("plan", plan),
            ("align", align),
            ("rank", rank),
            ("pair", pair),
            ("format", format),
            ("write", write),
        ]
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, seconds) in self.steps() {
            write!(f, "{name} {seconds:.2} s, ")?;
        }
        write!(f, "total {:.2} s", self.total)
    }
}

/// Counters of the mapper, see [`woodstocc::Stats`].
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct EngineCounters {
    loci: u64,
    nodes: u64,
    rows: u64,
    located: u64,
}

impl EngineCounters {
    fn plus(self, other: Self) -> Self {
        Self {
            loci: self.loci + other.loci,
            nodes: self.nodes + other.nodes,
            rows: self.rows + other.rows,
            located: self.located + other.located,
        }
    }
}

impl From<woodstocc::Stats> for EngineCounters {
    fn from(stats: woodstocc::Stats) -> Self {
        let woodstocc::Stats { loci, nodes, rows, located } = stats;
        Self { loci, nodes, rows, located }
    }
}

/// The strategy that was chosen for reads of a class of lengths, see [`woodstocc::StrategyChoice`].
#[derive(Debug, Serialize)]
pub struct StrategyChoice {
    /// The least length of these reads, in bases.
    shortest: usize,
    strategy: StrategyName,
    /// Reads of the sample that the estimates are from.
    reads: usize,
    /// Estimated nanoseconds per read of the filter.
    filter: f64,
    /// Estimated nanoseconds per read of search schemes; `None` if they cannot be the fastest.
    scheme: Option<f64>,
    /// Estimated nanoseconds per read of the suffix trie; `None` if it cannot be the fastest.
    trie: Option<f64>,
}

impl StrategyChoice {
    /// The choice of a mapper for up to `k` differences.
    fn new(choice: woodstocc::StrategyChoice, k: u8) -> Self {
        let woodstocc::StrategyChoice { piece, reads, strategy, filter, scheme, trie } = choice;
        let shortest = piece * (usize::from(k) + 1);
        Self { shortest, strategy: strategy.into(), reads, filter, scheme, trie }
    }
}

impl fmt::Display for StrategyChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shortest, strategy, reads, .. } = self;
        let strategy = format!("{strategy:?}").to_ascii_lowercase();
        write!(f, "reads of {shortest} bases and more: {strategy}, by {reads} of them")?;
        let estimates =
            [("filter", Some(self.filter)), ("scheme", self.scheme), ("trie", self.trie)];
        for (name, estimate) in estimates {
            if let Some(nanoseconds) = estimate {
                write!(f, ", {name} {:.2} us", nanoseconds / 1e3)?;
            }
        }
        Ok(())
    }
}

/// Statistics of the filter, see [`woodstocc::FilterStats`].
#[derive(Debug, Serialize)]
pub struct FilterStats {
    queries: u64,
    windows: u64,
    seconds: f64,
    device_seconds: f64,
    /// Shares of the cycles of blocks: gathering, running, scattering, scheduling.
    shares: [f64; 4],
    /// Mean occupancy of the ensembles of each module.
    occupancy: Vec<(String, f64)>,
    runtime: Metrics,
}

impl From<woodstocc::FilterStats> for FilterStats {
    fn from(stats: woodstocc::FilterStats) -> Self {
        let woodstocc::FilterStats { queries, windows, seconds, device_seconds, metrics } = stats;
        let shares = metrics.shares();
        let occupancy = metrics.modules.iter().map(|m| (m.module.clone(), m.occupancy())).collect();
        Self { queries, windows, seconds, device_seconds, shares, occupancy, runtime: metrics }
    }
}

/// Statistics of search schemes, see [`woodstocc::SchemeStats`].
#[derive(Debug, Serialize)]
pub struct SchemeStats {
    nodes: u64,
    lines: u64,
    #[serde(flatten)]
    run: FilterStats,
}

impl From<woodstocc::SchemeStats> for SchemeStats {
    fn from(woodstocc::SchemeStats { run, nodes, lines }: woodstocc::SchemeStats) -> Self {
        Self { nodes, lines, run: run.into() }
    }
}

/// A count per second; 0 if the time is not above zero.
pub fn per_second(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}
