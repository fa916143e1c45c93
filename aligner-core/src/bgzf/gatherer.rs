//! Contents that a device puts together from bytes in its memory.

use crate::gpu::{DeviceAddress, DeviceStruct};
use crate::stream::{Backend, Launch};
use crate::{DeviceError, device_struct};

const KERNEL: &str = "gather_contents";

/// Threads of a thread block, and the sources that it copies, one a warp at a time.
const THREADS: u32 = 256;
const SOURCES_OF_BLOCK: usize = 64;

/// Bytes of a source on average for which there is memory from the start: fewer than records of BAM have.
const BYTES_OF_SOURCE: usize = 128;

device_struct! {
    /// Bytes in device memory that are part of a content.
    pub struct ContentSource {
        /// The first byte.
        pub bytes: DeviceAddress<u8>,
        /// Where the bytes go: the first one, from the beginning of the first content on. The content with number `n`, from 0, begins
        /// at `n` times [`BLOCK_BYTES`](super::BLOCK_BYTES).
        pub target: u32,
        /// How many there are.
        pub size: u16,
        /// Bits that are set in the two bytes from [`Self::BITS_OFFSET`] of the source on, the lower byte first.
        pub bits: u16,
    }
}

impl ContentSource {
    /// Where the flags of a record of BAM are (SAM specification, section 4.2).
    pub const BITS_OFFSET: usize = 18;
}

device_struct! {
    /// Parameter of the kernel that gathers contents.
    pub(super) struct GatherParameters {
        /// What contents are made of.
        sources: DeviceAddress<ContentSource>,
        /// The contents.
        contents: DeviceAddress<u8>,
        /// How many sources there are.
        count: u32,
        /// [`ContentSource::BITS_OFFSET`].
        bits_offset: u32,
    }
}

/// Puts contents together in an array of device memory, which it keeps.
#[derive(Debug)]
pub struct ContentGatherer<B: Backend> {
    pub(super) backend: B,
    pub(super) contents: B::Buffer,
    /// Bytes of `contents`.
    bytes: usize,
    sources: SourceBuffer<B>,
}

/// Device memory for sources.
#[derive(Debug)]
struct SourceBuffer<B: Backend> {
    memory: B::Buffer,
    /// How many there can be.
    capacity: usize,
}

impl<B: Backend> SourceBuffer<B> {
    fn new(backend: &B, capacity: usize) -> Result<Self, DeviceError> {
        let memory = backend.uninitialized(capacity * size_of::<ContentSource>())?;
        Ok(Self { memory, capacity })
    }
}

impl<B: Backend> ContentGatherer<B> {
    /// A gatherer of contents of so many bytes, on a backend that has the kernels of `cuda/deflate.cu` loaded. It has memory for sources of
    /// 128 bytes on average, and takes more if there are shorter ones.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn new(backend: B, bytes: usize) -> Result<Self, DeviceError> {
        let sources = SourceBuffer::new(&backend, bytes / BYTES_OF_SOURCE)?;
        Ok(Self { contents: backend.uninitialized(bytes)?, backend, bytes, sources })
    }

    /// The most bytes that it gathers at a time.
    pub fn capacity(&self) -> usize {
        self.bytes
    }

    /// Gathers the bytes of sources, and copies the first `bytes` bytes of what they were gathered to.
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Panics
    /// If a source, or one of these bytes, lies behind [`capacity`](Self::capacity).
    ///
    /// # Safety
    /// The bytes of all sources are in the memory of the device until the call returns, and nothing writes them. No two sources have
    /// the same target in common.
    #[allow(unsafe_code)]
    pub unsafe fn read(
        &mut self,
        sources: &[ContentSource],
        bytes: usize,
    ) -> Result<Vec<u8>, DeviceError> {
        assert!(bytes <= self.bytes, "{bytes} bytes of {}", self.bytes);
        // SAFETY: as the caller promises; `read` waits.
        let enqueued = unsafe { self.enqueue(sources) };
        enqueued
            .and_then(|()| self.backend.read(&self.contents, bytes))
            .inspect_err(|_| self.settle())
    }

    /// Enqueues the copies from sources to contents.
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Panics
    /// If a source lies behind [`capacity`](Self::capacity).
    ///
    /// # Safety
    /// As [`read`](Self::read), until the backend has been waited for.
    #[allow(unsafe_code)]
    pub(super) unsafe fn enqueue(&mut self, sources: &[ContentSource]) -> Result<(), DeviceError> {
        if sources.is_empty() {
            return Ok(());
        }
        let end = |it: &ContentSource| it.target as usize + usize::from(it.size);
        let are_inside = sources.iter().all(|it| end(it) <= self.bytes);
        assert!(are_inside, "a source behind {} bytes", self.bytes);
        if self.sources.capacity < sources.len() {
            self.sources = SourceBuffer::new(&self.backend, sources.len() + sources.len() / 4)?;
        }
        self.backend.write(&mut self.sources.memory, bytemuck::cast_slice(sources))?;
        let parameters = GatherParameters {
            sources: self.backend.device_address(&self.sources.memory),
            contents: self.backend.device_address(&self.contents),
            count: sources.len() as u32,
            bits_offset: ContentSource::BITS_OFFSET as u32,
        };
        let launch = Launch {
            kernel: KERNEL,
            blocks: sources.len().div_ceil(SOURCES_OF_BLOCK) as u32,
            width: THREADS,
            shared: 0,
            parameters: parameters.bytes(),
        };
        // SAFETY: the arrays of the kernel's parameter are of this backend; sources go to the array of contents alone, and the caller
        // vouches for their bytes.
        unsafe { self.backend.enqueue(&launch) }
    }

    /// Waits after a failure, so that nothing reads the bytes of sources any more.
    pub(super) fn settle(&self) {
        // Whether that fails, too, makes no difference: a device that has failed reads nothing.
        let _ = self.backend.wait();
    }
}
