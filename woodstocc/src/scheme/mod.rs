//! Search by search schemes on the bidirectional index.
//!
//! After T. W. Lam et al., "High throughput short read alignment via bi-directional BWT" (2009), Kucherov, Salikhov and
//! Tsur (2016) and L. Renders, K. Marchal and J. Fostier, "Dynamic partitioning of search patterns for approximate
//! pattern matching using search schemes" (2021). A query is cut into `k + 1` pieces. Each [search](schemes) of the
//! scheme begins with one of them and adds its neighbours to either side, by edit distance, with few differences at
//! first. Where a word has become rare, its occurrences are verified in the text, as in the [filter](crate::filter).
//!
//! ```text
//!              rest
//!   search ------------> extend <-.
//!     |                    | '----' rest
//!     | seeds              | seeds
//!     v                    v
//!   candidates <-----------'       lane: an occurrence of a seed
//!     |
//!     v candidates
//!   verify                         lane: a candidate
//!     |
//!     v windows
//!   sink
//! ```
//!
//! The nodes are an application of [`aligner_core::stream`], on the CPU and on a GPU. Most searches end after a few
//! branches and some extend thousands. So a firing extends a limited number of branches; the rest of a search goes
//! round a loop, and lanes whose search is finished take another one. A search branches; as one item for each branch, it
//! would fill many slots and lanes with branches that end soon. So the item is the stack of all open branches of the
//! search. The branch with the query's next base is pushed first, below the others, most of which end soon; so a stack of
//! 16 branches is nearly always enough. A branch whose extensions might not fit is verified in the text at once.
//!
//! # The search
//!
//! | module | concept |
//! |---|---|
//! | [`schemes`] | which pieces are searched in which order, with how many differences |
//! | [`plan`] | a search as runs of pieces in one direction |
//! | [`cells`] | the matrix of a run: one word for a row |
//! | [`branch`] | a word of the text with its row, and its extension by a base |
//! | [`stages`] | the nodes of the application |
//! | `count` | the cost of searches, for the choice of a strategy |
//! | `gpu` | the application on a GPU |
//!
//! Where a run ends, the search goes on from there with the least number of differences of its row. Text between two
//! pieces may be aligned with either of them: a branch ends a run at the first base that completes it, and text after
//! that belongs to the next run.
//!
//! # Why no match is lost
//!
//! Take a match with `d <= k` differences, and its best alignment `A`. Some search allows the numbers of differences
//! that `A` has in the pieces. One of the words that this search follows is the text of `A`: each part of `A` has as
//! few differences as any alignment of that text with that part of the query, or `A` would not be the best. So the rows
//! of the branch contain the cells of `A`, and the branch ends a run with no more differences than `A`. A branch is
//! given up only to be verified at all its occurrences. `A` has no difference in the search's first piece, which it
//! aligns on a diagonal `D`. The branch knows `D`, since it counts the bases added to the left of its first word. As
//! `A` touches `D`, all of `A` lies within `k` of it, and the window of `D` has the match with its distance (see
//! [`band`](crate::verify::band)). Windows contain matches only, so additional windows do no harm.
//!
//! # Why a match is seldom found twice
//!
//! Several searches may reach the same diagonal, all of them if the query occurs without differences. The window
//! depends on query and diagonal alone. It is output only for the first search that allows the substitutions of each
//! piece on that diagonal: such a search is certain to reach it, since the rows of its branch contain these cells. The
//! windows that remain twice come from insertions and deletions, as in the filter.
//!
//! # What it costs
//!
//! Costs of a read (both orientations) of 47 bases on human chromosome 20 with `k = 3`, by the greatest number of
//! occurrences of a word that is verified in the text:
//!
//! | rare limit | branches | 64-byte lines of the index | occurrences verified |
//! |---:|---:|---:|---:|
//! | 1 | 498 | 541 | 195 |
//! | 4 | 220 | 259 | 334 |
//! | 8 | 142 | 179 | 436 |
//! | 16 | 89 | 123 | 566 |
//!
//! An occurrence costs about as much as two branches: the suffix array, one or two lines of text and some matrix rows,
//! against one or two lines of the index and four rows. So [`RARE_LIMIT`] is 4. The filter verifies 1,830 occurrences
//! of such a read.

pub mod branch;
pub mod cells;
pub(crate) mod count;
pub(crate) mod gpu;
pub mod plan;
pub mod schemes;
pub mod stages;

use std::sync::Arc;

use aligner_core::stream::{CpuExecutor, Outputs, RunError, Settings, SinkId, Topology};
use fm_index::FmIndex;

use self::plan::SearchPlan;
use self::schemes::Scheme;
use self::stages::{
    Candidates, Extend, SchemeContext, SchemeCounts, SchemeEffort, Search, SearchId, Verify,
};
use crate::read::Queries;
use crate::verify::window::up_to;
use crate::verify::{FoundWindows, Window};

/// Words with no more occurrences than this are verified in the text.
pub const RARE_LIMIT: u32 = 4;

/// The graph of the application: its nodes and edges, and the sink of windows.
pub fn topology(context: &SchemeContext) -> (Topology<'_, SchemeContext>, SinkId<Window>) {
    let mut app = Topology::new("scheme", context);
    let (search, extend) = (app.stage(Search), app.stage(Extend));
    let (candidates, verify) = (app.stage(Candidates), app.stage(Verify));
    let search = app.node("search", search, ());
    let extend = app.node("extend", extend, ());
    let candidates = app.node("candidates", candidates, ());
    let verify = app.node("verify", verify, ());
    app.source::<SearchId>(search);
    app.edge(search, "rest", extend);
    app.edge(extend, "rest", extend);
    app.edge(search, "seeds", candidates);
    app.edge(extend, "seeds", candidates);
    app.edge(candidates, "candidates", verify);
    let windows = app.sink("windows", verify, "windows");
    (app, windows)
}

/// The data that all nodes of the application share. Words with at most `rare_limit` occurrences are verified in the
/// text.
pub fn context(
    index: &FmIndex,
    queries: &Arc<Queries>,
    k: usize,
    rare_limit: u32,
) -> SchemeContext {
    let scheme = Scheme::halving(k);
    SchemeContext {
        index: index.clone(),
        queries: Arc::clone(queries),
        k,
        pieces: scheme.pieces,
        plans: SearchPlan::all(&scheme),
        rare_limit,
        effort: SchemeEffort::default(),
    }
}

/// The inputs of the application: all searches of the wanted queries, each of more than `k` bases.
pub fn searches(wanted: &[u32], k: usize) -> Vec<SearchId> {
    let of_query = |&query| (0..=k as u32).map(move |search| SearchId { query, search });
    wanted.iter().flat_map(of_query).collect()
}

/// Windows of a batch, with the work of finding them.
#[derive(Debug, Default)]
pub struct SchemeWindows {
    /// The windows, with times and metrics.
    pub found: FoundWindows,
    /// Work of the searches.
    pub counts: SchemeCounts,
}

impl SchemeWindows {
    /// Takes the windows from the sink of a run.
    pub fn new(outputs: Outputs, windows: SinkId<Window>, counts: SchemeCounts) -> Self {
        Self { found: FoundWindows::new(outputs, windows), counts }
    }

    /// Adds the windows and costs of another part of the batch.
    pub fn append(&mut self, part: Self) {
        self.found.append(part.found);
        self.counts.nodes += part.counts.nodes;
        self.counts.lines += part.counts.lines;
    }
}

/// Searches on the CPU, on the current rayon pool.
///
/// # Errors
/// If the streaming runtime fails; [`RunError::Cancelled`] if there are more than `most` windows.
pub(crate) fn on_cpu(
    context: &SchemeContext,
    wanted: &[u32],
    (settings, most): (&Settings, u64),
) -> Result<SchemeWindows, RunError> {
    let (app, windows) = topology(context);
    let executor = CpuExecutor::new(&app, settings)?;
    let outputs = executor.run_with(&searches(wanted, context.k), &mut up_to(most))?;
    Ok(SchemeWindows::new(outputs, windows, context.effort.counts()))
}
