//! Search by filtering: exact occurrences of pieces (pigeonhole principle), then verification.
//!
//! A query is cut into `k + 1` pieces. An alignment with at most `k` differences leaves at least one piece without a
//! difference, on a diagonal that the alignment touches. So every match lies near an exact occurrence of some piece.
//! The search is complete for every query, and its cost is the number of occurrences of the pieces instead of the
//! number of trie nodes. It pays where pieces are long enough to be rare.
//!
//! ```text
//!   pieces --> search --seeds--> candidates --candidates--> verify --windows--> sink
//!     ^        one lane a        one lane an                one lane a
//!     |        piece             occurrence                 candidate
//!     '--parts-- frequent
//! ```
//!
//! The three nodes are an application of [`aligner_core::stream`] on a GPU; a CPU takes the same steps without queues (module
//! `cpu`). A piece has between none and a million occurrences, and most candidates fail. The second node explodes seeds, so that the occurrences of a
//! repeat are spread over as many threads and no other query waits for them; it passes on the few candidates that pass
//! a prefilter ([`passes_prefilter`](crate::verify::band::passes_prefilter)).
//!
//! Queries are cut where their pieces occur least ([`cuts`]). Other cuts give other windows, but the same matches.
//! Pieces that occur very often leave the first run through a sink of their own, and enter a second run in parts, so
//! that all blocks share them.
//!
//! Several windows may contain the same start, since alignments with insertions or deletions touch several diagonals.
//! The distance of the match is the least of them: it is in the window of each piece that the best alignment leaves
//! without a difference.

mod cpu;
pub mod cuts;
pub mod gpu;
pub mod stages;

use std::sync::Arc;

use aligner_core::stream::{Outputs, RunError, SinkId, Topology};
use fm_index::FmIndex;

use self::cuts::QueryCuts;
use self::stages::{
    Candidates, FilterContext, OCCURRENCES_PER_SEED, PieceSeed, QueryPiece, Search, Verify,
};
use crate::read::Queries;
use crate::verify::{FoundWindows, Window};

/// The sinks of the application.
#[derive(Debug, Clone, Copy)]
pub struct FilterSinks {
    /// Windows of queries with matches.
    pub windows: SinkId<Window>,
    /// Pieces that occur more than [`OCCURRENCES_PER_SEED`] times, of which the first part was processed.
    pub frequent: SinkId<PieceSeed>,
}

/// The graph of the application: its nodes, edges and sinks.
pub fn topology(context: &FilterContext) -> (Topology<'_, FilterContext>, FilterSinks) {
    let mut app = Topology::new("filter", context);
    let modules = (app.stage(Search), app.stage(Candidates), app.stage(Verify));
    let search = app.node("search", modules.0, ());
    let candidates = app.node("candidates", modules.1, ());
    let verify = app.node("verify", modules.2, ());
    app.source::<QueryPiece>(search);
    app.edge(search, "seeds", candidates);
    app.edge(candidates, "candidates", verify);
    let windows = app.sink("windows", verify, "windows");
    let frequent = app.sink("frequent", search, "frequent");
    (app, FilterSinks { windows, frequent })
}

/// The data that all nodes of the application share, for a batch with these cuts. On a GPU, which computes the cuts
/// itself, they may be empty.
pub fn context(
    index: &FmIndex,
    queries: &Arc<Queries>,
    k: usize,
    cuts: QueryCuts,
) -> FilterContext {
    FilterContext { index: index.clone(), queries: Arc::clone(queries), k, cuts }
}

/// The inputs of the first run: the pieces of the wanted queries, each of more than `k` bases.
pub fn pieces(wanted: &[u32], k: usize) -> Vec<QueryPiece> {
    let of = |&query| (0..=k as u32).map(move |number| QueryPiece { query, number, first: 0 });
    wanted.iter().flat_map(of).collect()
}

/// All parts of frequent pieces but the first ones, in lists of at most `most`: the inputs of further runs.
fn parts(frequent: &[PieceSeed], most: usize) -> impl Iterator<Item = Vec<QueryPiece>> {
    let of = |&PieceSeed { query, number, size, .. }: &PieceSeed| {
        let firsts = (OCCURRENCES_PER_SEED..size).step_by(OCCURRENCES_PER_SEED as usize);
        firsts.map(move |first| QueryPiece { query, number, first })
    };
    let mut all = frequent.iter().flat_map(of);
    std::iter::from_fn(move || {
        let next: Vec<QueryPiece> = all.by_ref().take(most).collect();
        (!next.is_empty()).then_some(next)
    })
}

/// Parts of frequent pieces in one run of [`windows`].
const PARTS_PER_RUN: usize = 1 << 20;

/// All windows of the wanted queries, by two or more runs of the application; `run` runs it on a list of inputs.
///
/// # Errors
/// If `run` fails; [`RunError::Cancelled`] if there are more than `most` windows.
pub fn windows(
    wanted: &[u32],
    k: usize,
    (sinks, most): (FilterSinks, u64),
    mut run: impl FnMut(&[QueryPiece]) -> Result<Outputs, RunError>,
) -> Result<FoundWindows, RunError> {
    let mut outputs = run(&pieces(wanted, k))?;
    let frequent = outputs.take(sinks.frequent);
    let mut filtered = FoundWindows::new(outputs, sinks.windows);
    for parts in parts(&frequent, PARTS_PER_RUN) {
        if filtered.windows.len() as u64 > most {
            return Err(RunError::Cancelled);
        }
        filtered.append(FoundWindows::new(run(&parts)?, sinks.windows));
    }
    if filtered.windows.len() as u64 > most { Err(RunError::Cancelled) } else { Ok(filtered) }
}

/// Searches on the CPU, on the current rayon pool. `None` if there are more than `most` windows.
pub(crate) fn on_cpu(
    index: &FmIndex,
    queries: &Arc<Queries>,
    wanted: &[u32],
    k: usize,
    most: u64,
) -> Option<FoundWindows> {
    let cuts = QueryCuts::cheapest(index, queries, wanted, k);
    let context = context(index, queries, k, cuts);
    let mut found = FoundWindows::default();
    cpu::find(&context, wanted, (PARTS_PER_RUN, most), |windows| {
        found.windows.append(windows.into());
        found.windows.len() as u64 <= most
    });
    (found.windows.len() as u64 <= most).then_some(found)
}

/// Parts of frequent pieces in one slice of [`in_slices`].
const PARTS_PER_SLICE: usize = 1 << 12;

/// Searches on the CPU as [`on_cpu`] does, for queries with very many occurrences: passes the windows to `take` in
/// slices of at most [`PARTS_PER_SLICE`] times [`OCCURRENCES_PER_SEED`], and never holds all of them.
pub(crate) fn in_slices(
    index: &FmIndex,
    queries: &Arc<Queries>,
    wanted: &[u32],
    k: usize,
    mut take: impl FnMut(&[Window]),
) {
    let cuts = QueryCuts::cheapest(index, queries, wanted, k);
    let context = context(index, queries, k, cuts);
    cpu::find(&context, wanted, (PARTS_PER_SLICE, u64::MAX), |windows| {
        take(&windows);
        true
    });
}
