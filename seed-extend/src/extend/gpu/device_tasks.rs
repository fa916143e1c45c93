//! Tasks on a device.

use std::borrow::Cow;
use std::ops::Deref;

use aligner_core::DeviceError;
use aligner_core::stream::Backend;
use bytemuck::cast_slice;

use crate::extend::UNKNOWN;
use crate::extend::tasks::{AlignmentEnd, AlignmentTask, ReferenceText, TaskBatch};

/// Tasks on a device, and room for their scores and ends.
#[derive(Debug)]
pub struct DeviceTasks<'a, T> {
    /// The codes that the tasks refer to.
    pub(super) codes: OnDevice<'a, T>,
    /// The tasks, in order.
    pub(super) tasks: OnDevice<'a, T>,
    /// Room for the score and end of each task, all 0 at first.
    pub(super) ends: T,
    /// How many tasks there are.
    pub(super) count: u32,
    /// Numbers of the tasks whose windows have an unknown base, which the text of the device does not show. There these tasks
    /// have no bases.
    pub(super) unknown_windows: Vec<u32>,
}

/// A buffer on a device.
#[derive(Debug)]
pub(super) enum OnDevice<'a, T> {
    /// One that was made for the tasks.
    Made(T),
    /// One that was there already.
    Borrowed(&'a T),
}

impl<T> Deref for OnDevice<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Made(buffer) => buffer,
            Self::Borrowed(buffer) => buffer,
        }
    }
}

impl<'a, T> DeviceTasks<'a, T> {
    /// Copies tasks and the codes of their queries to the device.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    ///
    /// # Panics
    /// If [`TaskBatch::check`] refuses a task.
    pub fn new(
        backend: &impl Backend<Buffer = T>,
        tasks: TaskBatch<'_>,
    ) -> Result<Self, DeviceError> {
        tasks.check();
        let own = tasks.own_codes();
        let (codes, mut own) = own.map_or_else(
            || (Cow::from(tasks.queries.all()), Cow::from(tasks.tasks)),
            |(codes, own)| (codes.into(), own.into()),
        );
        let unknown_windows = unknown_windows(tasks);
        for &number in &unknown_windows {
            own.to_mut()[number as usize] = AlignmentTask::default();
        }
        Ok(Self {
            codes: OnDevice::Made(backend.upload(&codes)?),
            tasks: OnDevice::Made(backend.upload(cast_slice(&own))?),
            ends: backend.zeros(own.len() * size_of::<AlignmentEnd>())?,
            count: own.len() as u32,
            unknown_windows,
        })
    }

    /// Tasks that a kernel has made, `count` in all. Their queries must be among these codes, and their windows in the text of the
    /// engine. As no kernel takes long queries or wide bands, they need not be checked for these.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub(crate) fn made(
        backend: &impl Backend<Buffer = T>,
        (codes, tasks): (&'a T, &'a T),
        count: u32,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            codes: OnDevice::Borrowed(codes),
            tasks: OnDevice::Borrowed(tasks),
            ends: backend.zeros(count as usize * size_of::<AlignmentEnd>())?,
            count,
            unknown_windows: Vec::new(),
        })
    }
}

/// Numbers of the tasks whose windows have an unknown base.
fn unknown_windows(tasks: TaskBatch<'_>) -> Vec<u32> {
    let ReferenceText::Codes(codes) = tasks.text else { return Vec::new() };
    let is_unknown = |task: &AlignmentTask| {
        codes[task.window_start as usize..][..task.window_len as usize].contains(&UNKNOWN)
    };
    (0..).zip(tasks.tasks).filter(|(_, task)| is_unknown(task)).map(|(number, _)| number).collect()
}
