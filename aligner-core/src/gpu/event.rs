//! Events, and a second stream for copies that run at the same time as kernels.
//!
//! Work on one stream waits for all earlier work on that stream. So results that are to be copied while the next kernel
//! runs are copied on a second stream. The host keeps the two in order: it records an [`Event`] behind the kernel that
//! writes the results, waits for it, and then copies on the second stream; copies are complete when they return.
//!
//! Events are used again: to make one that a thread can sleep for, or to end it, takes the driver as long as to copy several
//! megabytes.

use std::fmt;
use std::sync::{Arc, Mutex};

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, sys};

use super::driver_error::failed;
use crate::buffer_pool::lock;
use crate::error::DeviceError;

/// Events of a GPU that nobody uses.
#[derive(Clone, Default)]
pub(super) struct SpareEvents(Arc<Mutex<Vec<CudaEvent>>>);

impl SpareEvents {
    /// Records an event behind all work that the stream has so far.
    pub(super) fn record(
        &self,
        context: &Arc<CudaContext>,
        stream: &CudaStream,
    ) -> Result<Event, DriverError> {
        // The lock is not held while an event is made.
        let spare = lock(&self.0).pop();
        // A thread that waits sleeps, and leaves its core to others.
        let flags = Some(sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC);
        let event = spare.map_or_else(|| context.new_event(flags), Ok)?;
        event.record(stream)?;
        Ok(Event { event: Some(event), spare: self.clone() })
    }
}

/// A point in the work of a stream. Dropping it waits for that point, so that memory which the work uses may be freed
/// afterwards.
pub struct Event {
    /// `None` only while dropping.
    event: Option<CudaEvent>,
    /// Takes the event back.
    spare: SpareEvents,
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").finish_non_exhaustive()
    }
}

impl Event {
    /// What the driver says of the event.
    fn ask<T>(
        &self,
        ask: impl FnOnce(&CudaEvent) -> Result<T, DriverError>,
    ) -> Result<T, DriverError> {
        self.event.as_ref().map_or_else(|| unreachable!("it is there until it is dropped"), ask)
    }

    /// Waits until all work before the event is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.ask(CudaEvent::synchronize).map_err(failed("waiting for the device"))
    }

    /// Whether all work before the event is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn is_complete(&self) -> Result<bool, DeviceError> {
        self.ask(CudaEvent::try_is_complete).map_err(failed("asking how far the device is"))
    }

    /// Milliseconds by the device's clock from this event to another one, once both are complete.
    pub(super) fn milliseconds_to(&self, end: &Self) -> Result<f32, DriverError> {
        self.ask(|begin| end.ask(|end| begin.elapsed_ms(end)))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // A failure is reported by the call that waits for the results. The driver then goes on to fail.
        if self.wait().is_ok() {
            lock(&self.spare.0).extend(self.event.take());
        }
    }
}
