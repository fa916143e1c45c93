//! Launching kernels that take one structure, and joining their lists.

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, DeviceItems, Launch, Word};
use bytemuck::Pod;

/// Threads of a block.
const THREADS: u32 = 256;

/// The items of two lists, of `size` bytes each.
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

/// Launches a kernel for so many items, with a thread an item or fewer.
///
/// # Safety
/// The kernel must take the address of a `task`, which has the addresses of arrays as long as the kernel's
/// contract says, and any grid of one-dimensional blocks.
#[allow(unsafe_code)]
pub(crate) unsafe fn launch<B: Backend>(
    backend: &B,
    kernel: &str,
    items: usize,
    task: &impl Pod,
) -> Result<(), DeviceError> {
    let resident = backend.resident_blocks(kernel, THREADS, 0)?.max(1) as usize;
    let blocks = items.div_ceil(THREADS as usize).min(resident) as u32;
    if blocks == 0 {
        return Ok(());
    }
    // SAFETY: as the caller promises.
    unsafe { launch_blocks(backend, kernel, (blocks, THREADS, 0), task) }
}

/// Launches a kernel with blocks, their threads, and their bytes of dynamic shared memory.
///
/// # Safety
/// As [`launch`], and the kernel takes that many.
#[allow(unsafe_code)]
pub(crate) unsafe fn launch_blocks<B: Backend>(
    backend: &B,
    kernel: &str,
    (blocks, width, shared): (u32, u32, u32),
    task: &impl Pod,
) -> Result<(), DeviceError> {
    let task = backend.upload(bytemuck::bytes_of(task))?;
    let arguments = &[Word::Address(backend.address(&task))];
    let launch = Launch { kernel, blocks, width, shared, arguments };
    // SAFETY: as the caller promises; the memory of the task is given back after the launch.
    unsafe { backend.enqueue(&launch) }
}
