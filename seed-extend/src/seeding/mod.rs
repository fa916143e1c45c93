//! Finding the seeds of very many queries, as an application of the streaming runtime.
//!
//! [`seeds`](crate::seeds) says what they are. They are found from their ends: going to the left from an
//! end, the index tells the longest word that occurs. If that is shorter than asked for, no word of that
//! length ends before the one that begins where it does, so short matches are skipped, mostly soon after
//! one look into the table of words (Gagie, "How to find long maximal exact matches and ignore short ones",
//! 2024). Once a word occurs only once, its place is found and the text itself compared, which costs one
//! memory access for 32 bases instead of two for each.
//!
//! How many words and steps that takes differs from query to query as much as their repeats do, and each
//! step waits for memory. So items are words that grow, not queries: on a GPU lanes are given words that are
//! at the same thing, and on a CPU what a word needs next arrives while others grow.
//!
//! ```text
//!   ranges of hunts
//!     |  begin     a hunt a lane: for the matches of a query, or for its rare words
//!     v
//!    turn <---------------.    what a word is that grows no further, and which one comes after it
//!     |  |--seeds--> sink |
//!     |  '--again-->      |    to the same nodes once more: what contains a long match's middle
//!     v                   |
//!    look up              |    the last bases of the word, or the first ones
//!     |                   |
//!     v                   |
//!    grow ----------------'    a base further on its side, until it is not to grow any more
//!     ^ |
//!     '-'
//! ```
//!
//! A word starts at most one after it, and so items on a loop do not multiply; only a long match starts a
//! hunt of its own, and that goes forward, to loops with the same code.

mod growing;
pub mod stages;
mod turning;

use std::ops::Range;

use aligner_core::stream::{CpuExecutor, RunError, Settings, SinkId, Topology};

pub use self::growing::Growing;
use self::stages::{Begin, Context, Grow, Hunts, LookUp, Turn};
use crate::seeds::Seed;

/// Where seeds arrive.
#[derive(Debug, Clone, Copy)]
pub struct Sinks {
    /// Those found first.
    pub first: SinkId<Seed>,
    /// Those found by looking into a long one again.
    pub again: SinkId<Seed>,
    /// Nothing: what is found again is not looked into once more.
    pub none: SinkId<Growing>,
}

/// The application.
pub fn topology(context: &Context) -> (Topology<'_, Context>, Sinks) {
    let mut app = Topology::new("seeds", context);
    let begin = app.stage(Begin);
    let begin = app.node("begin", begin, ());
    let modules = (app.stage(LookUp), app.stage(Grow), app.stage(Turn));
    let looks = ["look up", "look up again"].map(|name| app.node(name, modules.0, ()));
    let grows = ["grow", "grow again"].map(|name| app.node(name, modules.1, ()));
    let turns = ["turn", "turn again"].map(|name| app.node(name, modules.2, ()));
    app.source::<Hunts>(begin);
    app.edge(begin, "words", turns[0]);
    for ((look, grow), turn) in looks.into_iter().zip(grows).zip(turns) {
        app.edge(turn, "words", look);
        app.edge(look, "growing", grow);
        app.edge(grow, "growing", grow);
        app.edge(grow, "grown", turn);
    }
    app.edge(turns[0], "again", turns[1]);
    let first = app.sink("first", turns[0], "seeds");
    let again = app.sink("seeds again", turns[1], "seeds");
    let none = app.sink("none", turns[1], "again");
    (app, Sinks { first, again, none })
}

/// Hunts that one input has: queries that follow one another, which read the same lines of memory.
const TOGETHER: u32 = 128;

/// All hunts for these queries.
pub fn hunts(queries: Range<u32>) -> Vec<Hunts> {
    let end = 2 * queries.end;
    let of = |first: u32| Hunts { first, count: TOGETHER.min(end - first) };
    (2 * queries.start..end).step_by(TOGETHER as usize).map(of).collect()
}

/// How the application is run for queries of so many bases in all.
pub fn settings(bases: u64, metrics: bool) -> Settings {
    // Most reads have a few seeds, and those of repeats one every ten bases, of either search.
    let likely_outputs = vec![bases / 10; 2];
    Settings { likely_outputs, metrics, ..Settings::default() }
}

/// The seeds of some queries, in order, found by this thread.
///
/// # Errors
/// If the runtime refuses the application.
pub fn on_cpu(context: &Context, queries: Range<u32>) -> Result<Vec<Seed>, RunError> {
    let (app, sinks) = topology(context);
    let settings = Settings { blocks: 1, ..Settings::default() };
    let mut outputs = CpuExecutor::new(&app, &settings)?.run(&hunts(queries))?;
    let mut seeds = outputs.take(sinks.first);
    seeds.extend(outputs.take(sinks.again));
    seeds.sort_unstable();
    Ok(seeds)
}
