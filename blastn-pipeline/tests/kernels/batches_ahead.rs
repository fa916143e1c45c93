//! Batches that are seeded ahead, with parameters that are guessed, have the results of batches that are seeded one by one.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use aligner_core::{Device, DeviceError};
use blastn_pipeline::database::Database;
use blastn_pipeline::gpu::worker::Worker;
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::search::Searcher;
use blastn_pipeline::search::seeded_batches::{QueuedBatch, SeededBatches};
use blastn_pipeline::sequence::fasta::FastaRecord;
use fastrand::Rng;

use crate::blast_common::{copy, database, random_letters, records};
use crate::shim_worker::{Shim, device, fails_after, meet, watched_device, with_memory, within};

/// A query of so many bases that begins with a piece of a subject, with differences.
fn query(random: &mut Rng, length: usize, subject: &[u8]) -> Vec<u8> {
    let mut letters = random_letters(random, length);
    let begin = random.usize(..subject.len() - 100);
    let piece = copy(random, &subject[begin..begin + 100]);
    letters[..piece.len()].copy_from_slice(&piece);
    letters
}

/// A subject, and queries, each with a piece of it, of two batches: the first has 5,000 bases, as hits are unknown before it, the other
/// one 7,000.
fn random_search(random: &mut Rng) -> (Database, Vec<FastaRecord>) {
    let subject = random_letters(random, 600);
    let queries = records((0..12).map(|_| query(random, 1_000, &subject)).collect());
    (database(vec![subject]), queries)
}

/// Options with words of so many bases. Words of 11 bases are looked up by the first 8 in the first batch, and by 10 in the second; of
/// 6 bases, by all 6 in both.
fn with_words(word_size: usize) -> SearchOptions {
    SearchOptions { word_size, ..SearchOptions::new(BlastTask::Blastn) }
}

/// For each batch the number of its first query, and the results of all its queries.
fn found<'q, W: Worker>(
    searcher: &Searcher<'_, W>,
    batches: impl Iterator<Item = QueuedBatch<'q, W>>,
) -> Vec<(usize, String)> {
    let of_batch = |QueuedBatch { first, queries, seeded }: QueuedBatch<'q, W>| {
        let scored = searcher.extend_gapped(searcher.prefilter(seeded));
        let results = searcher.finish(queries, scored);
        (first, format!("{:?} {:?}", results.ungapped_counts, results.hits))
    };
    batches.map(of_batch).collect()
}

/// The results of batches that the CPU searches for one by one.
fn found_on_cpu(
    database: &Database,
    options: &SearchOptions,
    queries: &[FastaRecord],
) -> Vec<(usize, String)> {
    let cpu = Searcher::new(database, options.clone(), Device::Cpu, None).expect("a searcher");
    found(&cpu, SeededBatches::new(&cpu, queries))
}

/// A searcher on a device that does `before_call` before each call.
fn watched<'d>(
    database: &'d Database,
    options: &SearchOptions,
    before_call: impl Fn() -> Result<(), DeviceError> + Send + Sync + 'static,
) -> Searcher<'d, Shim> {
    let device = watched_device("shim", within(1 << 20, usize::MAX), before_call);
    Searcher::with_devices(database, options.clone(), vec![device]).expect("a searcher")
}

/// A searcher on a device that counts its calls.
fn counted<'d>(
    database: &'d Database,
    options: &SearchOptions,
    calls: &Arc<AtomicUsize>,
) -> Searcher<'d, Shim> {
    let calls = Arc::clone(calls);
    watched(database, options, move || {
        calls.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

/// The results of batches that are seeded ahead, and the room that each batch takes.
fn found_with_room(
    searcher: &Searcher<'_, Shim>,
    queries: &[FastaRecord],
) -> (Vec<(usize, String)>, Vec<usize>) {
    let mut rooms = Vec::new();
    let found = thread::scope(|scope| {
        let batches = SeededBatches::new(searcher, queries).seed_ahead(scope);
        found(searcher, batches.inspect(|batch| rooms.push(searcher.room(&batch.seeded))))
    });
    (found, rooms)
}

/// The results of batches that are seeded ahead.
fn found_ahead(searcher: &Searcher<'_, Shim>, queries: &[FastaRecord]) -> Vec<(usize, String)> {
    found_with_room(searcher, queries).0
}

#[test]
fn guessed_batches_have_the_same_results() {
    let seed = 12;
    let (database, queries) = random_search(&mut Rng::with_seed(seed));
    for (word_size, is_guessed_right) in [(6, true), (11, false)] {
        let options = with_words(word_size);
        let expected = found_on_cpu(&database, &options, &queries);
        assert_eq!(expected.len(), 2, "seed {seed}");
        let calls = Arc::default();
        let searcher = counted(&database, &options, &calls);
        let calls_of = |found: &mut dyn FnMut() -> Vec<(usize, String)>| {
            let before = calls.load(Ordering::Relaxed);
            assert!(found() == expected, "seed {seed}, words of {word_size}");
            calls.load(Ordering::Relaxed) - before
        };
        // The first search loads the database, too.
        calls_of(&mut || found(&searcher, SeededBatches::new(&searcher, &queries)));
        let one_by_one =
            calls_of(&mut || found(&searcher, SeededBatches::new(&searcher, &queries)));
        let ahead = calls_of(&mut || found_ahead(&searcher, &queries));
        // What was guessed wrong is done again.
        assert_eq!(ahead == one_by_one, is_guessed_right, "seed {seed}: {ahead}, {one_by_one}");
        assert!(ahead >= one_by_one, "seed {seed}: {ahead}, {one_by_one}");
    }
}

#[test]
fn the_batch_behind_the_last_one_taken_is_seeded() {
    let seed = 13;
    let (database, queries) = random_search(&mut Rng::with_seed(seed));
    let calls = Arc::default();
    let searcher = counted(&database, &with_words(6), &calls);
    let calls_of = |taken: &mut dyn FnMut() -> usize| {
        let before = calls.load(Ordering::Relaxed);
        assert_eq!(taken(), 1);
        calls.load(Ordering::Relaxed) - before
    };
    let one = calls_of(&mut || SeededBatches::new(&searcher, &queries).take(1).count());
    let ahead = calls_of(&mut || {
        thread::scope(|scope| {
            SeededBatches::new(&searcher, &queries).seed_ahead(scope).take(1).count()
        })
    });
    assert_eq!(ahead, 2 * one, "seed {seed}");
}

#[test]
fn queries_that_are_not_wanted_change_nothing() {
    let seed = 14;
    let (database, queries) = random_search(&mut Rng::with_seed(seed));
    let searcher = counted(&database, &with_words(6), &Arc::default());
    let wanted: Vec<bool> = (0..queries.len()).map(|query| query % 3 > 0).collect();
    let batches = || SeededBatches::of_wanted(&searcher, &queries, wanted.clone());
    let expected = found(&searcher, batches());
    let ahead = thread::scope(|scope| found(&searcher, batches().seed_ahead(scope)));
    assert!(ahead == expected, "seed {seed}");
}

/// The device fails in any call, also of a thread that seeds ahead. The CPU does the rest, with the same results.
#[test]
fn a_device_that_fails_changes_nothing() {
    let seed = 15;
    let (database, queries) = random_search(&mut Rng::with_seed(seed));
    let options = with_words(6);
    let expected = found_on_cpu(&database, &options, &queries);
    let mut failures = 0;
    // The first call loads the database.
    for calls in 1.. {
        let searcher = watched(&database, &options, fails_after(calls));
        assert!(found_ahead(&searcher, &queries) == expected, "seed {seed}, {calls} calls");
        if searcher.failure().is_none() {
            break;
        }
        failures += 1;
    }
    assert!(failures > 4, "seed {seed}: {failures} failures");
}

/// Each of two batches goes on in its first call only when the other one is in its.
#[test]
fn a_device_seeds_two_batches_at_the_same_time() {
    let seed = 16;
    let (database, queries) = random_search(&mut Rng::with_seed(seed));
    let (calls, meetings) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let searcher = watched(&database, &with_words(6), move || {
        // The call before loads the database.
        let is_first = (1..3).contains(&calls.fetch_add(1, Ordering::Relaxed));
        if is_first { meet(&meetings, 2) } else { Ok(()) }
    });
    thread::scope(|scope| {
        let seeding = || searcher.seed(&queries[..2]).ungapped_counts;
        let other = scope.spawn(seeding);
        assert_eq!(seeding(), other.join().expect("no panic"), "seed {seed}");
    });
    assert_eq!(searcher.failure(), None, "seed {seed}");
}

/// Four subjects, and queries of eight batches, of which one in six has a piece of a subject: the first batch has 5,000 bases, most
/// others have a million.
fn long_search(random: &mut Rng) -> (Database, Vec<FastaRecord>) {
    let subjects: Vec<Vec<u8>> = (0..4).map(|_| random_letters(random, 600)).collect();
    let any = |number| {
        let subject = random.usize(..4);
        if number % 6 == 0 {
            query(random, 4_200, &subjects[subject])
        } else {
            random_letters(random, 4_200)
        }
    };
    let queries = records((0..1_500).map(any).collect());
    (database(subjects), queries)
}

/// Two devices that have memory for all of the database beside their share have batches of their own; the first batches and the last
/// ones are searched for by both.
#[test]
fn devices_have_batches_of_their_own() {
    let seed = 17;
    let (database, queries) = long_search(&mut Rng::with_seed(seed));
    let options = with_words(11);
    let expected = found_on_cpu(&database, &options, &queries);
    assert_eq!(expected.len(), 8, "seed {seed}");
    let (share, all) = (database.letters() / 2, database.letters());
    // A device may have as many bases as there are bytes.
    for (memory, later_batches) in [(share + all + 16, 8), (all, 4)] {
        let devices = (0..2).map(|_| device(within(memory, usize::MAX)));
        let searcher = Searcher::with_devices(&database, options.clone(), devices.collect());
        let searcher = searcher.expect("a searcher");
        assert_eq!(searcher.later_batches(), later_batches, "{memory} bytes");
        let (found, rooms) = found_with_room(&searcher, &queries);
        assert!(found == expected, "seed {seed}, {memory} bytes");
        assert_eq!(searcher.failure(), None, "seed {seed}, {memory} bytes");
        let own = rooms.iter().filter(|&&room| room == 1).count();
        let ends = [rooms[0], rooms[1], rooms[7]];
        if later_batches == 8 {
            assert!(own > 1 && ends == [2; 3], "seed {seed}: {rooms:?}");
        } else {
            assert_eq!(own, 8, "seed {seed}: {rooms:?}");
        }
    }
}

/// One of two devices has memory for its share of the database and not for all of it, as the other one has. So both go on together.
#[test]
fn devices_without_memory_for_batches_of_their_own_go_on_together() {
    let seed = 18;
    let (database, queries) = long_search(&mut Rng::with_seed(seed));
    let options = with_words(11);
    let expected = found_on_cpu(&database, &options, &queries);
    let limits = within(2 * database.letters(), usize::MAX);
    // Four bases are a byte; the share has half of them, and some spare bytes.
    let bytes = database.letters() as usize / 4 * 3 / 4;
    let devices = vec![device(limits), with_memory(device(limits), bytes)];
    let searcher = Searcher::with_devices(&database, options, devices).expect("a searcher");
    assert_eq!(searcher.later_batches(), 8, "seed {seed}");
    assert!(found_ahead(&searcher, &queries) == expected, "seed {seed}");
    assert_eq!(searcher.failure(), None, "seed {seed}");
    assert_eq!(searcher.later_batches(), 4, "seed {seed}");
}

/// One of two devices with batches of their own fails, in some call or other. The CPU does the rest, with the same results.
#[test]
fn a_device_with_batches_of_its_own_that_fails_changes_nothing() {
    let seed = 19;
    let (database, queries) = long_search(&mut Rng::with_seed(seed));
    let options = with_words(11);
    let expected = found_on_cpu(&database, &options, &queries);
    let limits = within(2 * database.letters(), usize::MAX);
    let mut failures = 0;
    // The first call loads the share.
    for calls in (1..).step_by(5) {
        let devices = vec![device(limits), watched_device("second", limits, fails_after(calls))];
        let searcher = Searcher::with_devices(&database, options.clone(), devices);
        let searcher = searcher.expect("a searcher");
        assert!(found_ahead(&searcher, &queries) == expected, "seed {seed}, {calls} calls");
        if searcher.failure().is_none() {
            break;
        }
        failures += 1;
    }
    assert!(failures > 2, "seed {seed}: {failures} failures");
}
