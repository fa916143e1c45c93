//! Extensions on whatever device there is.

use std::sync::Arc;

use aligner_core::gpu::DeviceBuffer;
use aligner_core::{Device, DeviceError};

use super::alignments::Alignments;
use super::cpu;
use super::gpu::{Engine, Plan};
use super::scoring::Scoring;
use super::task::{Scored, Task, Tasks, Text};

/// A text, and the device that aligns queries with windows of it.
#[derive(Debug)]
pub struct Extender<'a> {
    scoring: Scoring,
    text: Text<'a>,
    engine: Option<Engine>,
    failure: Option<DeviceError>,
}

/// What was done for the tasks of a batch before they are aligned, on a GPU.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The codes of all queries.
    pub codes: Arc<DeviceBuffer<u8>>,
    /// Which kernel does which tasks.
    pub plan: Plan,
}

/// What a GPU and the CPU found.
struct Shared<T, R> {
    /// Of all tasks, from the GPU, but nothing of those that it does not know.
    found: T,
    /// Those tasks,
    left: Vec<u32>,
    /// and what the CPU found of them.
    rest: R,
}

impl<'a> Extender<'a> {
    /// Prepares to align queries with windows of `text`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(scoring: Scoring, text: Text<'a>, device: &Device) -> Result<Self, DeviceError> {
        let engine = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(Engine::on_gpu(gpu, scoring, text)?),
        };
        Ok(Self { scoring, text, engine, failure: None })
    }

    /// Another one for the same text and device, which works beside this one.
    ///
    /// # Errors
    /// If the device fails.
    pub fn beside(&self) -> Result<Self, DeviceError> {
        let engine = self.engine.as_ref().map(Engine::beside).transpose()?;
        Ok(Self { engine, failure: None, ..*self })
    }

    /// How well each task can be aligned, in the order of the tasks.
    ///
    /// # Panics
    /// If a task is none of [`Tasks::check`].
    pub fn score(&mut self, queries: &[u8], tasks: &[Task]) -> Vec<Scored> {
        let all = Tasks { queries, text: self.text, tasks };
        all.check();
        let scoring = self.scoring;
        let on_cpu = |tasks: Tasks<'_>| cpu::score(scoring, tasks);
        let shared = self.shared((all, None), |engine, plan| engine.score(all, plan), on_cpu);
        let Some(Shared { mut found, left, rest }) = shared else { return on_cpu(all) };
        for (number, scored) in left.into_iter().zip(rest) {
            found[number as usize] = scored;
        }
        found
    }

    /// The alignment of each task, in the order of the tasks.
    ///
    /// # Panics
    /// If a task is none of [`Tasks::check`].
    pub fn align(&mut self, queries: &[u8], tasks: &[Task]) -> Alignments {
        let mut found = Alignments::default();
        self.align_into((queries, None), tasks, &mut found);
        found
    }

    /// The same in `found`, in place of what it had: a batch wants as much memory as the one before.
    ///
    /// # Panics
    /// If a task is none of [`Tasks::check`].
    pub fn align_into(
        &mut self,
        (queries, prepared): (&[u8], Option<Prepared>),
        tasks: &[Task],
        found: &mut Alignments,
    ) {
        let all = Tasks { queries, text: self.text, tasks };
        all.check();
        let scoring = self.scoring;
        let on_cpu = |tasks: Tasks<'_>| cpu::align(scoring, tasks);
        let (codes, plan) = prepared.map_or((None, None), |it| (Some(it.codes), Some(it.plan)));
        let on_gpu =
            |engine: &mut Engine, plan: &Plan| engine.align((all, codes.as_deref()), plan, found);
        let shared = self.shared((all, plan), on_gpu, on_cpu);
        let Some(Shared { left, rest, .. }) = shared else {
            *found = on_cpu(all);
            return;
        };
        for (place, number) in left.into_iter().enumerate() {
            found.set(number as usize, rest.places[place], rest.runs_of(place));
        }
    }

    /// Why the GPU was given up, if it was: the CPU does everything from then on, with the same results.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }

    /// The same, and forgets it.
    pub fn take_failure(&mut self) -> Option<DeviceError> {
        self.failure.take()
    }

    /// What both find at the same time, by this plan if it is there, unless there is no GPU or it fails now.
    fn shared<T, R: Send>(
        &mut self,
        (all, plan): (Tasks<'_>, Option<Plan>),
        on_gpu: impl FnOnce(&mut Engine, &Plan) -> Result<T, DeviceError>,
        on_cpu: impl FnOnce(Tasks<'_>) -> R + Send,
    ) -> Option<Shared<T, R>> {
        let engine = self.engine.as_mut()?;
        let plan = plan.unwrap_or_else(|| Plan::new(self.scoring, all));
        let left: Vec<Task> = plan.left.iter().map(|&number| all.tasks[number as usize]).collect();
        let mut rest = None;
        let on_cpu = || rest = Some(on_cpu(Tasks { tasks: &left, ..all }));
        let found = if left.is_empty() {
            // Without a scope, which would wait for a thread of the pool.
            on_cpu();
            on_gpu(engine, &plan)
        } else {
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| on_cpu());
                on_gpu(engine, &plan)
            })
        };
        match found {
            Ok(found) => Some(Shared { found, left: plan.left, rest: rest? }),
            Err(error) => {
                self.failure = Some(error);
                self.engine = None;
                None
            }
        }
    }
}
