//! The kernels of seed-extend, run on the CPU, give what the oracle does.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use aligner_core::DeviceError;
use aligner_core::cigar::{CigarOp, CigarRun};
use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{Backend, LoadedKernels};
use bytemuck::pod_collect_to_vec;
use fastrand::Rng;
use gpualign_tests::{HostBuffer, ShimBackend, kernels};
use seed_extend::extend::gpu::costs::AlignmentCosts;
use seed_extend::extend::gpu::parameters::{ExtendEndParameters, ExtendScoreParameters};
use seed_extend::extend::gpu::plan::{COLUMNS, GpuPlan, NO_TASK, PlannedLaunch};
use seed_extend::extend::gpu::{
    AlignmentApplications, ExtendEngine, FILL_WIDTH, MemoryLimits, WALK_WIDTH,
};
use seed_extend::extend::{
    Alignment, AlignmentEnd, AlignmentSpan, AlignmentTask, Alignments, ReferenceText, Scoring, cpu,
};
use simt::{Argument, Launch, Module};

use crate::extend_common::{self, Case, add_random, scored, scorings, sequence};

static KERNELS: LazyLock<Module> =
    LazyLock::new(|| kernels("seed-extend", "extend").expect("the build made it"));

const POISON: u32 = 0xDEAD_BEEF;
const POISONED: AlignmentEnd = AlignmentEnd { score: -1, query_end: POISON, window_end: POISON };

/// A case, as kernels see it.
struct Device<'a> {
    case: &'a Case,
    costs: AlignmentCosts,
    text: Vec<u64>,
}

/// Address of an array that kernels on the CPU read.
fn input<T>(array: &[T]) -> DeviceAddress<T> {
    DeviceAddress::new(array.as_ptr().expose_provenance() as u64)
}

/// Address of an array that kernels on the CPU write.
fn output<T>(array: &mut [T]) -> DeviceAddress<T> {
    DeviceAddress::new(array.as_mut_ptr().expose_provenance() as u64)
}

impl Device<'_> {
    fn score(
        &self,
        (planned, pairs): (&PlannedLaunch, &[[u32; 2]]),
        shape: (u32, u32),
        ends: &mut [AlignmentEnd],
    ) {
        let pairs = &pairs[planned.pairs.start as usize..planned.pairs.end as usize];
        let count = pairs.len();
        let mut unfinished = vec![POISON; 2 * count];
        let mut unfinished_count = [0_u32];
        let parameters = ExtendScoreParameters {
            text: input(&self.text),
            queries: input(&self.case.queries),
            tasks: input(&self.case.tasks),
            pairs: input(pairs.as_flattened()),
            ends: output(ends),
            unfinished: output(&mut unfinished),
            unfinished_count: output(&mut unfinished_count),
            count: count as u64,
            costs: self.costs,
        };
        let launch = Launch::new(shape.0, shape.1);
        let kernel =
            KERNELS.kernel(&format!("extend_score_{}", planned.columns)).expect("exported");
        // SAFETY: the parameters are those of the kernel, with the lengths its contract asks for.
        unsafe { kernel.launch(&launch, &[Argument::value(parameters)]) }.expect("it runs");
        let parameters = ExtendEndParameters {
            text: input(&self.text),
            queries: input(&self.case.queries),
            tasks: input(&self.case.tasks),
            ends: output(ends),
            unfinished: input(&unfinished),
            unfinished_count: input(&unfinished_count),
            costs: self.costs,
        };
        let kernel = KERNELS.kernel(&format!("extend_end_{}", planned.columns)).expect("exported");
        // SAFETY: as before.
        unsafe { kernel.launch(&launch, &[Argument::value(parameters)]) }.expect("it runs");
    }
}

/// Limits for tests: few words of cells, and less room for runs than there are.
const FEW: MemoryLimits = MemoryLimits { words: 1 << 18, runs: 1 };

/// An engine for the text of a case.
fn engine(scoring: Scoring, case: &Case, seed: u64) -> ExtendEngine<ShimBackend> {
    engine_within(usize::MAX, scoring, case, seed)
}

/// An engine for the text of a case, without memory for buffers of more than `largest` bytes.
fn engine_within(
    largest: usize,
    scoring: Scoring,
    case: &Case,
    seed: u64,
) -> ExtendEngine<ShimBackend> {
    let backend = |name| {
        let module = kernels("seed-extend", name).expect("it is built");
        ShimBackend::new(module, seed).with_largest_buffer(largest)
    };
    let load = |name, width| {
        LoadedKernels::with_backend(backend(name), name, width).expect("an application")
    };
    let applications =
        AlignmentApplications { fill: load("fill", FILL_WIDTH), walk: load("walk", WALK_WIDTH) };
    let words = case.packed();
    let loaded = (backend("extend"), applications);
    ExtendEngine::new(loaded, scoring, ReferenceText::Packed(&words)).expect("an engine")
}

/// A plan, and the numbers of the tasks in pairs.
struct Plan {
    plan: GpuPlan<HostBuffer>,
    pairs: Vec<[u32; 2]>,
}

/// The plan of a case.
fn plan(scoring: Scoring, case: &Case, seed: u64) -> Plan {
    let engine = engine(scoring, case, seed);
    let tasks = engine.upload(case.tasks()).expect("memory");
    let plan = engine.plan(&tasks).expect("it runs");
    let backend = ShimBackend::new(kernels("seed-extend", "extend").expect("it is built"), seed);
    let count = plan.launches.last().map_or(0, |last| last.pairs.end) as usize;
    let pairs = backend.read(&plan.pairs, 8 * count).expect("memory");
    Plan { plan, pairs: pod_collect_to_vec(&pairs) }
}

/// The alignments of all tasks of a case that kernels take, by the applications.
fn align(scoring: Scoring, case: &Case, limits: MemoryLimits, seed: u64) -> Alignments {
    let mut engine = engine(scoring, case, seed);
    let tasks = engine.upload(case.tasks()).expect("memory");
    let plan = engine.plan(&tasks).expect("it runs");
    // What was found before is forgotten.
    let mut found = Alignments {
        spans: vec![AlignmentSpan::default()],
        runs: vec![CigarRun::new(CigarOp::Equal, 1)],
    };
    engine.align_within(&tasks, &plan, limits, &mut found).expect("it runs");
    assert_eq!(found.spans.len(), case.tasks.len());
    found
}

/// Where memory lacks, slices become smaller, but no group is cut.
#[test]
fn slices_are_as_small_as_the_memory_asks_for() {
    let seed = 5;
    let (mut random, mut case) = (Rng::with_seed(seed), Case::default());
    // Many groups of short tasks, and one of a long one.
    for _ in 0..900 {
        add_random(&mut random, &mut case, 60, 4);
    }
    let long = sequence(&mut random, 90, 4);
    case.add(&long, &long, -60, 60);
    let scoring = Scoring::default();
    let expected = cpu::align(scoring, case.tasks());
    let all = plan(scoring, &case, seed).plan;
    let words = all.slices(scoring, u64::MAX)[0].words as usize;
    let of_groups = all.slices(scoring, 0);
    let group = of_groups.iter().map(|slice| slice.words).max().unwrap_or_default() as usize;
    assert!(of_groups.len() > 10 && words > 2 * group, "{words} {group}");
    for (room, is_enough) in [(words, true), (words - 1, true), (group, true), (group - 1, false)] {
        let mut engine = engine_within(4 * room, scoring, &case, seed);
        let tasks = engine.upload(case.tasks()).expect("memory");
        let plan = engine.plan(&tasks).expect("it runs");
        // There is no more room for runs than is needed.
        let limits = MemoryLimits { words: u64::MAX, runs: 1 };
        let mut found = Alignments::default();
        let aligned = engine.align_within(&tasks, &plan, limits, &mut found);
        if !is_enough {
            assert!(matches!(aligned, Err(DeviceError::OutOfMemory(_))), "{aligned:?}");
            continue;
        }
        aligned.expect("memory for slices");
        for number in 0..case.tasks.len() {
            if !plan.left.contains(&(number as u32)) {
                assert_eq!(found.get(number), expected.get(number), "{room} words, task {number}");
            }
        }
    }
}

/// Compares all tasks of a case with the oracle; gives the columns of the kernels that were used, and the bytes
/// of the numbers that they kept.
fn check(name: &str, scoring: Scoring, case: &Case, shape: (u32, u32)) -> BTreeSet<(u16, u8)> {
    let device = Device { case, costs: AlignmentCosts::from(scoring), text: case.packed() };
    let seed = u64::from(shape.0 + shape.1);
    let Plan { plan, pairs } = plan(scoring, case, seed);
    let expected = case.expected(scoring);
    let mut found = vec![POISONED; case.tasks.len()];
    let mut used = BTreeSet::new();
    for launch in &plan.launches {
        device.score((launch, &pairs), shape, &mut found);
    }
    for slice in plan.slices(scoring, FEW.words) {
        used.extend(slice.groups.iter().map(|group| (group.columns, group.bytes)));
    }
    let aligned = align(scoring, case, FEW, seed);
    let taken = pairs.as_flattened().iter().copied();
    let taken: BTreeSet<u32> = taken.filter(|&number| number != NO_TASK).collect();
    for (number, end) in scored(&expected).into_iter().enumerate() {
        let told = || {
            let (all, task) = (case.tasks(), case.tasks[number]);
            format!("{name}, {scoring:?}, {task:?} {:?} {:?}", all.query(task), all.window(task))
        };
        if !taken.contains(&(number as u32)) {
            assert_eq!(found[number], POISONED, "{}", told());
            assert_eq!(aligned.get(number), Alignment::default(), "{}", told());
            continue;
        }
        assert_eq!(found[number], end, "{}", told());
        assert_eq!(aligned.get(number), expected[number], "{}", told());
    }
    used
}

/// Tasks of which many have no cells, or are too wide or too long for kernels.
fn any_tasks(random: &mut Rng, count: usize) -> Case {
    let mut case = Case { queries: vec![0; 40_000], text: vec![0; 303], tasks: Vec::new() };
    let task = |_| {
        let query_len = random.u32(..200) * if random.u8(..9) == 0 { 200 } else { 1 };
        let low = random.i32(-9..9);
        let high = low + random.i32(-1..160);
        let (window_start, window_len) = (3, 300);
        AlignmentTask { query_len, window_start, window_len, low, high, ..AlignmentTask::default() }
    };
    case.tasks = (0..count).map(task).collect();
    case
}

#[test]
fn all_tasks_are_in_a_pair_of_equal_widths_or_left() {
    let scoring = Scoring::default();
    for (seed, count) in [(1, 0), (2, 1), (3, 3000)] {
        let mut random = Rng::with_seed(seed);
        let mut case = any_tasks(&mut random, count);
        if count > 1 {
            // The window of a task has an unknown base.
            case.text.push(4);
            case.tasks[7] =
                AlignmentTask { window_start: 4, query_len: 9, high: 9, ..case.tasks[7] };
        }
        let Plan { plan, pairs } = plan(scoring, &case, seed);
        let width = |number: u32| {
            let it = case.tasks[number as usize];
            let (m, n) = (it.query_len as i32, it.window_len as i32);
            if m == 0 { 0 } else { it.high.min(n - 1) - it.low.max(1 - m) + 1 }
        };
        let rows = |number: u32| case.tasks[number as usize].query_len;
        let mut seen = vec![0; count];
        for &number in &plan.left {
            seen[number as usize] += 1;
            assert!(width(number) > 128 || rows(number) > 31_000 || number == 7, "task {number}");
        }
        assert_eq!(plan.left.contains(&7), count > 1);
        let mut groups = plan.rows.iter();
        for launch in &plan.launches {
            let of_launch = &pairs[launch.pairs.start as usize..launch.pairs.end as usize];
            for group in of_launch.chunks(32) {
                let taken = group.as_flattened().iter().filter(|&&number| number != NO_TASK);
                assert_eq!(groups.next().copied(), taken.map(|&number| rows(number)).max());
            }
            let narrower = COLUMNS.into_iter().filter(|&columns| columns < launch.columns).max();
            for &[one, other] in of_launch {
                assert!(other == NO_TASK || width(one) == width(other));
                let width = width(one) as u32;
                assert!(width <= launch.columns && width > narrower.unwrap_or(0), "{width}");
                for number in [one, other].into_iter().filter(|&number| number != NO_TASK) {
                    seen[number as usize] += 1;
                }
            }
            // Lengths that follow each other are about equal, but where another width begins.
            let longer = |pair: &&[[u32; 2]]| rows(pair[0][0]) > rows(pair[1][0]) * 9 / 8 + 1;
            let unequal = of_launch.windows(2).filter(longer).count();
            assert!(unequal < launch.columns as usize, "{unequal} of {}", of_launch.len());
        }
        assert_eq!(groups.next(), None);
        for (number, &seen) in (0..).zip(&seen) {
            assert_eq!(seen, i32::from(width(number) > 0), "task {number}");
        }
        for budget in [0, 1 << 20, u64::MAX] {
            let slices = plan.slices(scoring, budget);
            assert!(budget < u64::MAX || slices.len() == usize::from(count > 0));
            let mut first = 0;
            for slice in slices {
                assert!(slice.words <= budget || slice.groups.len() == 1);
                assert!(slice.groups.is_sorted_by_key(|group| group.start));
                for group in &slice.groups {
                    assert_eq!((group.first, group.tasks % 2), (first, 0));
                    first += u32::from(group.tasks);
                }
                assert_eq!(
                    slice.tasks,
                    slice.groups.iter().map(|it| u64::from(it.tasks)).sum::<u64>()
                );
            }
            assert_eq!(first as usize, pairs.as_flattened().len());
        }
    }
}

#[test]
#[should_panic(expected = "task 4 is of codes that are not there")]
fn tasks_are_checked_before_kernels_see_them() {
    let mut case = any_tasks(&mut Rng::with_seed(1), 9);
    case.tasks[4].window_start = 4;
    plan(Scoring::default(), &case, 1);
}

#[test]
fn random_tasks() {
    let mut used = BTreeSet::new();
    for seed in 0..5 {
        let mut random = Rng::with_seed(seed);
        for scoring in scorings() {
            let longest = [6, 40, 100, 160][random.usize(..4)];
            let letters = [2, 4, 4, 5][random.usize(..4)];
            let shape = [(1, 32), (2, 32), (1, 128)][random.usize(..3)];
            let mut case = Case::default();
            for _ in 0..random.usize(..90) {
                add_random(&mut random, &mut case, longest, letters);
            }
            used.extend(check(&format!("seed {seed}"), scoring, &case, shape));
        }
    }
    let all = [16, 32, 64, 104, 128].map(|columns| [(columns, 1), (columns, 2)]);
    assert_eq!(used, all.as_flattened().iter().copied().collect(), "every kernel is tested");
}

#[test]
fn more_groups_than_blocks_take_at_once() {
    let (mut random, mut case) = (Rng::with_seed(3), Case::default());
    for _ in 0..6000 {
        add_random(&mut random, &mut case, 12, 4);
    }
    let scoring = Scoring::default();
    let Plan { plan, .. } = plan(scoring, &case, 3);
    let slices = plan.slices(scoring, u64::MAX);
    assert!(slices.iter().map(|slice| slice.groups.len()).max() > Some(32));
    let expected = cpu::align(scoring, case.tasks());
    // All at once, or in slices, with enough room for runs or less.
    for (words, runs) in [(u64::MAX, 16), (u64::MAX, 1), (1 << 14, 16), (1 << 14, 1), (0, 0)] {
        let found = align(scoring, &case, MemoryLimits { words, runs }, runs);
        for number in 0..case.tasks.len() {
            if !plan.left.contains(&(number as u32)) {
                assert_eq!(found.get(number), expected.get(number), "{words} {runs} {number}");
            }
        }
    }
}

#[test]
fn more_runs_than_a_thread_keeps() {
    let (mut random, mut case) = (Rng::with_seed(2), Case::default());
    let scoring = Scoring::default();
    let window = sequence(&mut random, 400, 4);
    // One base in seven differs, of 15 to 17 first ones, so that the number of runs is about KEPT of
    // extend.cu, and then of all.
    for differing in (15..18).chain([57]) {
        let change = |(place, &code): (usize, &u8)| {
            let differs = place % 7 == 6 && place / 7 < differing;
            if differs { (code + 1) % 4 } else { code }
        };
        let query: Vec<u8> = window.iter().enumerate().map(change).collect();
        case.add(&query, &window, -4, 4);
    }
    check("many runs", scoring, &case, (1, 32));
    let runs: Vec<usize> =
        case.expected(scoring).iter().map(|alignment| alignment.runs.len()).collect();
    assert_eq!(runs, [31, 33, 35, 115]);
}

#[test]
fn the_shortest_and_the_longest() {
    let mut random = Rng::with_seed(1);
    let scoring = Scoring::default();
    assert!(check("no task", scoring, &Case::default(), (1, 32)).is_empty());
    let mut case = Case::default();
    for (query, window) in [(0, 0), (0, 5), (5, 0), (1, 1), (1, 7), (7, 1)] {
        for (low, high) in [(0, 0), (-9, 9), (i32::MIN, i32::MAX), (1, 0)] {
            case.add(&vec![2; query], &vec![2; window], low, high);
        }
    }
    let long = sequence(&mut random, 2000, 4);
    // Bands of all widths about those of the kernels.
    for width in [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 103, 104, 105, 127, 128, 129] {
        case.add(&long[..150], &long[10..], -10, width - 11);
        case.add(&long[..70], &long[10..], -10, width - 11);
        case.add(&long[..151], &long[10..], -10, width - 11);
    }
    case.add(&long[100..1900], &long, 90, 110);
    check("few", scoring, &case, (1, 32));
    // The longest query whose numbers are kept in bytes, and one that is longer by a code.
    for (len, bytes) in [(245, 1), (246, 2)] {
        let mut case = Case::default();
        case.add(&long[..len], &long[..len], -3, 3);
        assert_eq!(check("bytes", scoring, &case, (1, 32)), BTreeSet::from([(16, bytes)]));
    }
    // The longest query that 16 bits hold, and one that is longer by a code.
    let large = extend_common::scoring(300, 400, [[500, 500]; 2], [500; 2]);
    let most = (32_767 - 1024 - 500 - 700) / 300;
    let mut case = Case::default();
    for len in [most, most + 1] {
        case.add(&long[..len], &long[..len], -3, 3);
    }
    assert_eq!(plan(large, &case, 1).plan.left, [1]);
    check("the longest", large, &case, (1, 32));
}
