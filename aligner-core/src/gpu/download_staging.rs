//! Pinned staging buffers for copies from the device.
//!
//! A copy to pageable memory goes through a page-locked buffer of the driver and is copied once more. Here the bytes
//! stay in the page-locked buffer that the device wrote to, until their user drops them; then the buffer is used again.
//! Locking memory takes longer than filling it, so buffers are kept as long as the GPU is open.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::Pod;
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

use super::{DeviceBuffer, Gpu, PinnedBuffer};
use crate::error::DeviceError;

/// The smallest staging buffer, in bytes.
const LEAST: usize = 1 << 20;

/// The staging buffers of a GPU that are not in use.
#[derive(Debug, Clone, Default)]
pub(super) struct DownloadStaging(Arc<Mutex<Vec<PinnedBuffer<u8>>>>);

impl DownloadStaging {
    /// Takes the smallest buffer of at least `len` bytes.
    fn take(&self, len: usize) -> Option<PinnedBuffer<u8>> {
        let mut spares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = spares.iter().enumerate().filter(|(_, buffer)| buffer.len() >= len);
        let (place, _) = fitting.min_by_key(|(_, buffer)| buffer.len())?;
        Some(spares.swap_remove(place))
    }

    /// Puts a buffer back.
    fn put(&self, buffer: PinnedBuffer<u8>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// Bytes that were copied from the device, in their staging buffer, which is used again when this is dropped.
pub struct StagedDownload {
    bytes: &'static [u8],
    /// The buffer that holds the bytes; `None` only while dropping.
    buffer: Option<PinnedBuffer<u8>>,
    download_staging: DownloadStaging,
}

impl StagedDownload {
    /// The bytes, aligned for any element.
    pub fn bytes(&self) -> &[u8] {
        self.bytes
    }
}

impl fmt::Debug for StagedDownload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StagedDownload").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

impl Drop for StagedDownload {
    fn drop(&mut self) {
        self.bytes = &[];
        if let Some(buffer) = self.buffer.take() {
            self.download_staging.put(buffer);
        }
    }
}

impl Gpu {
    /// Copies the first `len` elements of a device array to a staging buffer, and waits.
    ///
    /// # Errors
    /// If the driver, or anything before the copy on the stream, failed, or no more memory can be
    /// locked.
    ///
    /// # Panics
    /// If the array is shorter than `len`.
    pub fn download_staged<T: DeviceRepr + ValidAsZeroBits + Pod>(
        &self,
        buffer: &DeviceBuffer<T>,
        len: usize,
    ) -> Result<StagedDownload, DeviceError> {
        let bytes = len * size_of::<T>();
        let mut staging = match self.download_staging.take(bytes) {
            Some(staging) => staging,
            // A little larger, so that the next copy may use it too.
            None => self.pinned((bytes + bytes / 8).max(LEAST))?,
        };
        let elements = bytemuck::cast_slice_mut(&mut staging.as_mut_slice()?[..bytes]);
        self.download_into(buffer, elements)?;
        let downloaded: &[u8] = &staging.as_slice()?[..bytes];
        #[allow(unsafe_code)]
        // SAFETY: the memory stays at its address as long as its buffer lives, which `StagedDownload` owns; nothing
        // writes to it meanwhile; and `StagedDownload` lends the bytes for its own lifetime only.
        let downloaded = unsafe { std::slice::from_raw_parts(downloaded.as_ptr(), bytes) };
        Ok(StagedDownload {
            bytes: downloaded,
            buffer: Some(staging),
            download_staging: self.download_staging.clone(),
        })
    }
}
