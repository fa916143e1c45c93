//! Context of the stages that find seeds: the data that all of them share.

use std::sync::Arc;

use aligner_core::device_struct;
use fm_index::gpu::IndexView;
use fm_index::{FmIndex, IndexSlices, Ranks};

use crate::read::packed::PackedText;
use crate::read::queries::{PackedQueries, Queries};
use crate::seed::seeds::SeedOptions;

/// Data that the stages share on the CPU.
#[derive(Debug)]
pub struct SeedContext {
    /// The index of the text.
    pub index: FmIndex,
    /// The queries; empty if the stages run on a device, which has its own.
    pub queries: Arc<Queries>,
    /// Options that decide which exact matches are seeds.
    pub options: SeedOptions,
}

impl SeedContext {
    /// Views of the data for the steps of a word, which count ranks in this way.
    pub(super) fn steps<R: Ranks>(&self, ranks: R) -> SeedSteps<'_, R> {
        let Self { index, queries, options } = self;
        let text = PackedText::of(index);
        SeedSteps { index: index.slices_with(ranks), text, queries, options: *options }
    }
}

/// What the steps of a word read; the steps are its methods.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeedSteps<'c, R> {
    pub(super) index: IndexSlices<'c, R>,
    pub(super) text: PackedText<'c>,
    pub(super) queries: &'c Queries,
    pub(super) options: SeedOptions,
}

impl<R> SeedSteps<'_, R> {
    /// Bases of the shortest seed.
    pub(super) fn min_length(&self) -> usize {
        self.options.min_length as usize
    }
}

device_struct! {
    /// Data that the stages share on a device.
    pub struct SeedParameters {
        /// The index of the text, in the device's memory.
        pub index: IndexView,
        /// The queries, in the device's memory.
        pub queries: PackedQueries,
        /// Options that decide which exact matches are seeds.
        pub options: SeedOptions,
    }
}
