//! The index on a GPU: its sections are uploaded once, and an [`IndexView`] gives kernels of any crate their addresses
//! (`fm_index/fm_index.cuh` has the device functions).
//!
//! If there is memory for it, a device also gets the text position of every row, not only of the sampled ones
//! ([`DeviceIndex::locate_ahead`]). A read
//! of 47 bases has about a thousand candidates to locate, and four bytes a base save four of five memory accesses of
//! each. The rows are located on a stream of their own, and meanwhile the samples serve.

use std::convert::Infallible;
use std::sync::OnceLock;

use aligner_core::DeviceError;
use aligner_core::device_struct;
use aligner_core::gpu::{DeviceAddress, DeviceBuffer, Event, Gpu, Kernel};

use crate::image::IndexSection;
use crate::index::FmIndex;
use crate::index::interval::Interval;
use crate::index::rank::RankBlock;

/// The positions of all rows are located ahead only if they take at most this fraction of the free memory: a quarter.
const POSITIONS_MEMORY_SHARE: u64 = 4;

/// Threads of a block of the kernels that locate rows.
const THREADS: u32 = 256;
/// Maximum number of blocks of these kernels per multiprocessor; a thread then locates several rows, or begins at several samples.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 32;

device_struct! {
    /// Addresses and numbers of an index, for kernels; the addresses are of the memory that the kernel runs on.
    pub struct IndexView {
        /// Transform of the text.
        forward: DeviceAddress<RankBlock>,
        /// Transform of the reversed text.
        reverse: DeviceAddress<RankBlock>,
        /// Text position of each `2^sample_shift`-th row of the text's transform.
        samples: DeviceAddress<u32>,
        /// Indexed text, 32 bases a word, the first in the lowest bits.
        text: DeviceAddress<u64>,
        /// Interval of each word of `table_length` codes, the first code in the highest bits.
        table: DeviceAddress<Interval>,
        /// Bases of the indexed text; the transforms have one row more.
        bases: u32,
        /// Row of the whole text.
        forward_primary: u32,
        /// Row of the whole reversed text in its transform.
        reverse_primary: u32,
        /// Binary logarithm of the rows between samples.
        sample_shift: u32,
        /// For each code, the first row whose suffix begins with it.
        first: [u32; 4],
        /// Bases of a word of the look-up table.
        table_length: u32,
        /// Always 0; makes the size a multiple of 8 bytes.
        padding: u32,
    }
}

device_struct! {
    /// Parameters of the kernel `fm_locate_rows`: row `j` of range `r` is `lo[r] + j`.
    pub struct LocateRowsParameters {
        /// The index whose rows are located.
        pub index: IndexView,
        /// First row of each range.
        pub lo: DeviceAddress<u32>,
        /// Number of rows of ranges `0..=r`, for each range `r`.
        pub ends: DeviceAddress<u64>,
        /// Output: start of the suffix of each row, in indexed coordinates; the ranges follow one another.
        pub positions: DeviceAddress<u32>,
        /// Number of rows of all ranges: the last of `ends`.
        pub total: u64,
        /// Number of ranges, at least 1.
        pub ranges: u32,
        /// Always 0; makes the size a multiple of 8 bytes.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameters of the kernel `fm_locate_all_rows`.
    pub struct LocateAllRowsParameters {
        /// The index whose rows are located.
        pub index: IndexView,
        /// Output: start of the suffix of each row, in indexed coordinates; all 0 before.
        pub positions: DeviceAddress<u32>,
    }
}

impl IndexView {
    /// A view of an index in host memory, for kernels that run on the CPU. It is valid as long as
    /// the index.
    pub fn of_host(index: &FmIndex) -> Self {
        let Ok(view) = Self::new(index, |section| {
            let words: &[u64] = index.image().padded_section(section);
            Ok::<_, Infallible>(words.as_ptr().expose_provenance() as u64)
        });
        view
    }

    /// A view of an index with each section at the address that `address_of` gives.
    fn new<E>(
        index: &FmIndex,
        mut address_of: impl FnMut(IndexSection) -> Result<u64, E>,
    ) -> Result<Self, E> {
        let parameters = index.image().parameters();
        Ok(Self {
            forward: DeviceAddress::new(address_of(IndexSection::Forward)?),
            reverse: DeviceAddress::new(address_of(IndexSection::Reverse)?),
            samples: DeviceAddress::new(address_of(IndexSection::Samples)?),
            text: DeviceAddress::new(address_of(IndexSection::Text)?),
            table: DeviceAddress::new(address_of(IndexSection::Table)?),
            bases: parameters.bases,
            forward_primary: parameters.forward_primary,
            reverse_primary: parameters.reverse_primary,
            sample_shift: parameters.sample_rate.ilog2(),
            first: parameters.first,
            table_length: parameters.table_length,
            padding: 0,
        })
    }
}

/// An [`FmIndex`] in the memory of one GPU.
#[derive(Debug)]
pub struct DeviceIndex {
    /// The GPU that has it.
    gpu: Gpu,
    /// The view of the index as it was uploaded.
    sampled: IndexView,
    positions: Option<AllPositions>,
    /// Sections that the views point to. They are freed after the positions, for which they are read.
    _sections: Vec<DeviceBuffer<u64>>,
    locate: Kernel,
}

/// The position of every row: with them, locating is one look-up.
#[derive(Debug)]
struct AllPositions {
    /// The view whose samples they are.
    view: IndexView,
    /// When all of them are there, if they are being located. It is dropped before the memory, and waits.
    located: OnceLock<Event>,
    positions: DeviceBuffer<u32>,
}

impl AllPositions {
    /// Room for the positions of all rows of an index, all 0.
    fn new(gpu: &Gpu, sampled: IndexView, rows: u32) -> Result<Self, DeviceError> {
        let positions = gpu.zeros::<u32>(rows as usize)?;
        let samples = positions.device_address(gpu);
        let view = IndexView { samples, sample_shift: 0, ..sampled };
        Ok(Self { view, located: OnceLock::new(), positions })
    }

    /// Begins to locate all rows of an index that is on the GPU.
    fn begin(&self, gpu: &Gpu, sampled: IndexView) -> Result<(), DeviceError> {
        // The index must have arrived, and there be the room, before another stream uses them.
        gpu.synchronize()?;
        let gpu = gpu.with_own_stream()?;
        let kernel = locate_kernel(&gpu, "fm_locate_all_rows")?;
        let positions = self.positions.device_address(&gpu);
        let parameters = LocateAllRowsParameters { index: sampled, positions };
        let samples = (u64::from(sampled.bases) >> sampled.sample_shift) + 1;
        #[allow(unsafe_code)]
        // SAFETY: these are the parameters of fm_locate_all_rows. There is a position for each row, 0 unless another thread has begun,
        // too; and of an index that is open, steps lead to no other rows (`index::check`). The positions and the index are freed
        // after `located`, which waits for the kernel.
        unsafe {
            kernel.launch(blocks(&gpu, samples), THREADS, 0, &parameters)?;
        }
        // Of two threads that begin at the same time, the later one drops its event, which waits.
        let _ = self.located.set(gpu.record_event()?);
        Ok(())
    }
}

/// A kernel that locates rows, on the stream of a GPU.
fn locate_kernel(gpu: &Gpu, name: &str) -> Result<Kernel, DeviceError> {
    gpu.load("locate", include_bytes!("../cuda/locate.fatbin"))?.kernel(gpu, name)
}

/// The blocks of the launch of a kernel that locates rows, for so many rows that are located or samples that it begins at.
fn blocks(gpu: &Gpu, count: u64) -> u32 {
    let most = u64::from(gpu.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR);
    count.div_ceil(u64::from(THREADS)).min(most) as u32
}

impl DeviceIndex {
    /// Uploads an index: 0.92 bytes a base, the samples and the look-up table. If a quarter of the free memory is
    /// enough for the positions of all rows (4 bytes a base), it has room for them.
    ///
    /// # Errors
    /// If the index does not fit into device memory, or the driver fails.
    pub fn new(gpu: &Gpu, index: &FmIndex) -> Result<Self, DeviceError> {
        let locate = locate_kernel(gpu, "fm_locate_rows")?;
        let mut sections = Vec::new();
        let sampled = IndexView::new(index, |section| {
            let buffer = gpu.upload::<u64>(index.image().padded_section(section))?;
            let address = buffer.device_address(gpu).get();
            sections.push(buffer);
            Ok::<_, DeviceError>(address)
        })?;
        let rows = index.rows();
        let fit = u64::from(rows) * 4 * POSITIONS_MEMORY_SHARE <= gpu.free_memory()?;
        let positions = fit.then(|| AllPositions::new(gpu, sampled, rows)).transpose()?;
        Ok(Self { gpu: gpu.clone(), sampled, positions, _sections: sections, locate })
    }

    /// Begins to locate all rows ahead, if there is room for their positions and nobody has begun. That keeps the GPU busy for about 0.1 s a
    /// billion rows, and a kernel that is launched meanwhile, even a small one, may have to wait: kernels that the host waits for, as
    /// it does when an application is loaded, should be launched before.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn locate_ahead(&self) -> Result<(), DeviceError> {
        match &self.positions {
            Some(positions) if positions.located.get().is_none() => {
                positions.begin(&self.gpu, self.sampled)
            }
            _ => Ok(()),
        }
    }

    /// Whether all rows are located.
    pub fn has_all_positions(&self) -> bool {
        self.all_positions().is_some()
    }

    /// The positions of all rows, once these are located.
    fn all_positions(&self) -> Option<&AllPositions> {
        // A failure is reported by the kernels that come next.
        let is_there = |located: &Event| located.is_complete().unwrap_or(false);
        self.positions.as_ref().filter(|it| it.located.get().is_some_and(is_there))
    }

    /// The view, for kernels that take it by value; valid as long as this index. Once all rows are located, it has their
    /// positions.
    pub fn values(&self) -> IndexView {
        self.all_positions().map_or(self.sampled, |it| it.view)
    }

    /// Waits until all rows are located, if they are being located.
    ///
    /// # Errors
    /// If that failed.
    pub fn wait_for_positions(&self) -> Result<(), DeviceError> {
        let located = self.positions.as_ref().and_then(|it| it.located.get());
        located.map_or(Ok(()), Event::wait)
    }

    /// Locates many rows: starts of the suffixes, in indexed coordinates, of rows `lo[i]` to `lo[i] + sizes[i]`
    /// (excluded) of the forward transform, for each `i` in turn. `gpu` is the one that the index was uploaded to.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if the positions, 4 bytes each, do not fit; or the driver fails.
    ///
    /// # Panics
    /// If `lo` and `sizes` differ in length.
    pub fn locate(&self, gpu: &Gpu, lo: &[u32], sizes: &[u32]) -> Result<Vec<u32>, DeviceError> {
        let total: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
        let positions = gpu.zeros::<u32>(total as usize)?;
        locate_rows(gpu, &self.locate, self.values(), (lo, sizes), &positions)?;
        gpu.download(&positions, total as usize)
    }
}

/// Locates many rows, as [`DeviceIndex::locate`], and leaves the positions in device memory, where there must be room for them. The
/// memory must not be freed before the kernel has ended.
fn locate_rows(
    gpu: &Gpu,
    kernel: &Kernel,
    index: IndexView,
    (lo, sizes): (&[u32], &[u32]),
    positions: &DeviceBuffer<u32>,
) -> Result<(), DeviceError> {
    assert_eq!(lo.len(), sizes.len(), "one size for each first row");
    let mut total = 0;
    let ends: Vec<u64> = sizes
        .iter()
        .map(|&size| {
            total += u64::from(size);
            total
        })
        .collect();
    assert!(positions.len() as u64 >= total, "a place for each row");
    if total == 0 {
        return Ok(());
    }
    let lo = gpu.upload(lo)?;
    let ends = gpu.upload(&ends)?;
    let parameters = LocateRowsParameters {
        index,
        lo: lo.device_address(gpu),
        ends: ends.device_address(gpu),
        positions: positions.device_address(gpu),
        total,
        ranges: sizes.len() as u32,
        padding: 0,
    };
    #[allow(unsafe_code)]
    // SAFETY: these are the parameters of fm_locate_rows; `lo` and `ends` have `sizes.len()` elements, and `positions`
    // has at least `total`, the last of `ends`. `lo` and `ends` are freed in the order of the kernel's stream, so they outlive it, and
    // the caller keeps `positions` until the kernel has ended.
    unsafe {
        kernel.launch(blocks(gpu, total), THREADS, 0, &parameters)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aligner_core::gpu::{DeviceStruct, LayoutHeader};

    use super::*;

    #[test]
    fn layouts() {
        let header = LayoutHeader {
            namespace: "fm",
            includes: &["fm_index/fm_index.cuh", "fm_index/locate.cuh"],
            structs: &[
                RankBlock::LAYOUT,
                Interval::LAYOUT,
                IndexView::LAYOUT,
                LocateRowsParameters::LAYOUT,
                LocateAllRowsParameters::LAYOUT,
            ],
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/fm_index");
        header.check(&folder.join("layouts.cuh"));
    }
}
