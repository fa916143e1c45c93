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
const ROUNDS: [u32; 8] = [0, 1, 2, 5, 10, 20, 50, 100];
/// Blocks of a multiprocessor, besides as many as it can hold: with fewer warps, less of the latency of memory is hidden.
const RESIDENT: [u32; 3] = [1, 2, 4];
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
    /// `no memory warp`, `1 memory warp`, `2 memory warps` or `4 memory warps`.
    pub app: &'static str,
    /// Memory warps of a block.
    pub memory_warps: u32,
    /// Compute warps of a block.
    pub compute_warps: u32,
    /// Blocks of a multiprocessor, the same for all variants.
    pub resident: u32,
    /// Blocks of a launch: `resident` for each multiprocessor.
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
        ("no memory warp", "priced_0", 0),
        ("1 memory warp", "priced_1", 1),
        ("2 memory warps", "priced_2", 2),
        ("4 memory warps", "priced_4", 4),
    ];
    let mut variants = Vec::with_capacity(names.len());
    let mut most = u32::MAX;
    for (app, name, memory_warps) in names {
        let variant = PrefetchKernel { app, kernel: module.kernel(gpu, name)?, memory_warps };
        most = most.min(variant.kernel.blocks_per_multiprocessor(variant.threads(), 0)?);
        variants.push(variant);
    }
    let mut residents: Vec<u32> = RESIDENT.into_iter().filter(|&few| few < most).collect();
    residents.push(most);
    let quotes = gpu.upload(inputs)?;
    let mut priced = gpu.zeros::<Quote>(quotes.len())?;

    let mut timings = Vec::new();
    let cases = ROUNDS.into_iter().flat_map(|rounds| residents.iter().map(move |&it| (rounds, it)));
    for (rounds, resident) in cases {
        let blocks = resident * gpu.multiprocessors();
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
                resident,
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

/// Speedup over no memory warp by work, with a line for each other number of memory warps and of blocks of a multiprocessor.
pub(crate) fn chart(timings: &[PrefetchTiming]) -> Chart<'static> {
    let mut rounds: Vec<u32> = timings.iter().map(|timing| timing.rounds).collect();
    rounds.dedup();
    let mut lines: Vec<Series> = Vec::new();
    for timing in timings.iter().filter(|timing| timing.memory_warps > 0) {
        let control = timings.iter().find(|other| {
            let [a, b] = [timing, *other].map(|it| (it.rounds, it.resident));
            other.memory_warps == 0 && a == b
        });
        let speedup = control.map_or(0.0, |control| control.seconds / timing.seconds);
        let name = format!("{}, {} a multiprocessor", timing.app, timing.resident);
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.values.push(speedup),
            None => lines.push(Series { name, values: vec![speedup] }),
        }
    }
    Chart {
        kind: Kind::Lines,
        title: "Regular work, speedup by memory warps",
        x: "work of a quote (rounds)",
        y: "speedup over no memory warp",
        categories: rounds.iter().map(u32::to_string).collect(),
        series: lines,
        reference: Some(1.0),
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
    fn the_chart_has_speedups_over_no_memory_warp() {
        let timing =
            |(rounds, resident, memory_warps, seconds): (u32, u32, u32, f64)| PrefetchTiming {
                app: if memory_warps == 0 { "no memory warp" } else { "1 memory warp" },
                memory_warps,
                compute_warps: 4,
                resident,
                blocks: resident,
                rounds,
                items: 1000,
                seconds,
                runs: Vec::new(),
            };
        let points = [
            (1, 1, 0, 2.0),
            (1, 1, 1, 1.0),
            (1, 6, 0, 1.0),
            (1, 6, 1, 2.0),
            (2, 1, 0, 3.0),
            (2, 1, 1, 1.0),
            (2, 6, 0, 1.0),
            (2, 6, 1, 4.0),
        ]
        .map(timing);
        let chart = chart(&points);
        assert_eq!(chart.categories, ["1", "2"]);
        let lines: Vec<(&str, &[f64])> =
            chart.series.iter().map(|line| (line.name.as_str(), &line.values[..])).collect();
        let [few, many] =
            ["1 memory warp, 1 a multiprocessor", "1 memory warp, 6 a multiprocessor"];
        assert_eq!(lines, [(few, &[2.0, 3.0][..]), (many, &[0.5, 0.25][..])]);
    }
}
