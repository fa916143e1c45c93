//! Prints the sketch of a sequence: `kmer-sketch SEQUENCE [DEVICE]`, of which the device is auto, cpu or cuda[:N].

use std::error::Error;
use std::process::ExitCode;

use aligner_core::stream::Settings;
use aligner_core::{Device, DeviceRequest};
use kmer_sketch::{KERNELS, kmers, sketch};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let sequence = arguments.next().ok_or("usage: kmer-sketch SEQUENCE [auto|cpu|cuda[:N]]")?;
    let request: DeviceRequest = arguments.next().as_deref().unwrap_or("auto").parse()?;
    let opened = Device::open(request)?;
    if let Some(reason) = opened.fallback {
        eprintln!("running on the CPU: {reason}");
    }
    // A quarter of the k-mers.
    let (app, sink) = sketch(8, 1 << 30);
    let inputs = kmers(sequence.as_bytes());
    let mut outputs = app.run(&opened.device, &Settings::default(), &KERNELS, &(), &inputs)?;
    let mut chosen = outputs.take(sink);
    chosen.sort_unstable_by_key(|kmer| kmer.position);
    for kmer in chosen {
        println!("{}\t{:08x}", kmer.position, kmer.code);
    }
    Ok(())
}
