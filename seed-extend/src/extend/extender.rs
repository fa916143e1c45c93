//! Extensions on a GPU or the CPU, whichever there is.

use aligner_core::gpu::DeviceBuffer;
use aligner_core::{Device, DeviceError};

use super::alignments::Alignments;
use super::cpu;
use super::gpu::{DeviceTasks, ExtendEngine, GpuPlan};
use super::scoring::Scoring;
use super::tasks::{AlignmentEnd, AlignmentTask, ReferenceText, TaskBatch};

/// Aligns queries with windows of a text, on a GPU or the CPU.
#[derive(Debug)]
pub struct Extender {
    scoring: Scoring,
    engine: Option<ExtendEngine>,
    failure: Option<DeviceError>,
}

/// Results of a batch of tasks that a GPU and the CPU have shared.
struct SharedWork<T, R> {
    /// The GPU's results for all tasks, without those that it left to the CPU.
    found: T,
    /// Numbers of the tasks that were left to the CPU.
    left: Vec<u32>,
    /// The CPU's results for these tasks.
    rest: R,
}

impl Extender {
    /// An extender for windows of `text`, which is copied to the device. All its batches have to refer to this text.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(
        scoring: Scoring,
        text: ReferenceText<'_>,
        device: &Device,
    ) -> Result<Self, DeviceError> {
        let engine = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(ExtendEngine::on_gpu(gpu, scoring, text)?),
        };
        Ok(Self { scoring, engine, failure: None })
    }

    /// An extender for the same text and device, on a second stream, so that both can work at the same time.
    ///
    /// # Errors
    /// If the device fails.
    pub fn on_second_stream(&self) -> Result<Self, DeviceError> {
        let engine = self.engine.as_ref().map(ExtendEngine::on_second_stream).transpose()?;
        Ok(Self { engine, failure: None, ..*self })
    }

    /// Score and end of the best alignment of each task, in the order of tasks.
    ///
    /// # Panics
    /// If [`TaskBatch::check`] refuses a task.
    pub fn score(&mut self, all: TaskBatch<'_>) -> Vec<AlignmentEnd> {
        let scoring = self.scoring;
        let on_cpu = |tasks: TaskBatch<'_>| cpu::score(scoring, tasks);
        let shared = self.shared(all, |engine, tasks, plan| engine.score(tasks, plan), on_cpu);
        let Some(SharedWork { mut found, left, rest }) = shared else { return on_cpu(all) };
        for (number, scored) in left.into_iter().zip(rest) {
            found[number as usize] = scored;
        }
        found
    }

    /// The best alignment of each task, in the order of tasks.
    ///
    /// # Panics
    /// If [`TaskBatch::check`] refuses a task.
    pub fn align(&mut self, all: TaskBatch<'_>) -> Alignments {
        let mut found = Alignments::default();
        self.align_into(all, &mut found);
        found
    }

    /// Replaces `found` by the best alignment of each task, in the order of tasks; so a batch uses the memory of the
    /// one before.
    ///
    /// # Panics
    /// If [`TaskBatch::check`] refuses a task.
    pub(crate) fn align_into(&mut self, all: TaskBatch<'_>, found: &mut Alignments) {
        let scoring = self.scoring;
        let on_cpu = |tasks: TaskBatch<'_>| cpu::align(scoring, tasks);
        let shared =
            self.shared(all, |engine, tasks, plan| engine.align(tasks, plan, found), on_cpu);
        let Some(SharedWork { left, rest, .. }) = shared else {
            cpu::align_into(scoring, all, found);
            return;
        };
        for (place, number) in left.into_iter().enumerate() {
            found.set(number as usize, rest.spans[place], rest.runs_of(place));
        }
    }

    /// The engine, unless there is no GPU or it has failed.
    pub(crate) fn engine(&mut self) -> Option<&mut ExtendEngine> {
        self.engine.as_mut()
    }

    /// Keeps a failure of the GPU: from now on the CPU does everything.
    pub(crate) fn fail(&mut self, error: DeviceError) {
        (self.failure, self.engine) = (Some(error), None);
    }

    /// The GPU's failure, if there was one. From then on the CPU does everything, with the same results.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }

    /// Takes the GPU's failure, so that [`Self::failure`] is `None` afterwards.
    pub fn take_failure(&mut self) -> Option<DeviceError> {
        self.failure.take()
    }

    /// Lets the GPU do the tasks that kernels take, and at the same time the CPU the others. `None` if there is no GPU or it fails
    /// now.
    fn shared<T, R: Send + Default>(
        &mut self,
        all: TaskBatch<'_>,
        on_gpu: impl FnOnce(
            &mut ExtendEngine,
            &DeviceTasks<'_, DeviceBuffer<u8>>,
            &GpuPlan<DeviceBuffer<u8>>,
        ) -> Result<T, DeviceError>,
        on_cpu: impl FnOnce(TaskBatch<'_>) -> R + Send,
    ) -> Option<SharedWork<T, R>> {
        let engine = self.engine.as_mut()?;
        let share = || {
            let tasks = engine.upload(all)?;
            let plan = engine.plan(&tasks)?;
            let of_number = |&number: &u32| all.tasks[number as usize];
            let left: Vec<AlignmentTask> = plan.left.iter().map(of_number).collect();
            let on_gpu = || on_gpu(engine, &tasks, &plan);
            let (found, rest) =
                beside(on_gpu, || on_cpu(TaskBatch { tasks: &left, ..all }), left.is_empty());
            Ok(SharedWork { found: found?, left: plan.left, rest })
        };
        share().map_err(|error| self.fail(error)).ok()
    }
}

/// Does what a GPU and what the CPU has to do, at the same time unless the CPU has nothing to do.
pub(crate) fn beside<T, R: Send + Default>(
    on_gpu: impl FnOnce() -> T,
    on_cpu: impl FnOnce() -> R + Send,
    is_nothing: bool,
) -> (T, R) {
    if is_nothing {
        // Not in a scope, which would wait for a thread of the pool.
        return (on_gpu(), R::default());
    }
    let mut rest = R::default();
    let found = rayon::in_place_scope(|scope| {
        scope.spawn(|_| rest = on_cpu());
        on_gpu()
    });
    (found, rest)
}
