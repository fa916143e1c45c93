//! Alignments of a batch: directions of all cells, and walks through them.

use aligner_core::DeviceError;
use aligner_core::gpu::{Argument, DeviceBuffer};

use crate::batch::Batch;
use crate::cigar::Alignment;
use crate::gpu::engine::{Engine, Method, THREADS};
use crate::gpu::model::{End, Place};
use crate::gpu::plan::{Family, Kernel, Plan, Work, plan};
use crate::gpu::runs;
use crate::gpu::scores::{Found, Launches, Planned};

impl Engine {
    /// The alignments of a batch, whose sequences are those of [`Self::new`]; and the pairs that
    /// are left out, by their places.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn alignments(
        &mut self,
        batch: Batch<'_>,
    ) -> Result<(Vec<Alignment>, Vec<usize>), DeviceError> {
        let plan = self.plan_alignments(batch)?;
        let mut all = vec![Alignment::default(); batch.pairs.len()];
        for work in &plan.work {
            for (&number, alignment) in work.pairs.iter().zip(self.trace(work)?) {
                all[number] = alignment;
            }
        }
        Ok((all, plan.left))
    }

    /// Plans the launches for the directions of a batch's alignments, and makes room for them.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn plan_directions(&mut self, batch: Batch<'_>) -> Result<Planned, DeviceError> {
        let plan = self.plan_alignments(batch)?;
        Ok(Planned { left: plan.left, launches: Launches::Warp(plan.work) })
    }

    fn plan_alignments(&mut self, batch: Batch<'_>) -> Result<Plan, DeviceError> {
        let wanted = plan(&self.scoring, batch, true, u64::MAX);
        let words = wanted.work.iter().map(|work| work.direction_words).max().unwrap_or(0);
        let room = self.make_room(words)?;
        Ok(if room >= words { wanted } else { plan(&self.scoring, batch, true, room) })
    }

    /// The alignments of a launch.
    fn trace(&mut self, work: &Work) -> Result<Vec<Alignment>, DeviceError> {
        let part = self.fill(work)?;
        let Found::Ends(ends) = &part.found else { return Ok(Vec::new()) };
        let count = work.pairs.len();
        let places = self.gpu.upload(&work.places)?;
        let starts = self.gpu.upload(&work.starts)?;
        let counts = self.gpu.zeros::<u32>(count)?;
        self.walk(work, &places, ends, &starts, &counts, None)?;
        let counted = self.gpu.download(&counts, count)?;
        let behind: Vec<u64> = counted
            .iter()
            .scan(0, |sum, &count| {
                *sum += u64::from(count);
                Some(*sum)
            })
            .collect();
        let all = behind.last().map_or(0, |&all| all as usize);
        let (on_device, out) = (self.gpu.upload(&behind)?, self.gpu.zeros::<u32>(all)?);
        self.walk(work, &places, ends, &starts, &counts, Some((&on_device, &out)))?;
        let runs = self.gpu.download(&out, all)?;
        let ends = self.gpu.download(ends, count)?;
        let alignments =
            ends.iter().zip(behind.iter().zip(&counted)).map(|(end, (&behind, &count))| {
                let runs = &runs[behind as usize - count as usize..behind as usize];
                Alignment { score: end.score, cigar: runs::cigar(runs) }
            });
        Ok(alignments.collect())
    }

    /// Launches `nw_walk`, which counts runs, or writes them.
    fn walk(
        &mut self,
        work: &Work,
        places: &DeviceBuffer<Place>,
        ends: &DeviceBuffer<End>,
        starts: &DeviceBuffer<u64>,
        counts: &DeviceBuffer<u32>,
        out: Option<(&DeviceBuffer<u64>, &DeviceBuffer<u32>)>,
    ) -> Result<(), DeviceError> {
        let function = self.function(Method::Warp, "nw_walk")?;
        let Kernel { family, rows, .. } = work.kernel;
        let constants = if family == Family::Wide { &self.wide } else { &self.narrow };
        let count = work.pairs.len() as u32;
        let (behind, runs) = match out {
            Some((behind, runs)) => (Argument::Buffer(behind), Argument::Buffer(runs)),
            None => (Argument::U64(0), Argument::U64(0)),
        };
        let arguments = [
            Argument::Buffer(&constants.model),
            Argument::Buffer(places),
            Argument::U32(count),
            Argument::Buffer(&self.queries),
            Argument::Buffer(&self.targets),
            Argument::Buffer(ends),
            Argument::Buffer(starts),
            Argument::Buffer(&self.room),
            Argument::U32(rows),
            Argument::U32(u32::from(work.kernel.is_affine())),
            Argument::U32(work.kernel.pairs_of_task()),
            Argument::Buffer(counts),
            behind,
            runs,
        ];
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; runs have the room that it counted itself.
        unsafe {
            function.launch(count.div_ceil(THREADS), THREADS, 0, &arguments)
        }
    }
}
