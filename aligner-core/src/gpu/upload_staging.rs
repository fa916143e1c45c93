//! Where copies to the device upload_in_parts from: page-locked memory that is used again and again.
//!
//! From other memory the driver copies to page-locked memory of its own, and the host waits while the device
//! fetches it. Here the next part is copied meanwhile, and the host waits only for parts that are to be used
//! again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use cudarc::driver::DeviceRepr;

use super::{DeviceBuffer, Event, Gpu, PinnedBuffer, failed};
use crate::error::DeviceError;

/// Bytes of a part.
const PART: usize = 2 << 20;

/// Parts that there are at most; memory takes 0.4 s a GiB to lock.
const PARTS: usize = 16;

/// Less than that the driver takes over at once.
pub(super) const LEAST: usize = 64 << 10;

/// A part, and a event behind the copy from it.
type Used = (PinnedBuffer<u8>, Event);

/// Parts; those of the oldest copies first.
#[derive(Debug, Clone, Default)]
pub(super) struct UploadStaging(Arc<Mutex<VecDeque<Used>>>);

impl UploadStaging {
    fn parts(&self) -> MutexGuard<'_, VecDeque<Used>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gpu {
    /// A part that nothing is copied from any more.
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

    /// Copies host memory to the front of a device array, by parts. Nobody writes to a part until its copy is past.
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
