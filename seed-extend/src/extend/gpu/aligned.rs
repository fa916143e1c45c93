//! Alignments, by the applications of `cuda/align.cu`.

use aligner_core::DeviceError;
use aligner_core::cigar::Run;
use aligner_core::stream::{Backend, CudaExecutor, Items, RunError, Settings};
use bytemuck::{cast_slice, pod_read_unaligned};

use super::super::alignments::{Alignments, Place};
use super::super::cpu::Context;
use super::super::stages::{Aligned, DeviceContext, Group, topology};
use super::super::task::Tasks;
use super::costs::Costs;
use super::engine::Engine;
use super::plan::{Plan, Slice};
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

/// How an application is run for so many tasks.
pub(super) fn settings(tasks: u64) -> Settings {
    Settings { likely_outputs: Some(tasks), ..Settings::default() }
}

/// What the groups of a slice need on the device, but for runs.
struct Placed<'a, T> {
    uploaded: &'a Uploaded<'a, T>,
    pairs: T,
}

/// What was found of a slice: alignments, and the runs of all.
struct Found {
    aligned: Vec<Items<Aligned>>,
    runs: Items<Run>,
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
        found.places.resize(tasks.tasks.len(), Place::default());
        let uploaded = Uploaded::new(&self.backend, tasks, on_device)?;
        for slice in plan.slices(self.scoring, tasks.tasks, limits.words) {
            self.make_room(slice.words, limits)?;
            let pairs = self.backend.upload(cast_slice(&slice.pairs))?;
            let placed = Placed { uploaded: &uploaded, pairs };
            let Found { aligned, runs } = self.slice(&slice, &placed, limits)?;
            let aligned = aligned.iter().flat_map(Items::parts).flatten();
            found.add(aligned, runs.parts());
        }
        Ok(())
    }

    /// Makes room for the cells of a slice.
    fn make_room(&mut self, words: u64, limits: Limits) -> Result<(), DeviceError> {
        if self.matrix.1 < words {
            self.matrix = (self.backend.room(0)?, 0);
            // A little more, for the next slices: to get memory takes longer than to fill it.
            let words = (words + words / 4).min(limits.words.max(words));
            self.matrix = (self.backend.room(words as usize * size_of::<u32>())?, words);
        }
        Ok(())
    }

    /// Aligns a slice. Where the runs are more than there is room for, they were counted, and all is done again.
    fn slice(
        &self,
        slice: &Slice,
        placed: &Placed<'_, B::Buffer>,
        limits: Limits,
    ) -> Result<Found, DeviceError> {
        let mut capacity = slice.pairs.as_flattened().len() as u64 * limits.runs;
        loop {
            let taken = self.backend.zeros(size_of::<u64>())?;
            let runs = self.backend.room(capacity as usize * size_of::<Run>())?;
            let address = |buffer| self.backend.address(buffer);
            let known = DeviceContext {
                text: address(&self.text),
                queries: address(placed.uploaded.queries()),
                tasks: address(&placed.uploaded.tasks),
                pairs: address(&placed.pairs),
                scored: address(&placed.uploaded.scored),
                matrix: address(&self.matrix.0),
                taken: address(&taken),
                runs: address(&runs),
                capacity,
                costs: Costs::from(self.scoring),
            };
            let align = |(columns, groups): &(u32, Vec<Group>)| self.run(*columns, groups, &known);
            let aligned: Result<Vec<_>, _> = slice.groups.iter().map(align).collect();
            let aligned = aligned.map_err(failed)?;
            let taken: u64 = pod_read_unaligned(&self.backend.read(&taken, size_of::<u64>())?);
            if taken <= capacity {
                let runs = self.backend.land(&runs, taken as usize * size_of::<Run>())?;
                return Ok(Found { aligned, runs: Items::from(runs) });
            }
            capacity = taken;
        }
    }

    /// Aligns groups of so many columns.
    fn run(
        &self,
        columns: u32,
        groups: &[Group],
        known: &DeviceContext,
    ) -> Result<Items<Aligned>, RunError> {
        let context = Context::new(self.scoring);
        let (app, sink) = topology(&context);
        let settings = settings(groups.iter().map(|group| u64::from(group.tasks)).sum());
        let application = self.applications.of(columns);
        let executor = CudaExecutor::loaded(application, &app, &settings, known)?;
        Ok(executor.run(groups)?.take_in_place(sink))
    }
}

pub(super) fn failed(error: RunError) -> DeviceError {
    error.into_device_error("alignments")
}
