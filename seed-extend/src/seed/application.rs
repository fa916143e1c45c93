//! The application of the streaming runtime that finds the seeds of very many queries.
//!
//! [`seeds`](crate::seed::seeds) defines what is found. The search goes through the ends of possible matches: going to
//! the left from an end, the index tells the longest word that occurs. If that is shorter than a seed, no seed ends
//! before the one that begins where it does, so short matches are skipped, mostly after one look into the table of
//! words (Gagie, "How to find long maximal exact matches and ignore short ones", 2024). Once a word occurs only once,
//! its position is found and the text itself compared, which costs one memory access for 32 bases instead of two for
//! each base. So most bases of a read cost no rank query at all.
//!
//! A query takes from some twenty to a thousand steps in the index, and each step waits for memory. If a thread took a
//! whole query, the lanes of a warp would wait for the query with the most steps. So the items of the application are
//! words, not queries: the lanes of a warp get words in the same state. Each time, a word grows by one base, or
//! by up to eight on a GPU. Finding the position of a word that occurs once is growing, too, by the text's own bases.
//!
//! The CPU takes the same steps of words, without queues between them ([`cpu`](super::cpu)).
//!
//! ```text
//!   SeedSearches
//!     |  begin     a search a lane: for the matches of a query, or for its rare words
//!     v
//!   settle <---------------.    is the word, which cannot be extended, a seed? which word is next?
//!     |  |--seeds--> sink  |
//!     |  '--again-->       |    re-seeding, by a second copy of these nodes: matches that contain
//!     v                    |    the middle of a long seed
//!   look up                |    last bases of a match, or first ones of a rare word, in the table
//!     |                    |
//!     v                    |
//!    grow -----------------'    one base more on its side, until it cannot be extended
//!     ^ |
//!     '-'
//! ```
//!
//! A word is followed by at most one, so items on the loop do not multiply. Only a long seed starts another search, and
//! that goes forward, to the second copy of the loop, so queues cannot deadlock.

use std::ops::Range;

use aligner_core::stream::{Settings, SinkId, Topology};

use super::context::SeedContext;
use super::growing_word::GrowingWord;
use super::stages::{Begin, Grow, LookUp, SeedSearches, Settle};
use crate::seed::seeds::Seed;

/// Sinks of the application.
#[derive(Debug, Clone, Copy)]
pub struct SeedSinks {
    /// Seeds of the first and third kind.
    pub first: SinkId<Seed>,
    /// Seeds of the second kind, found by re-seeding.
    pub again: SinkId<Seed>,
    /// Searches of a third round of re-seeding; there is none, so it stays empty.
    pub none: SinkId<GrowingWord>,
}

/// The graph of the application, and its sinks.
pub fn topology(context: &SeedContext) -> (Topology<'_, SeedContext>, SeedSinks) {
    let mut app = Topology::new("seeds", context);
    let begin = app.stage(Begin);
    let begin = app.node("begin", begin, ());
    let (look_up, grow, settle) = (app.stage(LookUp), app.stage(Grow), app.stage(Settle));
    let looks = ["look up", "look up again"].map(|name| app.node(name, look_up, ()));
    let grows = ["grow", "grow again"].map(|name| app.node(name, grow, ()));
    let settles = ["settle", "settle again"].map(|name| app.node(name, settle, ()));
    app.source::<SeedSearches>(begin);
    app.edge(begin, "words", settles[0]);
    for ((look, grow), settle) in looks.into_iter().zip(grows).zip(settles) {
        app.edge(settle, "words", look);
        app.edge(look, "growing", grow);
        app.edge(grow, "growing", grow);
        app.edge(grow, "grown", settle);
    }
    app.edge(settles[0], "again", settles[1]);
    let first = app.sink("first", settles[0], "seeds");
    let again = app.sink("seeds again", settles[1], "seeds");
    let none = app.sink("none", settles[1], "again");
    (app, SeedSinks { first, again, none })
}

/// Searches of one input item. Their queries are consecutive, so that lanes read the same cache lines.
const SEARCHES_PER_ITEM: u32 = 128;

/// All searches of these queries, as input of the application.
pub fn searches(queries: Range<u32>) -> Vec<SeedSearches> {
    let end = 2 * queries.end;
    let item = |first: u32| SeedSearches { first, count: SEARCHES_PER_ITEM.min(end - first) };
    (2 * queries.start..end).step_by(SEARCHES_PER_ITEM as usize).map(item).collect()
}

/// Settings of the application for queries of `bases` bases in all: those of `base`, with room for the outputs that are likely.
pub fn settings(bases: u64, base: &Settings) -> Settings {
    // Most reads have a few seeds; reads of repeats have one every ten bases, of each of both kinds of searches.
    let likely_outputs = vec![bases / 10; 2];
    Settings { likely_outputs, ..base.clone() }
}
