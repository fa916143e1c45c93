//! Backends, databases and records that the tests of blastn's kernels share.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use aligner_core::sort::Sorter;
use blastn_pipeline::database::{Builder, Database};
use blastn_pipeline::gpu::pairs::PairKernels;
use blastn_pipeline::sequence::fasta::FastaRecord;
use fastrand::Rng;
use gpualign_tests::ShimBackend;

/// A SIMT shim with the kernels of a crate.
pub fn backend(krate: &str, name: &str) -> ShimBackend {
    ShimBackend::new(gpualign_tests::kernels(krate, name).expect("the build made it"), 5)
}

pub fn sorter() -> Sorter<ShimBackend> {
    Sorter::with_backend(backend("aligner-core", "sort"))
}

/// The kernels for pairs; sides that do not fit into the greater of these numbers of slots are left to the host.
pub fn pairs(widths: [u32; 2]) -> PairKernels<ShimBackend> {
    let backends = ["pairs", "gapped", "bounds"].map(|name| backend("blastn-pipeline", name));
    PairKernels::with_backends(backends, sorter(), widths)
}

pub fn record(letters: Vec<u8>) -> FastaRecord {
    FastaRecord { letters, ..FastaRecord::default() }
}

pub fn database(subjects: Vec<Vec<u8>>) -> Database {
    let mut builder = Builder::default();
    for letters in subjects {
        builder.add(&record(letters));
    }
    builder.finish("subjects", 0)
}

pub fn random_letters(random: &mut Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.u8(..4)).collect()
}

/// A copy with differences and ambiguous letters, perhaps of the other strand.
pub fn copy(random: &mut Rng, letters: &[u8]) -> Vec<u8> {
    let mut copy = Vec::new();
    for &letter in letters {
        match random.u8(..80) {
            0 => {}
            1 => copy.extend([random.u8(..4), letter]),
            2 | 3 => copy.push(random.u8(..4)),
            4 if random.u8(..6) == 0 => copy.push(14),
            _ => copy.push(letter),
        }
    }
    if random.bool() {
        copy.reverse();
        for letter in &mut copy {
            *letter = if *letter < 4 { 3 - *letter } else { *letter };
        }
    }
    copy
}

pub fn records(queries: Vec<Vec<u8>>) -> Vec<FastaRecord> {
    queries.into_iter().map(record).collect()
}
