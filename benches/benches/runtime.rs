//! All experiments on the streaming runtime with few cases, on a GPU or else the CPU: `cargo bench -p gpualign-benches --bench
//! runtime`. The program `gpualign-bench runtime` runs all cases and draws figures.

use std::error::Error;

use aligner_core::{Device, DeviceRequest};
use gpualign_benches::{Experiment, RuntimeOptions, default_items, runtime};

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::open(DeviceRequest::Auto)?.device;
    let (items, experiments) = (default_items(&device), Experiment::of(&device));
    let options = RuntimeOptions { items, quick: true, experiments };
    let report = runtime(&device, &options, &mut |_| ())?;
    println!("{}: {} items", report.device, report.items);
    print!("{}", report.table());
    Ok(())
}
