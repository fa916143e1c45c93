//! The four stages that filter a database for ungapped alignments, as an application of
//! [`aligner_core::stream`] (000, section 3.4; 004, section V).
//!
//! ```text
//!   slices --> seed ------> widen -------------> extend --> extended, spent
//!              words of     their places in      X-drop
//!              the database the queries, and       `-----> lengthen --> extended, spent
//!              in a table   equal bases in a row              `-------> stretch --> extended, spent
//! ```
//!
//! Few words of the database are in a query, of their places few are within enough equal bases, and of
//! these few score enough: each stage is busy for its survivors only. A word that is in many
//! places of the queries is exploded, a few places a thread, so that no limit on them is needed. The papers' second
//! stage, which lists the places, and their third are one node: a queue between them would keep no lane busy.
//!
//! The papers' stages do not know what others on the same diagonal found; NCBI's blastn tries a word
//! only if no earlier one has got there. So all words are kept, and [`diagonals`] decides afterwards, in
//! the order of the subject: with the same answers. A word that an earlier extension is likely to have
//! passed is not extended at once, since a long alignment has hundreds; if none did pass, it is extended
//! then.


pub mod diagonals;
pub mod gpu_pipeline;
pub mod items;
pub mod stages;
pub mod tables;

use aligner_core::stream::{SinkId, Topology};

use crate::seed::lookup::Lookup;
use items::{ExtendedSeed, ChunkSlice, UnalignedSeed};
use stages::{PipelineInputs, Extend, Lengthen, Merged, Seed, Stretch, Widen};

/// Words of a slice: enough for its bookkeeping not to matter, and little enough to share among blocks.
const SLICE: u32 = 1 << 11;

/// How stages are put into nodes (000, section 3.4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineBuild {
    /// A node for each, so that every thread has work in each.
    Split,
    /// One node for all: a thread takes a word of the database through all stages. Of a word that is in
    /// many places, what is left takes the other way.
    Merged,
}

/// What comes of the application.
#[derive(Debug, Clone)]
pub struct PipelineSinks {
    /// Words with their alignments.
    pub extended: Vec<SinkId<ExtendedSeed>>,
    /// Words without.
    pub spent: Vec<SinkId<UnalignedSeed>>,
}

/// The application.
pub fn topology(context: &PipelineInputs, build: PipelineBuild) -> (Topology<'_, PipelineInputs>, PipelineSinks) {
    let mut app = Topology::new("blastn", context);
    let first = match build {
        PipelineBuild::Split => {
            let seed = app.stage(Seed);
            app.node("seed", seed, ())
        }
        PipelineBuild::Merged => {
            let merged = app.stage(Merged);
            app.node("merged", merged, ())
        }
    };
    let widen = app.stage(Widen);
    let widen = app.node("widen", widen, ());
    let extend = app.stage(Extend);
    let extend = app.node("extend", extend, ());
    let modules = (app.stage(Lengthen), app.stage(Stretch));
    let lengthen = app.node("lengthen", modules.0, ());
    let stretch = app.node("stretch", modules.1, ());
    app.source::<ChunkSlice>(first);
    app.edge(first, "found", widen);
    app.edge(widen, "words", extend);
    app.edge(extend, "long", lengthen);
    app.edge(lengthen, "long", stretch);
    let mut sinks = PipelineSinks {
        extended: vec![
            app.sink("extended", extend, "extended"),
            app.sink("extended long", lengthen, "extended"),
            app.sink("extended longest", stretch, "extended"),
        ],
        spent: vec![
            app.sink("spent", extend, "spent"),
            app.sink("spent long", lengthen, "spent"),
            app.sink("spent longest", stretch, "spent"),
        ],
    };
    if build == PipelineBuild::Merged {
        sinks.extended.push(app.sink("extended at once", first, "extended"));
        sinks.spent.push(app.sink("spent at once", first, "spent"));
    }
    (app, sinks)
}

/// The input for chunks of these lengths.
pub fn slices(lookup: &Lookup, lengths: impl Iterator<Item = u32>) -> Vec<ChunkSlice> {
    let of_chunk = |(chunk, length): (u32, u32)| {
        let all = lookup.places(length as usize).len() as u32;
        (0..all).step_by(SLICE as usize).map(move |before| ChunkSlice {
            chunk,
            first: before * lookup.stride() as u32,
            words: SLICE.min(all - before),
        })
    };
    (0..).zip(lengths).flat_map(of_chunk).collect()
}
