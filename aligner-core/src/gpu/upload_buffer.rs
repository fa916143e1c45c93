//! Host memory that is filled again and again for copies to a device.
//!
//! Copies from other memory go through [staging buffers](super::staging), and so the host copies each byte once more. Here the
//! bytes are where the device fetches them from. That pays for memory that is used often, since locking it takes time.

use std::fmt;

use super::event::Event;
use super::locked_bytes::LockedBytes;

/// Host memory to be filled for copies to a device: page-locked, or any memory where there is no GPU.
pub struct UploadBuffer(pub(super) Memory);

/// The memory of an [`UploadBuffer`].
pub(super) enum Memory {
    /// A copy from the bytes is done when the call returns.
    Pageable(Vec<u8>),
    /// A copy from the bytes may go on while the host does.
    PageLocked {
        /// An event behind the last copy from the bytes. It is dropped before them, and waits for the copy.
        copied: Option<Event>,
        bytes: LockedBytes,
    },
}

impl UploadBuffer {
    pub(super) fn page_locked(bytes: LockedBytes) -> Self {
        Self(Memory::PageLocked { copied: None, bytes })
    }

    /// Gives the bytes to be read.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Memory::Pageable(bytes) => bytes,
            Memory::PageLocked { bytes, .. } => bytes,
        }
    }

    /// Gives the bytes to be filled, once the last copy from them is done.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Memory::Pageable(bytes) => bytes,
            Memory::PageLocked { copied, bytes } => {
                // The event waits when it is dropped.
                *copied = None;
                bytes
            }
        }
    }
}

/// Memory that is not page-locked.
impl From<Vec<u8>> for UploadBuffer {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Memory::Pageable(bytes))
    }
}

/// A buffer of no bytes.
impl Default for UploadBuffer {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl fmt::Debug for UploadBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_page_locked = matches!(self.0, Memory::PageLocked { .. });
        f.debug_struct("UploadBuffer")
            .field("bytes", &self.bytes().len())
            .field("is_page_locked", &is_page_locked)
            .finish()
    }
}
