//! Backends, databases and records that the tests of blastn's kernels share.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use aligner_core::sort::Sorter;
use blastn_pipeline::database::{Builder, Database};
use blastn_pipeline::gpu::pairs::PairKernels;
use blastn_pipeline::sequence::fasta::FastaRecord;
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
