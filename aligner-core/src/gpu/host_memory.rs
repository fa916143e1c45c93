//! Host memory that is filled again and again for copies to a device.
//!
//! Copies from other memory go through [staging buffers](super::staging), and so each byte is copied once more by the host. Here the
//! bytes are where the device fetches them from. That pays for memory that is used often, since locking it takes time.

use std::fmt;

use super::buffer::PinnedBuffer;
use super::event::Event;
use crate::error::DeviceError;

/// Host memory to be filled for copies to a device.
pub struct HostMemory(Form);

/// The forms of [`HostMemory`].
enum Form {
    /// Memory as any other.
    Pageable(Vec<u8>),
    PageLocked(LockedBytes),
}

/// Page-locked memory, and an event behind the last copy from it.
struct LockedBytes {
    /// It is dropped first, and waits for the copy.
    copied: Option<Event>,
    bytes: &'static mut [u8],
    /// The buffer that holds the bytes, which are accessed by `bytes` alone.
    _buffer: PinnedBuffer<u8>,
}

impl HostMemory {
    /// All bytes of a buffer.
    ///
    /// # Errors
    /// If the driver fails.
    pub(super) fn of_buffer(mut buffer: PinnedBuffer<u8>) -> Result<Self, DeviceError> {
        let (start, len) = (buffer.as_mut_slice()?.as_mut_ptr(), buffer.len());
        #[allow(unsafe_code)]
        // SAFETY: the memory stays at its address as long as its buffer lives, which `LockedBytes` owns; nothing else accesses it;
        // and `HostMemory` lends the bytes for its own lifetime only.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start, len) };
        Ok(Self(Form::PageLocked(LockedBytes { copied: None, bytes, _buffer: buffer })))
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Form::Pageable(bytes) => bytes,
            Form::PageLocked(locked) => locked.bytes,
        }
    }

    /// The bytes, to be filled, once the last copy from them is done.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Form::Pageable(bytes) => bytes,
            Form::PageLocked(locked) => {
                // The event waits when it is dropped.
                locked.copied = None;
                locked.bytes
            }
        }
    }

    /// Says that there is a copy from the memory, which is done when the event is. Copies from memory that is not page-locked are
    /// done already.
    pub(super) fn set_copied(&mut self, event: Event) {
        if let Form::PageLocked(locked) = &mut self.0 {
            locked.copied = Some(event);
        }
    }
}

/// Memory that is not page-locked.
impl From<Vec<u8>> for HostMemory {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Form::Pageable(bytes))
    }
}

/// No memory.
impl Default for HostMemory {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl fmt::Debug for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_page_locked = matches!(self.0, Form::PageLocked(_));
        f.debug_struct("HostMemory")
            .field("bytes", &self.bytes().len())
            .field("is_page_locked", &is_page_locked)
            .finish()
    }
}
