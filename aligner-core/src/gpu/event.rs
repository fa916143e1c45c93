//! Events, and a second stream for copies that run at the same time as kernels.
//!
//! Work on one stream waits for all earlier work on that stream. So results that are to be copied while the next kernel
//! runs are copied on a second stream. The host keeps the two in order: it records an [`Event`] behind the kernel that
//! writes the results, waits for it, and then copies on the second stream; copies are complete when they return.

use cudarc::driver::CudaEvent;

use super::driver_error::failed;
use crate::error::DeviceError;

/// A point in the work of a stream. Dropping it waits for that point, so that memory which the work uses may be freed
/// afterwards.
#[derive(Debug)]
pub struct Event(CudaEvent);

impl Event {
    /// Wraps an event that was recorded.
    pub(super) fn new(event: CudaEvent) -> Self {
        Self(event)
    }

    /// Waits until all work before the event is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.0.synchronize().map_err(failed("waiting for the device"))
    }

    /// Whether all work before the event is done.
    ///
    /// # Errors
    /// If any of it failed.
    pub fn is_complete(&self) -> Result<bool, DeviceError> {
        self.0.try_is_complete().map_err(failed("asking how far the device is"))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // A failure is reported by the call that waits for the results.
        let _ = self.wait();
    }
}
