//! Alignments of a batch: directions of all cells, and walks through them.
//!
//! A walk is a thread's, and waits for memory at every step, so all walks through what is in memory
//! are one launch. They pack the runs of all CIGARs into one array, of which only what is used is
//! copied to the host, beside the kernels of the next batch.

use aligner_core::DeviceError;
use aligner_core::gpu::{Argument, DeviceBuffer};

use crate::alignments::Alignments;
use crate::batch::{Batch, Pair};
use crate::gpu::engine::{Engine, Method, THREADS};
use crate::gpu::model::{End, Trace, Traced};
use crate::gpu::plan::TracePlan;
use crate::gpu::scores::{Held, Launched, Launches, Planned, Results};

impl Engine {
    /// The alignments of a batch, whose sequences are those of [`Self::new`]; and the pairs that
    /// are left out, by their places.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn alignments(
        &mut self,
        batch: Batch<'_>,
    ) -> Result<(Alignments, Vec<usize>), DeviceError> {
        let planned = self.plan_directions(batch)?;
        let launched = self.launch(&planned)?;
        self.finish_alignments(launched, batch.pairs.len())
    }

    /// Plans the launches for the directions of a batch's alignments, and the walks through them;
    /// makes room for them.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn plan_directions<'a>(&mut self, batch: Batch<'a>) -> Result<Planned<'a>, DeviceError> {
        let sorted = self.planner.sort_for_traces(batch);
        let room = self.make_room(sorted.direction_words())?;
        let mut plan = sorted.parts(room);
        let left = std::mem::take(&mut plan.left);
        Ok(Planned { batch, launches: Launches::Traces(plan), left })
    }

    /// Launches what was planned for alignments.
    pub(super) fn traces(
        &mut self,
        plan: &TracePlan,
        pairs: &[Pair],
        held: &mut Vec<Held>,
    ) -> Result<Results, DeviceError> {
        let ends = self.copies.zeros::<End>(pairs.len())?;
        let traced = self.copies.zeros::<Traced>(pairs.len())?;
        let taken = self.copies.zeros::<u64>(1)?;
        let pairs = self.copies.upload(pairs)?;
        let mut ready = Vec::new();
        for part in &plan.parts {
            ready.push((self.fills(&part.work)?, self.copies.upload(&part.traces)?));
        }
        let runs = self.runs(plan.runs as usize)?;
        let walked = plan.parts.iter().map(|part| part.runs).max().unwrap_or(0) as usize;
        if self.walked.len() < walked {
            // In the order of the stream: those who use the old one are done by then.
            self.walked = self.gpu.zeros(walked + walked / 8)?;
        }
        self.copies.synchronize()?;
        for (fills, traces) in &ready {
            for fill in fills {
                self.fill(fill, &pairs, &ends)?;
            }
            self.walk(&pairs, traces, &ends, (&taken, &runs), &traced)?;
        }
        held.push(Box::new((pairs, ends, ready)));
        Ok(Results::Traced { traced, taken, runs })
    }

    /// Room for so many runs of a batch.
    fn runs(&mut self, len: usize) -> Result<DeviceBuffer<u32>, DeviceError> {
        if let Some(place) = self.spare_runs.iter().position(|runs| runs.len() >= len) {
            return Ok(self.spare_runs.swap_remove(place));
        }
        self.spare_runs.clear();
        // A little more, for the next batch.
        self.copies.zeros(len + len / 8)
    }

    /// Launches `nw_walk`.
    fn walk(
        &mut self,
        pairs: &DeviceBuffer<Pair>,
        traces: &DeviceBuffer<Trace>,
        ends: &DeviceBuffer<End>,
        (taken, runs): (&DeviceBuffer<u64>, &DeviceBuffer<u32>),
        traced: &DeviceBuffer<Traced>,
    ) -> Result<(), DeviceError> {
        let function = self.function(Method::Warp, "nw_walk")?;
        let count = traces.len() as u32;
        let arguments = [
            // Only what is the same in both models is used.
            Argument::Buffer(&self.narrow.model),
            Argument::Buffer(pairs),
            Argument::Buffer(traces),
            Argument::U32(count),
            Argument::Buffer(&self.queries),
            Argument::Buffer(&self.query_offsets),
            Argument::Buffer(&self.targets),
            Argument::Buffer(&self.target_offsets),
            Argument::Buffer(ends),
            Argument::Buffer(&self.room),
            Argument::Buffer(&self.walked),
            Argument::Buffer(taken),
            Argument::Buffer(runs),
            Argument::Buffer(traced),
        ];
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; no alignment has more runs than the plan
        // made room for.
        unsafe {
            function.launch(count.div_ceil(THREADS), THREADS, 0, &arguments)
        }
    }

    /// Waits for alignments; gives them for each pair of the batch, empty ones for those that are left
    /// out, and the places of these.
    ///
    /// # Errors
    /// If the driver, or a kernel, failed.
    pub fn finish_alignments(
        &mut self,
        launched: Launched,
        pairs: usize,
    ) -> Result<(Alignments, Vec<usize>), DeviceError> {
        launched.mark.wait()?;
        let Results::Traced { traced, taken, runs } = launched.results else {
            return Ok((Alignments::default(), (0..pairs).collect()));
        };
        let traced = self.copies.download(&traced, pairs)?;
        let taken = self.copies.download(&taken, 1)?[0] as usize;
        let landed = self.copies.download_staged(&runs, taken)?;
        self.spare_runs.push(runs);
        Ok((Alignments::landed(traced, landed), launched.left))
    }
}
