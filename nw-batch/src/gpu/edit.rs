//! Launches of the kernels for edit distances (`cuda/edit.cu`).

use crate::batch::Batch;
use crate::gpu::model::Place;

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
    /// The pairs, by their places in the batch.
    pub pairs: Vec<usize>,
    /// Their places in memory; as many as the tasks have, the last one repeated.
    pub places: Vec<Place>,
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

    /// The one that takes least time for so many rows.
    fn of(rows: u32) -> Self {
        // A step of a lane takes as long as half a word more than it has.
        let time = |kernel: &Self| kernel.strips(rows) * kernel.lanes * (2 * kernel.words + 1);
        KERNELS.into_iter().min_by_key(time).unwrap_or(KERNELS[0])
    }
}

/// Plans a batch; gives the pairs with an empty sequence besides.
pub fn plan(batch: Batch<'_>) -> (Vec<EditWork>, Vec<usize>) {
    let mut left = Vec::new();
    let mut sorted = Vec::with_capacity(batch.pairs.len());
    for (number, &pair) in batch.pairs.iter().enumerate() {
        let place = Place::new(batch.queries, batch.targets, pair.query, pair.target);
        if place.rows == 0 || place.columns == 0 {
            left.push(number);
        } else {
            let kernel = EditKernel::of(place.rows);
            sorted.push((kernel, std::cmp::Reverse(place.columns), number, place));
        }
    }
    sorted.sort_unstable_by_key(|&(kernel, columns, number, _)| (kernel, columns, number));
    let work = sorted.chunk_by(|a, b| a.0 == b.0).map(|pairs| {
        let kernel = pairs[0].0;
        let mut places: Vec<Place> = pairs.iter().map(|pair| pair.3).collect();
        let strips = places.iter().any(|place| kernel.strips(place.rows) > 1);
        let columns = places.iter().map(|place| place.columns).max().unwrap_or(0);
        let tasks = places.len().div_ceil(kernel.pairs_of_task() as usize);
        places.resize(tasks * kernel.pairs_of_task() as usize, places[places.len() - 1]);
        EditWork {
            kernel,
            pairs: pairs.iter().map(|pair| pair.2).collect(),
            places,
            row_bytes: if strips { columns } else { 0 },
        }
    });
    (work.collect(), left)
}

impl EditWork {
    /// Tasks.
    pub fn tasks(&self) -> u32 {
        self.places.len() as u32 / self.kernel.pairs_of_task()
    }
}
