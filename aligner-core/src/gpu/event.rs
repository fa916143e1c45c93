//! Events, and a second stream for copies that run at the same time as kernels.
//!
//! Work on one stream waits for all earlier work on that stream. So results that are to be copied while the next kernel
//! runs are copied on a second stream. The host keeps the two in order: it records an [`Event`] behind the kernel that
//! writes the results, waits for it, and then copies on the second stream; copies are complete when they return.
//!
//! Events are used again. The driver takes 0.3 ms to create one that a thread can sleep for, where many threads ask for one, and
//! each copy of 2 MiB to the device needs one.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, sys};

use super::driver_error::failed;
use crate::buffer_pool::{BufferPool, Pooled};
use crate::error::DeviceError;

/// Events of a GPU that are not in use.
#[derive(Clone, Default)]
pub(super) struct EventPool(Arc<BufferPool<Option<CudaEvent>>>);

impl EventPool {
    /// An event that was given back, or a new one of this context. There is no work that it stands behind.
    pub(super) fn take(&self, context: &Arc<CudaContext>) -> Result<Event, DriverError> {
        // A thread that waits sleeps, and leaves its core to others.
        let flags = Some(sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC);
        let event = self.0.take().map_or_else(|| context.new_event(flags), Ok)?;
        Ok(Event(Pooled::new(Some(event), &self.0)))
    }
}

/// A point in the work of a stream. Dropping it waits for that point, so that memory which the work uses may be freed
/// afterwards.
#[derive(Debug)]
pub struct Event(Pooled<Option<CudaEvent>>);

impl Event {
    fn event(&self) -> &CudaEvent {
        self.0.as_ref().unwrap_or_else(|| unreachable!("it is there until it is dropped"))
    }

    /// Puts the event behind all work that the stream has so far.
    pub(super) fn record(&self, stream: &CudaStream) -> Result<(), DriverError> {
        self.event().record(stream)
    }

    /// Waits until all work before the event is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.event().synchronize().map_err(failed("waiting for the device"))
    }

    /// Whether all work before the event is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn is_complete(&self) -> Result<bool, DeviceError> {
        self.event().try_is_complete().map_err(failed("asking how far the device is"))
    }

    /// Milliseconds by the device's clock from this event to another one, once both are complete.
    pub(super) fn milliseconds_to(&self, end: &Self) -> Result<f32, DriverError> {
        self.event().elapsed_ms(end.event())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // A failure is reported by the call that waits for the results. The event may be used again also then: to record it
        // sets it anew.
        let _ = self.wait();
    }
}
