//! Kernels for edit distances (`cuda/edit.cu`), and which of them computes which pairs.

use rayon::prelude::*;

use super::fill_last_task;
use super::strips::is_long;
use crate::batch::PairBatch;

/// Kernel `nw_edit_G_W` of `cuda/edit.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EditKernel {
    /// Lanes that share a matrix (`G`).
    pub lanes: u32,
    /// Words of 32 rows that each lane has (`W`).
    pub words: u32,
}

/// One launch of a kernel for edit distances.
#[derive(Debug, Clone)]
pub struct EditLaunch {
    /// Kernel to launch.
    pub kernel: EditKernel,
    /// Indices of the pairs in the batch, task after task; the last pair is repeated until its task is full.
    pub order: Vec<u32>,
    /// Columns of the longest target if a query has more than one strip of rows, else 0.
    pub row_bytes: u32,
}

/// All kernels of `cuda/edit.cu`.
pub const KERNELS: [EditKernel; 4] = [
    EditKernel { lanes: 8, words: 1 },
    EditKernel { lanes: 8, words: 2 },
    EditKernel { lanes: 8, words: 4 },
    EditKernel { lanes: 8, words: 6 },
];

impl EditKernel {
    /// Name of the kernel in the source.
    pub fn name(self) -> String {
        format!("nw_edit_{}_{}", self.lanes, self.words)
    }

    /// Pairs of a task: as many as a warp has groups of lanes.
    pub fn pairs_per_task(self) -> u32 {
        32 / self.lanes
    }

    /// Strips of rows of a matrix.
    fn strips(self, rows: u32) -> u32 {
        rows.div_ceil(32 * self.lanes * self.words)
    }

    /// Index in [`KERNELS`] of the fastest kernel for queries of `rows` residues.
    fn fastest(rows: u32) -> usize {
        // Measured: a step of a lane takes about as long as W + 1/2 words.
        let time = |&index: &usize| {
            let kernel = KERNELS[index];
            kernel.strips(rows) * kernel.lanes * (2 * kernel.words + 1)
        };
        (0..KERNELS.len()).min_by_key(time).unwrap_or(0)
    }
}

/// Plans the launches for a batch. Also returns, as indices, the pairs with more than `most_cells` cells, the largest first,
/// and the pairs with an empty sequence: both have no launch.
pub fn plan_edit_launches(
    batch: PairBatch<'_>,
    most_cells: u64,
) -> (Vec<EditLaunch>, Vec<u32>, Vec<usize>) {
    // Sorts by kernel, then the longest targets first; then come long pairs, and pairs with an empty sequence last.
    let (long, empty) = (KERNELS.len() as u32, KERNELS.len() as u32 + 1);
    let key = |index: u32| {
        let (rows, columns) = batch.lengths(index);
        let kernel = if rows == 0 || columns == 0 {
            empty
        } else if is_long((rows, columns), most_cells) {
            long
        } else {
            EditKernel::fastest(rows) as u32
        };
        (kernel, u32::MAX - columns, index)
    };
    let mut keys: Vec<_> = (0..batch.pairs.len() as u32).into_par_iter().map(key).collect();
    keys.par_sort_unstable();
    let left = keys.split_off(keys.partition_point(|key| key.0 < empty));
    let long_pairs = keys.split_off(keys.partition_point(|key| key.0 < long));
    let launches = keys.chunk_by(|a, b| a.0 == b.0).map(|pairs| {
        let kernel = KERNELS[pairs[0].0 as usize];
        let mut order: Vec<u32> = pairs.iter().map(|pair| pair.2).collect();
        let strips = order.par_iter().any(|&index| kernel.strips(batch.lengths(index).0) > 1);
        let row_bytes = if strips { batch.lengths(order[0]).1 } else { 0 };
        fill_last_task(&mut order, kernel.pairs_per_task());
        EditLaunch { kernel, order, row_bytes }
    });
    let long_pairs = long_pairs.into_iter().map(|pair| pair.2).collect();
    (launches.collect(), long_pairs, left.into_iter().map(|pair| pair.2 as usize).collect())
}

impl EditLaunch {
    /// Number of tasks, each for one warp.
    pub fn tasks(&self) -> u32 {
        self.order.len() as u32 / self.kernel.pairs_per_task()
    }
}
