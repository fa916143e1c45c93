//! Both kernels over the trie, in all variants, find on a GPU what the CPU engine finds. Needs a
//! GPU: `cargo test -p woodstocc --test gpu_pods -- --ignored`.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use aligner_core::gpu::Gpu;
use aligner_core::stream::{Settings, WalkSettings};
use common::{Random, index, queries};
use fm_index::FmIndex;
use woodstocc::gpu::GpuEngine;
use woodstocc::read::Queries;
use woodstocc::trie::hit::{self, TrieHit};
use woodstocc::trie::pods::PodSettings;
use woodstocc::trie::walk;

fn sorted(mut hits: Vec<TrieHit>) -> Vec<TrieHit> {
    hits.sort_unstable_by_key(hit::order);
    hits
}

/// Settings with which a launch goes a few steps, and has room for few outputs.
fn narrowest() -> PodSettings {
    let usual = PodSettings::default();
    let walk =
        WalkSettings { items_at_once: 8, pods_at_once: 128, slack: 1, steps: 1, ..usual.run.walk };
    let run =
        Settings { width: 128, blocks: 3, slice: 500, output_slots: 1, walk, ..usual.run.clone() };
    PodSettings { run, ..usual }
}

/// Narrow settings and wide ones, so that every way through the kernels is taken.
fn variants() -> Vec<PodSettings> {
    let all = PodSettings::default;
    let run = |width, blocks, slice, walk| Settings { width, blocks, slice, walk, ..all().run };
    let usual = all().run.walk;
    let steps = |items_at_once, pods_at_once| WalkSettings { items_at_once, pods_at_once, ..usual };
    vec![
        all(),
        PodSettings { run: Settings { metrics: true, ..all().run }, ..all() },
        PodSettings { is_pruned: false, ..all() },
        PodSettings::remapping(),
        PodSettings { run: run(128, 0, 20, usual), word: Some(1), ..all() },
        PodSettings { run: run(256, 0, 0, steps(1024, 200)), ..all() },
        PodSettings { run: run(32, 0, 30, steps(32, 32)), group: 500, ..all() },
    ]
}

fn check(case: &str, index: &FmIndex, reads: &[Vec<u8>], k: usize, settings: &[PodSettings]) {
    let queries = Queries::new(&queries(reads));
    let wanted: Vec<u32> =
        (0..queries.len() as u32).filter(|&q| queries.codes(q as usize).len() > k).collect();
    let mut expected = Vec::new();
    let effort = walk::search(index, &queries, &wanted, k, &mut expected);
    let expected = sorted(expected);
    let gpu = GpuEngine::new(Gpu::open(0).expect("a GPU"), index).expect("an engine");
    for pruned in [true, false] {
        let (hits, measured) =
            gpu.search_separately(&queries, &wanted, k, pruned).expect("it runs");
        assert!(sorted(hits) == expected, "{case}, separate lists, pruned: {pruned}");
        // Queries with more hits than there was room for run twice.
        let rows = measured.effort.rows;
        assert!(!pruned || rows >= effort.rows, "{case}, separate lists: {rows} rows");
    }
    for settings in settings {
        let (hits, measured) = gpu.search(index, &queries, &wanted, k, settings).expect("it runs");
        assert!(sorted(hits) == expected, "{case}, {settings:?}");
        if settings.word == Some(0) {
            assert_eq!(measured.effort.rows, effort.rows, "{case}, {settings:?}");
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn random_reads_have_the_hits_of_the_cpu_engine_in_all_variants() {
    let settings = [variants(), vec![narrowest()]].concat();
    for seed in 0..2_u64 {
        let mut random = Random(seed);
        let mut contigs = vec![random.bases(30_000, b"ACGT"), random.bases(60, b"ACGT")];
        contigs.push([random.bases(900, b"AC"), vec![b'N'; 300], random.bases(50, b"AC")].concat());
        let index = index(&contigs);
        for k in 0..8 {
            let reads: Vec<Vec<u8>> = (0..200)
                .map(|_| {
                    let longest = if random.one_in(5) { 300 } else { 60 };
                    let length = 1 + random.below(longest);
                    random.read(&contigs, length.max(3 * k + 5), k)
                })
                .chain([Vec::new(), vec![b'N'; 40]])
                .collect();
            check(&format!("seed {seed}, k {k}"), &index, &reads, k, &settings);
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn repeats_fill_every_room_and_nothing_is_lost() {
    let mut random = Random(3);
    let unit = random.bases(37, b"ACGT");
    let contig = unit.repeat(300);
    let reads: Vec<Vec<u8>> =
        (0..3000).map(|i| contig[i % 37..40 + i % 37 + i % 5].to_vec()).collect();
    let index = index(&[contig]);
    check("repeats", &index, &reads, 3, &variants());
    // So many hits would take it minutes.
    check("fewer repeats", &index, &reads[..300], 3, &[narrowest()]);
}
