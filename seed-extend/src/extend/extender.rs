//! Extensions on whatever device there is.

use aligner_core::{Device, DeviceError};

use super::alignments::Alignments;
use super::cpu;
use super::scoring::Scoring;
use super::task::{Scored, Task, Tasks, Text};

/// A text, and the device that aligns queries with windows of it.
#[derive(Debug)]
pub struct Extender<'a> {
    scoring: Scoring,
    text: Text<'a>,
}

impl<'a> Extender<'a> {
    /// Prepares to align queries with windows of `text`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(scoring: Scoring, text: Text<'a>, device: &Device) -> Result<Self, DeviceError> {
        match device {
            Device::Cpu | Device::Cuda(_) => Ok(Self { scoring, text }),
        }
    }

    /// How well each task can be aligned, in the order of the tasks.
    ///
    /// # Panics
    /// If a task names codes that are not there.
    pub fn score(&mut self, queries: &[u8], tasks: &[Task]) -> Vec<Scored> {
        cpu::score(self.scoring, Tasks { queries, text: self.text, tasks })
    }

    /// The alignment of each task, in the order of the tasks.
    ///
    /// # Panics
    /// If a task names codes that are not there.
    pub fn align(&mut self, queries: &[u8], tasks: &[Task]) -> Alignments {
        cpu::align(self.scoring, Tasks { queries, text: self.text, tasks })
    }
}
