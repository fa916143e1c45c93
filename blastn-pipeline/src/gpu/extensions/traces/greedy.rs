//! Greedy sides.

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, DeviceBuffer};

use super::{DeviceQueries, TraceKernel, GpuExtensions, TraceLevel};
use crate::gpu::extensions::parameters::{
    self, TracedSides, FIRST, FRONT_SLOT, GreedyScores, GreedyParameters, GreedyTraceParameters, ExtensionSide,
};

/// Rows are differences.
pub(super) const TRACES: [TraceLevel; 3] = [
    TraceLevel { width: 64, rows: 1 << 8 },
    TraceLevel { width: 128, rows: 1 << 10 },
    TraceLevel { width: 512, rows: 1 << 12 },
];

impl GpuExtensions {
    /// Extends sides greedily, with their columns: their rows are letters of the database, their columns
    /// those of the queries.
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
        let subjects = letters.address(&self.gpu) + FIRST;
        let of_queries = queries.letters.address(&self.gpu) + FIRST;
        let engine = TraceKernel {
            kernel: &self.greedy_traces,
            levels: &TRACES,
            slot: FRONT_SLOT,
            room: |_, level| parameters::greedy_room(level.rows, level.width),
            task: &|launch| {
                let &[sides, reached, cursors, sources, runs] = &launch.addresses;
                let greedy = GreedyParameters {
                    addresses: [sides, subjects, of_queries, 0, 0],
                    count: launch.count,
                    width: launch.width,
                    scores,
                    padding: 0,
                };
                let task = GreedyTraceParameters {
                    greedy,
                    addresses: [reached, cursors, sources, runs],
                    room: launch.room,
                    run_room: launch.run_room,
                    padding: 0,
                };
                bytemuck::bytes_of(&task).to_vec()
            },
        };
        self.levels(&engine, sides)
    }
}
