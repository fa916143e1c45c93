//! Seeds of very many queries, as an application of the streaming runtime.
//!
//! [`seeds`](crate::seeds) says what is found, and does it for one query after the other. How many steps
//! in the index that takes differs from query to query as much as their repeats do, and a step waits for
//! memory; so here each word that grows is an item, and lanes are given words that are at the same thing.
//!
//! ```text
//!   ranges of hunts
//!     |  begin    a lane a hunt: for the matches of a query, or for its rare words
//!     v
//!    turn  <---grown---.     a lane a word that grows no further: what it is, and the word after it
//!     |  |             |
//!     |  '--growing-> grow <-.    a lane a word: some bases further, to whichever side it is to go
//!     |                '-----' growing
//!     |--seeds--> sink
//!     '--again--> turn again <--> grow again     the same for what contains a long match's middle
//! ```
//!
//! A word starts at most one after it, and so items on a loop do not multiply; only a long match starts a
//! hunt of its own, and that goes forward, to loops with the same code.

pub mod stages;

use std::ops::Range;

use aligner_core::stream::{Settings, SinkId, Topology};

use self::stages::{Begin, Context, Grow, Growing, Hunts, Turn};
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
    let modules = (app.stage(Begin), app.stage(Turn), app.stage(Grow));
    let begin = app.node("begin", modules.0, ());
    let turns = ["turn", "turn again"].map(|name| app.node(name, modules.1, ()));
    let grows = ["grow", "grow again"].map(|name| app.node(name, modules.2, ()));
    app.source::<Hunts>(begin);
    app.edge(begin, "begun", turns[0]);
    for (turn, grow) in turns.into_iter().zip(grows) {
        app.edge(turn, "growing", grow);
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
    // Most reads have a few seeds, and those of repeats one every ten bases.
    let likely_outputs = Some(bases / 10);
    Settings { likely_outputs, metrics, ..Settings::default() }
}
