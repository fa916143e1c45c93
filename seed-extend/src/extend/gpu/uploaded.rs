//! Tasks on a device.

use aligner_core::DeviceError;
use aligner_core::stream::Backend;
use bytemuck::cast_slice;

use super::super::task::{Scored, Tasks};

/// Tasks on a device, and room for how well they can be aligned.
pub(super) struct Uploaded<'a, T> {
    codes: Codes<'a, T>,
    pub(super) tasks: T,
    pub(super) scored: T,
}

/// The codes of queries.
enum Codes<'a, T> {
    Own(T),
    Others(&'a T),
}

impl<'a, T> Uploaded<'a, T> {
    /// Copies tasks, and the codes of their queries unless all are there already. Scores are 0.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub(super) fn new(
        backend: &impl Backend<Buffer = T>,
        tasks: Tasks<'_>,
        on_device: Option<&'a T>,
    ) -> Result<Self, DeviceError> {
        let scored = backend.zeros(tasks.tasks.len() * size_of::<Scored>())?;
        if let Some(codes) = on_device {
            let tasks = backend.upload(cast_slice(tasks.tasks))?;
            return Ok(Self { codes: Codes::Others(codes), tasks, scored });
        }
        let own = tasks.own_codes();
        let (codes, own) = own.as_ref().map_or((tasks.queries, tasks.tasks), |(a, b)| (a, b));
        let codes = Codes::Own(backend.upload(codes)?);
        Ok(Self { codes, tasks: backend.upload(cast_slice(own))?, scored })
    }

    /// The codes of the tasks' queries.
    pub(super) fn queries(&self) -> &T {
        match &self.codes {
            Codes::Own(codes) => codes,
            Codes::Others(codes) => codes,
        }
    }
}
