//! The GPU finds what the CPU does. Needs a GPU: `cargo test -p blastn-pipeline --test gpu -- --ignored`.

#![allow(clippy::expect_used)] // A failure is the test's.

use std::io::Write as _;
use std::path::Path;

use aligner_core::gpu::Gpu;
use aligner_core::{Device, DeviceRequest, DeviceSelection};
use blastn_pipeline::database::Database;
use blastn_pipeline::gpu::worker::GpuWorker;
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::search::seeded_batches::{QueuedBatch, SeededBatches};
use blastn_pipeline::search::{Limits, SearchDevice, SearchResults, Searcher};
use blastn_pipeline::sequence::fasta::{self, FastaRecord};
use fastrand::Rng;

fn searcher<'d>(
    database: &'d Database,
    options: &SearchOptions,
    on: DeviceRequest,
    memory: Option<u64>,
) -> Searcher<'d> {
    let device = Device::open(on).expect("a GPU").device;
    Searcher::new(database, options.clone(), device, memory).expect("a searcher")
}

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

/// Pieces of sequences, with differences, and some ambiguous letters.
fn pieces(random: &mut Rng, records: &[FastaRecord], count: usize) -> Vec<FastaRecord> {
    let piece = |random: &mut Rng| {
        let record = &records[random.usize(..records.len())];
        let length = random.usize(20..1500).min(record.letters.len());
        let start = random.usize(..=record.letters.len() - length);
        let mut letters = Vec::new();
        for &letter in &record.letters[start..start + length] {
            match random.u8(..60) {
                0 => {}
                1 => letters.extend([random.u8(..4), letter]),
                2 => letters.push(random.u8(..4)),
                3 if random.u8(..10) == 0 => letters.push(14),
                _ => letters.push(letter),
            }
        }
        FastaRecord { letters, ..FastaRecord::default() }
    };
    (0..count).map(|_| piece(random)).collect()
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

/// Finishes the search for batches; gives their number, and the hits of each query.
fn finished<'q>(
    searcher: &Searcher<'_>,
    seeded: impl Iterator<Item = QueuedBatch<'q, GpuWorker>>,
) -> (usize, Vec<String>) {
    let (mut batches, mut found) = (0, Vec::new());
    for QueuedBatch { first, queries, seeded } in seeded {
        assert_eq!(first, found.len());
        let results = searcher.finish(queries, searcher.extend_gapped(searcher.prefilter(seeded)));
        for mut hits in results.hits {
            // Contexts count from the first of the batch; each query has two.
            hits.iter_mut().flat_map(|hit| &mut hit.hsps).for_each(|hsp| hsp.context %= 2);
            found.push(format!("{hits:?}"));
        }
        batches += 1;
    }
    assert_eq!(searcher.failure(), None, "the device did the work");
    (batches, found)
}

/// Searches batch by batch; gives the number of batches, and the hits of each query. With batches that are seeded ahead, hits are the
/// same.
fn by_batches(searcher: &Searcher<'_>, queries: &[FastaRecord]) -> (usize, Vec<String>) {
    let all = finished(searcher, SeededBatches::new(searcher, queries));
    let ahead = std::thread::scope(|scope| {
        finished(searcher, SeededBatches::new(searcher, queries).seed_ahead(scope))
    });
    assert!(all.1 == ahead.1, "batches that are seeded ahead");
    all
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

/// A searcher on all GPUs of the machine, and on at least three devices: a GPU may be several of them, each with streams of its own.
/// `room` is the number of hits that a device has memory for.
fn on_all_gpus<'d>(
    database: &'d Database,
    options: &SearchOptions,
    memory: Option<u64>,
    room: Option<u64>,
) -> Searcher<'d> {
    let numbers = DeviceSelection::AllGpus.gpus().expect("a GPU");
    let gpus: Vec<Gpu> = numbers.iter().map(|&number| Gpu::open(number).expect("opens")).collect();
    let device = |gpu: &Gpu| {
        let gpu = gpu.with_own_stream().expect("a stream");
        let device = SearchDevice::new(&gpu, memory).expect("kernels");
        let hits = room.unwrap_or(device.limits.hits);
        let limits = Limits { least_share: 1, hits, ..device.limits };
        SearchDevice { limits, ..device }
    };
    let devices = gpus.iter().cycle().take(gpus.len().max(3)).map(device).collect();
    Searcher::with_devices(database, options.clone(), devices).expect("a searcher")
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

#[test]
#[ignore = "needs a GPU"]
fn devices_with_batches_of_their_own_find_the_same() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/16s.fa.gz");
    let database = Database::from_fasta(&path, "made up", 0).expect("a database");
    let records = fasta::read(&path).expect("sequences");
    let mut random = Rng::with_seed(31);
    let mut queries = pieces(&mut random, &records, 2_000);
    for query in &mut queries {
        let missing = 4_200_usize.saturating_sub(query.letters.len());
        query.letters.extend((0..missing).map(|_| random.u8(..4)));
    }
    let options = SearchOptions::new(BlastTask::Blastn);
    let cpu = searcher(&database, &options, DeviceRequest::Cpu, None);
    let (batches, expected) = by_batches(&cpu, &queries);
    let gpus = on_all_gpus(&database, &options, None, None);
    assert!(gpus.later_batches() > 4 && batches > 6, "{batches} batches");
    let (_, found) = by_batches(&gpus, &queries);
    assert!(found == expected, "other hits");
    let own = std::thread::scope(|scope| {
        let batches = SeededBatches::new(&gpus, &queries).seed_ahead(scope);
        batches.filter(|batch| gpus.room(&batch.seeded) == 1).count()
    });
    assert!(own > 0, "no batch of its own");
}
