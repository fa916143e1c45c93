//! Pinned staging buffers for copies to the device.
//!
//! The driver copies pageable memory to a page-locked buffer of its own first, and the host waits while the device
//! fetches that. Here a large copy is cut into parts, each with a staging buffer: while the device fetches one part, the
//! host fills the next, and it waits only for a buffer that it wants to use again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use cudarc::driver::DeviceRepr;

use super::{DeviceBuffer, Event, Gpu, PinnedBuffer, failed};
use crate::error::DeviceError;

/// Bytes of a staging buffer.
const PART: usize = 2 << 20;

/// The most staging buffers of a GPU. Locking memory takes 0.4 s a GiB.
const PARTS: usize = 16;

/// Bytes from which copies are staged. The driver takes over fewer bytes at once.
pub(super) const LEAST: usize = 64 << 10;

/// A staging buffer, and an event behind the last copy from it.
type Used = (PinnedBuffer<u8>, Event);

/// The staging buffers of a GPU, in the order of their last copies.
#[derive(Debug, Clone, Default)]
pub(super) struct UploadStaging(Arc<Mutex<VecDeque<Used>>>);

impl UploadStaging {
    fn parts(&self) -> MutexGuard<'_, VecDeque<Used>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gpu {
    /// A staging buffer whose last copy is done, or a new one.
    fn free_upload_part(&self) -> Result<PinnedBuffer<u8>, DeviceError> {
        let mut parts = self.upload_staging.parts();
        let is_free = match parts.front() {
            Some((_, event)) => event.is_complete()? || parts.len() >= PARTS,
            None => false,
        };
        let oldest = if is_free { parts.pop_front() } else { None };
        drop(parts);
        match oldest {
            Some((part, event)) => event.wait().map(|()| part),
            None => self.pinned(PART),
        }
    }

    /// Copies host memory to the front of a device array through staging buffers. Returns before the last copies are
    /// done; later work on the stream waits for them.
    pub(super) fn upload_in_parts<T: DeviceRepr + Pod>(
        &self,
        host: &[T],
        buffer: &mut DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        let each = PART / size_of::<T>();
        for (number, elements) in host.chunks(each).enumerate() {
            let mut part = self.free_upload_part()?;
            let bytes: &[u8] = bytemuck::cast_slice(elements);
            let here = &mut part.as_mut_slice()?[..bytes.len()];
            here.copy_from_slice(bytes);
            let here: &[T] = bytemuck::cast_slice(here);
            let first = number * each;
            let mut there = buffer.slice.slice_mut(first..first + here.len());
            let copied = self.stream.memcpy_htod(here, &mut there);
            copied.map_err(failed("copying to the device"))?;
            let event = self.record_event()?;
            self.upload_staging.parts().push_back((part, event));
        }
        Ok(())
    }
}
