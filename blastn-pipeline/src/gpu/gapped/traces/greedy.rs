//! Greedy sides and their columns.
//!
//! Fronts are not kept for the columns. Two bits for each end of a front tell from which diagonal it was reached, and the walk
//! back finds the pairs between two differences by comparing letters again.

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceBuffer};

use super::levels::{DeviceQueries, GREEDY_LEVELS, TraceExtender, TraceKernel};
use crate::gpu::gapped::parameters::{
    ExtensionSide, FRONT_SLOT_BYTES, GreedyParameters, GreedyScores, GreedyTraceParameters,
    TracedSides, greedy_source_words,
};
use crate::gpu::gapped::text::first_letters;

impl TraceExtender {
    /// Extends sides greedily, with their columns; rows are letters of the database, columns those of the queries.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn greedy_traces(
        &self,
        queries: &DeviceQueries,
        letters: &DeviceBuffer<u32>,
        scores: GreedyScores,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        let subject = first_letters(letters.device_address(&self.gpu).get());
        let query = first_letters(queries.letters.device_address(&self.gpu).get());
        let kernel = TraceKernel {
            kernel: &self.greedy,
            levels: &GREEDY_LEVELS,
            slot_bytes: FRONT_SLOT_BYTES,
            source_words: |_, level| greedy_source_words(level.rows, level.slots),
            parameters: &|launch| GreedyTraceParameters {
                greedy: GreedyParameters {
                    sides: launch.sides,
                    subject,
                    query,
                    reaches: DeviceAddress::NULL,
                    cursor: DeviceAddress::NULL,
                    side_count: launch.side_count,
                    front_slots: launch.slots,
                    scores,
                    padding: 0,
                },
                reaches: launch.reaches,
                cursors: launch.cursors,
                sources: launch.sources,
                runs: launch.runs,
                source_words: launch.source_words,
                run_capacity: launch.run_capacity,
                padding: 0,
            },
        };
        self.trace(&kernel, sides)
    }
}
