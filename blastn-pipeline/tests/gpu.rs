//! The GPU finds what the CPU does. Needs a GPU: `cargo test -p blastn-pipeline --test gpu -- --ignored`.

#![allow(clippy::expect_used)] // A failure is the test's.

use std::path::Path;

use aligner_core::{Device, DeviceRequest};
use blastn_pipeline::database::Database;
use blastn_pipeline::fasta::{self, Record};
use blastn_pipeline::options::{Options, Task};
use blastn_pipeline::search::{Results, Searcher};
use fastrand::Rng;

fn search(
    database: &Database,
    options: &Options,
    queries: &[Record],
    on: DeviceRequest,
    memory: Option<u64>,
) -> Results {
    let device = Device::open(on).expect("a GPU").device;
    let searcher = Searcher::new(database, options.clone(), device, memory).expect("a searcher");
    let results = searcher.search(queries);
    assert_eq!(searcher.failure(), None, "the device did the work");
    results
}

/// Pieces of sequences, with differences, and some ambiguous letters.
fn pieces(random: &mut Rng, records: &[Record], count: usize) -> Vec<Record> {
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
        Record { letters, ..Record::default() }
    };
    (0..count).map(|_| piece(random)).collect()
}

#[test]
#[ignore = "needs a GPU"]
fn pieces_of_genes_and_genomes_are_found_alike() {
    for (file, count) in [("16s.fa.gz", 60), ("lambda.fa.gz", 60), ("chrM.fa.gz", 40)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(file);
        let database = Database::from_fasta(&path, 0).expect("a database");
        let records = fasta::read(&path).expect("sequences");
        for (seed, task) in (0..).zip([Task::Blastn, Task::Megablast, Task::Blastn]) {
            let queries = pieces(&mut Rng::with_seed(seed), &records, count);
            let mut options = Options::new(task);
            if seed == 2 {
                // Wide bands, and everything that is found.
                options.x_drops.last = 700.0;
                options.x_drops.gapped = 200.0;
                options.targets = 5_000;
                options.dust = None;
            }
            let cpu = search(&database, &options, &queries, DeviceRequest::Cpu, None);
            let rows: usize = cpu.hits.iter().flatten().map(|hit| hit.hsps.len()).sum();
            assert!(rows > 0, "{file}, {task:?}: {rows} alignments");
            // All of the database, and a sixth at a time.
            for memory in [None, Some(database.letters() / 8)] {
                let case = format!("{file}, {task:?}, {memory:?}");
                let gpu = search(&database, &options, &queries, DeviceRequest::Cuda(0), memory);
                assert_eq!(cpu.extensions, gpu.extensions, "{case}");
                for (query, (one, other)) in cpu.hits.iter().zip(&gpu.hits).enumerate() {
                    assert_eq!(format!("{one:?}"), format!("{other:?}"), "{case}, query {query}");
                }
            }
        }
    }
}
