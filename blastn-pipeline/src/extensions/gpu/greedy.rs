//! Greedy sides.

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, Argument, DeviceBuffer};
use rayon::prelude::*;

use super::{DeviceQueries, Engine, GpuExtensions, Level, SIDES, SLOT, THREADS};
use crate::extensions::device::{
    self, Answers, FIRST, GreedyReached, GreedyScores, GreedyTask, GreedyTraceTask, Side,
};
use crate::pipeline::device::FIRST_BASE;

/// Slots of the fronts, level by level: sides that do not fit go to the next.
const FRONTS: [u32; 2] = [64, 512];

/// For columns; rows are differences.
const TRACES: [Level; 3] = [
    Level { width: 64, rows: 1 << 8 },
    Level { width: 128, rows: 1 << 10 },
    Level { width: 512, rows: 1 << 12 },
];

/// Bytes of shared memory of a block for each slot: two fronts, and the best scores.
const FRONT_SLOT: u32 = 3 * SLOT;

/// What any launch asks for.
pub(super) const MOST_SHARED: u32 = FRONTS[1] * FRONT_SLOT;

impl GpuExtensions {
    /// Extends sides greedily: their rows are bases of the database, their columns letters of the
    /// queries.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn greedy_scores(
        &self,
        queries: &DeviceQueries,
        packed: &DeviceBuffer<u64>,
        scores: GreedyScores,
        sides: &[Side],
    ) -> Result<Vec<GreedyReached>, DeviceError> {
        let gpu = &self.gpu;
        let none = GreedyReached { differences: device::NO_FRONT, ..GreedyReached::default() };
        let mut all = vec![none; sides.len()];
        for width in FRONTS {
            let left = |&number: &usize| all[number].reach().is_none();
            let numbers: Vec<usize> = (0..sides.len()).into_par_iter().filter(left).collect();
            let shared = width * FRONT_SLOT;
            let resident =
                self.greedy_scores.blocks_per_multiprocessor(THREADS, shared as usize)?;
            for numbers in numbers.chunks(SIDES) {
                let own: Vec<Side> = numbers.par_iter().map(|&number| sides[number]).collect();
                let count = own.len() as u32;
                let on_device: DeviceBuffer<u8> = gpu.upload(bytemuck::cast_slice(&own))?;
                let reached: DeviceBuffer<u8> =
                    gpu.zeros(own.len() * size_of::<GreedyReached>())?;
                let cursor: DeviceBuffer<u32> = gpu.zeros(1)?;
                let task = GreedyTask {
                    addresses: [
                        on_device.address(gpu),
                        packed.address(gpu) + FIRST_BASE,
                        queries.letters.address(gpu) + FIRST,
                        reached.address(gpu),
                        cursor.address(gpu),
                    ],
                    count,
                    width,
                    scores,
                    padding: 0,
                };
                let task = gpu.upload(bytemuck::bytes_of(&task))?;
                let blocks = count.div_ceil(THREADS).min(resident.max(1) * gpu.multiprocessors());
                #[allow(unsafe_code)]
                // SAFETY: the task has the addresses of arrays as long as the kernel's contract says,
                // which live until the answers are copied; sides lie within the texts, whose makers
                // see to it.
                unsafe {
                    self.greedy_scores.launch(
                        blocks,
                        THREADS,
                        shared,
                        &[Argument::Buffer(&task)],
                    )?;
                }
                let mut answers = vec![none; own.len()];
                gpu.download_into(&reached, bytemuck::cast_slice_mut(&mut answers))?;
                for (&number, answer) in numbers.iter().zip(answers) {
                    all[number] = answer;
                }
            }
        }
        Ok(all)
    }

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
            room: |_, level| device::greedy_room(level.rows, level.width),
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
