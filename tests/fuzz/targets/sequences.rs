//! FASTA and FASTQ files as references, as queries and subjects of blastn, and as sequences of nw. A reference that is read is
//! also indexed, and found in its index.
#![no_main]

use std::cell::RefCell;

use blastn_pipeline::sequence::fasta;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_fuzz::files::MemoryFile;
use libfuzzer_sys::fuzz_target;

thread_local!(static FILE: RefCell<MemoryFile> = RefCell::default());

fuzz_target!(|data: &[u8]| {
    gpualign_fuzz::start();
    let path = FILE.with_borrow_mut(|file| {
        file.fill(data);
        file.path()
    });
    gpualign::fuzzing::read_sequences(&path);
    if let Ok(records) = fasta::read(&path) {
        for record in &records {
            assert!(record.letters.iter().all(|&code| code < 15));
            assert!(record.lower_case.iter().all(|run| run.end as usize <= record.letters.len()));
        }
    }
    let Ok(reference) = Reference::from_fasta(&path) else { return };
    let contigs = reference.contigs().to_vec();
    assert_eq!(contigs.iter().map(|contig| contig.length).sum::<u32>(), reference.len());
    let index = FmIndex::build(reference, &BuildOptions::default()).expect("a small index");
    for contig in &contigs {
        let codes = index.reference().codes(contig.offset..contig.offset + contig.length.min(20));
        if codes.iter().all(|&code| code < 4) {
            let interval = index.search(&codes).expect("a word of the reference occurs");
            let mut rows: Vec<u32> = (interval.lo..interval.lo + interval.size).collect();
            index.locate_all(&mut rows);
            assert!(rows.contains(&index.reference().to_indexed(contig.offset).expect("is plain")));
        }
    }
});
