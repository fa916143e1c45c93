//! `cargo bench -p gpualign-benches`: all experiments, in short, on a GPU or else the CPU. For
//! figures and more items there is `gpualign bench runtime`.

use std::error::Error;

use aligner_core::{Device, DeviceRequest};
use gpualign_benches::{Experiment, Options, default_items, runtime};

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::open(DeviceRequest::Auto)?.device;
    let (items, experiments) = (default_items(&device), Experiment::of(&device));
    let options = Options { items, quick: true, experiments };
    let report = runtime(&device, &options, &mut |_| ())?;
    println!("{}: {} items", report.device, report.items);
    print!("{}", report.table());
    Ok(())
}
