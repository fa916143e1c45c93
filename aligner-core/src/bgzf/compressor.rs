//! The kernel's launches and memory.

use std::ops::Range;

use super::{BLOCK_BYTES, CONTENT_BYTES};
use crate::gpu::{DeviceAddress, DeviceStruct, Gpu, UploadBuffer};
use crate::stream::{Backend, Bytes, CudaBackend, Launch};
use crate::{DeviceError, device_struct};

const FATBIN: &[u8] = include_bytes!("../../cuda/deflate.fatbin");

const KERNEL: &str = "compress_blocks";

const GATHER: &str = "gather_contents";

/// Threads of a thread block that gathers sources, and the sources that it gathers, one a warp at a time.
const GATHER_THREADS: u32 = 256;
const SOURCES_OF_BLOCK: usize = 64;

/// Threads of a thread block.
const THREADS: u32 = 512;

/// Shared memory of a thread block, in bytes: the most that GPUs since compute capability 8.6 give to one. The kernel
/// asserts that it suffices.
const SHARED_BYTES: u32 = 99 << 10;

/// Scratch memory of a thread block, in bytes.
const SCRATCH_BYTES: usize = 8 * BLOCK_BYTES;

device_struct! {
    /// Where a block lies among all blocks of a batch.
    struct BlockExtent {
        /// Offset of its first byte from that of the first block.
        offset: u32,
        /// Size of the block in bytes.
        size: u32,
    }
}

device_struct! {
    /// Parameter of the kernel that compresses.
    struct CompressParameters {
        /// Contents, each at a multiple of [`BLOCK_BYTES`].
        contents: DeviceAddress<u8>,
        /// Bytes of each content.
        lengths: DeviceAddress<u32>,
        /// Memory of [`SCRATCH_BYTES`] for each thread block.
        scratch: DeviceAddress<u32>,
        /// Array for the blocks, of [`BLOCK_BYTES`] for each content.
        blocks: DeviceAddress<u32>,
        /// Array for the extent of each block.
        extents: DeviceAddress<BlockExtent>,
        /// Bytes of the blocks so far; 0 before.
        cursor: DeviceAddress<u32>,
        /// How many contents there are.
        count: u32,
        /// Unused bytes that fill up the struct.
        padding: u32,
    }
}

device_struct! {
    /// Bytes in device memory that are part of a content.
    pub struct ContentSource {
        /// The first byte.
        pub bytes: DeviceAddress<u8>,
        /// Where the bytes go: the first one, from the beginning of the first content on. The content with number `n`, from 0, begins
        /// at `n` times [`BLOCK_BYTES`].
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
    struct GatherParameters {
        /// What contents are made of.
        sources: DeviceAddress<ContentSource>,
        /// The contents, each at a multiple of [`BLOCK_BYTES`].
        contents: DeviceAddress<u8>,
        /// How many sources there are.
        count: u32,
        /// [`ContentSource::BITS_OFFSET`].
        bits_offset: u32,
    }
}

/// Compresses batches of contents on a device, whose memory it keeps: 128 KiB for each content of a batch, and 0.5 MiB for
/// each that the device compresses at a time (on an H100 at most 264).
#[derive(Debug)]
pub struct DeviceCompressor<B: Backend> {
    backend: B,
    /// The most contents of a batch.
    capacity: usize,
    /// What contents were gathered from, most recently; as much memory as the most sources of a batch needed so far.
    sources: Option<SourceBuffer<B>>,
    /// Thread blocks that have scratch memory.
    thread_blocks: u32,
    contents: B::Buffer,
    lengths: B::Buffer,
    scratch: B::Buffer,
    blocks: B::Buffer,
    extents: B::Buffer,
    cursor: B::Buffer,
}

/// Device memory for sources.
#[derive(Debug)]
struct SourceBuffer<B: Backend> {
    memory: B::Buffer,
    /// How many there can be.
    capacity: usize,
}

impl DeviceCompressor<CudaBackend> {
    /// Whether a GPU has enough shared memory for the kernel: all of compute capability 8.0 and newer have.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn runs_on(gpu: &Gpu) -> Result<bool, DeviceError> {
        Ok(gpu.shared_memory_per_block()? >= SHARED_BYTES)
    }

    /// A compressor of batches of up to `capacity` contents on the stream of a GPU.
    ///
    /// # Errors
    /// If memory does not suffice, or the GPU cannot run the kernel.
    pub fn new(gpu: &Gpu, capacity: usize) -> Result<Self, DeviceError> {
        Self::with_backend(Self::backend_on(gpu)?, capacity)
    }

    /// The stream of a GPU with the kernels loaded.
    ///
    /// # Errors
    /// If the GPU cannot run them.
    pub fn backend_on(gpu: &Gpu) -> Result<CudaBackend, DeviceError> {
        CudaBackend::new(gpu, "deflate", FATBIN)
    }
}

impl<B: Backend> DeviceCompressor<B> {
    /// A compressor on any backend that has the kernel of `cuda/deflate.cu` loaded.
    ///
    /// # Errors
    /// As [`DeviceCompressor::new`].
    ///
    /// # Panics
    /// If the blocks of a batch could be 4 GiB or more.
    pub fn with_backend(backend: B, capacity: usize) -> Result<Self, DeviceError> {
        assert!(capacity < 1 << 16, "batches of {capacity} contents: the most is 65,535");
        let resident = backend.resident_blocks(KERNEL, THREADS, SHARED_BYTES)?.max(1);
        let thread_blocks = resident.min(capacity as u32);
        Ok(Self {
            contents: backend.uninitialized(capacity * BLOCK_BYTES)?,
            lengths: backend.uninitialized(capacity * size_of::<u32>())?,
            scratch: backend.uninitialized(thread_blocks as usize * SCRATCH_BYTES)?,
            blocks: backend.uninitialized(capacity * BLOCK_BYTES)?,
            extents: backend.uninitialized(capacity * size_of::<BlockExtent>())?,
            cursor: backend.uninitialized(size_of::<u32>())?,
            backend,
            capacity,
            sources: None,
            thread_blocks,
        })
    }

    /// A buffer for the contents of a batch, from which [`compress`](Self::compress) takes them faster than from other memory.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub fn upload_buffer(&self) -> Result<UploadBuffer, DeviceError> {
        self.backend.upload_buffer(self.capacity * BLOCK_BYTES)
    }

    /// Compresses a batch of contents, each of which begins at a multiple of [`BLOCK_BYTES`] of `contents` and has the length
    /// in `lengths`.
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Panics
    /// If there are more contents than the compressor's capacity, or if one is longer than [`CONTENT_BYTES`].
    #[allow(unsafe_code)]
    pub fn compress(
        &mut self,
        contents: &mut UploadBuffer,
        lengths: &[u32],
    ) -> Result<CompressedBlocks, DeviceError> {
        if !lengths.is_empty() {
            let bytes = lengths.len() * BLOCK_BYTES;
            self.backend.write_upload(contents, bytes, &mut self.contents)?;
        }
        self.compress_present(lengths)
    }

    /// Compresses a batch of contents with these lengths, which are in device memory.
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Panics
    /// As [`compress`](Self::compress), and if a source lies outside of all contents.
    ///
    /// # Safety
    /// The bytes of all sources are in the memory of the compressor's device until the call returns, and nothing writes them.
    #[allow(unsafe_code)]
    pub unsafe fn compress_gathered(
        &mut self,
        sources: &[ContentSource],
        lengths: &[u32],
    ) -> Result<CompressedBlocks, DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.enqueue_gathering(sources) }?;
        self.compress_present(lengths)
    }

    /// The contents of these sources, with what lies between them: the first `bytes` bytes.
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Panics
    /// If a source, or one of these bytes, lies outside of all contents.
    ///
    /// # Safety
    /// As [`compress_gathered`](Self::compress_gathered).
    #[allow(unsafe_code)]
    pub unsafe fn gathered(
        &mut self,
        sources: &[ContentSource],
        bytes: usize,
    ) -> Result<Vec<u8>, DeviceError> {
        assert!(bytes <= self.capacity * BLOCK_BYTES, "{bytes} bytes of contents");
        // SAFETY: as the caller promises.
        unsafe { self.enqueue_gathering(sources) }?;
        self.backend.read(&self.contents, bytes)
    }

    /// Enqueues the copies from sources to contents.
    ///
    /// # Safety
    /// As [`compress_gathered`](Self::compress_gathered), until the device has been waited for.
    #[allow(unsafe_code)]
    unsafe fn enqueue_gathering(&mut self, sources: &[ContentSource]) -> Result<(), DeviceError> {
        if sources.is_empty() {
            return Ok(());
        }
        let end = |it: &ContentSource| it.target as usize + usize::from(it.size);
        let room = self.capacity * BLOCK_BYTES;
        assert!(sources.iter().all(|it| end(it) <= room), "a source outside of all contents");
        let mut buffer = match self.sources.take() {
            Some(buffer) if buffer.capacity >= sources.len() => buffer,
            _ => {
                let capacity = sources.len() + sources.len() / 4;
                let bytes = capacity * size_of::<ContentSource>();
                SourceBuffer { memory: self.backend.uninitialized(bytes)?, capacity }
            }
        };
        self.backend.write(&mut buffer.memory, bytemuck::cast_slice(sources))?;
        let parameters = GatherParameters {
            sources: self.backend.device_address(&buffer.memory),
            contents: self.backend.device_address(&self.contents),
            count: sources.len() as u32,
            bits_offset: ContentSource::BITS_OFFSET as u32,
        };
        self.sources = Some(buffer);
        let launch = Launch {
            kernel: GATHER,
            blocks: sources.len().div_ceil(SOURCES_OF_BLOCK) as u32,
            width: GATHER_THREADS,
            shared: 0,
            parameters: parameters.bytes(),
        };
        // SAFETY: the arrays of the kernel's parameter live as long as `self`, sources go to the array of contents alone, and
        // the caller vouches for their bytes.
        unsafe { self.backend.enqueue(&launch) }
    }

    /// Compresses the contents that are on the device.
    #[allow(unsafe_code)]
    fn compress_present(&mut self, lengths: &[u32]) -> Result<CompressedBlocks, DeviceError> {
        let count = lengths.len();
        if count == 0 {
            return Ok(CompressedBlocks { bytes: Bytes::Owned(Vec::new()), extents: Vec::new() });
        }
        let parameters = self.parameters(lengths)?;
        // SAFETY: `parameters` makes the kernel's parameter, whose arrays live as long as `self`.
        unsafe { self.backend.enqueue(&self.launch(&parameters)) }?;
        let extents = self.backend.read(&self.extents, count * size_of::<BlockExtent>())?;
        let range = |it: BlockExtent| it.offset as usize..(it.offset + it.size) as usize;
        let extents: Vec<Range<usize>> =
            bytemuck::pod_collect_to_vec(&extents).into_iter().map(range).collect();
        let end = extents.iter().map(|extent| extent.end).max().unwrap_or(0);
        Ok(CompressedBlocks { bytes: self.backend.read_staged(&self.blocks, end)?, extents })
    }

    /// Compresses a batch as [`compress`](Self::compress), and returns the seconds that the kernel took.
    ///
    /// # Errors
    /// As [`compress`](Self::compress).
    ///
    /// # Panics
    /// As [`compress`](Self::compress), and if there are no contents.
    #[allow(unsafe_code)]
    pub fn measure(
        &mut self,
        contents: &mut UploadBuffer,
        lengths: &[u32],
    ) -> Result<f64, DeviceError> {
        self.backend.write_upload(contents, lengths.len() * BLOCK_BYTES, &mut self.contents)?;
        let parameters = self.parameters(lengths)?;
        // SAFETY: as in `compress_present`.
        unsafe { self.backend.launch(&self.launch(&parameters)) }
    }

    /// Copies the lengths of contents to the device, and returns the kernel's parameter. All arrays have room for `capacity`
    /// contents, of which there are at most so many, each of at most `CONTENT_BYTES`.
    fn parameters(&mut self, lengths: &[u32]) -> Result<CompressParameters, DeviceError> {
        let count = lengths.len();
        assert!(count <= self.capacity, "{count} contents: the most is {}", self.capacity);
        assert!(lengths.iter().all(|&length| length as usize <= CONTENT_BYTES), "a long content");
        self.backend.write(&mut self.lengths, bytemuck::cast_slice(lengths))?;
        self.backend.write(&mut self.cursor, &0_u32.to_le_bytes())?;
        let backend = &self.backend;
        Ok(CompressParameters {
            contents: backend.device_address(&self.contents),
            lengths: backend.device_address(&self.lengths),
            scratch: backend.device_address(&self.scratch),
            blocks: backend.device_address(&self.blocks),
            extents: backend.device_address(&self.extents),
            cursor: backend.device_address(&self.cursor),
            count: count as u32,
            padding: 0,
        })
    }

    /// The launch of the kernel, in which each thread block has scratch memory.
    fn launch<'p>(&self, parameters: &'p CompressParameters) -> Launch<'p> {
        Launch {
            kernel: KERNEL,
            blocks: self.thread_blocks.min(parameters.count),
            width: THREADS,
            shared: SHARED_BYTES,
            parameters: parameters.bytes(),
        }
    }
}

/// The blocks of a batch.
#[derive(Debug)]
pub struct CompressedBlocks {
    bytes: Bytes,
    /// Where the block of each content lies.
    extents: Vec<Range<usize>>,
}

impl CompressedBlocks {
    /// The block of each content, in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.extents.iter().map(|extent| &self.bytes.as_ref()[extent.clone()])
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::gpu::LayoutHeader;

    #[test]
    fn layouts_are_those_of_the_kernel() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/bgzf/layouts.cuh");
        let structs = [
            BlockExtent::LAYOUT,
            CompressParameters::LAYOUT,
            ContentSource::LAYOUT,
            GatherParameters::LAYOUT,
        ];
        LayoutHeader { namespace: "bgzf", includes: &["bgzf/bgzf.cuh"], structs: &structs }
            .check(&path);
    }
}
