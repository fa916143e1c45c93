//! Pinned staging buffers for copies to and from the device.
//!
//! *To the device.* The driver copies pageable memory to a page-locked buffer of its own first, and the host waits
//! while the device fetches that. Here a large copy is cut into parts, each with a staging buffer: while the device
//! fetches one part, the host fills the next, and it waits only for a buffer that it wants to use again.
//!
//! *From the device.* A copy to pageable memory goes through a page-locked buffer of the driver and is copied once
//! more. Here the bytes stay in the page-locked buffer that the device wrote to, until their user drops them; then the
//! buffer is used again. Locking memory takes longer than filling it, so buffers are kept as long as the GPU is open.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::buffer::PinnedBuffer;
use super::event::Event;
use super::locked_bytes::LockedBytes;
use crate::error::DeviceError;

/// Bytes of a staging buffer for copies to the device.
pub(super) const UPLOAD_PART: usize = 2 << 20;

/// The most staging buffers of a GPU for copies to the device. Locking memory takes 0.4 s a GiB.
const UPLOAD_PARTS: usize = 16;

/// Bytes from which copies to the device are staged. The driver takes over fewer bytes at once.
pub(super) const LEAST_UPLOAD: usize = 64 << 10;

/// Threads that fill staging buffers for a copy of at least [`LEAST_PARALLEL_UPLOAD`] bytes, a power of two.
pub(super) const UPLOAD_THREADS: usize = 8;

/// Bytes from which several threads fill staging buffers: an index, but no batch.
pub(super) const LEAST_PARALLEL_UPLOAD: usize = 128 << 20;

/// A staging buffer, and an event behind the last copy from it.
type UsedBuffer = (PinnedBuffer<u8>, Event);

/// Staging buffers for copies to the device, in the order of their last copies.
#[derive(Debug, Clone, Default)]
pub(super) struct UploadStaging(Arc<Mutex<VecDeque<UsedBuffer>>>);

impl UploadStaging {
    fn buffers(&self) -> MutexGuard<'_, VecDeque<UsedBuffer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a buffer whose last copy is done. `None` if there is none and another one may be allocated.
    pub(super) fn take(&self) -> Result<Option<PinnedBuffer<u8>>, DeviceError> {
        let mut buffers = self.buffers();
        let is_free = match buffers.front() {
            Some((_, event)) => event.is_complete()? || buffers.len() >= UPLOAD_PARTS,
            None => false,
        };
        let oldest = if is_free { buffers.pop_front() } else { None };
        drop(buffers);
        oldest.map(|(buffer, event)| event.wait().map(|()| buffer)).transpose()
    }

    /// Puts a buffer back, with an event behind the copy from it.
    pub(super) fn put(&self, buffer: PinnedBuffer<u8>, event: Event) {
        self.buffers().push_back((buffer, event));
    }
}

/// The smallest staging buffer for copies from the device, in bytes.
pub(super) const LEAST_DOWNLOAD: usize = 1 << 20;

/// Staging buffers for copies from the device that are not in use.
#[derive(Clone, Default)]
pub(super) struct DownloadStaging(Arc<Mutex<Vec<LockedBytes>>>);

impl DownloadStaging {
    /// Takes the smallest buffer of at least `len` bytes.
    pub(super) fn take(&self, len: usize) -> Option<LockedBytes> {
        let mut buffers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = buffers.iter().enumerate().filter(|(_, buffer)| buffer.len() >= len);
        let (index, _) = fitting.min_by_key(|(_, buffer)| buffer.len())?;
        Some(buffers.swap_remove(index))
    }

    /// Puts a buffer back.
    fn put(&self, buffer: LockedBytes) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// Bytes that were copied from the device, in their staging buffer, which is used again when this is dropped.
pub struct StagedDownload {
    /// The buffer that begins with the bytes; `None` only while dropping.
    buffer: Option<LockedBytes>,
    len: usize,
    download_staging: DownloadStaging,
}

impl StagedDownload {
    /// The first `len` bytes of a staging buffer, which goes back to `download_staging` afterwards.
    pub(super) fn new(buffer: LockedBytes, len: usize, download_staging: DownloadStaging) -> Self {
        Self { buffer: Some(buffer), len, download_staging }
    }

    /// The bytes, aligned for any element.
    pub fn bytes(&self) -> &[u8] {
        self.buffer.as_ref().map_or(&[], |buffer| &buffer[..self.len])
    }
}

impl fmt::Debug for StagedDownload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StagedDownload").field("bytes", &self.len).finish_non_exhaustive()
    }
}

impl Drop for StagedDownload {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.download_staging.put(buffer);
        }
    }
}
