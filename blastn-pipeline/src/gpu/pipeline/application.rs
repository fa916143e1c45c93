//! The pipeline as an application of the streaming runtime: its topology, and its input.

use aligner_core::stream::{SinkId, Topology};

use super::items::{ChunkSlice, ExtendedSeed, UnalignedSeed};
use super::stages::{Extend, Lengthen, Merged, PipelineInputs, Seed, Stretch, Widen};
use crate::seed::lookup::Lookup;

/// Words of a slice: so many that bookkeeping does not matter, and so few that blocks share the work evenly.
const SLICE: u32 = 1 << 11;

/// How stages are put into nodes (Cole 2017, 3.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineBuild {
    /// A node for each stage, so that every thread has work in each.
    Split,
    /// One node for all stages: a thread takes a word of the database through all of them. If the queries have it at many
    /// places, the last of these go through the other nodes.
    Merged,
}

/// Sinks of the application.
#[derive(Debug, Clone)]
pub struct PipelineSinks {
    /// Sinks of seeds with alignments.
    pub extended: Vec<SinkId<ExtendedSeed>>,
    /// Sinks of seeds without alignments.
    pub unaligned: Vec<SinkId<UnalignedSeed>>,
}

/// The application, and its sinks.
pub fn topology(
    inputs: &PipelineInputs,
    build: PipelineBuild,
) -> (Topology<'_, PipelineInputs>, PipelineSinks) {
    let mut app = Topology::new("blastn", inputs);
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
        unaligned: vec![
            app.sink("unaligned", extend, "unaligned"),
            app.sink("unaligned long", lengthen, "unaligned"),
            app.sink("unaligned longest", stretch, "unaligned"),
        ],
    };
    if build == PipelineBuild::Merged {
        sinks.extended.push(app.sink("extended at once", first, "extended"));
        sinks.unaligned.push(app.sink("unaligned at once", first, "unaligned"));
    }
    (app, sinks)
}

/// The input of the application: slices of chunks of these lengths.
pub fn slices(lookup: &Lookup, lengths: impl Iterator<Item = u32>) -> Vec<ChunkSlice> {
    let of_chunk = |(chunk, length): (u32, u32)| {
        let all = lookup.subject_positions(length as usize).len() as u32;
        (0..all).step_by(SLICE as usize).map(move |before| ChunkSlice {
            chunk,
            first: before * lookup.stride() as u32,
            words: SLICE.min(all - before),
        })
    };
    (0..).zip(lengths).flat_map(of_chunk).collect()
}
