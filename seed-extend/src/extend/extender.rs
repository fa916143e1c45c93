//! Extensions on a GPU or the CPU, whichever there is.

use std::sync::Arc;

use aligner_core::gpu::DeviceBuffer;
use aligner_core::{Device, DeviceError};

use super::alignments::Alignments;
use super::cpu;
use super::gpu::{ExtendEngine, GpuPlan};
use super::scoring::Scoring;
use super::tasks::{AlignmentEnd, AlignmentTask, ReferenceText, TaskBatch};

/// Aligns queries with windows of a text, on a GPU or the CPU.
#[derive(Debug)]
pub struct Extender {
    scoring: Scoring,
    engine: Option<ExtendEngine>,
    failure: Option<DeviceError>,
}

/// Codes and plan that a GPU needs for the tasks of a batch, made before the GPU is free.
#[derive(Debug, Clone)]
pub(crate) struct PreparedTasks {
    /// The codes of all queries on the GPU.
    codes: Arc<DeviceBuffer<u8>>,
    /// The plan of the kernels' launches.
    plan: GpuPlan,
    /// The lengths of the queries and the text for which the plan has checked the tasks.
    lengths: [usize; 2],
}

impl PreparedTasks {
    /// Plans the launches for tasks, whose queries have these codes on the GPU.
    ///
    /// # Panics
    /// If [`TaskBatch::check`] refuses a task.
    pub(crate) fn new(
        codes: Arc<DeviceBuffer<u8>>,
        scoring: Scoring,
        tasks: TaskBatch<'_>,
    ) -> Self {
        Self { codes, plan: GpuPlan::new(scoring, tasks), lengths: tasks.lengths() }
    }
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
        let shared = self.shared((all, None), |engine, plan| engine.score(all, plan), on_cpu);
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
        self.align_into(all, None, &mut found);
        found
    }

    /// Replaces `found` by the best alignment of each task, in the order of tasks; so a batch uses the memory of the
    /// one before. `prepared` is what was made ahead for a GPU, of these tasks.
    ///
    /// # Panics
    /// If [`TaskBatch::check`] refuses a task.
    pub(crate) fn align_into(
        &mut self,
        all: TaskBatch<'_>,
        prepared: Option<PreparedTasks>,
        found: &mut Alignments,
    ) {
        // They may have been planned by a mapper of another reference.
        if prepared.as_ref().is_some_and(|it| it.lengths != all.lengths()) {
            all.check();
        }
        let scoring = self.scoring;
        let on_cpu = |tasks: TaskBatch<'_>| cpu::align(scoring, tasks);
        let (codes, plan) = prepared.map_or((None, None), |it| (Some(it.codes), Some(it.plan)));
        let on_gpu = |engine: &mut ExtendEngine, plan: &GpuPlan| {
            engine.align((all, codes.as_deref()), plan, found)
        };
        let shared = self.shared((all, plan), on_gpu, on_cpu);
        let Some(SharedWork { left, rest, .. }) = shared else {
            cpu::align_into(scoring, all, found);
            return;
        };
        for (place, number) in left.into_iter().enumerate() {
            found.set(number as usize, rest.spans[place], rest.runs_of(place));
        }
    }

    /// The GPU's failure, if there was one. From then on the CPU does everything, with the same results.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }

    /// Takes the GPU's failure, so that [`Self::failure`] is `None` afterwards.
    pub fn take_failure(&mut self) -> Option<DeviceError> {
        self.failure.take()
    }

    /// Lets the GPU do the tasks of a plan, which is made if there is none yet and has checked them, and at the same time the CPU
    /// those that the plan leaves. `None` if there is no GPU or it fails now.
    fn shared<T, R: Send>(
        &mut self,
        (all, plan): (TaskBatch<'_>, Option<GpuPlan>),
        on_gpu: impl FnOnce(&mut ExtendEngine, &GpuPlan) -> Result<T, DeviceError>,
        on_cpu: impl FnOnce(TaskBatch<'_>) -> R + Send,
    ) -> Option<SharedWork<T, R>> {
        let engine = self.engine.as_mut()?;
        let plan = plan.unwrap_or_else(|| GpuPlan::new(self.scoring, all));
        let left: Vec<AlignmentTask> =
            plan.left.iter().map(|&number| all.tasks[number as usize]).collect();
        let mut rest = None;
        let on_cpu = || rest = Some(on_cpu(TaskBatch { tasks: &left, ..all }));
        let found = if left.is_empty() {
            // Not in a scope, which would wait for a thread of the pool.
            on_cpu();
            on_gpu(engine, &plan)
        } else {
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| on_cpu());
                on_gpu(engine, &plan)
            })
        };
        match found {
            Ok(found) => Some(SharedWork { found, left: plan.left, rest: rest? }),
            Err(error) => {
                self.failure = Some(error);
                self.engine = None;
                None
            }
        }
    }
}
