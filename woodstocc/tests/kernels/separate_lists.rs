//! The separate-lists kernel, run on the CPU, finds what the CPU engine finds.
// Launching a kernel is unsafe; the launch passes what the kernel takes.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::hint::black_box;
use std::sync::LazyLock;

use aligner_core::gpu::DeviceAddress;
use fm_index::gpu::IndexView;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_tests::reads;
use simt::{Argument, Launch, Module};
use woodstocc::read::Queries;
use woodstocc::trie::hit::{self, TrieHit};
use woodstocc::trie::separate_lists::{SeparateListsParameters, SeparateListsTotals};
use woodstocc::trie::walk;
use woodstocc::{MAX_TRIE_K, Read};

static KERNELS: LazyLock<Module> = LazyLock::new(|| {
    gpualign_tests::kernels("woodstocc", "separate_lists").expect("the build made it")
});

const POISON: u32 = 0xDEAD_BEEF;

/// The address of host memory, as that of an array in device memory.
fn address<T>(start: *const T) -> DeviceAddress<T> {
    DeviceAddress::new(start.expose_provenance() as u64)
}

/// Outputs of a launch.
struct LaunchResults {
    hits: Vec<TrieHit>,
    totals: SeparateListsTotals,
    counts: Vec<u32>,
    lost: Vec<u32>,
}

fn launch(
    index: &FmIndex,
    queries: &Queries,
    wanted: &[u32],
    k: usize,
    capacity: usize,
    (blocks, threads): (u32, u32),
    is_pruned: u32,
) -> LaunchResults {
    let longest = wanted.iter().map(|&q| queries.codes(q as usize).len()).max().unwrap_or(0);
    let room = 3 * (longest + k) + 4;
    // 128-bit words, since rows of k > 4 are aligned to 16 bytes; exact, so that the sanitizer
    // sees any node beyond the room.
    let node = if k <= 4 { 24 } else { 32 };
    let mut worklists = vec![0_u128; ((blocks * threads) as usize * room * node).div_ceil(16)];
    let poison = TrieHit { query: POISON, lo: POISON, size: POISON, distance: POISON };
    let mut hits = vec![poison; capacity];
    let mut totals = SeparateListsTotals::default();
    let mut counts = vec![POISON; wanted.len()];
    let mut lost = vec![POISON; wanted.len()];
    let parameters = SeparateListsParameters {
        index: IndexView::of_host(index),
        codes: address(queries.all_codes().as_ptr()),
        offsets: address(queries.offsets().as_ptr()),
        wanted: address(wanted.as_ptr()),
        worklists: address(worklists.as_mut_ptr().cast()),
        hits: address(hits.as_mut_ptr()),
        totals: address(&raw mut totals),
        counts: address(counts.as_mut_ptr()),
        lost: address(lost.as_mut_ptr()),
        capacity: capacity as u64,
        wanted_count: wanted.len() as u32,
        is_pruned,
    };
    let kernel = KERNELS.kernel(&format!("separate_lists_{k}")).expect("it is exported");
    // SAFETY: `separate_lists_K` takes these parameters, and the arrays have the lengths that it asks for.
    unsafe { kernel.launch(&Launch::new(blocks, threads), &[Argument::value(parameters)]) }
        .expect("it runs");
    // The kernel wrote them behind the compiler's back.
    let (mut hits, totals) = black_box((hits, totals));
    let (counts, lost) = black_box((counts, lost));
    hits.truncate(totals.hits as usize);
    LaunchResults { hits, totals, counts, lost }
}

fn check(case: &str, letters: &[u8], reads: &[Vec<u8>], k: usize, shape: (u32, u32)) {
    let reference = Reference::from_records([("text", letters)]).expect("a reference");
    let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
    let reads: Vec<Read<'_>> = reads.iter().map(|s| Read { name: b"", sequence: s }).collect();
    let queries = Queries::new(&reads);
    let wanted: Vec<u32> =
        (0..queries.len() as u32).filter(|&q| queries.codes(q as usize).len() > k).collect();
    let mut expected = Vec::new();
    let effort = walk::search(&index, &queries, &wanted, k, &mut expected);
    expected.sort_unstable_by_key(hit::order);

    let mut all = launch(&index, &queries, &wanted, k, expected.len(), shape, 1);
    all.hits.sort_unstable_by_key(hit::order);
    assert_eq!(all.hits, expected, "{case}");
    assert_eq!(all.totals.hits, expected.len() as u64, "{case}");
    assert_eq!(all.totals.rows, effort.rows, "{case}: as many rows as the CPU engine");
    assert!(all.lost.iter().all(|&lost| lost == 0), "{case}");
    let counts: Vec<u32> = wanted
        .iter()
        .map(|&query| expected.iter().filter(|hit| hit.query == query).count() as u32)
        .collect();
    assert_eq!(all.counts, counts, "{case}");

    let mut unpruned = launch(&index, &queries, &wanted, k, expected.len(), shape, 0);
    unpruned.hits.sort_unstable_by_key(hit::order);
    assert_eq!(unpruned.hits, expected, "{case}: bounds lose nothing");
    assert!(unpruned.totals.rows >= effort.rows, "{case}: bounds save rows");

    for capacity in [0, expected.len() / 2] {
        let few = launch(&index, &queries, &wanted, k, capacity, shape, 1);
        assert_eq!((few.totals, &few.counts), (all.totals, &counts), "{case}, room {capacity}");
        assert!(few.hits.iter().all(|hit| expected.contains(hit)), "{case}, room {capacity}");
        for ((&query, &count), &lost) in wanted.iter().zip(&counts).zip(&few.lost) {
            let written = few.hits.iter().filter(|hit| hit.query == query).count();
            assert_eq!(lost, u32::from(written < count as usize), "{case}, query {query}");
        }
    }
}

#[test]
fn random_reads_have_the_hits_of_the_cpu_engine() {
    for seed in 0..6 {
        let mut random = fastrand::Rng::with_seed(seed);
        let letters: Vec<u8> = (0..400).map(|_| b"ACGT"[random.usize(..4)]).collect();
        for k in 0..=usize::from(MAX_TRIE_K) {
            // The trie of a short text is walked to the bottom for a large k: keep it short.
            let text = &letters[..if k > 4 { 60 } else { 400 }];
            let reads = reads(&mut random, text, 5, 30);
            let shape = [(1, 1), (1, 32), (2, 31), (1, 128)][random.usize(..4)];
            check(&format!("seed {seed}, k {k}, {shape:?}"), text, &reads, k, shape);
        }
    }
}

#[test]
fn the_shortest_and_the_longest_have_them_too() {
    let mut random = fastrand::Rng::with_seed(1);
    let letters: Vec<u8> = (0..1500).map(|_| b"ACGT"[random.usize(..4)]).collect();
    check("no read", &letters, &[], 2, (1, 32));
    check("empty reads", &letters, &[Vec::new(), Vec::new()], 2, (1, 32));
    check("one base", &letters[..40], &[b"A".to_vec(), b"N".to_vec()], 0, (1, 32));
    check(
        "a text of one base",
        b"G",
        &[b"GG".to_vec(), b"C".to_vec(), b"GTG".to_vec()],
        1,
        (1, 32),
    );
    check("1,000 bases", &letters, &[letters[200..1200].to_vec()], 2, (1, 32));
    check("only N", &letters[..100], &[vec![b'N'; 20]], 3, (1, 32));
}
