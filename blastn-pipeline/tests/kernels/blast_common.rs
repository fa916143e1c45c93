//! Backends, databases and records that the tests of blastn's kernels share.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use aligner_core::gpu::DeviceAddress;
use aligner_core::sort::Sorter;
use aligner_core::stream::Backend;
use blastn_pipeline::database::{Builder, Database};
use blastn_pipeline::gpu::pairs::PairKernels;
use blastn_pipeline::gpu::pipeline::lookup_tables::LookupTables;
use blastn_pipeline::gpu::pipeline::tables::PerLookupArray;
use blastn_pipeline::query::batch::QueryBatch;
use blastn_pipeline::seed::lookup::{Lookup, LookupArrays};
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

/// Arrays of a lookup table in the memory of the shim, and their addresses.
pub type ShimLookup = (PerLookupArray<<ShimBackend as Backend>::Buffer>, PerLookupArray<u64>);

/// Addresses of the lookup table as the CPU makes it. The kernels make the same one, but under the shim they take longer than many
/// a search.
pub fn cpu_lookup_table(lookup: &Lookup) -> PerLookupArray<u64> {
    let LookupArrays { present, starts, positions } = lookup.arrays();
    let address = |start: *const u8| start.expose_provenance() as u64;
    PerLookupArray {
        present: address(present.as_ptr().cast()),
        starts: address(starts.as_ptr().cast()),
        places: address(positions.as_ptr().cast()),
    }
}

/// The lookup table of a batch, as the kernels make it.
pub fn lookup_table(batch: &QueryBatch, lookup: &Lookup) -> ShimLookup {
    let letters = batch.letters();
    let address = DeviceAddress::new(letters.as_ptr().expose_provenance() as u64);
    let kernels = backend("blastn-pipeline", "lookup");
    let tables = LookupTables::with_backend(kernels.clone(), sorter());
    let arrays = tables.table(lookup, (address, letters.len())).expect("it runs");
    let addresses = arrays.map(|buffer| kernels.address(buffer));
    (arrays, addresses)
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
