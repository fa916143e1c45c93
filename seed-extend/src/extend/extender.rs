//! Extensions on whatever device there is.

use aligner_core::{Device, DeviceError};

use super::alignments::Alignments;
use super::cpu;
use super::gpu::Engine;
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

impl<'a> Extender<'a> {
    /// Prepares to align queries with windows of `text`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(scoring: Scoring, text: Text<'a>, device: &Device) -> Result<Self, DeviceError> {
        let engine = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(Engine::new(gpu.clone(), scoring, text)?),
        };
        Ok(Self { scoring, text, engine, failure: None })
    }

    /// How well each task can be aligned, in the order of the tasks.
    ///
    /// # Panics
    /// If a task is none of [`Tasks::check`].
    pub fn score(&mut self, queries: &[u8], tasks: &[Task]) -> Vec<Scored> {
        let all = Tasks { queries, text: self.text, tasks };
        all.check();
        let Some((mut found, left)) = self.on_gpu(|engine| engine.score(all)) else {
            return cpu::score(self.scoring, all);
        };
        let rest: Vec<Task> = left.iter().map(|&number| tasks[number as usize]).collect();
        let rest = cpu::score(self.scoring, Tasks { tasks: &rest, ..all });
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
        let all = Tasks { queries, text: self.text, tasks };
        all.check();
        let Some((mut found, left)) = self.on_gpu(|engine| engine.align(all)) else {
            return cpu::align(self.scoring, all);
        };
        let rest: Vec<Task> = left.iter().map(|&number| tasks[number as usize]).collect();
        let rest = cpu::align(self.scoring, Tasks { tasks: &rest, ..all });
        for (place, number) in left.into_iter().enumerate() {
            found.set(number as usize, rest.places[place], rest.runs_of(place));
        }
        found
    }

    /// Why the GPU was given up, if it was: the CPU does everything from then on, with the same results.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }

    /// The same, and forgets it.
    pub fn take_failure(&mut self) -> Option<DeviceError> {
        self.failure.take()
    }

    /// What the GPU gives, unless there is none or it fails now.
    fn on_gpu<T>(&mut self, work: impl FnOnce(&mut Engine) -> Result<T, DeviceError>) -> Option<T> {
        match work(self.engine.as_mut()?) {
            Ok(done) => Some(done),
            Err(error) => {
                self.failure = Some(error);
                self.engine = None;
                None
            }
        }
    }
}
