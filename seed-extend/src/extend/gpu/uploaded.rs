//! Tasks on a device.

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceBuffer, Gpu};

use super::super::task::{Scored, Task, Tasks};

/// Tasks on a device, and room for how well they can be aligned.
pub(super) struct Uploaded<'a> {
    codes: Codes<'a>,
    pub(super) tasks: DeviceBuffer<Task>,
    pub(super) scored: DeviceBuffer<Scored>,
}

/// The codes of queries.
enum Codes<'a> {
    Own(DeviceBuffer<u8>),
    Others(&'a DeviceBuffer<u8>),
}

impl<'a> Uploaded<'a> {
    /// Copies tasks, and the codes of their queries unless all are there already.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub(super) fn new(
        gpu: &Gpu,
        tasks: Tasks<'_>,
        on_device: Option<&'a DeviceBuffer<u8>>,
    ) -> Result<Self, DeviceError> {
        let scored = gpu.zeros(tasks.tasks.len())?;
        if let Some(codes) = on_device {
            let tasks = gpu.upload(tasks.tasks)?;
            return Ok(Self { codes: Codes::Others(codes), tasks, scored });
        }
        let own = tasks.own_codes();
        let (codes, own) = own.as_ref().map_or((tasks.queries, tasks.tasks), |(a, b)| (a, b));
        let codes = Codes::Own(gpu.upload(codes)?);
        Ok(Self { codes, tasks: gpu.upload(own)?, scored })
    }

    /// The codes of the tasks' queries.
    pub(super) fn queries(&self) -> &DeviceBuffer<u8> {
        match &self.codes {
            Codes::Own(codes) => codes,
            Codes::Others(codes) => codes,
        }
    }
}
