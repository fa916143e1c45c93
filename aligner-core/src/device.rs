//! The choice between the CPU and a GPU.

use std::fmt;
use std::str::FromStr;

use crate::error::DeviceError;
use crate::gpu::{self, Gpu};

/// A request for a device, as users write it after `--device`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceRequest {
    /// A GPU if there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU, even if there is a GPU.
    Cpu,
    /// The GPU of this number. If there is none, opening it is an error.
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
                if number == "all" || number.contains(',') {
                    return Err(DeviceError::SeveralDevices(name.to_owned()));
                }
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

/// A request for one or several devices, as users of commands that share their work among devices write it after
/// `--device`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DeviceSelection {
    /// All GPUs, or the CPU if there are none.
    #[default]
    Auto,
    /// The CPU, even if there are GPUs.
    Cpu,
    /// The GPUs of these numbers, at least one, none of them twice.
    Gpus(Vec<usize>),
    /// All GPUs, at least one.
    AllGpus,
}

impl DeviceSelection {
    /// The numbers of the requested GPUs; for [`Auto`](Self::Auto), all that there are.
    ///
    /// # Errors
    /// If one of them is not there, or if the driver is missing, fails, or reports no device.
    pub fn gpus(&self) -> Result<Vec<usize>, DeviceError> {
        match self {
            Self::Cpu => Ok(Vec::new()),
            Self::Auto | Self::AllGpus => Ok((0..gpu::count()?).collect()),
            Self::Gpus(numbers) => {
                let count = gpu::count()?;
                match numbers.iter().find(|&&number| number >= count) {
                    Some(&asked) => Err(DeviceError::NoSuchDevice { asked, count }),
                    None => Ok(numbers.clone()),
                }
            }
        }
    }
}

impl FromStr for DeviceSelection {
    type Err = DeviceError;

    fn from_str(name: &str) -> Result<Self, DeviceError> {
        let unknown = || DeviceError::UnknownSelection(name.to_owned());
        match name {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Gpus(vec![0])),
            "cuda:all" => Ok(Self::AllGpus),
            _ => {
                let list = name.strip_prefix("cuda:").ok_or_else(unknown)?;
                let mut numbers: Vec<usize> = Vec::new();
                for number in list.split(',') {
                    let number = number.parse().map_err(|_| unknown())?;
                    if numbers.contains(&number) {
                        return Err(DeviceError::RepeatedDevice { name: name.to_owned(), number });
                    }
                    numbers.push(number);
                }
                Ok(Self::Gpus(numbers))
            }
        }
    }
}

impl fmt::Display for DeviceSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Gpus(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                write!(f, "cuda:{}", numbers.join(","))
            }
            Self::AllGpus => f.write_str("cuda:all"),
        }
    }
}

/// A device that runs the work of a batch. Matched once for each batch, never for each item.
#[derive(Debug, Clone)]
pub enum Device {
    /// The cores of the host, through the current rayon pool.
    Cpu,
    /// One NVIDIA GPU, opened.
    Cuda(Gpu),
}

impl Device {
    /// Gives this device with a stream of its own, so that its work runs at the same time as the work of `self`. The
    /// CPU has no streams and is given as it is.
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

/// The result of opening a device.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The device that was opened.
    pub device: Device,
    /// The reason why [`DeviceRequest::Auto`] took the CPU. `None` if it took a GPU, or if the request named a device.
    pub fallback: Option<DeviceError>,
}

impl Device {
    /// Opens the requested device.
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

    /// Name of the device for messages and statistics: `cpu`, or `cuda:N (NAME)`.
    pub fn describe(&self) -> String {
        match self {
            Self::Cpu => "cpu".to_owned(),
            Self::Cuda(gpu) => format!("cuda:{} ({})", gpu.ordinal(), gpu.name()),
        }
    }
}

/// Descriptions of all GPUs of this machine.
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
        for name in ["cuda:all", "cuda:0,1", "cuda:,"] {
            let refused = Err(DeviceError::SeveralDevices(name.into()));
            assert_eq!(name.parse::<DeviceRequest>(), refused);
        }
    }

    #[test]
    fn selections_parse_and_print() {
        for (name, selection) in [
            ("auto", DeviceSelection::Auto),
            ("cpu", DeviceSelection::Cpu),
            ("cuda:0", DeviceSelection::Gpus(vec![0])),
            ("cuda:3,0,12", DeviceSelection::Gpus(vec![3, 0, 12])),
            ("cuda:all", DeviceSelection::AllGpus),
        ] {
            assert_eq!(name.parse(), Ok(selection.clone()));
            assert_eq!(selection.to_string(), name);
        }
        assert_eq!("cuda".parse(), Ok(DeviceSelection::Gpus(vec![0])));
        for name in ["", "gpu", "cuda:", "cuda:,", "cuda:0,", "cuda:-1", "cuda:all,0", "cpu,cuda"] {
            let refused = Err(DeviceError::UnknownSelection(name.into()));
            assert_eq!(name.parse::<DeviceSelection>(), refused);
        }
        let repeated = DeviceError::RepeatedDevice { name: "cuda:2,1,2".into(), number: 2 };
        assert_eq!("cuda:2,1,2".parse::<DeviceSelection>(), Err(repeated));
        assert_eq!(DeviceSelection::Cpu.gpus(), Ok(Vec::new()));
    }

    #[test]
    fn the_cpu_always_opens() {
        assert!(matches!(
            Device::open(DeviceRequest::Cpu),
            Ok(Opened { device: Device::Cpu, fallback: None })
        ));
    }
}
