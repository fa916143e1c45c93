//! Files of indexes, whose checksums are made right after mutation, and searches and mapping with those that can be opened.
#![no_main]

use std::cell::RefCell;

use aligner_core::Device;
use aligner_core::seq::decode;
use fm_index::FmIndex;
use gpualign_fuzz::container;
use gpualign_fuzz::files::MemoryFile;
use libfuzzer_sys::fuzz_target;
use seed_extend::read::queries::Queries;
use seed_extend::{Mapper, Options};

/// Bytes of the index's parameters, and its sections; see `fm_index/src/image.rs`.
const PARAMETER_BYTES: usize = 56;
const SECTIONS: usize = 9;

thread_local!(static FILE: RefCell<MemoryFile> = RefCell::default());

fuzz_target!(|data: &[u8]| {
    gpualign_fuzz::start();
    let mut bytes = data.to_vec();
    container::repair(&mut bytes, PARAMETER_BYTES, SECTIONS);
    let path = FILE.with_borrow_mut(|file| {
        file.fill(&bytes);
        file.path()
    });
    let Ok(index) = FmIndex::open(&path) else { return };
    let reference = index.reference();
    let mut reads = Vec::new();
    for contig in reference.contigs() {
        let codes = reference.codes(contig.offset..contig.offset + contig.length.min(60));
        for word in codes.chunks(12) {
            if let Some(interval) = index.search(word) {
                let end = interval.lo.saturating_add(interval.size.min(100));
                let mut rows: Vec<u32> = (interval.lo..end).collect();
                index.locate_all(&mut rows);
            }
        }
        reads.push(codes.into_iter().map(decode).collect::<Vec<u8>>());
        let _ = reference.letters(contig.offset..contig.offset + contig.length);
    }
    if let Ok(mapper) = Mapper::new(&index, Options::default(), &Device::Cpu) {
        let queries = Queries::new(reads.iter().map(Vec::as_slice));
        let _ = mapper.resolve_unpaired(mapper.find_regions(queries, vec![0; reads.len()]));
    }
});
