//! Alignments on a device, by the applications of `cuda/fill.cu` and `cuda/walk.cu`.

use aligner_core::DeviceError;
use aligner_core::cigar::CigarRun;
use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{Backend, CudaExecutor, Items, RunError, Settings};
use bytemuck::{cast_slice, pod_read_unaligned};

use super::costs::AlignmentCosts;
use super::device_tasks::DeviceTasks;
use super::engine::{AlignmentApplications, ExtendEngine, FILL_WIDTH, THREADS, WALK_WIDTH, failed};
use super::parameters::{AlignmentParameters, ExtendOrderParameters};
use super::plan::{GpuPlan, MemoryLimits, PlanSlice};
use crate::extend::alignments::{AlignmentSpan, Alignments, TaskAlignment};
use crate::extend::cpu::AlignmentWorkspace;
use crate::extend::stages;
use crate::extend::task_group::TaskGroup;

/// Settings of an application with ensembles of `width` items that outputs at most `items` items.
fn settings(width: u32, items: u64) -> Settings {
    Settings { width, likely_outputs: vec![items], ..Settings::default() }
}

impl<B: Backend + Clone> ExtendEngine<B> {
    /// Aligns the tasks of a plan, and replaces `found` by the alignments, in the order of tasks.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn align_within(
        &mut self,
        tasks: &DeviceTasks<'_, B::Buffer>,
        plan: &GpuPlan<B::Buffer>,
        limits: MemoryLimits,
        found: &mut Alignments,
    ) -> Result<(), DeviceError> {
        found.clear();
        let spans = self.align_on_device(tasks, plan, limits, &mut found.runs)?;
        let bytes = tasks.count as usize * size_of::<AlignmentSpan>();
        let spans = Items::<AlignmentSpan>::from(self.backend.read_staged(&spans, bytes)?);
        spans.parts().for_each(|part| found.spans.extend_from_slice(part));
        Ok(())
    }

    /// Aligns the tasks of a plan, appends the CIGAR runs of the alignments to `runs`, and returns the span of each task
    /// ([`AlignmentSpan`]), on the device.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub(crate) fn align_on_device(
        &mut self,
        tasks: &DeviceTasks<'_, B::Buffer>,
        plan: &GpuPlan<B::Buffer>,
        limits: MemoryLimits,
        runs: &mut Vec<CigarRun>,
    ) -> Result<B::Buffer, DeviceError> {
        let spans = self.backend.zeros(tasks.count as usize * size_of::<AlignmentSpan>())?;
        for slice in self.slices_with_room(plan, limits)? {
            self.align_slice(&slice, (tasks, plan), limits, &spans, runs).map_err(failed)?;
        }
        Ok(spans)
    }

    /// Cuts a plan into slices that there is room for, one at a time: into smaller ones if the device has not enough memory for the
    /// cells of those within the limits.
    fn slices_with_room(
        &mut self,
        plan: &GpuPlan<B::Buffer>,
        limits: MemoryLimits,
    ) -> Result<Vec<PlanSlice>, DeviceError> {
        let mut words = limits.words;
        loop {
            let slices = plan.slices(self.scoring, words);
            let largest = slices.iter().max_by_key(|slice| (slice.words, slice.groups.len()));
            let (most, groups) = largest.map_or((0, 0), |it| (it.words, it.groups.len()));
            match self.make_room(most, limits) {
                // A group is not cut.
                Err(DeviceError::OutOfMemory(_)) if groups > 1 => words = most / 2,
                made => return made.map(|()| slices),
            }
        }
    }

    /// Writes the spans of these tasks, which were aligned elsewhere, to `spans`, and appends their CIGAR runs to `runs`.
    ///
    /// # Errors
    /// As [`Self::align_on_device`].
    pub(crate) fn add_alignments(
        &self,
        numbers: &[u32],
        others: &Alignments,
        spans: &B::Buffer,
        runs: &mut Vec<CigarRun>,
    ) -> Result<(), DeviceError> {
        if numbers.is_empty() {
            return Ok(());
        }
        let of_tasks = numbers.iter().zip(&others.spans);
        let items = of_tasks.map(|(&number, &span)| TaskAlignment::new(number, span));
        let items: Vec<TaskAlignment> = items.collect();
        let on_device = self.backend.upload(cast_slice(&items))?;
        self.order((&on_device, items.len()), runs.len(), spans)?;
        runs.extend_from_slice(&others.runs);
        Ok(())
    }

    /// Makes room for the cells of a slice, of so many words.
    fn make_room(&mut self, words: u64, limits: MemoryLimits) -> Result<(), DeviceError> {
        if self.cell_words < words {
            (self.cells, self.cell_words) = (self.backend.uninitialized(0)?, 0);
            // A quarter more if it is there, for the next batches: allocating memory takes longer than filling it.
            let more = (words + words / 4).min(limits.words.max(words));
            let room = |words: u64| self.backend.uninitialized(words as usize * size_of::<u32>());
            (self.cells, self.cell_words) = match room(more) {
                Err(DeviceError::OutOfMemory(_)) if more > words => (room(words)?, words),
                made => (made?, more),
            };
        }
        Ok(())
    }

    /// Aligns a slice: writes the spans of its tasks, and appends their CIGAR runs to `found`. If there are more runs
    /// than room for them, the walk only counts them, and is repeated with enough room.
    fn align_slice(
        &self,
        slice: &PlanSlice,
        (tasks, plan): (&DeviceTasks<'_, B::Buffer>, &GpuPlan<B::Buffer>),
        limits: MemoryLimits,
        spans: &B::Buffer,
        found: &mut Vec<CigarRun>,
    ) -> Result<(), RunError> {
        let backend = &self.backend;
        let mut parameters = AlignmentParameters {
            text: self.address(&self.text),
            queries: self.address(&tasks.codes),
            tasks: self.address(&tasks.tasks),
            pairs: self.address(&plan.pairs),
            ends: self.address(&tasks.ends),
            cells: self.address(&self.cells),
            run_count: DeviceAddress::NULL,
            runs: DeviceAddress::NULL,
            run_capacity: slice.tasks * limits.runs,
            costs: AlignmentCosts::from(self.scoring),
        };
        let context = AlignmentWorkspace::new(self.scoring);
        let AlignmentApplications { fill, walk } = &self.applications;
        let (app, sink) = stages::fill_topology(&context);
        let settings = settings(FILL_WIDTH, slice.groups.len() as u64);
        let executor = CudaExecutor::loaded(fill, &app, &settings, &parameters)?;
        let filled = executor.run_in_place(&slice.groups)?.take([sink])?;
        loop {
            let run_count = backend.zeros(size_of::<u64>())?;
            let runs =
                backend.uninitialized(parameters.run_capacity as usize * size_of::<CigarRun>())?;
            (parameters.run_count, parameters.runs) =
                (self.address(&run_count), self.address(&runs));
            let (app, sink) = stages::walk_topology(&context);
            let settings = self::settings(WALK_WIDTH, slice.tasks);
            let executor = CudaExecutor::loaded(walk, &app, &settings, &parameters)?;
            let aligned = executor.run_device_items::<TaskGroup>(&filled)?.take([sink])?;
            let count: u64 = pod_read_unaligned(&backend.read(&run_count, size_of::<u64>())?);
            if count <= parameters.run_capacity {
                self.order((&aligned.items, aligned.count), found.len(), spans)?;
                let runs = backend.read_staged(&runs, count as usize * size_of::<CigarRun>())?;
                Items::from(runs).parts().for_each(|part| found.extend_from_slice(part));
                return Ok(());
            }
            parameters.run_capacity = count;
        }
    }

    /// Writes the spans of so many alignments ([`TaskAlignment`]), which come in any order, to their tasks' places in `spans`.
    /// Their runs follow `first_run` others.
    fn order(
        &self,
        (aligned, count): (&B::Buffer, usize),
        first_run: usize,
        spans: &B::Buffer,
    ) -> Result<(), DeviceError> {
        let parameters = ExtendOrderParameters {
            aligned: self.address(aligned),
            spans: self.address(spans),
            first_run: first_run as u64,
            count: count as u64,
        };
        self.launch("extend_order", (count as u32).div_ceil(THREADS), &parameters)
    }
}
