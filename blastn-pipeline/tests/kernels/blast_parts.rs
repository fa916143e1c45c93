//! A search by kernels that the SIMT shim runs finds what the CPU's search finds, with the database in any number of parts and
//! the queries' words in any number of pieces.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::time::Duration;

use aligner_core::Device;
use blastn_pipeline::database::Database;
use blastn_pipeline::gpu::parts::DatabaseParts;
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::search::{Limits, Searcher};
use blastn_pipeline::sequence::fasta::FastaRecord;
use fastrand::Rng;

use crate::blast_common::{copy, database, random_letters, records};
use crate::shim_worker::{Shim, assert_finds, device, within};

/// Number of parts with so many bytes of memory: a quarter for each of four copies, four bases a byte.
fn parts(database: &Database, memory: u64) -> usize {
    DatabaseParts::new(database, memory / 4 * 4).all().len()
}

/// Checks that the device finds what the CPU does, within each of some limits; gives the number of alignments.
fn check(
    case: &str,
    database: &Database,
    options: &SearchOptions,
    queries: &[FastaRecord],
    limits: &[Limits],
) -> usize {
    let cpu = Searcher::new(database, options.clone(), Device::Cpu, None).expect("a searcher");
    let cpu = cpu.search(queries);
    for &limits in limits {
        let devices = vec![device(limits)];
        let searcher =
            Searcher::with_devices(database, options.clone(), devices).expect("a searcher");
        assert_finds(&format!("{case}, {limits:?}"), &cpu, &searcher, queries);
        assert_eq!(searcher.failure(), None, "{case}, {limits:?}: the device did the work");
    }
    cpu.hits.iter().flatten().map(|hit| hit.hsps.len()).sum()
}

#[test]
fn any_parts_and_pieces_have_the_same_alignments() {
    let mut alignments = 0;
    for seed in 0..4 {
        let mut random = Rng::with_seed(seed);
        let queries: Vec<Vec<u8>> = (0..5)
            .map(|_| {
                let length = random.usize(40..500);
                random_letters(&mut random, length)
            })
            .collect();
        let mut subjects = vec![Vec::new(), vec![2]];
        for _ in 0..14 {
            let length = random.usize(20..300);
            let mut subject = random_letters(&mut random, length);
            for _ in 0..random.usize(..3) {
                let query = &queries[random.usize(..5)];
                let from = random.usize(..query.len() - 30);
                subject.extend(copy(&mut random, &query[from..]));
            }
            subjects.push(subject);
        }
        random.shuffle(&mut subjects);
        let database = database(subjects);
        let mut options = SearchOptions::new(BlastTask::Blastn);
        if seed % 2 == 1 {
            options = SearchOptions { word_size: 16, ..SearchOptions::new(BlastTask::Megablast) };
        }
        options.e_value = 100.0;
        // More subjects are found than are kept.
        options.max_targets = if seed > 1 { 3 } else { 500 };
        options.culling_limit = (seed == 3).then_some(2);
        let most = database.letters() * 3;
        let with_parts = |count: usize| {
            (1..most).rev().step_by(7).find(|&memory| parts(&database, memory) == count)
        };
        let mut limits = Vec::new();
        let all = [(1, 97), (2, usize::MAX), (7, 411)];
        for (count, piece_letters) in
            (0..).zip(all).filter(|(n, _)| n % 3 != seed % 3).map(|(_, one)| one)
        {
            let memory = with_parts(count).expect("so many parts");
            limits.push(within(memory, piece_letters));
        }
        let queries = records(queries);
        alignments += check(&format!("seed {seed}"), &database, &options, &queries, &limits);
    }
    assert!(alignments > 50, "{alignments} alignments");
}

/// A family of subjects, most of which are too far from the queries for their lists.
#[test]
fn of_many_alike_the_best_are_found() {
    for seed in 0..4 {
        let mut random = Rng::with_seed(seed);
        let ancestor = random_letters(&mut random, 150);
        let mut relative = |rounds: usize| {
            (0..rounds).fold(ancestor.clone(), |letters, _| copy(&mut random, &letters))
        };
        let queries: Vec<Vec<u8>> = (0..3).map(|_| relative(1)).collect();
        let mut subjects: Vec<Vec<u8>> = (0..170).map(|number| relative(number % 12)).collect();
        // One that is too long for a bound.
        let far = relative(2);
        subjects.push([random_letters(&mut random, 17_000), far].concat());
        random.shuffle(&mut subjects);
        let database = database(subjects);
        let task = if seed % 2 == 0 { BlastTask::Blastn } else { BlastTask::Megablast };
        let options = SearchOptions { word_size: 11, max_targets: 3, ..SearchOptions::new(task) };
        let memory = database.letters() * 3;
        let limits = [memory, memory / 5].map(|memory| within(memory, usize::MAX));
        let queries = records(queries);
        let found = check(&format!("seed {seed}"), &database, &options, &queries, &limits);
        assert!(found >= 9, "{found} alignments");
    }
}

#[test]
fn nothing_and_one_alignment_are_found() {
    let mut random = Rng::with_seed(3);
    let query = random_letters(&mut random, 60);
    let other = random_letters(&mut random, 400);
    let limits = [within(u64::MAX / 4, usize::MAX)];
    for (task, of) in [(BlastTask::Blastn, 30), (BlastTask::Megablast, 40), (BlastTask::Blastn, 0)]
    {
        let subject = [&other[..200], &query[..of], &other[200..]].concat();
        let database = database(vec![subject]);
        let options = SearchOptions { dust: None, e_value: 1e-3, ..SearchOptions::new(task) };
        let queries = records(vec![query.clone(), Vec::new()]);
        let found = check(&format!("{task:?}, {of} bases"), &database, &options, &queries, &limits);
        assert_eq!(found, usize::from(of > 0), "{task:?}, {of} bases");
    }
}

/// Alignments across the seams of a long subject and a long query.
#[test]
fn a_subject_may_be_longer_than_a_part() {
    let mut random = Rng::with_seed(9);
    let query = random_letters(&mut random, 3_000);
    let mut subject = random_letters(&mut random, 5_400_000);
    for (from, to) in [(0, 4_998_500), (500, 2_000_000), (100, 4_999_850), (900, 5_300_000)] {
        let piece = query[from..from + 2_000].to_vec();
        subject[to..to + piece.len()].copy_from_slice(&piece);
    }
    let end = copy(&mut random, &query[..700]);
    let database = database(vec![query[..900].to_vec(), subject, end]);
    let options = SearchOptions::new(BlastTask::Megablast);
    let limits = [(4_000_000, 1_024), (1, usize::MAX)];
    let limits = limits.map(|(memory, piece_letters)| within(memory, piece_letters));
    assert!(limits.map(|limits| parts(&database, limits.memory)) > [1, 2]);
    let found = check("long", &database, &options, &records(vec![query]), &limits);
    assert!(found >= 5, "{found} alignments");
}

#[test]
fn hits_of_many_queries_are_counted() {
    let mut random = Rng::with_seed(13);
    let subjects: Vec<Vec<u8>> = (0..3).map(|_| random_letters(&mut random, 300)).collect();
    // More than a block counts by itself, and some without any hits.
    let queries: Vec<Vec<u8>> = (0..1_200)
        .map(|number| {
            if number % 5 == 0 {
                return random_letters(&mut random, 20);
            }
            let from = random.usize(..270);
            subjects[random.usize(..3)][from..from + 30].to_vec()
        })
        .collect();
    let (database, queries) = (database(subjects), records(queries));
    let options =
        SearchOptions { dust: None, e_value: 1e-3, ..SearchOptions::new(BlastTask::Blastn) };
    let cpu = Searcher::new(&database, options.clone(), Device::Cpu, None).expect("a searcher");
    let devices = vec![device(within(1 << 20, usize::MAX))];
    let shim = Searcher::with_devices(&database, options, devices).expect("a searcher");
    for count in [queries.len(), 1, 0] {
        let expected = cpu.seed(&queries[..count]).ungapped_counts;
        assert_eq!(shim.seed(&queries[..count]).ungapped_counts, expected, "{count} queries");
        assert_eq!(expected.iter().filter(|&&hits| hits > 0).count() > 900, count > 1);
    }
    assert_eq!(shim.failure(), None, "the device did the work");
}

#[test]
fn a_device_that_joins_changes_nothing() {
    let mut random = Rng::with_seed(14);
    let gene = random_letters(&mut random, 400);
    let subjects = (0..20).map(|_| copy(&mut random, &gene)).collect();
    let queries: Vec<Vec<u8>> = (0..2).map(|_| copy(&mut random, &gene[..200])).collect();
    let (database, queries) = (database(subjects), records(queries));
    let options = SearchOptions::new(BlastTask::Blastn);
    let cpu = Searcher::new(&database, options.clone(), Device::Cpu, None).expect("a searcher");
    let expected = cpu.search(&queries);
    assert!(expected.hits.iter().flatten().count() > 20);
    for microseconds in [0, 100, 2_000] {
        let searcher = Searcher::<Shim>::on_cpu(&database, options.clone()).expect("a searcher");
        let results = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_micros(microseconds));
                searcher.join(vec![device(within(1 << 20, usize::MAX))]).expect("joins");
            });
            [searcher.search(&queries), searcher.search(&queries)]
        });
        for found in results.into_iter().chain([searcher.search(&queries)]) {
            assert_eq!(found.ungapped_counts, expected.ungapped_counts, "{microseconds} us");
            let texts = [&found, &expected].map(|found| format!("{:?}", found.hits));
            assert!(texts[0] == texts[1], "{microseconds} us: other alignments");
        }
        assert_eq!(searcher.failure(), None, "the device did its work");
    }
}
