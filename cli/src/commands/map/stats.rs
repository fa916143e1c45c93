//! What `--stats` prints.

use std::fmt;
use std::time::Duration;

use aligner_core::stream::Metrics;
use serde::Serialize;
use woodstocc::Mapper;

use super::args::{Mode, StrategyName};
use crate::output::Tally;
use crate::timeline::{Step, Timeline};

/// The statistics of one run of mapping.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub version: &'static str,
    pub command: String,
    pub mode: Mode,
    pub device: String,
    pub threads: usize,
    pub reads: u64,
    pub bases: u64,
    /// Reads with at least one alignment.
    pub aligned: u64,
    /// Alignments written.
    pub alignments: u64,
    /// Of the records that were written.
    #[serde(flatten)]
    pub tally: Tally,
    pub seconds: Seconds,
    /// Reads a second of mapping and output, without the index.
    pub reads_per_second: f64,
    /// Of complete mapping.
    #[serde(flatten)]
    pub all: Option<AllStats>,
}

/// The statistics of complete mapping.
#[derive(Debug, Serialize)]
pub struct AllStats {
    k: u8,
    engine: Engine,
    /// What `--strategy auto` chose, for each class of lengths that was met.
    choices: Vec<Choice>,
    /// Of the filter, if it was used.
    filter: Option<Filter>,
    /// Of search schemes, if they were used.
    scheme: Option<Scheme>,
}

impl AllStats {
    /// Of what this mapper did, with up to `k` differences.
    pub fn new(mapper: &Mapper, k: u8) -> Self {
        let choices = mapper.choices().into_iter().map(|choice| Choice::new(choice, k));
        Self {
            k,
            engine: mapper.stats().into(),
            choices: choices.collect(),
            filter: Some(mapper.filter_stats()).filter(|stats| stats.queries > 0).map(Into::into),
            scheme: Some(mapper.scheme_stats()).filter(|s| s.run.queries > 0).map(Into::into),
        }
    }
}

impl Summary {
    /// Mean occupancy of each module of the streaming runtime, under the names of its application and its own. Everyday
    /// mapping has none.
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

    /// What most want to know, in words.
    pub fn lines(&self) -> Vec<String> {
        let Self { reads, aligned, alignments, device, seconds, reads_per_second, .. } = self;
        let mut lines = vec![
            format!("{aligned} of {reads} reads aligned, {alignments} alignments, on {device}"),
            format!("{seconds}, {reads_per_second:.0} reads/s"),
        ];
        let choices = self.all.iter().flat_map(|all| &all.choices);
        lines.extend(choices.map(Choice::to_string));
        lines
    }
}

/// Where the time went. Steps overlap from `read` on, so they can add up to more than `total`; see
/// [`Step`].
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Seconds {
    /// Until the first batch could be mapped: the index and the device.
    pub start: f64,
    pub read: f64,
    pub prepare: f64,
    pub search: f64,
    /// Of everyday mapping, as are the next three.
    pub plan: f64,
    pub align: f64,
    pub rank: f64,
    pub pair: f64,
    pub format: f64,
    pub write: f64,
    pub total: f64,
}

impl Seconds {
    /// Of a whole run.
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
    /// The steps by their names, in their order.
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

/// The mapper's own counters, see [`woodstocc::Stats`].
#[derive(Debug, Serialize)]
pub struct Engine {
    loci: u64,
    nodes: u64,
    rows: u64,
    located: u64,
}

impl From<woodstocc::Stats> for Engine {
    fn from(stats: woodstocc::Stats) -> Self {
        let woodstocc::Stats { loci, nodes, rows, located } = stats;
        Self { loci, nodes, rows, located }
    }
}

/// What was chosen for reads of some lengths, see [`woodstocc::Choice`].
#[derive(Debug, Serialize)]
pub struct Choice {
    /// The shortest of these reads, in bases.
    shortest: usize,
    strategy: StrategyName,
    /// Reads that were looked at.
    reads: usize,
    /// Estimated nanoseconds a read; none of what costs more than another one.
    filter: f64,
    scheme: Option<f64>,
    trie: Option<f64>,
}

impl Choice {
    /// With up to `k` differences.
    fn new(choice: woodstocc::Choice, k: u8) -> Self {
        let woodstocc::Choice { piece, reads, strategy, filter, scheme, trie } = choice;
        let shortest = piece * (usize::from(k) + 1);
        Self { shortest, strategy: strategy.into(), reads, filter, scheme, trie }
    }
}

impl fmt::Display for Choice {
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

/// The filter's own numbers, see [`woodstocc::FilterStats`].
#[derive(Debug, Serialize)]
pub struct Filter {
    queries: u64,
    windows: u64,
    seconds: f64,
    device_seconds: f64,
    /// Shares of a block's cycles: gathering, running, scattering, scheduling.
    shares: [f64; 4],
    /// Mean occupancy of each module's ensembles.
    occupancy: Vec<(String, f64)>,
    runtime: Metrics,
}

impl From<woodstocc::FilterStats> for Filter {
    fn from(stats: woodstocc::FilterStats) -> Self {
        let woodstocc::FilterStats { queries, windows, seconds, device_seconds, metrics } = stats;
        let shares = metrics.shares();
        let occupancy = metrics.modules.iter().map(|m| (m.module.clone(), m.occupancy())).collect();
        Self { queries, windows, seconds, device_seconds, shares, occupancy, runtime: metrics }
    }
}

/// The numbers of search schemes, see [`woodstocc::SchemeStats`].
#[derive(Debug, Serialize)]
pub struct Scheme {
    nodes: u64,
    lines: u64,
    #[serde(flatten)]
    run: Filter,
}

impl From<woodstocc::SchemeStats> for Scheme {
    fn from(woodstocc::SchemeStats { run, nodes, lines }: woodstocc::SchemeStats) -> Self {
        Self { nodes, lines, run: run.into() }
    }
}

/// A rate; 0 for no time at all.
pub fn per_second(count: u64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { count as f64 / time.as_secs_f64() }
}
