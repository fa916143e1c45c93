//! GPUs that have memory for several batches find what the CPU does. Needs a GPU: `cargo test -p blastn-pipeline --test gpu_alone --
//! --ignored`, while no other program takes its memory.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use std::path::Path;

use aligner_core::DeviceRequest;
use blastn_pipeline::database::Database;
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::search::seeded_batches::SeededBatches;
use blastn_pipeline::sequence::fasta;
use common::{by_batches, on_all_gpus, pieces, searcher};
use fastrand::Rng;

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
