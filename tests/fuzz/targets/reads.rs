//! Files of reads, as mapping reads them: one by one, as interleaved pairs, and in small batches. The first byte chooses the
//! layout; the others are the file, plain or compressed.
#![no_main]

use std::cell::RefCell;

use gpualign::input::{self, Lane, Layout, ReadBatch};
use gpualign_fuzz::files::MemoryFile;
use libfuzzer_sys::fuzz_target;

thread_local!(static FILE: RefCell<MemoryFile> = RefCell::default());

fuzz_target!(|data: &[u8]| {
    gpualign_fuzz::start();
    let Some((&choice, bytes)) = data.split_first() else { return };
    let layout = if choice & 1 == 0 { Layout::Single } else { Layout::Interleaved };
    let path = FILE.with_borrow_mut(|file| {
        file.fill(bytes);
        file.path()
    });
    let lane = Lane::new(layout, vec![vec![path]]).expect("is one file");
    for batch in input::batches(vec![lane], 3).batches {
        let Ok(reads) = ReadBatch::checked(batch) else { return };
        for read in reads.iter() {
            assert!(!read.name.is_empty() && read.name.iter().all(u8::is_ascii_graphic));
            assert!(read.sequence.iter().all(u8::is_ascii_uppercase));
            if let Some(quality) = read.quality {
                assert_eq!(quality.len(), read.sequence.len());
                assert!(quality.iter().all(|&phred| phred <= 93));
            }
        }
    }
});
