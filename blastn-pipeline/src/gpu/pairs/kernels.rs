//! The kernels for pairs, loaded, and buffers of items for them.

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceStruct, Gpu};
use aligner_core::sort::Sorter;
use aligner_core::stream::{Backend, CudaBackend, DeviceItems, Item, Items};
use bytemuck::Pod;

use super::parameters::{self, QueryCountParameters};
use crate::gpu::launch;
use crate::query::batch::QueryBatch;
use crate::ungapped::hits::ChunkHit;

const PAIRS: &[u8] = include_bytes!("../../../cuda/pairs.fatbin");
const GAPPED: &[u8] = include_bytes!("../../../cuda/gapped.fatbin");
const BOUNDS: &[u8] = include_bytes!("../../../cuda/bounds.fatbin");

/// Slots of the rings and fronts of extensions, level by level: a side that does not fit goes to the next level.
const WIDTHS: [u32; 2] = [64, 512];

/// The kernels for pairs of queries and chunks.
#[derive(Debug)]
pub struct PairKernels<B> {
    /// Backend with the kernels of `pairs.cu`.
    pub(super) pairs: B,
    /// Backend with the kernels of `gapped.cu`.
    pub(super) gapped: B,
    /// Backend with the kernels of `bounds.cu`.
    pub(super) bounds: B,
    pub(super) sorter: Sorter<B>,
    /// Slots of rings and fronts, level by level.
    pub(super) widths: [u32; 2],
}

impl PairKernels<CudaBackend> {
    /// Loads the kernels onto a GPU.
    ///
    /// # Errors
    /// If the driver refuses them.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let pairs = CudaBackend::new(gpu, "pairs", PAIRS)?;
        let gapped = CudaBackend::new(gpu, "gapped", GAPPED)?;
        let bounds = CudaBackend::new(gpu, "bounds", BOUNDS)?;
        Ok(Self::with_backends([pairs, gapped, bounds], Sorter::new(gpu)?, WIDTHS))
    }
}

impl<B: Backend> PairKernels<B> {
    /// Kernels of any backends that have those of `pairs`, `gapped` and `bounds` loaded. Sides that do not fit into as many
    /// slots as the greater of `widths`, powers of two from 64 on, are left to the host.
    pub fn with_backends(
        [pairs, gapped, bounds]: [B; 3],
        sorter: Sorter<B>,
        widths: [u32; 2],
    ) -> Self {
        Self { pairs, gapped, bounds, sorter, widths }
    }

    /// An empty list of hits.
    pub(crate) fn none(&self) -> Result<DeviceItems<B>, DeviceError> {
        Ok(DeviceItems { items: self.pairs.uninitialized(0)?, count: 0 })
    }

    /// Joins two lists of hits.
    pub(crate) fn joined(
        &self,
        one: &DeviceItems<B>,
        other: &DeviceItems<B>,
    ) -> Result<DeviceItems<B>, DeviceError> {
        launch::joined(&self.pairs, size_of::<ChunkHit>(), [one, other])
    }

    /// Counts the hits of each query of a batch.
    pub(crate) fn counts(
        &self,
        batch: &QueryBatch,
        hits: &DeviceItems<B>,
    ) -> Result<Vec<u32>, DeviceError> {
        let strands = self.upload(&parameters::strands(batch))?;
        let counts = self.zeros::<u32>(batch.queries())?;
        let parameters = QueryCountParameters {
            hits: self.address(&hits.items),
            strands: self.address(&strands),
            counts: self.address(&counts),
            hit_count: hits.count as u32,
            strand_count: batch.contexts.len() as u32,
        };
        self.launch("count_queries", hits.count, &parameters)?;
        Ok(self.download(&counts, batch.queries())?.only_part().to_vec())
    }

    /// A buffer of `count` zero items.
    pub(super) fn zeros<T>(&self, count: usize) -> Result<B::Buffer, DeviceError> {
        self.pairs.zeros(count * size_of::<T>())
    }

    /// A buffer for `count` items.
    pub(super) fn room<T>(&self, count: usize) -> Result<B::Buffer, DeviceError> {
        self.pairs.uninitialized(count * size_of::<T>())
    }

    /// A buffer with these items.
    pub(super) fn upload<T: Pod>(&self, items: &[T]) -> Result<B::Buffer, DeviceError> {
        self.pairs.upload(bytemuck::cast_slice(items))
    }

    /// Copies the first items of a buffer to the host, in one part.
    pub(super) fn download<T: Item>(
        &self,
        items: &B::Buffer,
        count: usize,
    ) -> Result<Items<T>, DeviceError> {
        self.pairs.read_staged(items, count * size_of::<T>()).map(Items::from)
    }

    /// Reads the count that a kernel left in its cursor.
    pub(super) fn count(&self, cursor: &B::Buffer) -> Result<usize, DeviceError> {
        Ok(self.download::<u32>(cursor, 1)?.only_part()[0] as usize)
    }

    /// The address of a buffer.
    pub(super) fn address<T>(&self, buffer: &B::Buffer) -> DeviceAddress<T> {
        DeviceAddress::new(self.pairs.address(buffer))
    }

    /// Launches a kernel of `pairs.cu`, which takes `P`, with at most a thread an item.
    #[allow(unsafe_code)]
    pub(super) fn launch<P: DeviceStruct>(
        &self,
        kernel: &str,
        items: usize,
        parameters: &P,
    ) -> Result<(), DeviceError> {
        // SAFETY: callers pass the kernel's parameters, with arrays as long as its contract says, whose memory is given back
        // after the launch.
        unsafe { launch::launch(&self.pairs, kernel, items, parameters) }
    }
}
