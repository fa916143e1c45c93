//! Greedy sides.

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, DeviceBuffer};

use super::{DeviceQueries, Engine, GpuExtensions, Level};
use crate::gpu::extensions::parameters::{
    self, Answers, FIRST, FRONT_SLOT, GreedyScores, GreedyTask, GreedyTraceTask, Side,
};

/// Rows are differences.
pub(super) const TRACES: [Level; 3] = [
    Level { width: 64, rows: 1 << 8 },
    Level { width: 128, rows: 1 << 10 },
    Level { width: 512, rows: 1 << 12 },
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
        sides: &[Side],
    ) -> Result<Answers, DeviceError> {
        let subjects = letters.address(&self.gpu) + FIRST;
        let of_queries = queries.letters.address(&self.gpu) + FIRST;
        let engine = Engine {
            kernel: &self.greedy_traces,
            levels: &TRACES,
            slot: FRONT_SLOT,
            room: |_, level| parameters::greedy_room(level.rows, level.width),
            task: &|launch| {
                let &[sides, reached, cursors, sources, runs] = &launch.addresses;
                let greedy = GreedyTask {
                    addresses: [sides, subjects, of_queries, 0, 0],
                    count: launch.count,
                    width: launch.width,
                    scores,
                    padding: 0,
                };
                let task = GreedyTraceTask {
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
