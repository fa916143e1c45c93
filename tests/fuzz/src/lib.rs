//! What the fuzz targets have in common: files in memory, and containers whose checksums are right.
//!
//! A target is a program of libFuzzer (`targets/`) that takes bytes and hands them to a reader of gpualign. It fails if the
//! reader panics, overflows, takes too long or too much memory; an error is an answer like any other. The program `seeds`
//! writes the files from which mutation begins.

pub mod container;
pub mod files;

use std::sync::Once;

/// Makes the calling thread the only thread of the rayon pool, so that parallel work is done in place. To be called by every
/// target before anything else.
pub fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("a pool of this thread");
    });
}

/// Bases of the sequence that seeds and queries are made of.
pub const GENE: &str = "GCTAGCATCGGATTACAGGCTTAACCGTATGCATTGGACCTAGGATCCATTGCAAGCTTGACGTATTGACCGGTACTCAAGCGTCATGGCAATCGATGCCTTAGC";
