//! What can go wrong with a device.

use thiserror::Error;

/// A device that was asked for is missing, or failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// `--device` named something else than `auto`, `cpu`, `cuda` or `cuda:N`.
    #[error("unknown device '{0}': expected auto, cpu, cuda or cuda:N")]
    UnknownName(String),
    /// The CUDA driver library is not on this machine.
    #[error("no CUDA device: the NVIDIA driver library (libcuda) is not installed")]
    NoDriver,
    /// The driver is there and reports no device.
    #[error("no CUDA device: the driver reports none")]
    NoDevice,
    /// The device number does not exist.
    #[error("no CUDA device {asked}: this machine has {count}")]
    NoSuchDevice {
        /// The number asked for.
        asked: usize,
        /// How many devices there are.
        count: usize,
    },
    /// The device has not enough free memory for what was asked.
    #[error("out of device memory{}", .0.map_or(String::new(), |bytes| format!(" (asked for {bytes} bytes)")))]
    OutOfMemory(Option<u64>),
    /// The driver refused or failed an operation.
    #[error("CUDA failed while {operation}: {reason}")]
    Cuda {
        /// What was being done.
        operation: String,
        /// The driver's own words.
        reason: String,
    },
}
