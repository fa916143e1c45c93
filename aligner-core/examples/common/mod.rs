//! The command line of the examples: `[--device auto|cpu|cuda[:N]] [--stats json]`.

use std::error::Error;

use aligner_core::stream::{Metrics, Settings};
use aligner_core::{Device, DeviceRequest};

/// Options of the command line.
pub struct Options {
    pub device: Device,
    pub settings: Settings,
}

impl Options {
    /// Reads the command line and opens the device.
    pub fn parse() -> Result<Self, Box<dyn Error>> {
        let (mut request, mut settings) = (DeviceRequest::Auto, Settings::default());
        let mut arguments = std::env::args().skip(1);
        while let Some(option) = arguments.next() {
            let value = arguments.next().unwrap_or_default();
            match (option.as_str(), value.as_str()) {
                ("--device", name) => request = name.parse()?,
                ("--stats", "json") => settings.metrics = true,
                _ => return Err("usage: [--device auto|cpu|cuda[:N]] [--stats json]".into()),
            }
        }
        let opened = Device::open(request)?;
        if let Some(reason) = opened.fallback {
            eprintln!("running on the CPU: {reason}");
        }
        Ok(Self { device: opened.device, settings })
    }

    /// Prints the metrics to stderr, if they are asked for.
    pub fn report(&self, metrics: &Metrics) -> Result<(), serde_json::Error> {
        if self.settings.metrics {
            eprintln!("{}", serde_json::to_string_pretty(metrics)?);
        }
        Ok(())
    }
}
