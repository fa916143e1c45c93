//! Searchers on a GPU, queries, and the search for batches of them, for the tests of this crate that need a GPU.

#![allow(dead_code, clippy::expect_used)] // Each test file uses its part; a failure is the test's.

use aligner_core::gpu::Gpu;
use aligner_core::{Device, DeviceRequest, DeviceSelection};
use blastn_pipeline::database::Database;
use blastn_pipeline::gpu::worker::GpuWorker;
use blastn_pipeline::options::SearchOptions;
use blastn_pipeline::search::seeded_batches::{QueuedBatch, SeededBatches};
use blastn_pipeline::search::{Limits, SearchDevice, Searcher};
use blastn_pipeline::sequence::fasta::FastaRecord;
use fastrand::Rng;

pub fn searcher<'d>(
    database: &'d Database,
    options: &SearchOptions,
    on: DeviceRequest,
    memory: Option<u64>,
) -> Searcher<'d> {
    let device = Device::open(on).expect("a GPU").device;
    Searcher::new(database, options.clone(), device, memory).expect("a searcher")
}

/// Pieces of sequences, with differences, and some ambiguous letters.
pub fn pieces(random: &mut Rng, records: &[FastaRecord], count: usize) -> Vec<FastaRecord> {
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
pub fn by_batches(searcher: &Searcher<'_>, queries: &[FastaRecord]) -> (usize, Vec<String>) {
    let all = finished(searcher, SeededBatches::new(searcher, queries));
    let ahead = std::thread::scope(|scope| {
        finished(searcher, SeededBatches::new(searcher, queries).seed_ahead(scope))
    });
    assert!(all.1 == ahead.1, "batches that are seeded ahead");
    all
}

/// A searcher on all GPUs of the machine, and on at least three devices: a GPU may be several of them, each with streams of its own.
/// `room` is the number of hits that a device has memory for.
pub fn on_all_gpus<'d>(
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
