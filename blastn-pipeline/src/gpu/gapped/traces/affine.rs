//! Sides with affine gap costs and their columns.
//!
//! The sources of a row's cells are kept at the places that the cells have in the ring. So the walk back through the sources
//! reads one word a step, and the memory that a side needs follows from its number of rows alone.

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceBuffer};

use super::levels::{AFFINE_LEVELS, DeviceQueries, TraceExtender, TraceKernel};
use crate::gpu::gapped::parameters::{
    AffineParameters, ExtensionSide, SLOT_BYTES, TracedSides, source_words,
};
use crate::gpu::gapped::text::first_letters;

impl TraceExtender {
    /// Extends sides with affine gap costs, with their columns; rows are letters of the queries, columns those of the
    /// database.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn traces(
        &self,
        queries: &DeviceQueries,
        letters: &DeviceBuffer<u32>,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        let rows = first_letters(queries.letters.device_address(&self.gpu).get());
        let columns = first_letters(letters.device_address(&self.gpu).get());
        let matrix = DeviceAddress::new(queries.matrix.device_address(&self.gpu).get());
        let kernel = TraceKernel {
            kernel: &self.affine,
            levels: &AFFINE_LEVELS,
            slot_bytes: SLOT_BYTES,
            source_words: |sides, level| {
                let rows = sides.iter().map(|side| side.rows).max().unwrap_or(0).min(level.rows);
                source_words(rows, level.slots)
            },
            parameters: &|launch| AffineParameters {
                sides: launch.sides,
                rows,
                columns,
                matrix,
                reaches: launch.reaches,
                cursors: launch.cursors,
                sources: launch.sources,
                runs: launch.runs,
                source_words: launch.source_words,
                side_count: launch.side_count,
                ring_slots: launch.slots,
                run_capacity: launch.run_capacity,
                gap_first: queries.gap_first,
                gap_more: queries.gap_more,
                padding: 0,
            },
        };
        self.trace(&kernel, sides)
    }
}
