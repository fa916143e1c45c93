//! Errors of the CUDA driver.

use cudarc::driver::{DriverError, sys};

use crate::error::DeviceError;

/// Turns an error of the driver into one that names the operation that failed.
pub(super) fn failed(operation: &str) -> impl FnOnce(DriverError) -> DeviceError + '_ {
    move |error| {
        if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return DeviceError::OutOfMemory(None);
        }
        let reason = error
            .error_string()
            .map_or_else(|_| format!("{:?}", error.0), |text| text.to_string_lossy().into_owned());
        DeviceError::Cuda { operation: operation.to_owned(), reason }
    }
}
