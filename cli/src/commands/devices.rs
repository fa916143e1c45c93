//! `gpualign devices`: the devices that gpualign can run on.

use std::fmt::Write as _;
use std::thread;

use aligner_core::device;
use aligner_core::gpu::Description;
use anyhow::Result;

use crate::staging;

/// Prints the number of threads and a table of GPUs, or why there are none.
pub fn run() -> Result<()> {
    let mut text = format!("cpu: {} threads\n", thread::available_parallelism()?);
    match device::list() {
        Ok(gpus) => {
            text += &row(["device", "name", "compute", "driver CUDA", "free GiB", "total GiB"]);
            for gpu in &gpus {
                text += &describe(gpu);
            }
        }
        Err(reason) => writeln!(text, "{reason}")?,
    }
    staging::print(text.as_bytes())
}

/// A row of the table.
fn row<T: AsRef<str>>([device, name, compute, driver, free, total]: [T; 6]) -> String {
    format!(
        "{:<8} {:<28} {:>7} {:>11} {:>9} {:>9}\n",
        device.as_ref(),
        name.as_ref(),
        compute.as_ref(),
        driver.as_ref(),
        free.as_ref(),
        total.as_ref()
    )
}

/// The row of a GPU.
fn describe(gpu: &Description) -> String {
    let version = |(major, minor): (i32, i32)| format!("{major}.{minor}");
    let gibibytes = |bytes: u64| format!("{:.1}", bytes as f64 / (1_u64 << 30) as f64);
    row([
        format!("cuda:{}", gpu.ordinal),
        gpu.name.clone(),
        version(gpu.compute_capability),
        version(gpu.driver),
        gibibytes(gpu.free_memory),
        gibibytes(gpu.total_memory),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_one_row_under_the_heading() {
        let gpu = Description {
            ordinal: 1,
            name: "NVIDIA H200".to_owned(),
            compute_capability: (9, 0),
            multiprocessors: 132,
            total_memory: 141 << 30,
            free_memory: 140 << 30,
            driver: (13, 0),
        };
        let text = describe(&gpu);
        let fields: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(fields, ["cuda:1", "NVIDIA", "H200", "9.0", "13.0", "140.0", "141.0"]);
    }
}
