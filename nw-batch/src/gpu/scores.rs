//! Scores of a batch: planned, launched, and waited for.

use aligner_core::DeviceError;
use aligner_core::gpu::{Argument, DeviceBuffer};

use crate::batch::Batch;
use crate::gpu::edit::{self, EditWork};
use crate::gpu::engine::{Engine, Method, THREADS};
use crate::gpu::full::{self, Full, Matrices};
use crate::gpu::model::End;
use crate::gpu::plan::{Family, Work, plan};

/// Launches for the scores of a batch.
#[derive(Debug)]
pub struct Planned {
    pub(super) launches: Launches,
    /// Pairs that no kernel does, by their places in the batch.
    pub(super) left: Vec<usize>,
}

#[derive(Debug)]
pub(super) enum Launches {
    Warp(Vec<Work>),
    Edit(Vec<EditWork>),
    Full(Full, Vec<Matrices>),
}

/// Scores under way.
#[derive(Debug)]
pub struct Launched {
    parts: Vec<Part>,
    /// Pairs that no kernel does, by their places in the batch.
    pub left: Vec<usize>,
}

/// What a launch will have written.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) pairs: Vec<usize>,
    pub(super) found: Found,
    /// Memory that the kernel still reads.
    pub(super) _held: Vec<Held>,
}

#[derive(Debug)]
pub(super) enum Found {
    Ends(DeviceBuffer<End>),
    Scores(DeviceBuffer<i32>),
}

/// Device memory of any type, for as long as it is needed.
pub(super) trait Any: std::fmt::Debug + Send {}
impl<T: std::fmt::Debug> Any for DeviceBuffer<T> where Self: Send {}
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
    pub fn plan_scores(
        &mut self,
        batch: Batch<'_>,
        method: Method,
    ) -> Result<Planned, DeviceError> {
        Ok(match method {
            Method::Warp => {
                let plan = plan(&self.scoring, batch, false, u64::MAX);
                Planned { left: plan.left, launches: Launches::Warp(plan.work) }
            }
            Method::Edit => {
                let (work, left) = edit::plan(batch);
                Planned { left, launches: Launches::Edit(work) }
            }
            Method::Full(kernel) => {
                let words = self.make_room(full::all_values(batch))?;
                let (parts, left) = full::divide(batch, words);
                Planned { left, launches: Launches::Full(kernel, parts) }
            }
        })
    }

    /// Launches what was planned, without waiting for it.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn launch(&mut self, planned: &Planned) -> Result<Launched, DeviceError> {
        let parts: Result<Vec<Part>, DeviceError> = match &planned.launches {
            Launches::Warp(work) => work.iter().map(|work| self.fill(work)).collect(),
            Launches::Edit(work) => work.iter().map(|work| self.edit(work)).collect(),
            Launches::Full(kernel, work) => {
                work.iter().map(|work| self.full(*kernel, work)).collect()
            }
        };
        Ok(Launched { parts: parts?, left: planned.left.clone() })
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
        let mut all = vec![0; pairs];
        for part in &launched.parts {
            let count = part.pairs.len();
            let scores = match &part.found {
                Found::Ends(ends) => {
                    self.gpu.download(ends, count)?.into_iter().map(|end| end.score).collect()
                }
                Found::Scores(scores) => self.gpu.download(scores, count)?,
            };
            for (&number, score) in part.pairs.iter().zip(scores) {
                all[number] = score;
            }
        }
        Ok(all)
    }

    /// Launches a kernel of `warp.cu`.
    pub(super) fn fill(&mut self, work: &Work) -> Result<Part, DeviceError> {
        let function = self.function(Method::Warp, &work.kernel.name())?;
        let blocks = self.blocks(&function, work.tasks())?;
        let constants = if work.kernel.family == Family::Wide { &self.wide } else { &self.narrow };
        let places = self.gpu.upload(&work.places)?;
        let starts = self.gpu.upload(&work.starts)?;
        let next = self.gpu.zeros::<u32>(1)?;
        let warps = blocks as usize * (THREADS / 32) as usize;
        let rooms = self.gpu.zeros::<u32>(warps * 2 * work.row_words as usize)?;
        let ends = self.gpu.zeros::<End>(work.places.len())?;
        let arguments = [
            Argument::Buffer(&constants.model),
            Argument::Buffer(&places),
            Argument::U32(work.tasks()),
            Argument::Buffer(&self.queries),
            Argument::Buffer(&self.targets),
            Argument::Buffer(&constants.table),
            Argument::Buffer(&next),
            Argument::Buffer(&rooms),
            Argument::U32(work.row_words),
            Argument::Buffer(&ends),
            Argument::Buffer(&starts),
            Argument::Buffer(&self.room),
        ];
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; the plan gives the lengths, and the room
        // has at least the words of directions that it was made with.
        unsafe {
            function.launch(blocks, THREADS, 0, &arguments)?;
        }
        let held: Vec<Held> =
            vec![Box::new(places), Box::new(starts), Box::new(next), Box::new(rooms)];
        Ok(Part { pairs: work.pairs.clone(), found: Found::Ends(ends), _held: held })
    }

    /// Launches a kernel of `edit.cu`.
    fn edit(&mut self, work: &EditWork) -> Result<Part, DeviceError> {
        let function = self.function(Method::Edit, &work.kernel.name())?;
        let blocks = self.blocks(&function, work.tasks())?;
        let places = self.gpu.upload(&work.places)?;
        let next = self.gpu.zeros::<u32>(1)?;
        let groups = (blocks * THREADS / work.kernel.lanes) as usize;
        let rooms = self.gpu.zeros::<u8>(groups * work.row_bytes as usize)?;
        let scores = self.gpu.zeros::<i32>(work.places.len())?;
        let arguments = [
            Argument::Buffer(&places),
            Argument::U32(work.tasks()),
            Argument::Buffer(&self.queries),
            Argument::Buffer(&self.targets),
            Argument::Buffer(&next),
            Argument::Buffer(&rooms),
            Argument::U32(work.row_bytes),
            Argument::Buffer(&scores),
        ];
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; the plan gives the lengths.
        unsafe {
            function.launch(blocks, THREADS, 0, &arguments)?;
        }
        let held: Vec<Held> = vec![Box::new(places), Box::new(next), Box::new(rooms)];
        Ok(Part { pairs: work.pairs.clone(), found: Found::Scores(scores), _held: held })
    }
}
