//! The choice between the CPU and a GPU.

use std::fmt;
use std::str::FromStr;

use crate::error::DeviceError;
use crate::gpu::{self, Gpu};

/// What the user asked for with `--device`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceRequest {
    /// A GPU if there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU of this number; an error if there is none.
    Cuda(usize),
}

impl FromStr for DeviceRequest {
    type Err = DeviceError;

    fn from_str(name: &str) -> Result<Self, DeviceError> {
        let unknown = || DeviceError::UnknownName(name.to_owned());
        match name {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => {
                let number = name.strip_prefix("cuda:").ok_or_else(unknown)?;
                Ok(Self::Cuda(number.parse().map_err(|_| unknown())?))
            }
        }
    }
}

impl fmt::Display for DeviceRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

/// Where work runs. Matched once per batch.
#[derive(Debug, Clone)]
pub enum Device {
    /// The host's cores, through the rayon pool of the caller.
    Cpu,
    /// One NVIDIA GPU.
    Cuda(Gpu),
}

impl Device {
    /// The same device with a stream of its own, so that work given to it runs at the same time as work given to this
    /// one. On the CPU, where there are no streams, the device itself.
    ///
    /// # Errors
    /// If the GPU refuses another stream.
    pub fn with_own_stream(&self) -> Result<Self, DeviceError> {
        Ok(match self {
            Self::Cpu => Self::Cpu,
            Self::Cuda(gpu) => Self::Cuda(gpu.with_own_stream()?),
        })
    }
}

/// An opened device and, when `auto` fell back to the CPU, why.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The device.
    pub device: Device,
    /// Why `auto` did not take a GPU. `None` when it did, or when the request named the device.
    pub fallback: Option<DeviceError>,
}

impl Device {
    /// Opens the device asked for.
    ///
    /// # Errors
    /// Only for [`DeviceRequest::Cuda`]: the device is missing or cannot be opened. `Auto` falls
    /// back to the CPU and reports the reason in [`Opened::fallback`].
    pub fn open(request: DeviceRequest) -> Result<Opened, DeviceError> {
        match request {
            DeviceRequest::Cpu => Ok(Opened { device: Self::Cpu, fallback: None }),
            DeviceRequest::Cuda(number) => {
                Ok(Opened { device: Self::Cuda(Gpu::open(number)?), fallback: None })
            }
            DeviceRequest::Auto => Ok(match Gpu::open(0) {
                Ok(gpu) => Opened { device: Self::Cuda(gpu), fallback: None },
                Err(reason) => Opened { device: Self::Cpu, fallback: Some(reason) },
            }),
        }
    }

    /// A name for messages and statistics: `cpu`, or `cuda:N (NAME)`.
    pub fn describe(&self) -> String {
        match self {
            Self::Cpu => "cpu".to_owned(),
            Self::Cuda(gpu) => format!("cuda:{} ({})", gpu.ordinal(), gpu.name()),
        }
    }
}

/// The GPUs of this machine.
///
/// # Errors
/// If the driver is missing, fails, or reports no device.
pub fn list() -> Result<Vec<gpu::Description>, DeviceError> {
    (0..gpu::count()?).map(gpu::describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_parse_and_print() {
        for (name, request) in [
            ("auto", DeviceRequest::Auto),
            ("cpu", DeviceRequest::Cpu),
            ("cuda:0", DeviceRequest::Cuda(0)),
            ("cuda:3", DeviceRequest::Cuda(3)),
        ] {
            assert_eq!(name.parse(), Ok(request));
            assert_eq!(request.to_string(), name);
        }
        assert_eq!("cuda".parse(), Ok(DeviceRequest::Cuda(0)));
        for name in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "CPU "] {
            assert_eq!(name.parse::<DeviceRequest>(), Err(DeviceError::UnknownName(name.into())));
        }
    }

    #[test]
    fn the_cpu_always_opens() {
        assert!(matches!(
            Device::open(DeviceRequest::Cpu),
            Ok(Opened { device: Device::Cpu, fallback: None })
        ));
    }
}
