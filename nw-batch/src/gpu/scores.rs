//! Scores of a batch: planned, launched, and waited for.

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceBuffer, Event};

use crate::batch::Batch;
use crate::gpu::edit::{self, EditWork};
use crate::gpu::engine::{Engine, Method};
use crate::gpu::full::{self, Full, Matrices};
use crate::gpu::model::{End, Traced};
use crate::gpu::plan::{TracePlan, Work};

/// Launches for the scores or alignments of a batch.
#[derive(Debug)]
pub struct Planned<'a> {
    pub(super) batch: Batch<'a>,
    pub(super) launches: Launches,
    /// Pairs that no kernel does, by their places in the batch.
    pub(super) left: Vec<usize>,
}

#[derive(Debug)]
pub(super) enum Launches {
    Warp(Vec<Work>),
    Edit(Vec<EditWork>),
    Full(Full, Vec<Matrices>),
    Traces(TracePlan),
}

/// Scores or alignments under way.
#[derive(Debug)]
pub struct Launched {
    /// When they are there. Dropped first: it waits for kernels that use the memory.
    pub(super) mark: Event,
    pub(super) results: Results,
    /// Pairs that no kernel does, by their places in the batch.
    pub left: Vec<usize>,
    pub(super) _held: Vec<Held>,
}

/// What kernels will have written, by the pairs' places in the batch.
#[derive(Debug)]
pub(super) enum Results {
    Ends(DeviceBuffer<End>),
    Scores(DeviceBuffer<i32>),
    Parts(Vec<Part>),
    Traced {
        traced: DeviceBuffer<Traced>,
        /// How many runs.
        taken: DeviceBuffer<u64>,
        runs: DeviceBuffer<u32>,
    },
}

/// What a launch of `full.cu` will have written, for these pairs.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) pairs: Vec<usize>,
    pub(super) scores: DeviceBuffer<i32>,
    /// Memory that the kernel still reads.
    pub(super) _held: Vec<Held>,
}

/// Device memory of any type, for as long as it is needed.
pub(super) trait Any: std::fmt::Debug + Send {}
impl<T: std::fmt::Debug + Send> Any for T {}
pub(super) type Held = Box<dyn Any>;

impl Engine {
    /// Begins to compute the scores of a batch, whose sequences are those of [`Self::new`].
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn begin_scores(
        &mut self,
        batch: Batch<'_>,
        method: Method,
    ) -> Result<Launched, DeviceError> {
        let planned = self.plan_scores(batch, method)?;
        self.launch(&planned)
    }

    /// Plans the launches for the scores of a batch.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn plan_scores<'a>(
        &mut self,
        batch: Batch<'a>,
        method: Method,
    ) -> Result<Planned<'a>, DeviceError> {
        let (launches, left) = match method {
            Method::Warp => {
                let plan = self.planner.scores(batch);
                (Launches::Warp(plan.work), plan.left)
            }
            Method::Edit => {
                let (work, left) = edit::plan(batch);
                (Launches::Edit(work), left)
            }
            Method::Full(kernel) => {
                let words = self.make_room(full::all_values(batch))?;
                let (parts, left) = full::divide(batch, words);
                (Launches::Full(kernel, parts), left)
            }
        };
        Ok(Planned { batch, launches, left })
    }

    /// Launches what was planned, without waiting for it.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn launch(&mut self, planned: &Planned<'_>) -> Result<Launched, DeviceError> {
        let mut held = Vec::new();
        let pairs = planned.batch.pairs;
        let results = match &planned.launches {
            Launches::Warp(work) => {
                let ends = self.copies.zeros(pairs.len())?;
                let pairs = self.copies.upload(pairs)?;
                let fills = self.fills(work)?;
                self.copies.synchronize()?;
                for fill in &fills {
                    self.fill(fill, &pairs, &ends)?;
                }
                held.push(Box::new((pairs, fills)) as Held);
                Results::Ends(ends)
            }
            Launches::Edit(work) => {
                let scores = self.copies.zeros(pairs.len())?;
                held.push(Box::new(self.edit(work, pairs, &scores)?));
                Results::Scores(scores)
            }
            Launches::Full(kernel, work) => {
                let parts = work.iter().map(|work| self.full(*kernel, work));
                Results::Parts(parts.collect::<Result<_, _>>()?)
            }
            Launches::Traces(plan) => self.traces(plan, pairs, &mut held)?,
        };
        Ok(Launched {
            mark: self.gpu.record_event()?,
            results,
            left: planned.left.clone(),
            _held: held,
        })
    }

    /// Waits for the scores; gives them for each pair of the batch, 0 for those in
    /// [`Launched::left`].
    ///
    /// # Errors
    /// If the driver, or a kernel, failed.
    pub fn finish_scores(
        &self,
        launched: &Launched,
        pairs: usize,
    ) -> Result<Vec<i32>, DeviceError> {
        launched.mark.wait()?;
        Ok(match &launched.results {
            Results::Ends(ends) => {
                let landed = self.copies.download_staged(ends, pairs)?;
                let ends: &[End] = bytemuck::cast_slice(landed.bytes());
                ends.iter().map(|end| end.score).collect()
            }
            Results::Scores(scores) => {
                let landed = self.copies.download_staged(scores, pairs)?;
                bytemuck::cast_slice(landed.bytes()).to_vec()
            }
            Results::Parts(parts) => {
                let mut all = vec![0; pairs];
                for Part { pairs, scores, .. } in parts {
                    let scores = self.gpu.download(scores, pairs.len())?;
                    for (&number, score) in pairs.iter().zip(scores) {
                        all[number] = score;
                    }
                }
                all
            }
            Results::Traced { traced, .. } => {
                let landed = self.copies.download_staged(traced, pairs)?;
                let traced: &[Traced] = bytemuck::cast_slice(landed.bytes());
                traced.iter().map(|traced| traced.score).collect()
            }
        })
    }
}
