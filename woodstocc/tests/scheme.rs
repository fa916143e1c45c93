//! Search schemes find what the filter and the trie find, wherever they begin to verify.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use std::sync::Arc;

use aligner_core::stream::{CpuExecutor, Items, Settings};
use common::{Random, data, index, mapper, queries};
use fm_index::FmIndex;
use woodstocc::filter::cuts::QueryCuts;
use woodstocc::read::Queries;
use woodstocc::scheme::SchemeWindows;
use woodstocc::scheme::stages::SchemeCounts;
use woodstocc::verify::Window;
use woodstocc::{Report, Strategy, filter, scheme};

/// The windows of each query that is longer than `k`, sorted.
fn by_query(queries: &Queries, windows: &Items<Window>) -> Vec<Vec<Window>> {
    let mut windows: Vec<Window> = windows.parts().flatten().copied().collect();
    windows.sort_unstable_by_key(|w| (w.first, w.starts, w.distances));
    let mut all = vec![Vec::new(); queries.len()];
    for window in windows {
        all[window.query as usize].push(window);
    }
    all
}

fn searched(
    index: &FmIndex,
    queries: &Arc<Queries>,
    k: usize,
    rare_limit: u32,
) -> Vec<Vec<Window>> {
    let context = scheme::context(index, queries, k, rare_limit);
    let (app, windows) = scheme::topology(&context);
    let executor = CpuExecutor::new(&app, &Settings::default()).expect("an executor");
    let outputs = executor.run(&scheme::searches(&wanted(queries, k), k)).expect("runs");
    by_query(queries, &SchemeWindows::new(outputs, windows, SchemeCounts::default()).found.windows)
}

fn filtered(index: &FmIndex, queries: &Arc<Queries>, k: usize) -> Vec<Vec<Window>> {
    let wanted = wanted(queries, k);
    let cuts = QueryCuts::cheapest(index, queries, &wanted, k);
    let context = filter::context(index, queries, k, cuts);
    let (app, sinks) = filter::topology(&context);
    let executor = CpuExecutor::new(&app, &Settings::default()).expect("an executor");
    let found = filter::windows(&wanted, k, (sinks, u64::MAX), |pieces| executor.run(pieces));
    let found = found.expect("runs");
    by_query(queries, &found.windows)
}

fn wanted(queries: &Queries, k: usize) -> Vec<u32> {
    (0..queries.len() as u32).filter(|&q| queries.codes(q as usize).len() > k).collect()
}

/// A text whose parts resemble each other, with reads of it.
fn repeats(random: &mut Random, k: usize) -> (Arc<FmIndex>, Vec<Vec<u8>>) {
    let unit = random.bases(150, b"ACGT");
    let mut contig = Vec::new();
    for _ in 0..12 {
        let mut copy = unit.clone();
        for _ in 0..random.below(12) {
            let at = random.below(copy.len());
            match random.below(3) {
                0 => drop(copy.remove(at)),
                1 => copy.insert(at, b'T'),
                _ => copy[at] = random.bases(1, b"ACGTN")[0],
            }
        }
        contig.extend(copy);
    }
    contig.extend(random.bases(400, b"AC"));
    let contigs = [contig];
    let reads = (0..10)
        .map(|_| {
            let length = k + 1 + random.below(120);
            random.read(&contigs, length, k + 1)
        })
        .collect();
    (index(&contigs), reads)
}

#[test]
fn whatever_is_verified_the_matches_are_those_of_the_filter() {
    for seed in 0..48_u64 {
        let mut random = Random(seed);
        let k = seed as usize % 16;
        let (index, reads) = repeats(&mut random, k);
        let queries = Arc::new(Queries::new(&queries(&reads)));
        let expected = filtered(&index, &queries, k);
        for rare_limit in [0, 1, 4, u32::MAX] {
            let found = searched(&index, &queries, k, rare_limit);
            for (query, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let resolved = |windows: &[Window]| {
                    let mut matches: Vec<_> = windows.iter().flat_map(Window::matches).collect();
                    matches.sort_unstable();
                    matches.dedup_by_key(|found| found.0);
                    matches
                };
                let (found, expected) = (resolved(found), resolved(expected));
                assert_eq!(
                    found, expected,
                    "seed {seed}, k {k}, rare_limit {rare_limit}, query {query}"
                );
            }
        }
    }
}

#[test]
fn a_query_that_occurs_as_it_is_has_one_window_there() {
    for seed in 0..16_u64 {
        let mut random = Random(seed);
        let k = seed as usize;
        let text = random.bases(3000, b"ACGT");
        let index = index(std::slice::from_ref(&text));
        let starts = [0, 1, 700, 2850];
        let reads = starts.map(|start| text[start..start + 150].to_vec());
        let queries = Arc::new(Queries::new(&queries(&reads)));
        for rare_limit in [0, 4, 100] {
            let found = searched(&index, &queries, k, rare_limit);
            for (read, start) in starts.into_iter().enumerate() {
                let first = (start as u32).wrapping_sub(k as u32);
                let there = found[2 * read].iter().filter(|window| window.first == first).count();
                assert_eq!(there, 1, "seed {seed}, k {k}, rare_limit {rare_limit}, start {start}");
            }
        }
    }
}

#[test]
fn loci_of_real_reads_equal_those_of_filter_and_trie() {
    for (genome, file, every, k) in [
        ("phix.fa", "phix_1.fq", 1, 5),
        ("lambda.fa.gz", "lambda_35bp.fa.gz", 6, 3),
        ("chrM.fa.gz", "chrM_1.fq.gz", 12, 7),
    ] {
        let contigs: Vec<Vec<u8>> = data(genome).into_iter().map(|(_, letters)| letters).collect();
        let index = index(&contigs);
        let reads: Vec<Vec<u8>> =
            data(file).into_iter().step_by(every).map(|(_, read)| read).collect();
        let by = |strategy| {
            let mapper = mapper(&index, k, Report::All, strategy);
            mapper.map(&queries(&reads)).expect("maps")
        };
        let [scheme, filter, trie] = [Strategy::Scheme, Strategy::Filter, Strategy::Trie].map(by);
        assert!(scheme == filter && scheme == trie, "{genome}, k {k}: the same mappings");
        let aligned = scheme.iter().filter(|mapping| mapping.total > 0).count();
        assert!(2 * aligned > reads.len() && reads.len() > 40, "{genome}: {aligned}");
    }
}

#[test]
fn results_do_not_depend_on_batches_or_threads() {
    let mut random = Random(6);
    let (index, reads) = repeats(&mut random, 3);
    let reads = vec![reads; 8].concat();
    let mapper = mapper(&index, 3, Report::AllStarts, Strategy::Scheme);
    let whole = mapper.map(&queries(&reads)).expect("maps");
    for (threads, batch) in [(1, 1), (3, 7), (8, 80)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let parts: Vec<_> = reads
            .chunks(batch)
            .flat_map(|part| pool.install(|| mapper.map(&queries(part)).expect("maps")))
            .collect();
        assert_eq!(parts, whole, "{threads} threads, batches of {batch}");
    }
    assert!(mapper.scheme_stats().nodes > 0);
}
