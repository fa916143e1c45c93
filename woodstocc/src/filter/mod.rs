//! Search by filtering: seeds by the pigeonhole principle, verified.
//!
//! A query is cut into `k + 1` pieces. An alignment with at most `k` differences leaves at least one
//! of them as it is, on a diagonal that the alignment touches. So every match is found near an exact
//! occurrence of some piece: completely, whatever the query, and at a cost of the pieces' occurrences
//! instead of the trie's nodes. That pays where pieces are long enough to be rare.
//!
//! ```text
//!   pieces --> search --seeds--> candidates --candidates--> verify --windows--> sink
//!     ^        one lane a        one lane an                one lane a
//!     |        piece             occurrence                 candidate
//!     '--parts-- frequent
//! ```
//!
//! The three nodes are an application of [`aligner_core::stream`], on the CPU and on a GPU: a piece has
//! none to a million occurrences, and most candidates come to nothing. The second node explodes seeds,
//! so that a repeat's occurrences are dealt to as many threads and no other query waits for them; it
//! passes on the few where the query's last bases could match.
//!
//! Queries are cut where it costs least ([`cuts`]). That changes the windows, not the matches. Pieces
//! that still occur often leave the first run as such, and go into a second one part by part, so that
//! all blocks share them.
//!
//! Several windows may have the same start, since alignments with insertions or deletions touch more
//! than one diagonal; the least distance is that of the match, as the window of a piece that the best
//! alignment leaves intact has it.

pub mod band;
pub mod cuts;
pub(crate) mod gpu;
pub mod stages;

use std::sync::Arc;

use aligner_core::stream::{
    CpuExecutor, Items, Metrics, Outputs, RunError, Settings, SinkId, Topology,
};
use fm_index::FmIndex;

use self::band::Window;
use self::cuts::Cuts;
use self::stages::{Candidates, Context, Piece, Search, Seed, TOGETHER, Verify};
use crate::query::Queries;

/// Where the application's outputs arrive.
#[derive(Debug, Clone, Copy)]
pub struct Sinks {
    /// What was found.
    pub windows: SinkId<Window>,
    /// Pieces that occur more than [`TOGETHER`] times, of which one part was processed.
    pub frequent: SinkId<Seed>,
}

/// The application.
pub fn topology(context: &Context) -> (Topology<'_, Context>, Sinks) {
    let mut app = Topology::new("filter", context);
    let modules = (app.stage(Search), app.stage(Candidates), app.stage(Verify));
    let search = app.node("search", modules.0, ());
    let candidates = app.node("candidates", modules.1, ());
    let verify = app.node("verify", modules.2, ());
    app.source::<Piece>(search);
    app.edge(search, "seeds", candidates);
    app.edge(candidates, "candidates", verify);
    let windows = app.sink("windows", verify, "windows");
    let frequent = app.sink("frequent", search, "frequent");
    (app, Sinks { windows, frequent })
}

/// What all nodes know of a batch whose cuts are `cuts`.
pub fn context(index: &FmIndex, queries: &Arc<Queries>, k: usize, cuts: Cuts) -> Context {
    Context { index: index.clone(), queries: Arc::clone(queries), k, cuts }
}

/// The pieces of the wanted queries, all of which have more than `k` bases.
pub fn pieces(wanted: &[u32], k: usize) -> Vec<Piece> {
    let of = |&query| (0..=k as u32).map(move |number| Piece { query, number, first: 0 });
    wanted.iter().flat_map(of).collect()
}

/// The parts of frequent pieces but for the first ones.
fn parts(frequent: &[Seed]) -> Vec<Piece> {
    let of = |&Seed { query, number, size, .. }: &Seed| {
        let firsts = (TOGETHER..size).step_by(TOGETHER as usize);
        firsts.map(move |first| Piece { query, number, first })
    };
    frequent.iter().flat_map(of).collect()
}

/// All windows of the wanted queries, by two runs of the application.
///
/// # Errors
/// Those of `run`.
pub fn windows(
    wanted: &[u32],
    k: usize,
    sinks: Sinks,
    mut run: impl FnMut(&[Piece]) -> Result<Outputs, RunError>,
) -> Result<Filtered, RunError> {
    let mut outputs = run(&pieces(wanted, k))?;
    let parts = parts(&outputs.take(sinks.frequent));
    let mut filtered = Filtered::new(outputs, [sinks.windows]);
    if !parts.is_empty() {
        filtered.append(Filtered::new(run(&parts)?, [sinks.windows]));
    }
    Ok(filtered)
}

/// How the application is run.
pub fn settings(metrics: bool) -> Settings {
    Settings { output_slots: 1 << 14, metrics, ..Settings::default() }
}

/// What a batch yielded.
#[derive(Debug, Default)]
pub struct Filtered {
    /// In no particular order.
    pub windows: Items<Window>,
    /// Of the kernels.
    pub device_seconds: f64,
    /// Of the runtime.
    pub metrics: Metrics,
}

impl Filtered {
    /// What sinks of windows have.
    pub fn new(mut outputs: Outputs, sinks: impl IntoIterator<Item = SinkId<Window>>) -> Self {
        let mut windows = Items::default();
        for sink in sinks {
            windows.append(outputs.take_in_place(sink));
        }
        Self { windows, device_seconds: outputs.device_seconds, metrics: outputs.metrics }
    }

    /// Adds another part of the batch.
    pub fn append(&mut self, part: Self) {
        self.windows.append(part.windows);
        self.device_seconds += part.device_seconds;
        self.metrics.add(&part.metrics);
    }
}

/// Filters on the CPU, in the current thread pool.
///
/// # Errors
/// If the runtime fails.
pub(crate) fn on_cpu(
    index: &FmIndex,
    queries: &Arc<Queries>,
    wanted: &[u32],
    k: usize,
    settings: &Settings,
) -> Result<Filtered, RunError> {
    let cuts = Cuts::cheapest(index, queries, wanted, k);
    let context = context(index, queries, k, cuts);
    let (app, sinks) = topology(&context);
    let executor = CpuExecutor::new(&app, settings)?;
    windows(wanted, k, sinks, |pieces| executor.run(pieces))
}
