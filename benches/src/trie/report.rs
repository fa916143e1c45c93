//! The results of the ablation, as data and as a table.

use std::fmt::Write as _;

use serde::Serialize;
use woodstocc::trie::metrics::TrieMetrics;

use super::variants::TrieVariant;

/// Random reads of 64 bytes a second that an H200 was measured to serve from its L2 cache.
const L2_READS: f64 = 77e9;
/// Random reads of 64 bytes a second that an H200 was measured to serve from device memory.
const MEMORY_READS: f64 = 22e9;

/// The results of all variants.
#[derive(Debug, Clone, Serialize)]
pub struct Ablation {
    /// The device that was measured, in words.
    pub device: String,
    /// The version of gpualign.
    pub version: &'static str,
    /// Reads, each searched for in both orientations.
    pub reads: usize,
    /// Bases of all reads.
    pub bases: u64,
    /// Bases of the reference.
    pub reference_bases: u32,
    /// Greatest edit distance of a hit.
    pub k: u8,
    /// Hits that every variant found.
    pub hits: usize,
    /// The measured variants, each with one technique more than the one before.
    pub points: Vec<VariantTiming>,
}

/// The speed and the work of one variant.
#[derive(Debug, Clone, Serialize)]
pub struct VariantTiming {
    /// The variant that was run.
    pub variant: TrieVariant,
    /// Median seconds: of the kernels on a GPU, of the search on a CPU.
    pub seconds: f64,
    /// Seconds of each run.
    pub runs: Vec<f64>,
    /// Reads searched a second.
    pub reads_per_second: f64,
    /// Trie nodes looked up for each read; a node that several reads share counts once.
    pub nodes_per_read: f64,
    /// Matrix rows computed for each read.
    pub rows_per_read: f64,
    /// Reads of 64 bytes of the index a second, two for each node.
    pub rank_reads_per_second: f64,
    /// `rank_reads_per_second` as a share of the rate that an H200 serves from its L2 cache.
    pub share_of_l2_reads: f64,
    /// `rank_reads_per_second` as a share of the rate that an H200 serves from device memory.
    pub share_of_memory_reads: f64,
    /// Measurements that only the search by pods makes.
    pub pods: Option<PodsMetrics>,
}

/// Measurements of the search by pods, from a run with metrics.
#[derive(Debug, Clone, Serialize)]
pub struct PodsMetrics {
    /// Shares of the blocks' cycles: pull and traversal, rows, push, scheduling.
    pub stage_shares: [f64; 4],
    /// Share of the lanes that are busy in the traversal.
    pub traversal_occupancy: f64,
    /// Share of the lanes that are busy with matrix rows.
    pub row_occupancy: f64,
    /// Launches of the kernel, one for each slice of the work.
    pub slices: u32,
    /// Times that a block got half of another's worklist.
    pub donations: u64,
    /// Blocks of a launch.
    pub blocks: usize,
    /// Steps of a block: least, 10%, median, 90%, 99%, most (Cole 2017, figure 2.8).
    pub loops: [u32; 6],
}

/// `part` as a share of `whole`; 0 if `whole` is 0.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl PodsMetrics {
    fn new(measured: &TrieMetrics) -> Self {
        let cycles = measured.cycles.iter().sum();
        let mut loops = measured.loops.clone();
        loops.sort_unstable();
        let quantile = |percent: usize| {
            let last = loops.len().saturating_sub(1);
            loops.get(last * percent / 100).copied().unwrap_or(0)
        };
        Self {
            stage_shares: measured.cycles.map(|stage| share(stage, cycles)),
            traversal_occupancy: share(measured.effort.nodes, measured.traversal_slots),
            row_occupancy: share(measured.effort.rows, measured.row_slots),
            slices: measured.slices,
            donations: measured.donations,
            blocks: loops.len(),
            loops: [0, 10, 50, 90, 99, 100].map(quantile),
        }
    }
}

impl VariantTiming {
    /// A point from the counts `measured` in a run with metrics, and times of runs without metrics.
    pub(super) fn new(
        variant: TrieVariant,
        measured: &TrieMetrics,
        reads: usize,
        seconds: f64,
        runs: Vec<f64>,
    ) -> Self {
        let rate = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
        let rank_reads_per_second = rate(2.0 * measured.effort.nodes as f64);
        Self {
            variant,
            seconds,
            runs,
            reads_per_second: rate(reads as f64),
            nodes_per_read: share(measured.effort.nodes, reads as u64),
            rows_per_read: share(measured.effort.rows, reads as u64),
            rank_reads_per_second,
            share_of_l2_reads: rank_reads_per_second / L2_READS,
            share_of_memory_reads: rank_reads_per_second / MEMORY_READS,
            pods: (!measured.loops.is_empty()).then(|| PodsMetrics::new(measured)),
        }
    }

    fn row(&self) -> String {
        let percent = |share: f64| format!("{:.1}", share * 100.0);
        let mut fields = vec![
            format!("{:.4}", self.seconds),
            format!("{:.0}", self.reads_per_second),
            format!("{:.0}", self.nodes_per_read),
            format!("{:.0}", self.rows_per_read),
            format!("{:.2}", self.rank_reads_per_second / 1e9),
            percent(self.share_of_l2_reads),
            percent(self.share_of_memory_reads),
        ];
        match &self.pods {
            Some(pods) => {
                fields.extend(pods.stage_shares.map(percent));
                fields.push(percent(pods.traversal_occupancy));
                fields.push(percent(pods.row_occupancy));
                fields.push(pods.slices.to_string());
                fields.push(pods.donations.to_string());
                fields.extend(pods.loops.map(|loops| loops.to_string()));
            }
            None => fields.extend((0..14).map(|_| "-".to_owned())),
        }
        line(&self.variant.name, &fields)
    }
}

const HEADINGS: [&str; 21] = [
    "s", "reads/s", "nodes", "rows", "G rank/s", "% L2", "% memory", "trav %", "rows %", "push %",
    "sched %", "trav occ", "row occ", "slices", "gifts", "loops 0", "10%", "50%", "90%", "99%",
    "100%",
];

fn line<S: AsRef<str>>(name: &str, fields: &[S]) -> String {
    let mut line = format!("{name:<28}");
    for field in fields {
        // Writing to a string cannot fail.
        let _ = write!(line, " {:>9}", field.as_ref());
    }
    line + "\n"
}

impl Ablation {
    /// A table with a line for each variant. Nodes and rows are for each read; occupancies and shares in percent;
    /// the last six columns are steps of the blocks, by quantile.
    pub fn table(&self) -> String {
        let rows: String = self.points.iter().map(VariantTiming::row).collect();
        line("variant", &HEADINGS) + &rows
    }
}
