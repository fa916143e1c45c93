//! Alignments of a batch: directions of all cells, and tracebacks through them.
//!
//! A thread traces back one alignment, and waits for memory at every step, so the tracebacks through all directions in
//! memory are one launch. They write the runs of all CIGARs to one array, of which only the used part is copied to the
//! host, on a second stream while kernels of the next batch run.

use aligner_core::DeviceError;
use aligner_core::cigar::CigarRun;
use aligner_core::gpu::DeviceBuffer;

use super::batch::{DeviceResults, HeldMemory, LaunchedBatch, PlannedBatch, PlannedLaunches};
use crate::alignment::{AlignmentEnd, BatchAlignments, TracedAlignment};
use crate::batch::{PairBatch, SequencePair};
use crate::gpu::engine::{BLOCK_THREADS, Engine, KernelFile};
use crate::gpu::plan::warp::TracebackPlan;
use crate::gpu::structs::{TracebackParameters, TracebackTask};

/// Device memory of the tracebacks of a batch.
#[derive(Clone, Copy)]
pub(super) struct TracebackMemory<'a> {
    pub(super) pairs: &'a DeviceBuffer<SequencePair>,
    pub(super) ends: &'a DeviceBuffer<AlignmentEnd>,
    pub(super) run_count: &'a DeviceBuffer<u64>,
    pub(super) runs: &'a DeviceBuffer<CigarRun>,
    pub(super) alignments: &'a DeviceBuffer<TracedAlignment>,
}

impl Engine {
    /// Aligns a batch, whose sequences are those of [`Self::new`], and waits. Also returns the indices of the pairs
    /// that are left out, which get empty alignments.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn alignments(
        &mut self,
        batch: PairBatch<'_>,
    ) -> Result<(BatchAlignments, Vec<usize>), DeviceError> {
        let planned = self.plan_alignments(batch)?;
        let launched = self.launch(&planned)?;
        self.finish_alignments(launched, batch.pairs.len())
    }

    /// Plans the launches for the alignments of a batch, and reserves memory for directions.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn plan_alignments<'a>(
        &mut self,
        batch: PairBatch<'a>,
    ) -> Result<PlannedBatch<'a>, DeviceError> {
        let most_cells = self.most_cells(batch, self.possible_matrix_memory()?);
        let sorted = self.planner.sort_for_alignments(batch, most_cells);
        let words = sorted.matrix_words(self.limits(0));
        let words = self.reserve_matrix_memory(words)?;
        let mut plan = sorted.into_parts(self.limits(words));
        let left = std::mem::take(&mut plan.left);
        Ok(PlannedBatch { batch, launches: PlannedLaunches::Traceback(plan), left })
    }

    /// Launches the kernels of a plan for alignments; memory that they use is added to `held`.
    pub(super) fn launch_alignments(
        &mut self,
        plan: &TracebackPlan,
        pairs: &[SequencePair],
        held: &mut Vec<HeldMemory>,
    ) -> Result<DeviceResults, DeviceError> {
        let ends = self.copy_stream.zeros::<AlignmentEnd>(pairs.len())?;
        let alignments = self.copy_stream.zeros::<TracedAlignment>(pairs.len())?;
        let run_count = self.copy_stream.zeros::<u64>(1)?;
        let pairs = self.copy_stream.upload(pairs)?;
        let mut ready = Vec::new();
        for part in &plan.parts {
            let launches = self.prepare_warp_launches(&part.launches)?;
            ready.push((launches, self.copy_stream.upload(&part.tracebacks)?));
        }
        let strips = self.prepare_strips(&plan.strips)?;
        let runs = self.run_buffer(plan.max_runs as usize)?;
        let run_room = plan.run_room() as usize;
        if self.run_room.len() < run_room {
            // Freed in the order of the stream: kernels that use the old memory are done by then.
            self.run_room = self.gpu.zeros(run_room + run_room / 8)?;
        }
        self.copy_stream.synchronize()?;
        let memory = TracebackMemory {
            pairs: &pairs,
            ends: &ends,
            run_count: &run_count,
            runs: &runs,
            alignments: &alignments,
        };
        for part in &strips {
            self.launch_strips(part, &pairs, &ends, None)?;
            self.launch_strip_tracebacks(part, &memory)?;
        }
        for (launches, tasks) in &ready {
            for launch in launches {
                self.launch_warp(launch, &pairs, &ends)?;
            }
            self.launch_tracebacks(tasks, &memory)?;
        }
        held.push(Box::new((pairs, ends, ready, strips)));
        Ok(DeviceResults::Alignments { alignments, run_count, runs })
    }

    /// Memory for `len` runs of a batch: a free buffer, or a new one.
    fn run_buffer(&mut self, len: usize) -> Result<DeviceBuffer<CigarRun>, DeviceError> {
        if let Some(index) = self.free_run_buffers.iter().position(|runs| runs.len() >= len) {
            return Ok(self.free_run_buffers.swap_remove(index));
        }
        self.free_run_buffers.clear();
        // An eighth more, so that it suffices for the next batch.
        self.copy_stream.zeros(len + len / 8)
    }

    /// Launches `nw_traceback` for the pairs whose directions are in memory.
    fn launch_tracebacks(
        &mut self,
        tasks: &DeviceBuffer<TracebackTask>,
        memory: &TracebackMemory<'_>,
    ) -> Result<(), DeviceError> {
        let kernel = self.kernel(KernelFile::Warp, "nw_traceback")?;
        let count = tasks.len() as u32;
        let gpu = &self.gpu;
        let parameters = TracebackParameters {
            sequences: self.device_sequences(),
            pairs: memory.pairs.device_address(gpu),
            tasks: tasks.device_address(gpu),
            ends: memory.ends.device_address(gpu),
            directions: self.matrix_memory.device_address(gpu),
            run_room: self.run_room.device_address(gpu),
            run_count: memory.run_count.device_address(gpu),
            runs: memory.runs.device_address(gpu),
            alignments: memory.alignments.device_address(gpu),
            count,
            unknown: self.narrow.scoring.unknown,
        };
        #[allow(unsafe_code)]
        // SAFETY: the parameters are those of the kernel; no alignment has more runs than the plan made room for.
        unsafe {
            kernel.launch(count.div_ceil(BLOCK_THREADS), BLOCK_THREADS, 0, &parameters)
        }
    }

    /// Waits for the alignments of a batch of `pairs` pairs; returns them in the order of the pairs, empty for those
    /// that were left out, and the indices of those.
    ///
    /// # Errors
    /// If the driver, or a kernel, failed.
    pub fn finish_alignments(
        &mut self,
        launched: LaunchedBatch,
        pairs: usize,
    ) -> Result<(BatchAlignments, Vec<usize>), DeviceError> {
        launched.done.wait()?;
        let DeviceResults::Alignments { alignments, run_count, runs } = launched.results else {
            return Ok((BatchAlignments::default(), (0..pairs).collect()));
        };
        let alignments = self.copy_stream.download(&alignments, pairs)?;
        let run_count = self.copy_stream.download(&run_count, 1)?[0] as usize;
        let downloaded = self.copy_stream.download_staged(&runs, run_count)?;
        self.free_run_buffers.push(runs);
        Ok((BatchAlignments::downloaded(alignments, downloaded), launched.left))
    }
}
