//! Errors of devices.

use thiserror::Error;

/// The error of a device that is missing or has failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// The name of a device is not `auto`, `cpu`, `cuda` or `cuda:N`.
    #[error("unknown device '{0}': expected auto, cpu, cuda or cuda:N")]
    UnknownName(String),
    /// The name of one or several devices is none that [`DeviceSelection`](crate::DeviceSelection) has.
    #[error(
        "unknown device '{0}': expected auto, cpu, cuda, cuda:N, several as in cuda:0,2 or cuda:all"
    )]
    UnknownSelection(String),
    /// Several devices are named where there can be only one.
    #[error("'{0}' is more than one device, and this command works on one: choose it with cuda:N")]
    SeveralDevices(String),
    /// A device is named more than once.
    #[error("'{name}' names device {number} more than once")]
    RepeatedDevice {
        /// The name of the devices.
        name: String,
        /// Number of the device.
        number: usize,
    },
    /// The CUDA driver library is not on this machine.
    #[error("no CUDA device: the NVIDIA driver library (libcuda) is not installed")]
    NoDriver,
    /// The CUDA driver reports no device.
    #[error("no CUDA device: the driver reports none")]
    NoDevice,
    /// The machine has no device of this number.
    #[error("no CUDA device {asked}: this machine has {count}")]
    NoSuchDevice {
        /// Number of the device that was asked for.
        asked: usize,
        /// Number of devices of this machine.
        count: usize,
    },
    /// The device has not enough free memory. Holds the bytes asked for, if they are known.
    #[error("out of device memory{}", .0.map_or(String::new(), |bytes| format!(" (asked for {bytes} bytes)")))]
    OutOfMemory(Option<u64>),
    /// The driver refused or failed an operation.
    #[error("CUDA failed while {operation}: {reason}")]
    Cuda {
        /// Operation that failed, as in "copying to the device".
        operation: String,
        /// Message of the driver.
        reason: String,
    },
}
