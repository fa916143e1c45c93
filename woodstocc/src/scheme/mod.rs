//! Search by search schemes on the bidirectional index.
//!
//! After T. W. Lam et al., "High throughput short read alignment via bi-directional BWT" (2009),
//! Kucherov, Salikhov and Tsur (2016) and L. Renders, K. Marchal and J. Fostier, "Dynamic partitioning of
//! search patterns for approximate pattern matching using search schemes" (2021). A query is cut into
//! `k + 1` pieces, and each [search](schemes) of the scheme begins with one of them and puts its
//! neighbours to either side, by edit distance, with few differences at first. Where a word has become
//! rare, its occurrences are verified in the text, as those of the filter are.
//!
//! ```text
//!               seeds                 candidates              windows
//!   search -------------> candidates ------------> verify ------------> sink
//!     |  lane: a search     lane: an occurrence      lane: a candidate
//!     | rest
//!     v         seeds
//!   extend -------------> candidates ------------> verify ------------> sink
//!     ^ |
//!     '-' rest
//! ```
//!
//! The nodes are an application of [`aligner_core::stream`], on the CPU and on a GPU. Most searches end
//! after some nodes and some go on for thousands. So a firing extends a limited number of branches; what is
//! left of a search, a small stack, goes round a loop, and lanes that are done take other searches.
//!
//! # The search
//!
//! | file | concept |
//! |---|---|
//! | [`schemes`] | which pieces are searched in which order, with how many differences |
//! | [`plan`] | the same as runs of pieces in one direction |
//! | [`cells`] | the matrix of a run: a word for a row |
//! | [`branch`] | a word of the text with its row; extending it by a base |
//! | [`stages`] | the nodes of the application |
//! | `count` | what it would do, counted |
//!
//! Where a run ends, the search goes on from there with the least differences of its row. Text between
//! two pieces may count as either's: a branch ends a run at the first base that completes it, and what
//! lies between belongs to the run that comes next.
//!
//! # Nothing is lost
//!
//! Take a match with `d <= k` differences, and its best alignment `A`. Some search allows the numbers of
//! differences that `A` has in the pieces. Of the words that it follows, one is the text of `A`: each part
//! of `A` has as few differences as any alignment of that text with that part of the query, as `A` were not
//! the best otherwise, so that the rows of the branch have `A`'s cells, and the branch ends a run with no
//! more differences than `A`. A branch is given up for verification only together with all its
//! occurrences. `A` has the search's first piece as it is, on a diagonal `D`, which the branch knows: it
//! counts the bases that it puts to the left of the word that it began with. Touching `D`, all of `A` lies
//! within `k` of it, and so the window of `D` has the match with its distance (see
//! [`band`](crate::filter::band)). Windows hold matches only, so more of them add nothing.
//!
//! # Nothing is found too often
//!
//! Several searches come upon one diagonal, all of them if the query occurs as it is. The window depends
//! on query and diagonal alone; it is that of the first search for which substitutions alone, piece by
//! piece on that diagonal, are no more than it allows. Such a search is certain to come upon the
//! diagonal, since the rows of its branch have these cells. What is left twice comes from insertions and
//! deletions, as with the filter.
//!
//! # What it costs
//!
//! On human chromosome 20 with 47 bases and `k = 3`, by the number of occurrences from which on words are
//! verified (a read, both orientations):
//!
//! | few | nodes | 64-byte lines | occurrences |
//! |---:|---:|---:|---:|
//! | 1 | 498 | 541 | 195 |
//! | 4 | 220 | 259 | 334 |
//! | 8 | 142 | 179 | 436 |
//! | 16 | 89 | 123 | 566 |
//!
//! An occurrence costs about as much as two nodes: the suffix array, one or two lines of text and
//! some rows of a matrix, against one or two lines and four rows. So [`FEW`] is 4. The filter has 1,830
//! occurrences.

pub mod branch;
pub mod cells;
pub(crate) mod count;
pub mod plan;
pub mod schemes;
pub mod stages;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use aligner_core::stream::{CpuExecutor, Outputs, RunError, Settings, SinkId, Topology};
use fm_index::FmIndex;

use self::plan::Plan;
use self::schemes::Scheme;
use self::stages::{Candidates, Context, Effort, Extend, Search, Start, Verify};
use crate::filter::Filtered;
use crate::filter::band::Window;
use crate::query::Queries;

/// Words that occur no more often are verified in the text.
pub const FEW: u32 = 4;

/// Where the application's windows come out.
pub type Sinks = [SinkId<Window>; 2];

/// The application.
pub fn topology(context: &Context) -> (Topology<'_, Context>, Sinks) {
    let mut app = Topology::new("scheme", context);
    let (search, extend) = (app.stage(Search), app.stage(Extend));
    let (candidates, verify) = (app.stage(Candidates), app.stage(Verify));
    let search = app.node("search", search, ());
    let extend = app.node("extend", extend, ());
    app.source::<Start>(search);
    app.edge(search, "rest", extend);
    app.edge(extend, "rest", extend);
    let sinks = [(search, "searched"), (extend, "extended")].map(|(from, name)| {
        let candidates = app.node(&format!("candidates {name}"), candidates, ());
        let verify = app.node(&format!("verify {name}"), verify, ());
        app.edge(from, "seeds", candidates);
        app.edge(candidates, "candidates", verify);
        app.sink(name, verify, "windows")
    });
    (app, sinks)
}

/// What all nodes know of a batch; words that occur no more than `few` times are verified.
pub fn context(index: &FmIndex, queries: &Arc<Queries>, k: usize, few: u32) -> Context {
    let scheme = Scheme::halving(k);
    Context {
        index: index.clone(),
        queries: Arc::clone(queries),
        k,
        pieces: scheme.pieces,
        plans: Plan::all(&scheme),
        few,
        effort: Effort::default(),
    }
}

/// The searches of the wanted queries, all of which have more than `k` bases.
pub fn starts(wanted: &[u32], k: usize) -> Vec<Start> {
    let of = |&query| (0..=k as u32).map(move |search| Start { query, search });
    wanted.iter().flat_map(of).collect()
}

/// What a batch yielded.
#[derive(Debug, Default)]
pub struct Schemed {
    /// What the filter yields, too.
    pub found: Filtered,
    /// Branches extended.
    pub nodes: u64,
    /// 64-byte lines of the index read for that.
    pub lines: u64,
}

impl Schemed {
    /// What the sinks have.
    pub fn new(outputs: Outputs, sinks: Sinks, nodes: u64, lines: u64) -> Self {
        Self { found: Filtered::new(outputs, sinks), nodes, lines }
    }

    /// Adds another part of the batch.
    pub fn append(&mut self, part: Self) {
        self.found.append(part.found);
        self.nodes += part.nodes;
        self.lines += part.lines;
    }
}

/// Searches on the CPU, in the current thread pool.
///
/// # Errors
/// If the runtime fails.
pub(crate) fn on_cpu(
    context: &Context,
    wanted: &[u32],
    settings: &Settings,
) -> Result<Schemed, RunError> {
    let (app, sinks) = topology(context);
    let outputs = CpuExecutor::new(&app, settings)?.run(&starts(wanted, context.k))?;
    let Effort { nodes, lines } = &context.effort;
    let [nodes, lines] = [nodes, lines].map(|counter| counter.load(Ordering::Relaxed));
    Ok(Schemed::new(outputs, sinks, nodes, lines))
}
