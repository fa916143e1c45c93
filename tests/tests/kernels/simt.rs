//! Kernels on the SIMT shim give the results of plain loops, in every order of threads.
// Launching a kernel is unsafe; each launch passes what the kernel in `kernels/selftest.cu` takes.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::sync::LazyLock;

use bytemuck::NoUninit;
use gpualign_tests::{
    AtomicsParameters, BlockSumParameters, BlockVotesParameters, CollectivesParameters,
    CompactParameters, EarlyExitParameters, HalfWarpsParameters, IndicesParameters,
    IntegersParameters, ReverseParameters, SpinLockParameters, input, output,
};
use simt::{Argument, Launch, Module};

const BLOCK_SIZES: [u32; 6] = [1, 31, 32, 33, 64, 1024];
const BLOCKS: u32 = 3;
const SEEDS: std::ops::Range<u64> = 0..20;
/// The pattern that the shim fills memory with before a kernel writes to it.
const POISON: u32 = 0xCDCD_CDCD;

static SELFTEST: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("tests", "selftest").expect("the build made it"));

/// Runs a kernel on the parameter struct that it takes.
fn launch(kernel: &str, launch: Launch, parameters: impl NoUninit) {
    let kernel = SELFTEST.kernel(kernel).expect("it is exported");
    // SAFETY: each test passes the parameter of its kernel, with arrays of the launch's size.
    unsafe { kernel.launch(&launch, &[Argument::value(parameters)]) }.expect("it has no bug");
}

/// Calls `check` with launches of all block sizes and seeds, a value for each thread, and a text
/// that names the case.
fn for_all(check: impl Fn(Launch, &[u32], &str)) {
    for threads in BLOCK_SIZES {
        for seed in SEEDS {
            let mut random = fastrand::Rng::with_seed(seed);
            let values: Vec<u32> = (0..BLOCKS * threads).map(|_| random.u32(..)).collect();
            let case = format!("blocks of {threads} threads, seed {seed}");
            check(Launch::new(BLOCKS, threads).seed(seed), &values, &case);
        }
    }
}

#[test]
fn block_sum_is_the_sum() {
    for_all(|shape, values, case| {
        // The last threads have no value.
        let values = &values[..values.len() - values.len() / 7];
        let mut total = [5u32];
        launch(
            "block_sum",
            shape,
            BlockSumParameters {
                values: input(values),
                n: values.len() as u32,
                total: output(&mut total),
                padding: 0,
            },
        );
        let expected = values.iter().fold(5u32, |sum, value| sum.wrapping_add(*value));
        assert_eq!(total[0], expected, "{case}");
    });
}

#[test]
fn compaction_keeps_what_the_filter_keeps() {
    for_all(|shape, values, case| {
        let mut kept = vec![0u32; values.len()];
        let mut count = [0u32];
        launch(
            "compact",
            shape,
            CompactParameters {
                values: input(values),
                n: values.len() as u32,
                out: output(&mut kept),
                count: output(&mut count),
                padding: 0,
            },
        );
        let mut expected: Vec<u32> =
            values.iter().copied().filter(|value| value % 3 == 0).collect();
        kept.truncate(count[0] as usize);
        kept.sort_unstable();
        expected.sort_unstable();
        assert_eq!(kept, expected, "{case}");
    });
}

#[test]
fn blocks_reverse_through_dynamic_shared_memory() {
    for_all(|shape, values, case| {
        let threads = shape.block[0] as usize;
        let mut reversed = vec![0u32; values.len()];
        launch(
            "reverse",
            shape.shared(4 * threads as u64),
            ReverseParameters { values: input(values), out: output(&mut reversed) },
        );
        let expected: Vec<u32> =
            values.chunks(threads).flat_map(|block| block.iter().rev().copied()).collect();
        assert_eq!(reversed, expected, "{case}");
    });
}

/// Results of the kernel `collectives` in lane `lane` of a warp whose lanes hold `values`.
fn collectives_of(values: &[u32], lane: usize, argument: usize, width: usize) -> [u64; 21] {
    let wide = |value: u32| u64::from(value) << 20 | u64::from(value);
    let first = lane / width * width;
    let last = first + width - 1;
    let (up, down, across) = (lane.wrapping_sub(argument), lane + argument, lane ^ argument);
    let at = |source: usize| values.get(source).copied().unwrap_or(POISON);
    let up_in_segment = argument <= lane - first;
    let bits = |keep: &dyn Fn(u32) -> bool| -> u64 {
        values.iter().enumerate().map(|(i, value)| u64::from(keep(*value)) << i).sum()
    };
    let all_equal = values.iter().all(|value| value % 2 == values[0] % 2);
    let signed = || values.iter().map(|value| *value as i32);
    let sum = values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
    let unsigned = |number: i32| u64::from(number as u32);
    [
        at(first | ((argument % values.len()) % width)).into(),
        if up_in_segment { at(up).into() } else { values[lane].into() },
        if down <= last { at(down).into() } else { values[lane].into() },
        if across <= last { at(across).into() } else { values[lane].into() },
        wide(if up_in_segment { at(up) } else { values[lane] }),
        // A byte is exchanged as an int.
        if (lane ^ 1) < values.len() { (at(lane ^ 1) & 255).into() } else { POISON.into() },
        bits(&|value| value & 1 == 1),
        values.iter().any(|value| value % 64 == 0).into(),
        values.iter().all(|value| value % 64 != 0).into(),
        bits(&|value| value % 4 == values[lane] % 4),
        if all_equal { bits(&|_| true) } else { 0 },
        all_equal.into(),
        sum.into(),
        sum.into(),
        values.iter().copied().min().map_or(0, u64::from),
        signed().min().map_or(0, unsigned),
        values.iter().copied().max().map_or(0, u64::from),
        signed().max().map_or(0, unsigned),
        values.iter().fold(u32::MAX, |all, value| all & value).into(),
        values.iter().fold(0, |all, value| all | value).into(),
        values.iter().fold(0, |all, value| all ^ value).into(),
    ]
}

#[test]
fn warp_collectives_match_their_definitions() {
    for_all(|shape, values, case| {
        let mut random = fastrand::Rng::with_seed(shape.seed);
        let (argument, width) = (random.i32(0..32), 1 << random.i32(0..6));
        // Two thirds of the seeds use small or odd values, so that votes and matches have both outcomes.
        let values: Vec<u32> = match shape.seed % 3 {
            0 => values.to_vec(),
            1 => values.iter().map(|value| value % 4).collect(),
            _ => values.iter().map(|value| value | 1).collect(),
        };
        let mut out = vec![0u64; 21 * values.len()];
        launch(
            "collectives",
            shape,
            CollectivesParameters {
                values: input(&values),
                argument,
                width,
                out: output(&mut out),
            },
        );
        let mut results = out.chunks(21);
        for block in values.chunks(shape.block[0] as usize) {
            for warp in block.chunks(32) {
                for lane in 0..warp.len() {
                    let expected = collectives_of(warp, lane, argument as usize, width as usize);
                    let got = results.next().expect("as many results as threads");
                    assert_eq!(
                        got,
                        expected,
                        "{case}, argument {argument}, width {width}, lane {lane} of {}",
                        warp.len()
                    );
                }
            }
        }
    });
}

#[test]
fn halves_of_a_warp_meet_on_their_own() {
    for_all(|shape, values, case| {
        if shape.block[0] % 32 != 0 {
            return;
        }
        let mut out = vec![0u32; values.len()];
        launch(
            "half_warps",
            shape,
            HalfWarpsParameters { values: input(values), out: output(&mut out) },
        );
        let mut expected = values.to_vec();
        for (half, lanes) in expected.chunks_mut(16).enumerate() {
            for turn in 0..3 + 2 * (half % 2) {
                let before = lanes.to_vec();
                for (lane, value) in lanes.iter_mut().enumerate() {
                    *value = before[lane ^ (1 + turn)].wrapping_add(1);
                }
            }
        }
        assert_eq!(out, expected, "{case}");
    });
}

/// Results of the kernel `atomics` in cells of one width, given as u64 and cut to `mask`.
fn expected_cells(start: &[u64], values: &[u64], mask: u64) -> Vec<u64> {
    let mut cells = start.to_vec();
    for value in values {
        cells[0] = cells[0].wrapping_add(*value) & mask;
        cells[1] = cells[1].min(*value);
        cells[2] = cells[2].max(*value);
        cells[3] &= value;
        cells[4] |= value;
        cells[5] ^= value;
    }
    let threads = values.len() as u64;
    cells[6] = threads;
    cells[9] = (threads * (threads - 1) / 2) & mask;
    cells
}

#[test]
fn atomics_lose_no_update() {
    for_all(|shape, values, case| {
        let start: [u64; 10] = [3, u64::MAX >> 1, 0, u64::MAX, 0, 9, 0, 0, 0, 0];
        let mut wide = start;
        let mut narrow = start.map(|cell| cell as u32);
        launch(
            "atomics",
            shape,
            AtomicsParameters {
                values: input(values),
                narrow: output(&mut narrow),
                wide: output(&mut wide),
            },
        );
        let narrow: Vec<u64> = narrow.iter().map(|cell| u64::from(*cell)).collect();
        let start32: Vec<u64> = start.iter().map(|cell| u64::from(*cell as u32)).collect();
        let values32: Vec<u64> = values.iter().map(|value| u64::from(*value)).collect();
        let values64: Vec<u64> = values32.iter().map(|value| value << 24 | value).collect();
        for (cells, start, values, mask) in [
            (&narrow[..], &start32[..], &values32[..], u64::from(u32::MAX)),
            (&wide[..], &start[..], &values64[..], u64::MAX),
        ] {
            let mut expected = expected_cells(start, values, mask);
            // One value stays in cell 7, at random, and all others went to cell 8.
            let sum = values.iter().fold(0u64, |sum, value| sum.wrapping_add(*value)) & mask;
            assert!(values.contains(&cells[7]), "{case}: exchanged in {:#x}", cells[7]);
            expected[7] = cells[7];
            expected[8] = sum.wrapping_sub(cells[7]) & mask;
            assert_eq!(cells, expected, "{case}");
        }
    });
}

#[test]
fn a_spin_lock_excludes_and_makes_progress() {
    for_all(|shape, values, case| {
        let (mut lock, mut total) = ([0u32], [0u32]);
        launch(
            "spin_lock",
            shape,
            SpinLockParameters { lock: output(&mut lock), total: output(&mut total) },
        );
        assert_eq!((lock[0], total[0]), (0, values.len() as u32), "{case}");
    });
}

#[test]
fn block_votes_count_predicates() {
    const ROUNDS: u32 = 8;
    for_all(|shape, values, case| {
        let mut votes = vec![0u32; (BLOCKS * ROUNDS * 3) as usize];
        launch(
            "block_votes",
            shape,
            BlockVotesParameters {
                values: input(values),
                rounds: ROUNDS,
                out: output(&mut votes),
                padding: 0,
            },
        );
        let mut expected = Vec::new();
        for block in values.chunks(shape.block[0] as usize) {
            for round in 0..ROUNDS {
                let count = block.iter().filter(|value| **value >> round & 1 == 1).count();
                expected.push(count as u32);
                expected.push((count == block.len()).into());
                expected.push((count > 0).into());
            }
        }
        assert_eq!(votes, expected, "{case}");
    });
}

#[test]
fn indices_cover_three_dimensions() {
    for seed in SEEDS {
        let shape = Launch { grid: [2, 3, 4], block: [5, 2, 3], shared: 0, seed };
        let mut out = vec![u32::MAX; 24 * 30];
        launch("indices", shape, IndicesParameters { out: output(&mut out) });
        let expected: Vec<u32> = (0..24 * 30).collect();
        assert_eq!(out, expected, "seed {seed}");
    }
}

#[test]
fn exited_threads_are_not_waited_for() {
    for_all(|shape, values, case| {
        let threads = shape.block[0];
        let mut out = vec![0u32; values.len()];
        launch("early_exit", shape, EarlyExitParameters { out: output(&mut out) });
        for (i, got) in out.iter().enumerate() {
            let thread = i as u32 % threads;
            let lanes = (threads - thread / 32 * 32).min(32);
            let expected =
                if thread % 2 == 1 { 0 } else { lanes.div_ceil(2) + threads.div_ceil(2) };
            assert_eq!(*got, expected, "{case}, thread {i}");
        }
    });
}

/// Results of the kernel `integers` for one pair of words.
fn integers_of(x: u32, y: u32) -> [u64; 16] {
    let wide = u64::from(y) << 32 | u64::from(x);
    let first_set = |zeros: u32, bits: u32| if zeros == bits { 0 } else { u64::from(zeros) + 1 };
    let clamped = x % 40;
    let bytes = wide.to_le_bytes();
    let permuted = [0, 4, 8, 12].map(|bit| bytes[(x >> 7 >> bit & 7) as usize]);
    [
        x.count_ones().into(),
        wide.count_ones().into(),
        x.leading_zeros().into(),
        wide.leading_zeros().into(),
        first_set(x.trailing_zeros(), 32),
        first_set(wide.trailing_zeros(), 64),
        x.reverse_bits().into(),
        wide.reverse_bits(),
        wide << (x % 32) >> 32,
        (wide >> (x % 32)) & u64::from(u32::MAX),
        wide << clamped.min(32) >> 32,
        (wide >> clamped.min(32)) & u64::from(u32::MAX),
        u32::from_le_bytes(permuted).into(),
        (u64::from(x) * u64::from(y)) >> 32,
        ((u128::from(wide) * u128::from(wide)) >> 64) as u64,
        u64::from(x.min(y)) ^ u64::from(x.max(7)) << 32,
    ]
}

#[test]
fn integer_intrinsics_match_their_definitions() {
    for_all(|shape, values, case| {
        let mut random = fastrand::Rng::with_seed(!shape.seed);
        // Numbers of all magnitudes, with zero among them.
        let pairs: Vec<u64> = values
            .iter()
            .map(|value| {
                let other = random.u32(..) & random.u32(..);
                let x = value.checked_shr(random.u32(0..=32)).unwrap_or(0);
                let y = other.checked_shr(random.u32(0..=32)).unwrap_or(0);
                u64::from(y) << 32 | u64::from(x)
            })
            .collect();
        let mut out = vec![0u64; 16 * pairs.len()];
        launch(
            "integers",
            shape,
            IntegersParameters { values: input(&pairs), out: output(&mut out) },
        );
        for (pair, got) in pairs.iter().zip(out.chunks(16)) {
            let (x, y) = (*pair as u32, (pair >> 32) as u32);
            assert_eq!(got, integers_of(x, y), "{case}, x {x:#x}, y {y:#x}");
        }
    });
}
