//! Plans and launches of the kernels for edit distances (`cuda/edit.cu`).

use aligner_core::DeviceError;
use aligner_core::gpu::{Argument, DeviceBuffer};
use rayon::prelude::*;

use crate::batch::{Batch, Pair};
use crate::gpu::engine::{Engine, Method, THREADS};
use crate::gpu::plan::pad;
use crate::gpu::scores::Held;

/// A kernel: lanes that share a matrix, and words of 32 rows of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EditKernel {
    /// Lanes.
    pub lanes: u32,
    /// Words.
    pub words: u32,
}

/// Pairs for one launch.
#[derive(Debug, Clone)]
pub struct EditWork {
    /// The kernel.
    pub kernel: EditKernel,
    /// The pairs, by their places in the batch; as many as the tasks have, the last one repeated.
    pub order: Vec<u32>,
    /// Columns of the longest target if a query has more than one strip of rows, else 0.
    pub row_bytes: u32,
}

/// Every kernel.
pub const KERNELS: [EditKernel; 4] = [
    EditKernel { lanes: 8, words: 1 },
    EditKernel { lanes: 8, words: 2 },
    EditKernel { lanes: 8, words: 4 },
    EditKernel { lanes: 8, words: 6 },
];

impl EditKernel {
    /// Its name in the source.
    pub fn name(self) -> String {
        format!("nw_edit_{}_{}", self.lanes, self.words)
    }

    /// Pairs of a task.
    pub fn pairs_of_task(self) -> u32 {
        32 / self.lanes
    }

    fn strips(self, rows: u32) -> u32 {
        rows.div_ceil(32 * self.lanes * self.words)
    }

    /// The number of the one that takes least time for so many rows.
    fn of(rows: u32) -> usize {
        // A step of a lane takes as long as half a word more than it has.
        let time = |&number: &usize| {
            let kernel = KERNELS[number];
            kernel.strips(rows) * kernel.lanes * (2 * kernel.words + 1)
        };
        (0..KERNELS.len()).min_by_key(time).unwrap_or(0)
    }
}

/// Plans a batch; gives the pairs with an empty sequence besides.
pub fn plan(batch: Batch<'_>) -> (Vec<EditWork>, Vec<usize>) {
    // By kernel, the longest targets first; pairs with an empty sequence last.
    let key = |number: u32| {
        let (rows, columns) = batch.lengths(number);
        let kernel = if rows == 0 || columns == 0 { KERNELS.len() } else { EditKernel::of(rows) };
        (kernel as u32, u32::MAX - columns, number)
    };
    let mut keys: Vec<_> = (0..batch.pairs.len() as u32).into_par_iter().map(key).collect();
    keys.par_sort_unstable();
    let left = keys.split_off(keys.partition_point(|key| key.0 < KERNELS.len() as u32));
    let work = keys.chunk_by(|a, b| a.0 == b.0).map(|pairs| {
        let kernel = KERNELS[pairs[0].0 as usize];
        let mut order: Vec<u32> = pairs.iter().map(|pair| pair.2).collect();
        let strips = order.par_iter().any(|&number| kernel.strips(batch.lengths(number).0) > 1);
        let row_bytes = if strips { batch.lengths(order[0]).1 } else { 0 };
        pad(&mut order, kernel.pairs_of_task());
        EditWork { kernel, order, row_bytes }
    });
    (work.collect(), left.into_iter().map(|pair| pair.2 as usize).collect())
}

impl EditWork {
    /// Tasks.
    pub fn tasks(&self) -> u32 {
        self.order.len() as u32 / self.kernel.pairs_of_task()
    }
}

impl Engine {
    /// Launches the kernels for `pairs`, whose scores go to `scores`; gives the memory that they need
    /// until they are done.
    pub(super) fn edit(
        &mut self,
        work: &[EditWork],
        pairs: &[Pair],
        scores: &DeviceBuffer<i32>,
    ) -> Result<Vec<Held>, DeviceError> {
        let pairs = self.copies.upload(pairs)?;
        let mut ready = Vec::new();
        for work in work {
            let function = self.function(Method::Edit, &work.kernel.name())?;
            let blocks = self.blocks(&function, work.tasks())?;
            let groups = (blocks * THREADS / work.kernel.lanes) as usize;
            let order = self.copies.upload(&work.order)?;
            let next = self.copies.zeros::<u32>(1)?;
            let rooms = self.copies.zeros::<u8>(groups * work.row_bytes as usize)?;
            ready.push((work, function, blocks, (order, next, rooms)));
        }
        self.copies.synchronize()?;
        for (work, function, blocks, (order, next, rooms)) in &ready {
            let arguments = [
                Argument::Buffer(&pairs),
                Argument::Buffer(order),
                Argument::U32(work.tasks()),
                Argument::Buffer(&self.queries),
                Argument::Buffer(&self.query_offsets),
                Argument::Buffer(&self.targets),
                Argument::Buffer(&self.target_offsets),
                Argument::Buffer(next),
                Argument::Buffer(rooms),
                Argument::U32(work.row_bytes),
                Argument::Buffer(scores),
            ];
            #[allow(unsafe_code)]
            // SAFETY: the arguments are those of the kernel; the plan gives the lengths.
            unsafe {
                function.launch(*blocks, THREADS, 0, &arguments)?;
            }
        }
        let mut held: Vec<Held> = vec![Box::new(pairs)];
        held.extend(ready.into_iter().map(|(.., memory)| Box::new(memory) as Held));
        Ok(held)
    }
}
