//! Scores and ends of alignments on a device, by the kernels of `cuda/extend.cu`.

use aligner_core::DeviceError;
use aligner_core::stream::Backend;
use bytemuck::pod_collect_to_vec;

use super::costs::AlignmentCosts;
use super::device_tasks::DeviceTasks;
use super::engine::{ExtendEngine, THREADS};
use super::parameters::{ExtendEndParameters, ExtendScoreParameters};
use super::plan::{GpuPlan, PlannedLaunch};
use crate::extend::tasks::{AlignmentEnd, TaskBatch};

/// Room for the tasks of a launch whose end in the window the kernel for scores leaves unknown.
struct Unfinished<T> {
    /// Room for the numbers of these tasks.
    numbers: T,
    /// Number of these tasks.
    count: T,
}

impl<B: Backend + Clone> ExtendEngine<B> {
    /// Scores and ends of the tasks of a plan, in the order of tasks.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn score(
        &self,
        tasks: &DeviceTasks<'_, B::Buffer>,
        plan: &GpuPlan<B::Buffer>,
    ) -> Result<Vec<AlignmentEnd>, DeviceError> {
        for planned in &plan.launches {
            let unfinished = self.unfinished(planned)?;
            self.launch_scores((planned, &plan.pairs), &unfinished, tasks)?;
        }
        let bytes = tasks.count as usize * size_of::<AlignmentEnd>();
        Ok(pod_collect_to_vec(&self.backend.read(&tasks.ends, bytes)?))
    }

    /// Room for the unfinished tasks of a launch.
    fn unfinished(&self, planned: &PlannedLaunch) -> Result<Unfinished<B::Buffer>, DeviceError> {
        let numbers = self.backend.uninitialized(2 * planned.pairs.len() * size_of::<u32>())?;
        Ok(Unfinished { numbers, count: self.backend.zeros(size_of::<u32>())? })
    }

    /// Launches the kernel that scores pairs of tasks, and the one that finds the ends that it leaves unknown.
    fn launch_scores(
        &self,
        (planned, pairs): (&PlannedLaunch, &B::Buffer),
        unfinished: &Unfinished<B::Buffer>,
        tasks: &DeviceTasks<'_, B::Buffer>,
    ) -> Result<(), DeviceError> {
        let [score, end] =
            ["score", "end"].map(|name| format!("extend_{name}_{}", planned.columns));
        let count = planned.pairs.len() as u32;
        let blocks = count.div_ceil(THREADS);
        let costs = AlignmentCosts::from(self.scoring);
        let parameters = ExtendScoreParameters {
            text: self.address(&self.text),
            queries: self.address(&tasks.codes),
            tasks: self.address(&tasks.tasks),
            pairs: self.address(pairs).offset(2 * u64::from(planned.pairs.start)),
            ends: self.address(&tasks.ends),
            unfinished: self.address(&unfinished.numbers),
            unfinished_count: self.address(&unfinished.count),
            count: count.into(),
            costs,
        };
        self.launch(&score, blocks, &parameters)?;
        // Any number of tasks may be unfinished, up to all: as many threads as tasks, as far as they fit at a time.
        let blocks = blocks.min(self.backend.resident_blocks(&end, THREADS, 0)?);
        let parameters = ExtendEndParameters {
            text: self.address(&self.text),
            queries: self.address(&tasks.codes),
            tasks: self.address(&tasks.tasks),
            ends: self.address(&tasks.ends),
            unfinished: self.address(&unfinished.numbers),
            unfinished_count: self.address(&unfinished.count),
            costs,
        };
        self.launch(&end, blocks, &parameters)
    }
}

impl ExtendEngine {
    /// Time that the kernels of [`Self::score`] take, in seconds by the device's clock.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn time_score(&self, tasks: TaskBatch<'_>) -> Result<f64, DeviceError> {
        let on_device = self.upload(tasks)?;
        let plan = self.plan(&on_device)?;
        let mut seconds = 0.0;
        for planned in &plan.launches {
            let (pairs, unfinished) = (&plan.pairs, self.unfinished(planned)?);
            seconds += self
                .gpu()
                .timed(|| self.launch_scores((planned, pairs), &unfinished, &on_device))?;
        }
        Ok(seconds)
    }
}
