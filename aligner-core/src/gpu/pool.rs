//! The driver's memory pool, from which buffers are allocated.
//!
//! By default the pool returns freed memory to the device whenever a stream is synchronised, and mapping it again takes
//! longer than most kernels. Since each batch needs the same memory as the one before, the pool is told to keep it.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, sys};

use super::driver_error::failed;
use crate::error::DeviceError;

/// The memory pool of a device; none if the device does not support pools.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pool(Option<sys::CUmemoryPool>);

#[allow(unsafe_code)]
// SAFETY: the driver's functions for pools may be called from any thread.
unsafe impl Send for Pool {}

#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// The default pool of the context's device, told to keep freed memory.
    pub(super) fn keeping(context: &Arc<CudaContext>) -> Result<Self, DeviceError> {
        let asking = || failed("asking for the device's memory pool");
        let supported = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
        if context.attribute(supported).map_err(asking())? == 0 {
            return Ok(Self(None));
        }
        let mut pool = std::ptr::null_mut();
        let mut all = u64::MAX;
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        #[allow(unsafe_code)]
        // SAFETY: writes a pool to a valid address.
        let status = unsafe { sys::cuDeviceGetDefaultMemPool(&raw mut pool, context.cu_device()) };
        status.result().map_err(asking())?;
        #[allow(unsafe_code)]
        // SAFETY: the pool is the device's; a threshold is 64 bits long.
        let status =
            unsafe { sys::cuMemPoolSetAttribute(pool, threshold, (&raw mut all).cast::<c_void>()) };
        status.result().map_err(asking())?;
        Ok(Self(Some(pool)))
    }

    /// Bytes that the pool keeps and no buffer uses.
    pub(super) fn unused_bytes(self) -> Result<u64, DeviceError> {
        let Some(pool) = self.0 else { return Ok(0) };
        let current = |attribute| -> Result<u64, DriverError> {
            let mut bytes = 0_u64;
            #[allow(unsafe_code)]
            // SAFETY: the pool is the device's; both attributes are 64 bits long.
            unsafe {
                sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast::<c_void>())
                    .result()?;
            }
            Ok(bytes)
        };
        let reserved = current(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
        let used = current(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
        let asking = || failed("asking for free memory");
        Ok(reserved.map_err(asking())?.saturating_sub(used.map_err(asking())?))
    }
}
