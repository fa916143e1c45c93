//! Blocks with and without memory warps price every quote once, as a plain loop does.
// Launching a kernel is unsafe: each launch passes the parameter that the kernels in `benches/cuda/prefetch.cu` take, with arrays of
// its size. A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::sync::LazyLock;

use aligner_core::gpu::DeviceAddress;
use gpualign_benches::PriceParameters;
use gpualign_benches::runtime::quote::Quote;
use simt::{Argument, Launch, Module};

static KERNELS: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("benches", "prefetch").expect("the build made it"));

/// The names of the kernels, in the order of their numbers of memory warps.
const VARIANTS: [&str; 4] = ["priced_0", "priced_1", "priced_2", "priced_4"];
/// Memory warps of a block of each kernel.
const MEMORY_WARPS: [u32; 4] = [0, 1, 2, 4];
/// Items of a tile, and compute threads of a block.
const TILE: usize = 128;
/// Quotes after the results that no kernel may touch.
const MARGIN: usize = 2 * TILE;
const POISON: u128 = 0xCDCD_CDCD_CDCD_CDCD_CDCD_CDCD_CDCD_CDCD;
/// Pieces of 16 bytes of a quote; arrays of pieces are aligned as the kernels require.
const PIECES: usize = 3;

fn quotes(count: usize) -> Vec<Quote> {
    let mut random = fastrand::Rng::with_seed(47);
    let mut between = |low: f32, high: f32| low + (high - low) * random.f32();
    let quote = |id| Quote {
        price: between(5.0, 30.0),
        strike: between(1.0, 100.0),
        years: between(0.25, 10.0),
        rate: 0.02,
        volatility: 0.3,
        value: -1.0,
        id,
        passes: id % 7,
        spare: [id, !id, 3 * id, 5],
    };
    (0..count as u32).map(quote).collect()
}

/// The distribution function of the standard normal distribution.
fn normal(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = 0.319_381_53
        + k * (-0.356_563_78 + k * (1.781_477_9 + k * (-1.821_255_9 + k * 1.330_274_4)));
    let tail = 0.398_942_3 * (-0.5 * x * x).exp() * k * series;
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// The value of a call option, summed over `rounds` dates.
fn value(quote: &Quote, rounds: u32) -> f32 {
    let Quote { price, strike, rate, volatility, .. } = *quote;
    let call = |years: f32| {
        let spread = volatility * years.sqrt();
        let drift = (rate + 0.5 * volatility * volatility) * years;
        let d = ((price / strike).ln() + drift) / spread;
        price * normal(d) - strike * (-rate * years).exp() * normal(d - spread)
    };
    (0..rounds).map(|round| call(quote.years * (round + 1) as f32 / rounds as f32)).sum()
}

/// The quotes that a kernel writes, of which it is given `quotes`.
fn launch(variant: usize, blocks: u32, seed: u64, quotes: &[Quote], rounds: u32) -> Vec<Quote> {
    let mut input = vec![0_u128; quotes.len() * PIECES];
    bytemuck::cast_slice_mut(&mut input).copy_from_slice(quotes);
    let mut output = vec![POISON; (quotes.len() + MARGIN) * PIECES];
    let parameters = PriceParameters {
        quotes: DeviceAddress::new(gpualign_tests::input(&input).get()),
        priced: DeviceAddress::new(gpualign_tests::output(&mut output).get()),
        count: quotes.len() as u64,
        rounds,
        padding: 0,
    };
    let arguments = [Argument::value(parameters)];
    let threads = TILE as u32 + 32 * MEMORY_WARPS[variant];
    let kernel = KERNELS.kernel(VARIANTS[variant]).expect("it is exported");
    // SAFETY: both arrays have a quote for each of the input and are aligned to 16 bytes.
    unsafe { kernel.launch(&Launch::new(blocks, threads).seed(seed), &arguments) }
        .expect("it has no bug");
    let beyond = output.split_off(quotes.len() * PIECES);
    assert!(beyond.iter().all(|&piece| piece == POISON), "{}: beyond the end", VARIANTS[variant]);
    bytemuck::cast_slice(&output).to_vec()
}

fn check(count: usize, blocks: u32, seed: u64, rounds: u32) {
    let quotes = quotes(count);
    let control = launch(0, blocks, seed, &quotes, rounds);
    for (quote, priced) in quotes.iter().zip(&control) {
        let expected = value(quote, rounds);
        // The plain loop rounds otherwise where the compiler of the kernels fuses operations.
        let near = (priced.value - expected).abs() <= 1e-5 * quote.price * (rounds + 1) as f32;
        assert!(near, "{count} quotes, {blocks} blocks: {priced:?} has the value {expected}");
        let rest = Quote { value: priced.value, passes: quote.passes + 1, ..*quote };
        assert_eq!(*priced, rest, "{count} quotes, {blocks} blocks");
    }
    for (variant, name) in VARIANTS.iter().enumerate().skip(1) {
        let priced = launch(variant, blocks, seed, &quotes, rounds);
        let case = format!("{name}, {count} quotes, {blocks} blocks");
        assert_eq!(priced.len(), control.len());
        let wrong = priced.iter().zip(&control).position(|(priced, control)| {
            bytemuck::bytes_of(priced) != bytemuck::bytes_of(control)
        });
        assert_eq!(wrong, None, "{case}, seed {seed}: the first wrong quote");
    }
}

#[test]
fn any_number_of_quotes_on_any_number_of_blocks() {
    for count in [0, 1, TILE - 1, TILE, TILE + 1, 2 * TILE, 3 * TILE + 17, 1000] {
        for blocks in [1, 2, 3, 7, 50] {
            for seed in 0..3 {
                check(count, blocks, seed, 1);
            }
        }
    }
}

#[test]
fn any_work() {
    for rounds in [0, 1, 2, 5, 20] {
        check(5 * TILE + 1, 2, 4, rounds);
    }
}
