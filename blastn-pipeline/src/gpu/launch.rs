//! Launches of kernels that take one parameter struct, and lists of items in device memory.

use aligner_core::DeviceError;
use aligner_core::gpu::DeviceStruct;
use aligner_core::stream::{Backend, DeviceItems, Launch};

/// Threads of a block of kernels that take any grid.
const THREADS: u32 = 256;

/// Blocks of a launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    /// Number of blocks of the launch.
    pub(crate) blocks: u32,
    /// Number of threads of each block.
    pub(crate) threads: u32,
    /// Bytes of dynamic shared memory of each block.
    pub(crate) shared: u32,
}

/// Copies the items of two lists, of `size` bytes each, into one list.
pub(crate) fn joined<B: Backend>(
    backend: &B,
    size: usize,
    [one, other]: [&DeviceItems<B>; 2],
) -> Result<DeviceItems<B>, DeviceError> {
    let count = one.count + other.count;
    let mut items = backend.uninitialized(count * size)?;
    backend.copy(&one.items, one.count * size, &mut items, 0)?;
    backend.copy(&other.items, other.count * size, &mut items, one.count * size)?;
    Ok(DeviceItems { items, count })
}

/// Launches a kernel that takes any grid of one-dimensional blocks, with at most a thread an item.
///
/// # Safety
/// `P` must be the kernel's parameter, and each array that it points to as long as the kernel's contract says.
#[allow(unsafe_code)]
pub(crate) unsafe fn launch<B: Backend, P: DeviceStruct>(
    backend: &B,
    kernel: &str,
    items: usize,
    parameters: &P,
) -> Result<(), DeviceError> {
    let resident = backend.resident_blocks(kernel, THREADS, 0)?.max(1) as usize;
    let blocks = items.div_ceil(THREADS as usize).min(resident) as u32;
    if blocks == 0 {
        return Ok(());
    }
    let grid = Grid { blocks, threads: THREADS, shared: 0 };
    // SAFETY: as the caller promises.
    unsafe { launch_grid(backend, kernel, grid, parameters) }
}

/// Launches a kernel with a grid of one-dimensional blocks.
///
/// # Safety
/// As [`launch`], and the kernel's contract allows this grid.
#[allow(unsafe_code)]
pub(crate) unsafe fn launch_grid<B: Backend, P: DeviceStruct>(
    backend: &B,
    kernel: &str,
    Grid { blocks, threads, shared }: Grid,
    parameters: &P,
) -> Result<(), DeviceError> {
    let parameters = parameters.bytes();
    let launch = Launch { kernel, blocks, width: threads, shared, parameters };
    // SAFETY: as the caller promises.
    unsafe { backend.enqueue(&launch) }
}
