//! What the stages that find seeds share.

use std::sync::Arc;

use aligner_core::device_struct;
use fm_index::FmIndex;
use fm_index::gpu::View;

use crate::read::queries::{PackedQueries, Queries};
use crate::seed::seeds::SeedOptions;

/// What the stages share on the CPU.
#[derive(Debug)]
pub struct SeedContext {
    /// The index of the text.
    pub index: FmIndex,
    /// The queries; empty if the stages run on a device, which has its own.
    pub queries: Arc<Queries>,
    /// Which exact matches are seeds.
    pub options: SeedOptions,
}

impl SeedContext {
    /// Bases of the shortest seed.
    pub(super) fn min_length(&self) -> usize {
        self.options.min_length as usize
    }
}

device_struct! {
    /// What the stages share on a device.
    pub struct SeedParameters {
        /// The index of the text, in the device's memory.
        pub index: View,
        /// The queries, in the device's memory.
        pub queries: PackedQueries,
        /// Which exact matches are seeds.
        pub options: SeedOptions,
    }
}
