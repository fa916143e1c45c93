//! Database files with right checksums and wrong contents are refused, or a search of them ends.
#![allow(missing_docs, clippy::expect_used)]

use std::fs;

use aligner_core::Device;
use blastn_pipeline::database::{Builder, Database};
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::search::Searcher;
use blastn_pipeline::sequence::fasta::FastaRecord;
use gpualign_tests::{ContainerFile, mutate_and_use};

/// Bytes of the parameters of a database file, and the number of its sections.
const LAYOUT: (usize, usize) = (16, 5);

#[test]
fn a_search_ends() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut letters = |length| -> String {
        (0..length).map(|_| char::from(b"ACGT"[random.usize(..4)])).collect()
    };
    let gene = letters(300);
    let mut builder = Builder::default();
    for (name, sequence) in [
        ("one with a title", format!("{}NNNN{}", &gene[..150], &gene[150..])),
        ("two", letters(77)),
        ("three", format!("{}RY{}", letters(40), &gene[20..120])),
        ("four", String::new()),
        ("five", gene.clone()),
    ] {
        builder.add(&FastaRecord::new(name, &sequence).expect("is fine"));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("made.gpdb");
    builder.finish("made up", 5).save(&path).expect("saves");
    let file = ContainerFile::new(fs::read(&path).expect("reads"), LAYOUT.0, LAYOUT.1);
    let query = FastaRecord::new("query", &gene[10..280]).expect("is fine");
    let counts = mutate_and_use(&file, &path, 0..2_000, |path| {
        let Ok(database) = Database::open(path) else { return false };
        for task in [BlastTask::Blastn, BlastTask::Megablast] {
            let searcher = Searcher::new(&database, SearchOptions::new(task), Device::Cpu, None);
            let searcher = searcher.expect("is supported");
            let results = searcher.search(std::slice::from_ref(&query));
            for hit in results.hits.iter().flatten() {
                let subject = database.subject(hit.subject);
                assert_eq!(subject.letters(0..subject.length).len(), subject.length);
                assert!(subject.title().len() < 10_000);
            }
        }
        true
    });
    eprintln!("{counts:?}");
    assert!(counts.refused > counts.used, "{counts:?}");
}
