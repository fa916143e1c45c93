//! Any number of devices, whose kernels the SIMT shim runs, finds what the CPU's search finds.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aligner_core::Device;
use blastn_pipeline::database::Database;
use blastn_pipeline::error::{DeviceFailure, SearchError};
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::search::{Limits, SearchDevice, SearchResults, Searcher};
use blastn_pipeline::sequence::fasta::FastaRecord;
use fastrand::Rng;
use rayon::ThreadPoolBuilder;

use crate::blast_common::{copy, database, random_letters, records};
use crate::shim_worker::{
    Shim, assert_finds, device, fails_after, failure, meet, watched_device, within,
};

/// Results of the CPU.
fn on_cpu(database: &Database, options: &SearchOptions, queries: &[FastaRecord]) -> SearchResults {
    let cpu = Searcher::new(database, options.clone(), Device::Cpu, None).expect("a searcher");
    cpu.search(queries)
}

fn alignments(found: &SearchResults) -> usize {
    found.hits.iter().flatten().map(|hit| hit.hsps.len()).sum()
}

/// Checks that devices find what the CPU has found; gives the number of those that have a share.
fn check(
    case: &str,
    (database, options): (&Database, &SearchOptions),
    (queries, expected): (&[FastaRecord], &SearchResults),
    devices: Vec<SearchDevice<Shim>>,
) -> usize {
    let searcher = Searcher::with_devices(database, options.clone(), devices).expect("a searcher");
    assert_finds(case, expected, &searcher, queries);
    assert_eq!(searcher.failure(), None, "{case}: the devices did the work");
    searcher.devices().len()
}

/// A random search: subjects of a family, most of which are too far from the queries for their lists, others that have pieces of
/// queries at their ends, and an empty one.
fn random_search(random: &mut Rng) -> (Vec<Vec<u8>>, Vec<FastaRecord>) {
    let ancestor = random_letters(random, 150);
    let relative = |random: &mut Rng, rounds: usize| {
        (0..rounds).fold(ancestor.clone(), |letters, _| copy(random, &letters))
    };
    let queries: Vec<Vec<u8>> = (0..3).map(|_| relative(random, 1)).collect();
    let mut subjects = vec![Vec::new()];
    for number in 0..random.usize(110..130) {
        subjects.push(relative(random, number % 12));
    }
    for query in &queries {
        let length = random.usize(20..400);
        let other = random_letters(random, length);
        subjects.push([&query[random.usize(..90)..], &other].concat());
        subjects.push([&other, &query[..random.usize(60..100)]].concat());
    }
    random.shuffle(&mut subjects);
    (subjects, records(queries))
}

#[test]
fn any_number_of_devices_finds_the_same() {
    let mut found = 0;
    for seed in 0..4 {
        let mut random = Rng::with_seed(seed);
        let (subjects, queries) = random_search(&mut random);
        let database = database(subjects);
        let task = if seed % 2 == 0 { BlastTask::Blastn } else { BlastTask::Megablast };
        let mut options = SearchOptions { word_size: 11, ..SearchOptions::new(task) };
        // With 5, more subjects are found than are kept, and so many that the prefilter is worthwhile.
        options.max_targets = if seed < 3 { 5 } else { 500 };
        options.culling_limit = (seed == 2).then_some(2);
        let expected = on_cpu(&database, &options, &queries);
        found += alignments(&expected);
        for count in [1, 2, 3, 5] {
            // Devices with different memory, so that some have their share in several parts.
            let one = |random: &mut Rng| {
                let memory = database.letters() * 3 / random.u64(1..8);
                device(within(memory, [usize::MAX, 211][random.usize(..2)]))
            };
            let devices = (0..count).map(|_| one(&mut random)).collect();
            let case = format!("seed {seed}, {count} devices");
            let of_search = (queries.as_slice(), &expected);
            let searching = check(&case, (&database, &options), of_search, devices);
            assert_eq!(searching, count, "{case}");
        }
    }
    assert!(found > 60, "{found} alignments");
}

/// Alignments across the seams of a subject that is longer than a share, and at its ends.
#[test]
fn a_subject_may_be_in_several_shares() {
    let seed = 9;
    let mut random = Rng::with_seed(seed);
    let query = random_letters(&mut random, 3_000);
    let mut subject = random_letters(&mut random, 10_300_000);
    let pieces = [(0, 4_998_500), (100, 4_999_850), (500, 2_000_000), (300, 9_998_700)];
    for (from, to) in pieces.into_iter().chain([(700, 0), (800, 10_298_000)]) {
        subject[to..to + 2_000].copy_from_slice(&query[from..from + 2_000]);
    }
    let end = copy(&mut random, &query[..700]);
    let database = database(vec![query[..900].to_vec(), subject, end]);
    let options = SearchOptions::new(BlastTask::Megablast);
    let queries = records(vec![query]);
    let expected = on_cpu(&database, &options, &queries);
    assert!(alignments(&expected) >= 7, "{} alignments", alignments(&expected));
    // Of five shares, one has the middle of no chunk.
    for (count, searching) in [(2, 2), (5, 4)] {
        let devices = (0..count).map(|_| device(within(1 << 26, usize::MAX))).collect();
        let (case, of_search) = (format!("{count} devices"), (queries.as_slice(), &expected));
        let shares = check(&case, (&database, &options), of_search, devices);
        assert_eq!(shares, searching, "{case}");
    }
}

#[test]
fn a_small_database_is_shared_by_few_devices() {
    let seed = 4;
    let (subjects, queries) = random_search(&mut Rng::with_seed(seed));
    let database = database(subjects);
    let options = SearchOptions::new(BlastTask::Blastn);
    let expected = on_cpu(&database, &options, &queries);
    for (least_share, searching) in [(database.letters() / 3, 3), (u64::MAX, 1), (0, 4)] {
        let limits = Limits { least_share, ..within(1 << 20, usize::MAX) };
        let devices = (0..4).map(|_| device(limits)).collect();
        let case = format!("at least {least_share} bases");
        let of_search = (queries.as_slice(), &expected);
        let shares = check(&case, (&database, &options), of_search, devices);
        assert_eq!(shares, searching, "{case}");
    }
}

/// One of three devices fails, in any step. The CPU does the rest, with the same results.
#[test]
fn a_device_that_fails_among_several_changes_nothing() {
    let seed = 5;
    let mut random = Rng::with_seed(seed);
    let (subjects, queries) = random_search(&mut random);
    let database = database(subjects);
    let mut failures = 0;
    for task in [BlastTask::Blastn, BlastTask::Megablast] {
        let options = SearchOptions { word_size: 11, max_targets: 5, ..SearchOptions::new(task) };
        let expected = on_cpu(&database, &options, &queries);
        // The share of the device that fails is in several parts, which are loaded in each step.
        let limits = within(database.letters() / 4, usize::MAX);
        let expected_failure = DeviceFailure { device: "second".to_owned(), error: failure() };
        for calls in iter::successors(Some(0), |calls| Some(calls + 1 + calls / 4)) {
            let failing = watched_device("second", limits, fails_after(calls));
            let devices = vec![device(limits), failing, device(limits)];
            let case = format!("{task:?}, {calls} calls");
            let searcher = Searcher::with_devices(&database, options.clone(), devices);
            if calls == 0 {
                let error = searcher.expect_err("has no part");
                assert!(
                    matches!(&error, SearchError::Device(failed) if *failed == expected_failure)
                );
                assert_eq!(error.to_string(), format!("second: {}", failure()));
                continue;
            }
            let searcher = searcher.expect("a searcher");
            assert_finds(&case, &expected, &searcher, &queries);
            match searcher.failure() {
                Some(failed) => assert_eq!(*failed, expected_failure, "{case}"),
                None => break,
            }
            failures += 1;
        }
    }
    assert!(failures > 10, "{failures} failures");
}

/// Each device goes on in its first two calls, to load a part and to seed, only when all others are there.
#[test]
fn devices_work_at_the_same_time() {
    let seed = 6;
    let (subjects, queries) = random_search(&mut Rng::with_seed(seed));
    let database = database(subjects);
    let options = SearchOptions::new(BlastTask::Blastn);
    let expected = on_cpu(&database, &options, &queries);
    let meetings = Arc::new(AtomicUsize::new(0));
    let device = |_| {
        let (meetings, own) = (Arc::clone(&meetings), AtomicUsize::new(0));
        watched_device("shim", within(1 << 20, usize::MAX), move || {
            if own.fetch_add(1, Ordering::Relaxed) < 2 { meet(&meetings, 3) } else { Ok(()) }
        })
    };
    let devices = (0..3).map(device).collect();
    let of_search = (queries.as_slice(), &expected);
    assert_eq!(check("three devices", (&database, &options), of_search, devices), 3);
    assert_eq!(meetings.load(Ordering::Relaxed), 6);
}

/// A thread of a pool that waited for others, which need the pool, might wait forever. So it does the work of all devices itself.
#[test]
fn a_thread_of_a_pool_does_the_work_of_all_devices() {
    let seed = 7;
    let (subjects, queries) = random_search(&mut Rng::with_seed(seed));
    let database = database(subjects);
    let options = SearchOptions::new(BlastTask::Blastn);
    let expected = on_cpu(&database, &options, &queries);
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let in_pool = || rayon::current_thread_index().map(|_| ()).ok_or_else(failure);
    let device = |_| watched_device("shim", within(1 << 20, usize::MAX), in_pool);
    let devices = (0..3).map(device).collect();
    let of_search = (queries.as_slice(), &expected);
    let shares = pool.install(|| check("a pool", (&database, &options), of_search, devices));
    assert_eq!(shares, 3);
}
