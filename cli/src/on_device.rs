//! What needs a device, on that or another.

use aligner_core::{Device, DeviceError, DeviceRequest};
use anyhow::Result;
use blastn_pipeline::error::SearchError;
use nw_batch::AlignError;

use crate::console::Console;

/// An error that may be a device's.
pub trait Failure: Into<anyhow::Error> {
    /// What the device says, if it is.
    fn of_device(&self) -> Option<&DeviceError>;
}

/// For errors with a variant of that name.
macro_rules! failure {
    ($($error:ty),*) => {
        $(impl Failure for $error {
            fn of_device(&self) -> Option<&DeviceError> {
                #[allow(unreachable_patterns)] // Some have no other.
                match self {
                    Self::Device(reason) => Some(reason),
                    _ => None,
                }
            }
        })*
    };
}

failure!(AlignError, SearchError, seed_extend::MapError, woodstocc::MapError);

/// Makes something on a device; if any was asked for and this one fails, on the CPU, where the user is told of that:
/// `doing` is what goes on there. Gives the device's name, too.
///
/// # Errors
/// If it cannot be made.
pub fn make<T, E: Failure>(
    (device, request): (Device, DeviceRequest),
    console: &Console,
    doing: &str,
    on: impl Fn(Device) -> Result<T, E>,
) -> Result<(T, String)> {
    let name = device.describe();
    match on(device) {
        Ok(made) => Ok((made, name)),
        Err(error) => match error.of_device() {
            Some(reason) if request == DeviceRequest::Auto => {
                console.notice(&format!("{name}: {reason}: {doing} on the CPU"));
                let made = on(Device::Cpu).map_err(Into::into)?;
                Ok((made, Device::Cpu.describe()))
            }
            _ => Err(error.into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

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
