//! The search by pods, on the shim and on the CPU's executor, finds in all its variants what the CPU engine finds.
// Launching a kernel is unsafe; `Shim` passes on what it is given.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, CpuExecutor, Launch, Settings, WalkSettings, oracle};
use fm_index::gpu::IndexView;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_tests::{HostBuffer, ShimBackend, reads};
use woodstocc::read::Queries;
use woodstocc::trie::hit::{self, TrieHit};
use woodstocc::trie::metrics::TrieMetrics;
use woodstocc::trie::pods::stage::{LiveRow, TrieContext, TrieUnit, topology};
use woodstocc::trie::pods::{self, PodSettings, TrieIndex};
use woodstocc::trie::walk;
use woodstocc::{MAX_TRIE_K, Read};

/// The shim, with so many blocks.
#[derive(Clone)]
struct Shim {
    shim: ShimBackend,
    blocks: u32,
}

impl Shim {
    fn new(seed: u64, blocks: u32) -> Self {
        let kernels = gpualign_tests::kernels("woodstocc", "pods").expect("the build made it");
        Self { shim: ShimBackend::new(kernels, seed), blocks }
    }
}

impl Backend for Shim {
    type Buffer = HostBuffer;

    fn uninitialized(&self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        self.shim.uninitialized(bytes)
    }

    fn zeros(&self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        self.shim.zeros(bytes)
    }

    fn address(&self, buffer: &HostBuffer) -> u64 {
        self.shim.address(buffer)
    }

    fn write(&self, buffer: &mut HostBuffer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.shim.write(buffer, bytes)
    }

    fn copy(
        &self,
        from: &HostBuffer,
        len: usize,
        to: &mut HostBuffer,
        at: usize,
    ) -> Result<(), DeviceError> {
        self.shim.copy(from, len, to, at)
    }

    fn read(&self, buffer: &HostBuffer, len: usize) -> Result<Vec<u8>, DeviceError> {
        self.shim.read(buffer, len)
    }

    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<f64, DeviceError> {
        // SAFETY: the caller vouches for the arguments.
        unsafe { self.shim.launch(launch) }
    }

    fn resident_blocks(&self, _: &str, _: u32, _: u32) -> Result<u32, DeviceError> {
        Ok(self.blocks)
    }
}

/// An index, queries, and what the CPU engine finds of them.
struct Case {
    name: String,
    index: FmIndex,
    queries: Queries,
    wanted: Vec<u32>,
    k: usize,
    expected: Vec<TrieHit>,
    rows: u64,
}

impl Case {
    fn new(name: &str, letters: &[u8], reads: &[Vec<u8>], k: usize) -> Self {
        let reference = Reference::from_records([("text", letters)]).expect("a reference");
        let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
        let reads: Vec<Read<'_>> = reads.iter().map(|s| Read { name: b"", sequence: s }).collect();
        let queries = Queries::new(&reads);
        let wanted: Vec<u32> = (0..queries.len() as u32).collect();
        let mut expected = Vec::new();
        let effort = walk::search(&index, &queries, &wanted, k, &mut expected);
        expected.sort_unstable_by_key(hit::order);
        Self { name: name.to_owned(), index, queries, wanted, k, expected, rows: effort.rows }
    }

    fn search(
        &self,
        settings: &PodSettings,
        seed: u64,
        blocks: u32,
    ) -> (Vec<TrieHit>, TrieMetrics) {
        let view = IndexView::of_host(&self.index);
        let index = TrieIndex { host: &self.index, view, worklist_bytes: 1 << 30 };
        let backend = Shim::new(seed, blocks);
        let Self { queries, wanted, k, .. } = self;
        pods::search(&backend, index, queries, wanted, *k, settings).expect("it runs")
    }

    fn check(&self, settings: &PodSettings, seed: u64, blocks: u32) -> TrieMetrics {
        let (mut hits, measured) = self.search(settings, seed, blocks);
        hits.sort_unstable_by_key(hit::order);
        let Self { name, expected, rows, .. } = self;
        let context = format!("{name}, {settings:?}, seed {seed}, {blocks} blocks");
        assert_eq!(hits, *expected, "{context}");
        if settings.word == Some(0) {
            let done = measured.effort.rows;
            if settings.is_pruned {
                assert_eq!(done, *rows, "{context}: as many rows as the CPU engine");
            } else {
                assert!(done >= *rows, "{context}: bounds save rows");
            }
        }
        assert!(measured.row_slots >= measured.effort.rows, "{context}");
        assert!(measured.traversal_slots >= measured.effort.nodes, "{context}");
        measured
    }
}

fn random_settings(random: &mut fastrand::Rng) -> PodSettings {
    let width = 32 * random.u32(1..5);
    let walk = WalkSettings {
        pods_at_once: random.u32(1..=width),
        items_at_once: [1, 3, width, 4 * width][random.usize(..4)],
        steps: random.u32(1..20),
        slack: [1, 8][random.usize(..2)],
        shares: random.bool(),
    };
    let run = Settings {
        width,
        walk,
        slice: [random.u32(10..200), 0][random.usize(..2)],
        output_slots: [1, 1 << 12][random.usize(..2)],
        metrics: random.bool(),
        ..Settings::default()
    };
    PodSettings {
        group: [1, 2, 9, 1000][random.usize(..4)],
        word: [None, Some(0), Some(0), Some(1), Some(2)][random.usize(..5)],
        is_pruned: random.u32(..4) > 0,
        run,
    }
}

/// Settings of a run of this width, with steps of up to so many live queries.
fn run(width: u32, live_at_once: u32, slice: u32) -> Settings {
    let usual = PodSettings::default().run;
    let walk = WalkSettings { items_at_once: live_at_once, steps: 1, ..usual.walk };
    Settings { width, walk, slice, ..usual }
}

#[test]
fn random_reads_have_the_hits_of_the_cpu_engine_in_all_variants() {
    for seed in 0..8 {
        let mut random = fastrand::Rng::with_seed(seed);
        let k = random.usize(..=usize::from(MAX_TRIE_K));
        // The trie of a short text is walked to the bottom for a large k: keep it short.
        let length = if k > 4 { 40 } else { 300 };
        let mut text: Vec<u8> = (0..length).map(|_| b"ACGT"[random.usize(..4)]).collect();
        if seed % 3 == 0 {
            // A repeat, and bases that stand-ins replace.
            text.extend_from_within(..length / 2);
            text[length / 4..length / 4 + 4].fill(b'N');
        }
        let reads = reads(&mut random, &text, 6, 30);
        let case = Case::new(&format!("case {seed}, k {k}"), &text, &reads, k);
        for _ in 0..4 {
            let settings = random_settings(&mut random);
            case.check(&settings, random.u64(..), random.u32(1..6));
        }
    }
}

#[test]
fn the_variants_of_the_paper_find_the_same() {
    let mut random = fastrand::Rng::with_seed(47);
    let text: Vec<u8> = (0..3000).map(|_| b"ACGT"[random.usize(..4)]).collect();
    let reads = reads(&mut random, &text, 60, 47);
    let case = Case::new("47 bases", &text, &reads, 2);
    let usual = PodSettings::default();
    let remapping = PodSettings { run: run(32, 32, 0), group: 32, word: Some(0), ..usual.clone() };
    let large_groups = PodSettings { group: 1000, ..remapping.clone() };
    let decoupled = PodSettings { run: run(32, 128, 0), ..large_groups.clone() };
    let sliced = PodSettings { run: run(32, 128, 20), ..decoupled.clone() };
    let [first, shared_nodes, decoupled, sliced] =
        [remapping, large_groups, decoupled, sliced].map(|s| case.check(&s, 1, 2));
    assert!(shared_nodes.effort.nodes < first.effort.nodes, "larger groups share more nodes");
    assert_eq!(shared_nodes.effort, sliced.effort, "slices and donations cost no work");
    assert!(decoupled.traversal_slots < shared_nodes.traversal_slots, "fewer traversals");
    assert!(decoupled.row_slots < shared_nodes.row_slots, "fuller ensembles");
    assert_eq!((first.slices, first.donations), (1, 0));
    assert!(sliced.slices > 2, "slices end");
    assert!(sliced.donations > 0, "the block without a unit was given work");
    let measured = Settings { metrics: true, ..run(32, 512, 100) };
    let metrics = case.check(&PodSettings { run: measured, ..usual }, 1, 2);
    assert!(metrics.cycles.iter().all(|&cycles| cycles > 0), "{:?}", metrics.cycles);
}

#[test]
fn worklists_of_the_least_size_suffice() {
    // All reads are live at all nodes of their path: the largest pods, and many hits.
    let mut random = fastrand::Rng::with_seed(5);
    let unit: Vec<u8> = (0..20).map(|_| b"ACGT"[random.usize(..4)]).collect();
    let text: Vec<u8> = unit.repeat(12);
    let reads: Vec<Vec<u8>> = (0..150).map(|i| text[i % 3..30 + i % 5].to_vec()).collect();
    let case = Case::new("repeats", &text, &reads, 2);
    for (live_at_once, slack, output_slots) in [(1, 1, 1), (7, 1, 1), (64, 1, 1), (64, 9, 1 << 14)]
    {
        let usual = run(64, live_at_once, 100);
        let walk = WalkSettings { slack, ..usual.walk };
        let run = Settings { walk, output_slots, ..usual };
        let settings = PodSettings { run, ..PodSettings::default() };
        let done = case.check(&settings, 3, 2);
        if output_slots == 1 {
            assert!(done.slices > 1, "blocks stop when there is no room for hits");
        }
    }
}

#[test]
fn the_shortest_and_the_longest_have_them_too() {
    let mut random = fastrand::Rng::with_seed(1);
    let letters: Vec<u8> = (0..1500).map(|_| b"ACGT"[random.usize(..4)]).collect();
    let settings = PodSettings { run: run(32, 40, 1000), ..PodSettings::default() };
    let check = |name: &str, text: &[u8], reads: &[Vec<u8>], k: usize| {
        Case::new(name, text, reads, k).check(&settings, 1, 3);
    };
    check("no read", &letters, &[], 2);
    check("empty reads", &letters, &[Vec::new(), Vec::new()], 2);
    check("one base", &letters[..40], &[b"A".to_vec(), b"N".to_vec()], 0);
    check("a text of one base", b"G", &[b"GG".to_vec(), b"C".to_vec(), b"GTG".to_vec()], 1);
    check("1,000 bases", &letters, &[letters[200..1200].to_vec()], 2);
    check("short and long", &letters, &[letters[200..800].to_vec(), letters[9..13].to_vec()], 1);
    check("only N", &letters[..100], &[vec![b'N'; 20]], 3);
}

#[test]
fn a_search_that_does_not_fit_says_so() {
    let case = Case::new("no room", b"ACGTACGTAA", &[b"ACGT".to_vec()], 1);
    let view = IndexView::of_host(&case.index);
    let index = TrieIndex { host: &case.index, view, worklist_bytes: 1000 };
    let backend = Shim::new(1, 1);
    let settings = PodSettings::default();
    let failed = pods::search(&backend, index, &case.queries, &case.wanted, 1, &settings);
    assert!(matches!(failed, Err(DeviceError::OutOfMemory(Some(1001..)))), "{failed:?}");
}

/// Checks the stage in Rust, on the CPU's executor and by the oracle.
fn check_stage<W: LiveRow + Send + Sync + 'static, const K: usize>(text: &[u8], reads: &[Vec<u8>]) {
    let case = Case::new(&format!("stage, k {K}"), text, reads, K);
    let length = |query: u32| case.queries.codes(query as usize).len() as u32;
    // The words of a unit are shorter than its queries by more than K.
    let word = 2;
    let (wanted, longest) = (&case.wanted, case.wanted.iter().map(|&q| length(q)).max());
    assert!(wanted.iter().all(|&query| length(query) > word + K as u32));
    let queries = wanted.len() as u32;
    let units: Vec<TrieUnit> = (0..1 << (2 * word))
        .map(|code| TrieUnit { first: 0, queries, word: code, length: word })
        .collect();
    for is_pruned in [true, false] {
        let context = TrieContext::new(&case.index, &case.queries, wanted, K, is_pruned);
        let (app, sink) = topology::<W, K>(&context, longest.unwrap_or(0), queries);
        let settings = Settings { width: 32, slice: 5, ..Settings::default() };
        let cpu = CpuExecutor::new(&app, &settings).and_then(|cpu| cpu.run(&units));
        for outputs in [cpu, oracle::interpret(&app, &units)] {
            let mut hits = outputs.expect("it runs").take(sink);
            hits.sort_unstable_by_key(hit::order);
            assert_eq!(hits, case.expected, "{}, pruned: {is_pruned}", case.name);
        }
    }
}

#[test]
fn the_stage_in_rust_finds_the_same() {
    let mut random = fastrand::Rng::with_seed(11);
    let text: Vec<u8> = (0..200).map(|_| b"ACGT"[random.usize(..4)]).collect();
    let reads: Vec<Vec<u8>> =
        reads(&mut random, &text, 12, 24).into_iter().filter(|read| read.len() > 10).collect();
    assert!(!reads.is_empty());
    check_stage::<u64, 0>(&text, &reads);
    check_stage::<u64, 3>(&text, &reads);
    check_stage::<u128, 5>(&text[..60], &reads);
}
