//! The bytes of page-locked memory, which can be had without asking the driver.

use std::ops::{Deref, DerefMut};

use super::buffer::PinnedBuffer;
use crate::error::DeviceError;

/// The bytes of a page-locked buffer. Who copies to or from them lets nobody have them until the copy is done.
pub(super) struct LockedBytes {
    bytes: &'static mut [u8],
    /// The buffer that holds the bytes, which are accessed by `bytes` alone.
    _buffer: PinnedBuffer<u8>,
}

impl LockedBytes {
    /// All bytes of a buffer.
    ///
    /// # Errors
    /// If the driver fails.
    pub(super) fn new(mut buffer: PinnedBuffer<u8>) -> Result<Self, DeviceError> {
        let (start, len) = (buffer.as_mut_slice()?.as_mut_ptr(), buffer.len());
        #[allow(unsafe_code)]
        // SAFETY: the memory stays at its address as long as its buffer lives, which `LockedBytes` owns; nothing else accesses it;
        // and `LockedBytes` lends the bytes for its own lifetime only.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start, len) };
        Ok(Self { bytes, _buffer: buffer })
    }
}

impl Deref for LockedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

impl DerefMut for LockedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.bytes
    }
}
