//! The GPUs of this machine: how many there are, and their names, sizes and free memory.

use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, sys};

use super::driver_error::failed;
use crate::error::DeviceError;

/// Name, size and free memory of one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Number of the device, as in `cuda:N`.
    pub ordinal: usize,
    /// Name of the device, for example `NVIDIA H200`.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (i32, i32),
    /// Number of streaming multiprocessors.
    pub multiprocessors: i32,
    /// Size of the device memory, in bytes.
    pub total_memory: u64,
    /// Free device memory, in bytes.
    pub free_memory: u64,
    /// CUDA version of the driver, for example `(13, 0)`.
    pub driver: (i32, i32),
}

/// Whether the driver library is on this machine. It is not used yet, which takes much longer.
pub fn is_driver_installed() -> bool {
    #[allow(unsafe_code)]
    // SAFETY: only tries to load the driver library; cudarc itself loads the same one afterwards.
    unsafe {
        sys::is_culib_present()
    }
}

/// Number of GPUs of this machine, at least 1.
///
/// # Errors
/// If the driver is missing, fails, or reports none.
pub fn count() -> Result<usize, DeviceError> {
    if !is_driver_installed() {
        return Err(DeviceError::NoDriver);
    }
    match CudaContext::device_count() {
        Ok(count) if count > 0 => Ok(count as usize),
        Ok(_) | Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => Err(DeviceError::NoDevice),
        Err(error) => Err(failed("counting devices")(error)),
    }
}

/// Describes the GPU of this number.
///
/// # Errors
/// If it does not exist, or the driver fails.
pub fn describe(ordinal: usize) -> Result<Description, DeviceError> {
    let count = count()?;
    if ordinal >= count {
        return Err(DeviceError::NoSuchDevice { asked: ordinal, count });
    }
    let context = CudaContext::new(ordinal).map_err(failed("opening the device"))?;
    describe_context(&context)
}

/// Describes the GPU of a context.
pub(super) fn describe_context(context: &Arc<CudaContext>) -> Result<Description, DeviceError> {
    let asking = || failed("asking the device");
    let (free, total) = context.mem_get_info().map_err(asking())?;
    let mut version = 0;
    #[allow(unsafe_code)]
    // SAFETY: writes one integer to a valid address.
    let status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    if status != sys::CUresult::CUDA_SUCCESS {
        return Err(asking()(DriverError(status)));
    }
    Ok(Description {
        ordinal: context.ordinal(),
        name: context.name().map_err(asking())?,
        compute_capability: context.compute_capability().map_err(asking())?,
        multiprocessors: context
            .attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(asking())?,
        total_memory: total as u64,
        free_memory: free as u64,
        driver: (version / 1000, version % 1000 / 10),
    })
}
