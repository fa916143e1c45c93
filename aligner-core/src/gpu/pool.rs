//! The device memory that buffers are of: the driver's pool, which keeps what is given back.
//!
//! Unless told otherwise, the pool returns what is free to the device whenever a stream is waited for,
//! and to have it mapped again costs more than most kernels that use it. Batches want the same memory
//! over and over.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, sys};

use super::failed;
use crate::error::DeviceError;

/// The pool of a context's device, if it has one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pool(Option<sys::CUmemoryPool>);

#[allow(unsafe_code)]
// SAFETY: the driver's functions for pools may be called from any thread.
unsafe impl Send for Pool {}

#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// That of a device, told to keep what is given back to it.
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

    /// Bytes that the pool has and nobody uses.
    pub(super) fn spare(self) -> Result<u64, DeviceError> {
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
