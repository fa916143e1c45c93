//! Copies beside kernels: a second stream, and marks that tell how far the first one has come.
//!
//! Work that is given to one stream waits for all that was given to it before. So what is to be
//! copied while a kernel runs goes to another. The host hands memory over between the two: it waits
//! for a [`Event`] before it copies what was written before that, and copies are complete when they
//! return.

use cudarc::driver::{CudaEvent, sys};

use super::{Gpu, failed};
use crate::error::DeviceError;

/// A point in the work of a stream. Dropped, it waits: memory that work up to here needs may be
/// freed after it.
#[derive(Debug)]
pub struct Event(CudaEvent);

impl Gpu {
    /// The same GPU with a stream of its own.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn with_own_stream(&self) -> Result<Self, DeviceError> {
        let stream = self.context.new_stream().map_err(failed("making a stream"))?;
        Ok(Self { stream, ..self.clone() })
    }

    /// Marks the end of what was given to the stream.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn record_event(&self) -> Result<Event, DeviceError> {
        // Who waits sleeps, and leaves the processor to others.
        let flags = Some(sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC);
        self.stream.record_event(flags).map(Event).map_err(failed("marking the stream"))
    }
}

impl Event {
    /// Waits until all before it is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.0.synchronize().map_err(failed("waiting for the device"))
    }

    /// Whether all before it is done already.
    ///
    /// # Errors
    /// If any of it failed.
    pub(super) fn is_complete(&self) -> Result<bool, DeviceError> {
        self.0.try_is_complete().map_err(failed("asking how far the device is"))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // What failed shows wherever results are waited for.
        let _ = self.wait();
    }
}
