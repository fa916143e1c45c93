//! Alignments, by the applications of `cuda/fill.cu` and `cuda/walk.cu`.

use aligner_core::DeviceError;
use aligner_core::cigar::CigarRun;
use aligner_core::stream::{
    Backend, CudaExecutor, DeviceItems, Items, Launch, RunError, Settings, Word,
};
use bytemuck::{cast_slice, pod_read_unaligned};

use super::super::alignments::{Alignments, Place};
use super::super::cpu::Context;
use super::super::stages::{self, DeviceContext, Group};
use super::super::task::Tasks;
use super::costs::Costs;
use super::engine::{Applications, Engine, FILL_WIDTH, WALK_WIDTH};
use super::plan::{Plan, Slice};
use super::scores::THREADS;
use super::uploaded::Uploaded;

/// What may be kept at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Words of cells, if of more than one group.
    pub words: u64,
    /// Runs for which there is room at first, for each task.
    pub runs: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { words: u64::MAX, runs: 16 }
    }
}

/// How an application is run that yields so many items at most.
fn settings(width: u32, items: u64) -> Settings {
    Settings { width, likely_outputs: vec![items], ..Settings::default() }
}

impl<B: Backend + Clone> Engine<B> {
    /// The alignments of the tasks of a plan, which have the text of [`Self::new`], in their order: in
    /// `found`, in place of what it had. All queries may be on the device already.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn align_within(
        &mut self,
        (tasks, on_device): (Tasks<'_>, Option<&B::Buffer>),
        plan: &Plan,
        limits: Limits,
        found: &mut Alignments,
    ) -> Result<(), DeviceError> {
        found.clear();
        let uploaded = Uploaded::new(&self.backend, tasks, on_device)?;
        let bytes = tasks.tasks.len() * size_of::<Place>();
        let places = self.backend.zeros(bytes)?;
        for slice in plan.slices(self.scoring, tasks.tasks, limits.words) {
            self.make_room(slice.words, limits)?;
            self.slice(&slice, &uploaded, limits, &places, &mut found.runs).map_err(failed)?;
        }
        let places = Items::<Place>::from(self.backend.land(&places, bytes)?);
        places.parts().for_each(|part| found.places.extend_from_slice(part));
        Ok(())
    }

    /// Makes room for the cells of a slice.
    fn make_room(&mut self, words: u64, limits: Limits) -> Result<(), DeviceError> {
        if self.matrix.1 < words {
            self.matrix = (self.backend.uninitialized(0)?, 0);
            // A little more, for the next slices: to get memory takes longer than to fill it.
            let words = (words + words / 4).min(limits.words.max(words));
            self.matrix = (self.backend.uninitialized(words as usize * size_of::<u32>())?, words);
        }
        Ok(())
    }

    /// Aligns a slice: sets the places of its tasks, and adds their runs. Where these are more than there is room for,
    /// they were counted, and walked once more.
    fn slice(
        &self,
        slice: &Slice,
        uploaded: &Uploaded<'_, B::Buffer>,
        limits: Limits,
        places: &B::Buffer,
        found: &mut Vec<CigarRun>,
    ) -> Result<(), RunError> {
        let backend = &self.backend;
        let address = |buffer: &B::Buffer| backend.address(buffer);
        let pairs = backend.upload(cast_slice(&slice.pairs))?;
        let tasks = slice.pairs.as_flattened().len() as u64;
        let mut known = DeviceContext {
            text: address(&self.text),
            queries: address(uploaded.queries()),
            tasks: address(&uploaded.tasks),
            pairs: address(&pairs),
            scored: address(&uploaded.scored),
            matrix: address(&self.matrix.0),
            taken: 0,
            runs: 0,
            capacity: tasks * limits.runs,
            costs: Costs::from(self.scoring),
        };
        let context = Context::new(self.scoring);
        let Applications { fill, walk } = &self.applications;
        let (app, sink) = stages::fills(&context);
        let settings = settings(FILL_WIDTH, slice.groups.len() as u64);
        let executor = CudaExecutor::loaded(fill, &app, &settings, &known)?;
        let filled = executor.run_in_place(&slice.groups)?.take([sink])?;
        loop {
            let taken = backend.zeros(size_of::<u64>())?;
            let runs = backend.uninitialized(known.capacity as usize * size_of::<CigarRun>())?;
            (known.taken, known.runs) = (address(&taken), address(&runs));
            let (app, sink) = stages::walks(&context);
            let settings = self::settings(WALK_WIDTH, tasks);
            let executor = CudaExecutor::loaded(walk, &app, &settings, &known)?;
            let aligned = executor.go_on::<Group>(&filled)?.take([sink])?;
            let taken: u64 = pod_read_unaligned(&backend.read(&taken, size_of::<u64>())?);
            if taken <= known.capacity {
                self.order(&aligned, found.len(), places)?;
                let runs = backend.land(&runs, taken as usize * size_of::<CigarRun>())?;
                Items::from(runs).parts().for_each(|part| found.extend_from_slice(part));
                return Ok(());
            }
            known.capacity = taken;
        }
    }

    /// Puts alignments to their tasks' places; their runs are behind so many others.
    #[allow(unsafe_code)]
    fn order(
        &self,
        aligned: &DeviceItems<B>,
        before: usize,
        places: &B::Buffer,
    ) -> Result<(), DeviceError> {
        if aligned.count == 0 {
            return Ok(());
        }
        let count = aligned.count as u32;
        let arguments = [
            self.at(&aligned.items),
            Word::Number(count),
            Word::Long(before as u64),
            self.at(places),
        ];
        let blocks = count.div_ceil(THREADS);
        let kernel = "extend_order";
        let launch = Launch { kernel, blocks, width: THREADS, shared: 0, arguments: &arguments };
        // SAFETY: the arguments are those of the kernel, and there is a place for each task.
        unsafe { self.backend.enqueue(&launch) }
    }
}

pub(super) fn failed(error: RunError) -> DeviceError {
    error.into_device_error("alignments")
}
