//! Device functions of the index, run on the CPU by the SIMT shim, give the same results as the host's index.
// Launching a kernel is unsafe. The helpers of a test may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use aligner_core::device_struct;
use aligner_core::gpu::{DeviceAddress, DeviceStruct, LayoutHeader};
use fm_index::gpu::{IndexView, LocateAllRowsParameters, LocateRowsParameters};
use fm_index::{BuildOptions, FmIndex, Interval, Reference};
use gpualign_tests::{ContainerFile, input, mutate_and_use, output};
use simt::{Argument, Launch, Module};

static LOCATE: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("fm-index", "locate").expect("the build made it"));
static EXTEND: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("tests", "extend").expect("the build made it"));

device_struct! {
    /// Parameters of the kernels in `tests/kernels/extend.cu`.
    struct ExtendParameters {
        /// The index whose intervals are extended.
        index: IndexView,
        /// Intervals that are extended, `count` of them.
        intervals: DeviceAddress<Interval>,
        /// Output: the four extensions of each interval to the left.
        left: DeviceAddress<Interval>,
        /// Output: the four extensions of each interval to the right.
        right: DeviceAddress<Interval>,
        /// Number of intervals and of threads.
        count: u32,
        /// Always 0; makes the size a multiple of 8 bytes.
        padding: u32,
    }
}

#[test]
fn layouts() {
    let header = LayoutHeader {
        namespace: "tests",
        includes: &["tests/extend.cuh"],
        structs: &[ExtendParameters::LAYOUT],
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cuda/include/tests");
    header.check(&folder.join("extend_layouts.cuh"));
}

/// Value of outputs that no kernel has written.
const POISON: u32 = 0xDEAD_BEEF;
/// Blocks and threads per block of the launches.
const SHAPES: [(u32, u32); 4] = [(1, 1), (1, 32), (2, 33), (3, 256)];

/// Calls `check` with indexes of texts of 1 base, of one block more or less one symbol, and longer, at three sample rates.
fn for_all_indexes(check: impl Fn(&FmIndex, &mut fastrand::Rng, &str)) {
    for (seed, length) in [1_usize, 2, 190, 191, 192, 193, 400, 3000].into_iter().enumerate() {
        let mut random = fastrand::Rng::with_seed(seed as u64);
        let letters: Vec<u8> = (0..length).map(|_| b"ACGT"[random.usize(..4)]).collect();
        for sample_rate in [1, 8, 64] {
            let reference = Reference::from_records([("text", &letters)]).expect("a reference");
            let options = BuildOptions { sample_rate, ..BuildOptions::default() };
            let index = FmIndex::build(reference, &options).expect("an index");
            check(&index, &mut random, &format!("{length} bases, rate {sample_rate}, seed {seed}"));
        }
    }
}

fn locate(index: &FmIndex, lo: &[u32], sizes: &[u32], (blocks, threads): (u32, u32)) -> Vec<u32> {
    let mut total = 0_u64;
    let ends: Vec<u64> = sizes
        .iter()
        .map(|&size| {
            total += u64::from(size);
            total
        })
        .collect();
    let mut positions = vec![POISON; total as usize];
    let kernel = LOCATE.kernel("fm_locate_rows").expect("it is exported");
    let parameters = LocateRowsParameters {
        index: IndexView::of_host(index),
        lo: input(lo),
        ends: input(&ends),
        positions: output(&mut positions),
        total,
        ranges: sizes.len() as u32,
        padding: 0,
    };
    let arguments = [Argument::value(parameters)];
    // SAFETY: these are the parameters of `fm_locate_rows`, with arrays of the lengths that it needs.
    unsafe { kernel.launch(&Launch::new(blocks, threads), &arguments) }.expect("it runs");
    positions
}

/// The positions of all rows.
fn locate_all(index: &FmIndex, (blocks, threads): (u32, u32)) -> Vec<u32> {
    let mut positions = vec![0; index.rows() as usize];
    let kernel = LOCATE.kernel("fm_locate_all_rows").expect("it is exported");
    let parameters = LocateAllRowsParameters {
        index: IndexView::of_host(index),
        positions: output(&mut positions),
    };
    let arguments = [Argument::value(parameters)];
    // SAFETY: these are the parameters of `fm_locate_all_rows`, with a position for each row.
    unsafe { kernel.launch(&Launch::new(blocks, threads), &arguments) }.expect("it runs");
    positions
}

#[test]
fn rows_are_located_as_on_the_host() {
    for_all_indexes(|index, random, case| {
        let rows = index.rows();
        let all: Vec<u32> = (0..rows).map(|row| index.locate(row)).collect();
        for shape in SHAPES {
            assert_eq!(locate(index, &[0], &[rows], shape), all, "{case}, {shape:?}: all rows");
            assert_eq!(locate_all(index, shape), all, "{case}, {shape:?}: from the samples");
            let (lo, sizes): (Vec<u32>, Vec<u32>) = (0..20)
                .map(|_| {
                    let lo = random.u32(..rows);
                    // Every third range is empty.
                    (lo, if random.u32(..3) == 0 { 0 } else { random.u32(..=(rows - lo).min(9)) })
                })
                .unzip();
            let expected: Vec<u32> = lo
                .iter()
                .zip(&sizes)
                .flat_map(|(&lo, &size)| all[lo as usize..(lo + size) as usize].iter().copied())
                .collect();
            assert_eq!(locate(index, &lo, &sizes, shape), expected, "{case}, {shape:?}");
        }
        assert_eq!(locate(index, &[0], &[0], (1, 32)), [0; 0], "{case}: nothing to locate");
    });
}

/// In an index that contradicts itself, ways to a sample may go in circles.
#[test]
fn locating_ends_in_inconsistent_indexes() {
    let mut random = fastrand::Rng::with_seed(6);
    let letters: Vec<u8> = (0..900).map(|_| b"ACGT"[random.usize(..4)]).collect();
    let reference = Reference::from_records([("text", &letters)]).expect("a reference");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("made.gpx");
    let index =
        FmIndex::build(reference, &BuildOptions { sample_rate: 64, ..BuildOptions::default() })
            .expect("an index");
    index.save(&path).expect("saves");
    // The parameters of an index file have 56 bytes, and it has 8 sections.
    let file = ContainerFile::new(fs::read(&path).expect("reads"), 56, 8);
    let circles = Cell::new(0);
    let counts = mutate_and_use(&file, &path, 0..2_000, |path| {
        let Ok(index) = FmIndex::open(path) else { return false };
        let rows = index.rows();
        let expected: Vec<u32> = (0..rows).map(|row| index.locate(row)).collect();
        assert_eq!(locate(&index, &[0], &[rows], (2, 33)), expected);
        assert!(locate_all(&index, (2, 33)).iter().all(|&position| position < rows));
        let is_last = |&&position: &&u32| position == rows - 2;
        circles.set(circles.get() + usize::from(expected.iter().filter(is_last).count() > 2));
        true
    });
    assert!(counts.used > 50 && circles.get() > 0, "{counts:?} {circles:?}");
}

#[test]
fn intervals_extend_as_on_the_host() {
    for_all_indexes(|index, random, case| {
        // The interval of the empty word, and those of random words of growing length.
        let mut intervals = vec![index.root()];
        for _ in 0..50 {
            let from = intervals[random.usize(..intervals.len())];
            let next = [index.extend_left(from), index.extend_right(from)][random.usize(..2)];
            intervals.extend(next.into_iter().filter(|interval| interval.size > 0));
        }
        for kernel in ["extend_both", "extend_by_code"] {
            check_extended(index, kernel, &intervals, &format!("{case}, {kernel}"));
        }
    });
}

fn check_extended(index: &FmIndex, kernel: &str, intervals: &[Interval], case: &str) {
    let poison = Interval { lo: POISON, lo_reverse: POISON, size: POISON };
    let mut left = vec![poison; 4 * intervals.len()];
    let mut right = left.clone();
    let kernel = EXTEND.kernel(kernel).expect("it is exported");
    let parameters = ExtendParameters {
        index: IndexView::of_host(index),
        intervals: input(intervals),
        left: output(&mut left),
        right: output(&mut right),
        count: intervals.len() as u32,
        padding: 0,
    };
    let shape = Launch::new(intervals.len().div_ceil(64) as u32, 64);
    // SAFETY: these are the parameters of both kernels: four results per interval on each side.
    unsafe { kernel.launch(&shape, &[Argument::value(parameters)]) }.expect("it runs");
    let sizes = |all: &[Interval]| all.iter().map(|i| i.size).collect::<Vec<_>>();
    for (i, &interval) in intervals.iter().enumerate() {
        for (device, host, side) in [
            (&left[4 * i..4 * i + 4], index.extend_left(interval), "left"),
            (&right[4 * i..4 * i + 4], index.extend_right(interval), "right"),
        ] {
            assert_eq!(sizes(device), sizes(&host), "{case}: {interval:?} to the {side}");
            for (device, host) in device.iter().zip(&host).filter(|(_, host)| host.size > 0) {
                assert_eq!(device, host, "{case}: {interval:?} to the {side}");
            }
        }
    }
}
