//! The index on a GPU: the blocks and samples are uploaded once, and an `fm::View` in device memory
//! hands them to the kernels of any crate (`fm_index/fm_index.cuh`).

use std::mem::offset_of;

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, Argument, DeviceBuffer, Gpu, Kernel};
use bytemuck::{Pod, Zeroable, bytes_of, pod_collect_to_vec};

use crate::header::Section;
use crate::index::FmIndex;

/// What a kernel knows of the index: `fm::View`. Addresses are of the memory that the kernel runs
/// on.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct View {
    forward: u64,
    reverse: u64,
    samples: u64,
    text: u64,
    table: u64,
    bases: u32,
    forward_primary: u32,
    reverse_primary: u32,
    sample_shift: u32,
    first: [u32; 4],
    table_length: u32,
    padding: u32,
}

const _: () = {
    assert!(size_of::<View>() == 80);
    assert!(offset_of!(View, forward) == 0);
    assert!(offset_of!(View, reverse) == 8);
    assert!(offset_of!(View, samples) == 16);
    assert!(offset_of!(View, text) == 24);
    assert!(offset_of!(View, table) == 32);
    assert!(offset_of!(View, bases) == 40);
    assert!(offset_of!(View, forward_primary) == 44);
    assert!(offset_of!(View, reverse_primary) == 48);
    assert!(offset_of!(View, sample_shift) == 52);
    assert!(offset_of!(View, first) == 56);
    assert!(offset_of!(View, table_length) == 72);
};

impl View {
    /// A view of an index in host memory, for kernels that run on the CPU. It is valid as long as
    /// the index.
    pub fn of_host(index: &FmIndex) -> Self {
        let address = |section| {
            let words: &[u64] = index.image().padded_section(section);
            words.as_ptr().expose_provenance() as u64
        };
        Self::new(index, PARTS.map(address))
    }

    /// `parts` are the addresses of [`PARTS`].
    fn new(index: &FmIndex, [forward, reverse, samples, text, table]: [u64; 5]) -> Self {
        let numbers = index.image().numbers();
        Self {
            forward,
            reverse,
            samples,
            text,
            table,
            bases: numbers.bases,
            forward_primary: numbers.forward_primary,
            reverse_primary: numbers.reverse_primary,
            sample_shift: numbers.sample_rate.ilog2(),
            first: numbers.first,
            table_length: numbers.table_length,
            padding: 0,
        }
    }
}

/// What a view points to.
const PARTS: [Section; 5] =
    [Section::Forward, Section::Reverse, Section::Samples, Section::Text, Section::Table];

/// The positions of all rows may take this part of the free memory.
const ROOM_FOR_POSITIONS: u64 = 4;

/// Threads of a block of the locate kernel.
const THREADS: u32 = 256;
/// Blocks of the locate kernel a multiprocessor; further rows are strided over.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 32;

/// An [`FmIndex`] in the memory of one GPU.
#[derive(Debug)]
pub struct DeviceIndex {
    view: DeviceBuffer<u64>,
    values: View,
    /// What the view points to.
    _memory: Vec<DeviceBuffer<u64>>,
    /// The position of every row, if there is room for them: then locating is one look.
    _positions: Option<DeviceBuffer<u32>>,
    locate: Kernel,
}

impl DeviceIndex {
    /// Uploads an index: 0.92 bytes a base, the samples and the look-up table; and, if a quarter of
    /// the free memory is enough for that, locates all rows: 4 bytes a base.
    ///
    /// # Errors
    /// If it does not fit, or the driver fails.
    pub fn new(gpu: &Gpu, index: &FmIndex) -> Result<Self, DeviceError> {
        let locate = gpu
            .load("locate", include_bytes!("../cuda/locate.fatbin"))?
            .kernel(gpu, "fm_locate_rows")?;
        let image = index.image();
        let mut addresses = [0; PARTS.len()];
        let mut memory = Vec::with_capacity(PARTS.len());
        for (section, address) in PARTS.into_iter().zip(&mut addresses) {
            let buffer = gpu.upload::<u64>(image.padded_section(section))?;
            *address = buffer.address(gpu);
            memory.push(buffer);
        }
        let mut values = View::new(index, addresses);
        let upload = |view: &View| gpu.upload(&pod_collect_to_vec::<u8, u64>(bytes_of(view)));
        let mut view = upload(&values)?;
        let rows = index.rows();
        let mut positions = None;
        if u64::from(rows) * 4 * ROOM_FOR_POSITIONS <= gpu.free_memory()? {
            let all = locate_rows(gpu, &locate, &view, &[0], &[rows])?;
            values.samples = all.address(gpu);
            values.sample_shift = 0;
            view = upload(&values)?;
            positions = Some(all);
        }
        Ok(Self { view, values, _memory: memory, _positions: positions, locate })
    }

    /// What [`view`](Self::view) holds, for kernels that are given it by value.
    pub fn values(&self) -> View {
        self.values
    }

    /// The `fm::View`, to pass to kernels as `const fm::View*`; valid as long as this index.
    pub fn view(&self) -> &DeviceBuffer<u64> {
        &self.view
    }

    /// Where the suffixes of many rows start, in indexed coordinates: the rows `lo[i]` to
    /// `lo[i] + sizes[i]` of the forward transform, for each `i` in turn. `gpu` is the one the
    /// index was uploaded to.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if the positions, 4 bytes each, do not fit; or the driver fails.
    ///
    /// # Panics
    /// If `lo` and `sizes` differ in length.
    pub fn locate(&self, gpu: &Gpu, lo: &[u32], sizes: &[u32]) -> Result<Vec<u32>, DeviceError> {
        let total: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
        let positions = locate_rows(gpu, &self.locate, &self.view, lo, sizes)?;
        gpu.download(&positions, total as usize)
    }
}

/// As [`DeviceIndex::locate`], without the way back.
fn locate_rows(
    gpu: &Gpu,
    kernel: &Kernel,
    view: &DeviceBuffer<u64>,
    lo: &[u32],
    sizes: &[u32],
) -> Result<DeviceBuffer<u32>, DeviceError> {
    assert_eq!(lo.len(), sizes.len(), "one size for each first row");
    let mut total = 0;
    let ends: Vec<u64> = sizes
        .iter()
        .map(|&size| {
            total += u64::from(size);
            total
        })
        .collect();
    let positions = gpu.zeros::<u32>(total as usize)?;
    if total == 0 {
        return Ok(positions);
    }
    let lo = gpu.upload(lo)?;
    let ends = gpu.upload(&ends)?;
    let most = u64::from(gpu.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR);
    let blocks = total.div_ceil(u64::from(THREADS)).min(most) as u32;
    #[allow(unsafe_code)]
    // SAFETY: the arguments are those of fm_locate_rows in locate.cu; `lo` and `ends` have
    // `sizes.len()` elements, and `positions` has `total`, the last of `ends`.
    unsafe {
        kernel.launch(
            blocks,
            THREADS,
            0,
            &[
                Argument::Buffer(view),
                Argument::Buffer(&lo),
                Argument::Buffer(&ends),
                Argument::U32(sizes.len() as u32),
                Argument::U64(total),
                Argument::Buffer(&positions),
            ],
        )?;
    }
    Ok(positions)
}
