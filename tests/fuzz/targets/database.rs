//! Files of databases, whose checksums are made right after mutation, and searches of those that can be opened.
#![no_main]

use std::cell::RefCell;

use aligner_core::Device;
use blastn_pipeline::database::Database;
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::search::Searcher;
use blastn_pipeline::sequence::fasta::FastaRecord;
use gpualign_fuzz::files::MemoryFile;
use gpualign_fuzz::{GENE, container};
use libfuzzer_sys::fuzz_target;

/// Bytes of the database's parameters, and its sections; see `blastn-pipeline/src/database/file.rs`.
const PARAMETER_BYTES: usize = 16;
const SECTIONS: usize = 5;

thread_local!(static FILE: RefCell<MemoryFile> = RefCell::default());

fuzz_target!(|data: &[u8]| {
    gpualign_fuzz::start();
    let mut bytes = data.to_vec();
    container::repair(&mut bytes, PARAMETER_BYTES, SECTIONS);
    let path = FILE.with_borrow_mut(|file| {
        file.fill(&bytes);
        file.path()
    });
    let Ok(database) = Database::open(&path) else { return };
    let _ = (database.sources(), database.size());
    for number in 0..database.len() {
        let subject = database.subject(number);
        let _ = (subject.title(), subject.deflines(), subject.letters(0..subject.length));
    }
    let options = SearchOptions::new(BlastTask::Blastn);
    let searcher = Searcher::new(&database, options, Device::Cpu, None).expect("good options");
    let query = FastaRecord::new("query", &GENE[5..60]).expect("nucleotides");
    let results = searcher.search(&[query]);
    for hit in results.hits.iter().flatten() {
        assert!(hit.subject < database.len());
        let length = database.subject(hit.subject).length;
        assert!(hit.hsps.iter().all(|hsp| hsp.subject.1 as usize <= length));
    }
});
