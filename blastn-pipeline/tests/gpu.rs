//! The GPU finds what the CPU does. Needs a GPU: `cargo test -p blastn-pipeline --test gpu -- --ignored`.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use std::io::Write as _;
use std::path::Path;

use aligner_core::{Device, DeviceRequest};
use blastn_pipeline::database::Database;
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::search::{Limits, SearchDevice, SearchResults, Searcher};
use blastn_pipeline::sequence::fasta::{self, FastaRecord};
use common::{by_batches, on_all_gpus, pieces, searcher};
use fastrand::Rng;

/// Searches three times; the steps of one search run at the same time as later steps of the search before.
fn side_by_side(searcher: &Searcher<'_>, queries: &[FastaRecord]) -> Vec<SearchResults> {
    let seeded = searcher.seed(queries);
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| searcher.prefilter(seeded));
        let second = searcher.seed(queries);
        (first.join().expect("no panic"), second)
    });
    let (first, second, third) = std::thread::scope(|scope| {
        let first = scope.spawn(|| searcher.extend_gapped(first));
        let second = scope.spawn(|| searcher.prefilter(second));
        let third = searcher.seed(queries);
        (first.join().expect("no panic"), second.join().expect("no panic"), third)
    });
    let (first, second, third) = std::thread::scope(|scope| {
        let first = scope.spawn(|| searcher.finish(queries, first));
        let second = scope.spawn(|| searcher.extend_gapped(second));
        let third = searcher.prefilter(third);
        (first.join().expect("no panic"), second.join().expect("no panic"), third)
    });
    let rest =
        [second, searcher.extend_gapped(third)].map(|scored| searcher.finish(queries, scored));
    assert_eq!(searcher.failure(), None, "the device did the work");
    [first].into_iter().chain(rest).collect()
}

fn assert_alike(case: &str, cpu: &SearchResults, gpu: &SearchResults) {
    assert_eq!(cpu.ungapped_counts, gpu.ungapped_counts, "{case}");
    for (query, (one, other)) in cpu.hits.iter().zip(&gpu.hits).enumerate() {
        assert_eq!(format!("{one:?}"), format!("{other:?}"), "{case}, query {query}");
    }
}

#[test]
#[ignore = "needs a GPU"]
fn pieces_of_genes_and_genomes_are_found_alike() {
    for (file, count) in [("16s.fa.gz", 60), ("lambda.fa.gz", 60), ("chrM.fa.gz", 40)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(file);
        let database = Database::from_fasta(&path, "made up", 0).expect("a database");
        let records = fasta::read(&path).expect("sequences");
        for (seed, task) in (0..).zip([BlastTask::Blastn, BlastTask::Megablast, BlastTask::Blastn])
        {
            let queries = pieces(&mut Rng::with_seed(seed), &records, count);
            let mut options = SearchOptions::new(task);
            if seed == 2 {
                // Wide bands, and everything that is found.
                options.x_drops.gapped_final = 700.0;
                options.x_drops.gapped = 200.0;
                options.max_targets = 5_000;
                options.dust = None;
            }
            let cpu = searcher(&database, &options, DeviceRequest::Cpu, None).search(&queries);
            let rows: usize = cpu.hits.iter().flatten().map(|hit| hit.hsps.len()).sum();
            assert!(rows > 0, "{file}, {task:?}: {rows} alignments");
            // All of the database, and a sixth at a time.
            for memory in [None, Some(database.letters() / 8)] {
                let gpu = searcher(&database, &options, DeviceRequest::Cuda(0), memory);
                for gpu in side_by_side(&gpu, &queries) {
                    assert_alike(&format!("{file}, {task:?}, {memory:?}"), &cpu, &gpu);
                }
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn many_portions_are_searched_together() {
    let mut random = Rng::with_seed(11);
    let gene: Vec<u8> = (0..100).map(|_| random.u8(..4)).collect();
    let copy = |random: &mut Rng, rate: u8| FastaRecord {
        letters: gene
            .iter()
            .map(|&letter| if random.u8(..rate) == 0 { random.u8(..4) } else { letter })
            .collect(),
        ..FastaRecord::default()
    };
    let mut fasta = tempfile::NamedTempFile::new().expect("a file");
    for number in 0..20_000 {
        let letters = copy(&mut random, 40).letters;
        let text: String =
            letters.iter().map(|&letter| char::from(b"ACGT"[letter as usize])).collect();
        writeln!(fasta, ">{number}\n{text}").expect("room on the disk");
    }
    let database = Database::from_fasta(fasta.path(), "made up", 0).expect("a database");
    let queries: Vec<FastaRecord> = (0..300).map(|_| copy(&mut random, 40)).collect();
    for task in [BlastTask::Blastn, BlastTask::Megablast] {
        let options = SearchOptions::new(task);
        let on = |searcher: &Searcher<'_>| by_batches(searcher, &queries);
        let (portions, cpu) = on(&searcher(&database, &options, DeviceRequest::Cpu, None));
        let same = |gpu: &[String]| {
            assert_eq!(gpu.len(), queries.len());
            for (query, (cpu, gpu)) in cpu.iter().zip(gpu).enumerate() {
                assert!(cpu == gpu, "{task:?}: query {query} differs");
            }
        };
        for searcher in [
            searcher(&database, &options, DeviceRequest::Cuda(0), None),
            on_all_gpus(&database, &options, None, None),
        ] {
            let (batches, gpu) = on(&searcher);
            assert!(batches < portions, "{task:?}: {batches} batches, {portions} portions");
            same(&gpu);
        }
        // Without room for the hits of more than one portion.
        let (batches, gpu) = on(&on_all_gpus(&database, &options, None, Some(0)));
        assert_eq!(batches, portions, "{task:?}");
        same(&gpu);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn a_long_query_is_looked_up_in_pieces() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/lambda.fa.gz");
    let database = Database::from_fasta(&path, "made up", 0).expect("a database");
    let genome = fasta::read(&path).expect("sequences").swap_remove(0).letters;
    let mut random = Rng::with_seed(5);
    let mut letters = Vec::new();
    for letter in genome {
        match random.u16(..600) {
            0 => {}
            1..30 => letters.push(random.u8(..4)),
            _ => letters.push(letter),
        }
    }
    let options = SearchOptions::new(BlastTask::Blastn);
    let queries = [FastaRecord { letters, ..FastaRecord::default() }];
    let cpu = searcher(&database, &options, DeviceRequest::Cpu, None).search(&queries);
    let ungapped_count: u64 = cpu.ungapped_counts.iter().sum();
    assert!(ungapped_count > 20, "{ungapped_count} ungapped alignments");
    let Device::Cuda(gpu) = Device::open(DeviceRequest::Cuda(0)).expect("a GPU").device else {
        panic!("no GPU");
    };
    let device = SearchDevice::new(&gpu, None).expect("kernels");
    let limits = Limits { memory: 1 << 20, piece_letters: 1_000, ..device.limits };
    let devices = vec![SearchDevice { limits, ..device }];
    let gpu = Searcher::with_devices(&database, options, devices).expect("a searcher");
    for gpu in side_by_side(&gpu, &queries) {
        assert_alike("pieces", &cpu, &gpu);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn all_gpus_of_the_machine_find_the_same() {
    for (seed, file) in (0..).zip(["16s.fa.gz", "lambda.fa.gz"]) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(file);
        let database = Database::from_fasta(&path, "made up", 0).expect("a database");
        let records = fasta::read(&path).expect("sequences");
        let queries = pieces(&mut Rng::with_seed(seed), &records, 60);
        for task in [BlastTask::Blastn, BlastTask::Megablast] {
            let options = SearchOptions::new(task);
            let cpu = searcher(&database, &options, DeviceRequest::Cpu, None).search(&queries);
            for memory in [None, Some(database.letters() / 8)] {
                let gpus = on_all_gpus(&database, &options, memory, None);
                // The lambda genome is one sequence, and so for one device.
                assert_eq!(gpus.devices().len() > 1, records.len() > 1, "{file}");
                for found in side_by_side(&gpus, &queries) {
                    assert_alike(&format!("{file}, {task:?}, {memory:?}"), &cpu, &found);
                }
            }
        }
    }
}
