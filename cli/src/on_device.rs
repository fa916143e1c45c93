//! Values that live on a device: made on the GPU, or on the CPU if the GPU fails and any device will do; and how the driver begins.
//!
//! Failures of a GPU are values, not panics. A batch that does not fit into its memory is divided into halves. After any other
//! failure in the middle of a run, the CPU does the rest of the work, with a notice and the same output.

use std::env;
use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use aligner_core::device::Opened;
use aligner_core::{Device, DeviceError, DeviceRequest, DeviceSelection, gpu};
use anyhow::Result;
use nw_batch::AlignError;

use crate::allocation;
use crate::console::Console;

/// How long a run goes on before GPUs are opened that it may do without. A process that ends in the middle of opening one
/// still waits for the kernel to undo it.
pub const OPENING_DELAY: Duration = Duration::from_millis(50);

/// The driver's environment variable for the number of hardware queues that the streams of a GPU share.
const HARDWARE_QUEUES: &str = "CUDA_DEVICE_MAX_CONNECTIONS";

/// Enough queues for commands whose kernels fill a GPU one after the other.
const FEW_QUEUES: &str = "2";

/// Lets the streams of a GPU share few hardware queues, unless the environment says how many. With the 8 that the driver has by
/// default, an H200 opens in 0.13 s in place of 0.07, and four of them take twice as long. Kernels of more batches run at the same
/// time then, but each takes longer: blastn's batches, which wait for the slowest kernel, are done a tenth later.
///
/// # Safety
/// There must be no other thread, which might read the environment. The driver must not have been used.
#[allow(unsafe_code)]
pub unsafe fn share_few_queues() {
    if env::var_os(HARDWARE_QUEUES).is_none() {
        // SAFETY: as the caller promises.
        unsafe { env::set_var(HARDWARE_QUEUES, FEW_QUEUES) };
    }
}

/// Lets the driver begin, on a thread of its own, if GPUs are selected: it takes up to half a second, in which inputs can be read. What
/// fails is told when a GPU is opened, which does without that thread, too.
pub fn wake_driver(selection: &DeviceSelection) {
    if *selection != DeviceSelection::Cpu {
        let selection = selection.clone();
        let _ = thread::Builder::new().spawn(move || selection.gpus());
    }
}

/// Waits for so long, unless there is no driver, which can be said at once.
pub fn wait_before_opening(delay: Duration) {
    if gpu::is_driver_installed() {
        thread::sleep(delay);
    }
}

/// Opens the requested device, as [`Device::open`] does. The memory of a run on a GPU comes in large pages.
///
/// # Errors
/// As [`Device::open`].
pub fn open(request: DeviceRequest) -> Result<Opened, DeviceError> {
    let opened = Device::open(request)?;
    if matches!(opened.device, Device::Cuda(_)) {
        allocation::prepare_for_gpu();
    }
    Ok(opened)
}

/// Makes a value with `on` on a device, and returns it with the device's name.
///
/// If the GPU fails and the request was for any device, the value is made on the CPU. A notice then says that `doing` goes
/// on there.
///
/// # Errors
/// If the value cannot be made.
pub fn make<T>(
    (device, request): (Device, DeviceRequest),
    console: &Console,
    doing: &str,
    on: impl Fn(Device) -> Result<T, AlignError>,
) -> Result<(T, String)> {
    let name = device.describe();
    match on(device) {
        Ok(made) => Ok((made, name)),
        Err(AlignError::Device(reason)) if request == DeviceRequest::Auto => {
            console.notice(&format!("{name}: {reason}: {doing} on the CPU"));
            Ok((on(Device::Cpu)?, Device::Cpu.describe()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Makes a value with `on` on each of the GPUs of these numbers, at the same time, and returns them with the devices' names.
///
/// # Errors
/// If a GPU cannot be opened, or a value cannot be made: the error of the first such GPU.
pub fn make_on_gpus<T: Send, E: Into<anyhow::Error>>(
    gpus: &[usize],
    on: impl Fn(Device) -> Result<T, E> + Sync,
) -> Result<Vec<(T, String)>> {
    let make = |&number: &usize| {
        let device = open(DeviceRequest::Cuda(number))?.device;
        let name = device.describe();
        anyhow::Ok((on(device).map_err(Into::into)?, name))
    };
    at_once(gpus, make).into_iter().collect()
}

/// Does some work for each input, each on a thread of its own; gives the results in the order of the inputs.
pub fn at_once<I: Send, R: Send>(
    inputs: impl IntoIterator<Item = I>,
    work: impl Fn(I) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let start = |input| scope.spawn(move || work(input));
        let threads: Vec<_> = inputs.into_iter().map(start).collect();
        let join = |thread: ScopedJoinHandle<'_, R>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use aligner_core::DeviceError;

    use super::*;
    use crate::options::Messages;

    #[test]
    fn another_device_is_taken_if_any_will_do() {
        let console = Console::new(Messages { quiet: true, verbose: false });
        let made = |request, error: fn() -> AlignError| {
            let first = Cell::new(true);
            let on = |_| if first.replace(false) { Err(error()) } else { Ok(7) };
            make((Device::Cpu, request), &console, "testing", on).ok()
        };
        let of_device = || AlignError::Device(DeviceError::OutOfMemory(None));
        assert_eq!(made(DeviceRequest::Auto, of_device), Some((7, "cpu".to_owned())));
        assert_eq!(made(DeviceRequest::Cpu, of_device), None);
        assert_eq!(made(DeviceRequest::Auto, || AlignError::NoGpu), None);
    }
}
