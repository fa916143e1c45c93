//! Tasks on a device.

use aligner_core::DeviceError;
use aligner_core::stream::Backend;
use bytemuck::cast_slice;

use crate::extend::tasks::{AlignmentEnd, TaskBatch};

/// Tasks on a device, and room for their scores and ends.
pub(super) struct DeviceTasks<'a, T> {
    codes: CodesOnDevice<'a, T>,
    /// The tasks, in order.
    pub(super) tasks: T,
    /// Room for the score and end of each task, all 0 at first.
    pub(super) ends: T,
}

/// The codes of queries on a device.
enum CodesOnDevice<'a, T> {
    /// A copy of the codes that the tasks need.
    Copied(T),
    /// The codes of all queries, which were there already.
    Borrowed(&'a T),
}

impl<'a, T> DeviceTasks<'a, T> {
    /// Copies tasks to the device, and the codes of their queries unless all codes are there already, as `on_device`.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub(super) fn new(
        backend: &impl Backend<Buffer = T>,
        tasks: TaskBatch<'_>,
        on_device: Option<&'a T>,
    ) -> Result<Self, DeviceError> {
        let ends = backend.zeros(tasks.tasks.len() * size_of::<AlignmentEnd>())?;
        if let Some(codes) = on_device {
            let tasks = backend.upload(cast_slice(tasks.tasks))?;
            return Ok(Self { codes: CodesOnDevice::Borrowed(codes), tasks, ends });
        }
        let own = tasks.own_codes();
        let (codes, own) =
            own.as_ref().map_or_else(|| (tasks.queries.all(), tasks.tasks), |(a, b)| (a, b));
        let codes = CodesOnDevice::Copied(backend.upload(codes)?);
        Ok(Self { codes, tasks: backend.upload(cast_slice(own))?, ends })
    }

    /// The codes that the tasks refer to.
    pub(super) fn queries(&self) -> &T {
        match &self.codes {
            CodesOnDevice::Copied(codes) => codes,
            CodesOnDevice::Borrowed(codes) => codes,
        }
    }
}
