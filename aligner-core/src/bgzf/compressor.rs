//! The kernel's launches and memory.

use std::ops::Range;

use super::gatherer::{ContentGatherer, ContentSource};
use super::{BLOCK_BYTES, CONTENT_BYTES};
use crate::gpu::{DeviceAddress, DeviceStruct, Gpu, UploadBuffer};
use crate::stream::{Backend, Bytes, CudaBackend, Launch};
use crate::{DeviceError, device_struct};

const FATBIN: &[u8] = include_bytes!("../../cuda/deflate.fatbin");

const KERNEL: &str = "compress_blocks";

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

/// Compresses batches of contents on a device, whose memory it keeps: 128 KiB for each content of a batch, and 0.5 MiB for
/// each that the device compresses at a time (on an H100 at most 264).
#[derive(Debug)]
pub struct DeviceCompressor<B: Backend> {
    /// The backend, and the contents of a batch.
    gatherer: ContentGatherer<B>,
    /// The most contents of a batch.
    capacity: usize,
    /// Thread blocks that have scratch memory.
    thread_blocks: u32,
    lengths: B::Buffer,
    scratch: B::Buffer,
    blocks: B::Buffer,
    extents: B::Buffer,
    cursor: B::Buffer,
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
            lengths: backend.uninitialized(capacity * size_of::<u32>())?,
            scratch: backend.uninitialized(thread_blocks as usize * SCRATCH_BYTES)?,
            blocks: backend.uninitialized(capacity * BLOCK_BYTES)?,
            extents: backend.uninitialized(capacity * size_of::<BlockExtent>())?,
            cursor: backend.uninitialized(size_of::<u32>())?,
            gatherer: ContentGatherer::new(backend, capacity * BLOCK_BYTES)?,
            capacity,
            thread_blocks,
        })
    }

    /// A buffer for the contents of a batch, from which [`compress`](Self::compress) takes them faster than from other memory.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub fn upload_buffer(&self) -> Result<UploadBuffer, DeviceError> {
        self.gatherer.backend.upload_buffer(self.capacity * BLOCK_BYTES)
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
        self.upload(contents, lengths)?;
        self.compress_present(lengths)
    }

    /// Compresses a batch of contents of these lengths, which are put together from sources.
    ///
    /// # Errors
    /// If the device fails.
    ///
    /// # Panics
    /// As [`compress`](Self::compress), and if a source goes to a place behind the compressor's capacity.
    ///
    /// # Safety
    /// As [`ContentGatherer::read`].
    #[allow(unsafe_code)]
    pub unsafe fn compress_gathered(
        &mut self,
        sources: &[ContentSource],
        lengths: &[u32],
    ) -> Result<CompressedBlocks, DeviceError> {
        self.check(lengths);
        if lengths.is_empty() {
            return self.compress_present(lengths);
        }
        // SAFETY: as the caller promises; compressing waits.
        let enqueued = unsafe { self.gatherer.enqueue(sources) };
        let compressed = enqueued.and_then(|()| self.compress_present(lengths));
        compressed.inspect_err(|_| self.gatherer.settle())
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
        unsafe { self.gatherer.backend.enqueue(&self.launch(&parameters)) }?;
        let extents =
            self.gatherer.backend.read(&self.extents, count * size_of::<BlockExtent>())?;
        let range = |it: BlockExtent| it.offset as usize..(it.offset + it.size) as usize;
        let extents: Vec<Range<usize>> =
            bytemuck::pod_collect_to_vec(&extents).into_iter().map(range).collect();
        let end = extents.iter().map(|extent| extent.end).max().unwrap_or(0);
        Ok(CompressedBlocks {
            bytes: self.gatherer.backend.read_staged(&self.blocks, end)?,
            extents,
        })
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
        self.upload(contents, lengths)?;
        let parameters = self.parameters(lengths)?;
        // SAFETY: as in `compress_present`.
        unsafe { self.gatherer.backend.launch(&self.launch(&parameters)) }
    }

    /// Panics if there are more contents than the capacity, or one is longer than `CONTENT_BYTES`.
    fn check(&self, lengths: &[u32]) {
        let count = lengths.len();
        assert!(count <= self.capacity, "{count} contents: the most is {}", self.capacity);
        assert!(lengths.iter().all(|&length| length as usize <= CONTENT_BYTES), "a long content");
    }

    /// Copies contents of these lengths to the device.
    fn upload(&mut self, contents: &mut UploadBuffer, lengths: &[u32]) -> Result<(), DeviceError> {
        self.check(lengths);
        if lengths.is_empty() {
            return Ok(());
        }
        let ContentGatherer { backend, contents: present, .. } = &mut self.gatherer;
        backend.write_upload(contents, lengths.len() * BLOCK_BYTES, present)
    }

    /// Copies the lengths of contents, which were checked, to the device, and returns the kernel's parameter. All arrays have room
    /// for `capacity` contents.
    fn parameters(&mut self, lengths: &[u32]) -> Result<CompressParameters, DeviceError> {
        self.gatherer.backend.write(&mut self.lengths, bytemuck::cast_slice(lengths))?;
        self.gatherer.backend.write(&mut self.cursor, &0_u32.to_le_bytes())?;
        let backend = &self.gatherer.backend;
        Ok(CompressParameters {
            contents: backend.device_address(&self.gatherer.contents),
            lengths: backend.device_address(&self.lengths),
            scratch: backend.device_address(&self.scratch),
            blocks: backend.device_address(&self.blocks),
            extents: backend.device_address(&self.extents),
            cursor: backend.device_address(&self.cursor),
            count: lengths.len() as u32,
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

    use super::super::gatherer::GatherParameters;
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
