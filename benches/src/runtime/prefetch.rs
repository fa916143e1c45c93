//! Blocks of a GPU with and without memory warps on regular work (Hagiescu et al., III.B and IV.B): the kernels of
//! `cuda/prefetch.cu`, which have one stage and use neither the runtime nor queues.

use aligner_core::gpu::{DeviceAddress, DeviceBuffer, Gpu, Kernel};
use aligner_core::{Device, DeviceError, device_struct};
use serde::Serialize;

use super::experiments::Experiment;
use super::quote::Quote;
use crate::chart::{Chart, Kind, Series};
use crate::error::BenchError;
use crate::timing::median;

const FATBIN: &[u8] = include_bytes!("../../cuda/prefetch.fatbin");
/// Compute warps of a block, the same number as in `cuda/prefetch.cu`.
const COMPUTE_WARPS: u32 = 4;
const WARP: u32 = 32;
/// Numbers of dates for which a quote is priced: the levels of work.
const ROUNDS: [u32; 5] = [0, 1, 2, 5, 20];
/// Most quotes of a launch.
const MOST_ITEMS: usize = 16 << 20;

device_struct! {
    /// The parameter of the kernels that price quotes.
    pub struct PriceParameters {
        /// The quotes, `count` of them.
        pub quotes: DeviceAddress<Quote>,
        /// Receives the quotes with their values, in the same order.
        pub priced: DeviceAddress<Quote>,
        /// Number of quotes in each of both arrays.
        pub count: u64,
        /// Dates for which a quote is priced.
        pub rounds: u32,
        /// Unused; fills the struct up to a multiple of 8 bytes.
        pub padding: u32,
    }
}

/// The speed of one variant at one level of work.
#[derive(Debug, Clone, Serialize)]
pub struct PrefetchTiming {
    /// `no memory warp`, `1 memory warp` or `2 memory warps`.
    pub app: &'static str,
    /// Memory warps of a block.
    pub memory_warps: u32,
    /// Compute warps of a block.
    pub compute_warps: u32,
    /// Blocks of a launch, the same for all variants: as many as the device can hold of each.
    pub blocks: u32,
    /// Dates for which a quote is priced.
    pub rounds: u32,
    /// Quotes, each of 48 bytes in and 48 bytes out.
    pub items: usize,
    /// Median seconds of the kernel.
    pub seconds: f64,
    /// Seconds of each run.
    pub runs: Vec<f64>,
}

/// The kernel for a number of memory warps.
struct PrefetchKernel {
    app: &'static str,
    kernel: Kernel,
    memory_warps: u32,
}

impl PrefetchKernel {
    fn threads(&self) -> u32 {
        (COMPUTE_WARPS + self.memory_warps) * WARP
    }

    /// Prices all quotes, and returns the seconds that the kernel took.
    fn run(
        &self,
        gpu: &Gpu,
        blocks: u32,
        rounds: u32,
        (quotes, priced): (&DeviceBuffer<Quote>, &DeviceBuffer<Quote>),
    ) -> Result<f64, DeviceError> {
        let address =
            |buffer: &DeviceBuffer<Quote>| DeviceAddress::new(buffer.device_address(gpu).get());
        let parameters = PriceParameters {
            quotes: address(quotes),
            priced: address(priced),
            count: quotes.len() as u64,
            rounds,
            padding: 0,
        };
        #[allow(unsafe_code)]
        // SAFETY: both arrays are of `count` quotes, and the device aligns them to 256 bytes.
        gpu.timed(|| unsafe { self.kernel.launch(blocks, self.threads(), 0, &parameters) })
    }
}

/// Measures all variants on up to 16 Mi of `inputs`, in turn, `runs` times each, after one run of
/// each that is checked.
///
/// # Errors
/// If there is no GPU, the GPU fails, or a variant yields other quotes.
pub(crate) fn measure(
    device: &Device,
    runs: usize,
    inputs: &[Quote],
) -> Result<Vec<PrefetchTiming>, BenchError> {
    let Device::Cuda(gpu) = device else {
        return Err(BenchError::NeedsGpu(Experiment::Prefetch.name()));
    };
    let inputs = &inputs[..inputs.len().min(MOST_ITEMS)];
    let module = gpu.load("prefetch", FATBIN)?;
    let names = [
        ("no memory warp", "priced_0"),
        ("1 memory warp", "priced_1"),
        ("2 memory warps", "priced_2"),
    ];
    let mut variants = Vec::with_capacity(names.len());
    let mut resident = u32::MAX;
    for (memory_warps, (app, name)) in (0..).zip(names) {
        let variant = PrefetchKernel { app, kernel: module.kernel(gpu, name)?, memory_warps };
        resident = resident.min(variant.kernel.blocks_per_multiprocessor(variant.threads(), 0)?);
        variants.push(variant);
    }
    let blocks = resident * gpu.multiprocessors();
    let quotes = gpu.upload(inputs)?;
    let mut priced = gpu.zeros::<Quote>(quotes.len())?;

    let mut timings = Vec::new();
    for rounds in ROUNDS {
        let first = timings.len();
        let mut control = Vec::new();
        for variant in &variants {
            // Overwrites the results of the variant before, so that they cannot pass for results of this one.
            gpu.copy_to(inputs, &mut priced)?;
            variant.run(gpu, blocks, rounds, (&quotes, &priced))?;
            let found = gpu.download(&priced, priced.len())?;
            if control.is_empty() {
                control = expected(inputs, &found);
            }
            check(variant.app, &control, &found)?;
            timings.push(PrefetchTiming {
                app: variant.app,
                memory_warps: variant.memory_warps,
                compute_warps: COMPUTE_WARPS,
                blocks,
                rounds,
                items: inputs.len(),
                seconds: 0.0,
                runs: Vec::with_capacity(runs),
            });
        }
        for _ in 0..runs {
            for (timing, variant) in timings[first..].iter_mut().zip(&variants) {
                timing.runs.push(variant.run(gpu, blocks, rounds, (&quotes, &priced))?);
            }
        }
        for timing in &mut timings[first..] {
            timing.seconds = median(&timing.runs);
        }
    }
    Ok(timings)
}

/// The quotes that every variant must yield: `inputs` in their order, priced once, with the values that the first
/// variant computed.
fn expected(inputs: &[Quote], found: &[Quote]) -> Vec<Quote> {
    let priced = |(quote, found): (&Quote, &Quote)| Quote {
        value: found.value,
        passes: quote.passes + 1,
        ..*quote
    };
    inputs.iter().zip(found).map(priced).collect()
}

/// An error unless both lists of quotes are the same, bit by bit.
fn check(app: &'static str, expected: &[Quote], found: &[Quote]) -> Result<(), BenchError> {
    let differ = |(a, b): &(&Quote, &Quote)| bytemuck::bytes_of(*a) != bytemuck::bytes_of(*b);
    let wrong =
        expected.len().abs_diff(found.len()) + expected.iter().zip(found).filter(differ).count();
    if wrong > 0 {
        return Err(BenchError::WrongOutput { app, wrong, expected: expected.len() });
    }
    Ok(())
}

/// Picoseconds a quote by work, with a line for each variant.
pub(crate) fn chart(timings: &[PrefetchTiming]) -> Chart<'static> {
    let mut apps: Vec<&str> = timings.iter().map(|timing| timing.app).collect();
    apps.dedup();
    let mut rounds: Vec<u32> = timings.iter().map(|timing| timing.rounds).collect();
    rounds.dedup();
    // Every level of work has the variants in the same order, so the first few names are all of them.
    apps.truncate(timings.len() / rounds.len().max(1));
    let line = |&app: &&str| Series {
        name: app.to_owned(),
        values: timings
            .iter()
            .filter(|timing| timing.app == app)
            .map(|timing| timing.seconds * 1e12 / timing.items.max(1) as f64)
            .collect(),
    };
    Chart {
        kind: Kind::Lines,
        title: "Regular work, with and without memory warps",
        x: "work of a quote (rounds)",
        y: "time of a quote (ps)",
        categories: rounds.iter().map(u32::to_string).collect(),
        series: apps.iter().map(line).collect(),
        reference: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::quote::inputs;
    use super::*;

    #[test]
    fn a_bit_of_difference_is_an_error() {
        let inputs = inputs(4);
        let priced = |passes| -> Vec<Quote> {
            inputs.iter().map(|quote| Quote { value: 2.0, passes, ..*quote }).collect()
        };
        let mut found = priced(1);
        let control = expected(&inputs, &found);
        assert!(check("all", &control, &found).is_ok());
        assert!(check("unpriced", &expected(&inputs, &priced(0)), &priced(0)).is_err());
        assert!(check("too few", &control, &found[..3]).is_err());
        found[3].value = f32::from_bits(2_f32.to_bits() + 1);
        let error = check("one bit", &control, &found).expect_err("it differs").to_string();
        assert_eq!(error, "one bit: 1 of 4 quotes are missing or wrong at the sinks");
    }

    #[test]
    fn a_cpu_has_no_memory_warps() {
        let error = measure(&Device::Cpu, 3, &inputs(4)).expect_err("there is no GPU").to_string();
        assert_eq!(error, "prefetch: needs a GPU");
    }

    #[test]
    fn the_chart_has_a_line_for_each_variant() {
        let timing = |(rounds, app): (u32, &'static str)| PrefetchTiming {
            app,
            memory_warps: 0,
            compute_warps: 4,
            blocks: 1,
            rounds,
            items: 1000,
            seconds: 1e-9 * f64::from(rounds),
            runs: Vec::new(),
        };
        let points = [(1, "a"), (1, "b"), (2, "a"), (2, "b")].map(timing);
        let chart = chart(&points);
        assert_eq!(chart.categories, ["1", "2"]);
        let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(chart.series.iter().all(|series| series.values.len() == 2));
    }
}
