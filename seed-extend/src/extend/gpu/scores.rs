//! Scores and ends of alignments on a device, by the kernels of `cuda/extend.cu`.

use aligner_core::DeviceError;
use aligner_core::gpu::DeviceStruct;
use aligner_core::stream::{Backend, Launch};
use bytemuck::{cast_slice, pod_collect_to_vec};

use super::costs::AlignmentCosts;
use super::device_tasks::DeviceTasks;
use super::engine::ExtendEngine;
use super::parameters::{ExtendEndParameters, ExtendScoreParameters};
use super::plan::{GpuPlan, PlannedLaunch};
use crate::extend::tasks::{AlignmentEnd, TaskBatch};

/// Threads of a block.
pub(super) const THREADS: u32 = 128;

/// Pairs of tasks on a device.
struct TaskPairs<T> {
    /// Columns of the kernel that scores them.
    columns: u32,
    /// Number of pairs of tasks.
    count: u32,
    /// Numbers of the tasks, in pairs.
    numbers: T,
    /// Room for the numbers of tasks whose end in the window the kernel for scores leaves unknown.
    unfinished: T,
    /// Number of these tasks.
    unfinished_count: T,
}

impl<B: Backend + Clone> ExtendEngine<B> {
    /// Scores and ends of the tasks of a plan, whose text must be that of [`Self::new`], in the order of tasks.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn score(
        &self,
        tasks: TaskBatch<'_>,
        plan: &GpuPlan,
    ) -> Result<Vec<AlignmentEnd>, DeviceError> {
        let on_device = DeviceTasks::new(&self.backend, tasks, None)?;
        for planned in &plan.launches {
            let pairs = self.upload_pairs(planned)?;
            self.launch_scores(&pairs, &on_device)?;
        }
        let bytes = tasks.tasks.len() * size_of::<AlignmentEnd>();
        Ok(pod_collect_to_vec(&self.backend.read(&on_device.ends, bytes)?))
    }

    /// Copies the pairs of a launch to the device.
    fn upload_pairs(&self, planned: &PlannedLaunch) -> Result<TaskPairs<B::Buffer>, DeviceError> {
        let bytes: &[u8] = cast_slice(&planned.pairs);
        Ok(TaskPairs {
            columns: planned.columns,
            count: planned.pairs.len() as u32,
            numbers: self.backend.upload(bytes)?,
            unfinished: self.backend.uninitialized(bytes.len())?,
            unfinished_count: self.backend.zeros(size_of::<u32>())?,
        })
    }

    /// Launches the kernel that scores pairs of tasks, and the one that finds the ends that it leaves unknown.
    fn launch_scores(
        &self,
        pairs: &TaskPairs<B::Buffer>,
        tasks: &DeviceTasks<'_, B::Buffer>,
    ) -> Result<(), DeviceError> {
        let [score, end] = ["score", "end"].map(|name| format!("extend_{name}_{}", pairs.columns));
        let blocks = pairs.count.div_ceil(THREADS);
        let costs = AlignmentCosts::from(self.scoring);
        let parameters = ExtendScoreParameters {
            text: self.address(&self.text),
            queries: self.address(tasks.queries()),
            tasks: self.address(&tasks.tasks),
            pairs: self.address(&pairs.numbers),
            ends: self.address(&tasks.ends),
            unfinished: self.address(&pairs.unfinished),
            unfinished_count: self.address(&pairs.unfinished_count),
            count: pairs.count.into(),
            costs,
        };
        self.launch(&score, blocks, &parameters)?;
        // Any number of tasks may be unfinished, up to all: as many threads as tasks, as far as they fit at a time.
        let blocks = blocks.min(self.backend.resident_blocks(&end, THREADS, 0)?);
        let parameters = ExtendEndParameters {
            text: self.address(&self.text),
            queries: self.address(tasks.queries()),
            tasks: self.address(&tasks.tasks),
            ends: self.address(&tasks.ends),
            unfinished: self.address(&pairs.unfinished),
            unfinished_count: self.address(&pairs.unfinished_count),
            costs,
        };
        self.launch(&end, blocks, &parameters)
    }

    /// Launches a kernel of `extend.cu` for pairs of tasks. `parameters` must be those of the kernel.
    fn launch<P: DeviceStruct>(
        &self,
        kernel: &str,
        blocks: u32,
        parameters: &P,
    ) -> Result<(), DeviceError> {
        let parameters = parameters.bytes();
        let launch = Launch { kernel, blocks, width: THREADS, shared: 0, parameters };
        #[allow(unsafe_code)]
        // SAFETY: the parameters are those of the kernel. `pairs` has two numbers of tasks for each of `count`, and
        // `unfinished` room for as many. The codes of each task are there, since a `GpuPlan` is of checked tasks.
        unsafe {
            self.backend.enqueue(&launch)
        }
    }
}

impl ExtendEngine {
    /// Time that the kernels of [`Self::score`] take, in seconds by the device's clock.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn time_score(&self, tasks: TaskBatch<'_>) -> Result<f64, DeviceError> {
        let plan = GpuPlan::new(self.scoring, tasks);
        let on_device = DeviceTasks::new(&self.backend, tasks, None)?;
        let mut seconds = 0.0;
        for planned in &plan.launches {
            let pairs = self.upload_pairs(planned)?;
            seconds += self.gpu().timed(|| self.launch_scores(&pairs, &on_device))?;
        }
        Ok(seconds)
    }
}
