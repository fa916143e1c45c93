//! Scores, by the kernels of `cuda/extend.cu`.

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, Launch, Word};
use bytemuck::{cast_slice, pod_collect_to_vec};

use super::super::task::{Scored, Tasks};
use super::engine::Engine;
use super::plan::{Launch as Planned, Plan};
use super::uploaded::Uploaded;

/// Threads of a block.
pub(super) const THREADS: u32 = 128;

/// Pairs of tasks on a device, and those of them whose end is not known at first.
struct Pairs<T> {
    columns: u32,
    count: u32,
    numbers: T,
    rest: T,
    rest_count: T,
}

impl<B: Backend + Clone> Engine<B> {
    /// The scores of the tasks of a plan, which have the text of [`Self::new`], in their order.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn score(&self, tasks: Tasks<'_>, plan: &Plan) -> Result<Vec<Scored>, DeviceError> {
        let uploaded = Uploaded::new(&self.backend, tasks, None)?;
        for planned in &plan.launches {
            let pairs = self.pairs(planned)?;
            self.launch_scores(&pairs, &uploaded)?;
        }
        let scored =
            self.backend.read(&uploaded.scored, tasks.tasks.len() * size_of::<Scored>())?;
        Ok(pod_collect_to_vec(&scored))
    }

    fn pairs(&self, planned: &Planned) -> Result<Pairs<B::Buffer>, DeviceError> {
        let bytes: &[u8] = cast_slice(&planned.pairs);
        Ok(Pairs {
            columns: planned.columns,
            count: planned.pairs.len() as u32,
            numbers: self.backend.upload(bytes)?,
            rest: self.backend.uninitialized(bytes.len())?,
            rest_count: self.backend.zeros(size_of::<u32>())?,
        })
    }

    /// Launches the kernels for scores and ends.
    fn launch_scores(
        &self,
        of: &Pairs<B::Buffer>,
        uploaded: &Uploaded<'_, B::Buffer>,
    ) -> Result<(), DeviceError> {
        let [score, end] = ["score", "end"].map(|name| format!("extend_{name}_{}", of.columns));
        let blocks = of.count.div_ceil(THREADS);
        let buffers = [&*self.costs, &*self.text, uploaded.queries(), &uploaded.tasks];
        let [costs, text, queries, tasks] = buffers.map(|buffer| self.at(buffer));
        let buffers = [&of.numbers, &of.rest, &of.rest_count, &uploaded.scored];
        let [pairs, rest, rest_count, scored] = buffers.map(|buffer| self.at(buffer));
        let count = Word::Number(of.count);
        let arguments = [costs, text, queries, tasks, pairs, count, scored, rest, rest_count];
        let launch =
            Launch { kernel: &score, blocks, width: THREADS, shared: 0, arguments: &arguments };
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; `pairs` has two numbers of tasks for each of
        // `count`, and `rest` room for as many; each task's codes are there, since `Plan` is of
        // tasks that were checked.
        unsafe {
            self.backend.enqueue(&launch)?;
        }
        // As many as there may be threads to need, and the device has room for.
        let blocks = blocks.min(self.backend.resident_blocks(&end, THREADS, 0)?);
        let arguments = [costs, text, queries, tasks, rest, rest_count, scored];
        let launch =
            Launch { kernel: &end, blocks, width: THREADS, shared: 0, arguments: &arguments };
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel, as the one before it left them.
        unsafe {
            self.backend.enqueue(&launch)
        }
    }
}

impl Engine {
    /// Seconds that the kernels of [`Self::score`] take, by the device's clock.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn time_score(&self, tasks: Tasks<'_>) -> Result<f64, DeviceError> {
        let plan = Plan::new(self.scoring, tasks);
        let uploaded = Uploaded::new(&self.backend, tasks, None)?;
        let mut seconds = 0.0;
        for planned in &plan.launches {
            let pairs = self.pairs(planned)?;
            seconds += self.gpu().timed(|| self.launch_scores(&pairs, &uploaded))?;
        }
        Ok(seconds)
    }
}
