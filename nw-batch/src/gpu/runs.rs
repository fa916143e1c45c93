//! CIGARs as kernels write them: a word a run, its operation in the lowest two bits.

use crate::cigar::{Cigar, Op};

/// The CIGAR of a pair's runs.
pub fn cigar(runs: &[u32]) -> Cigar {
    let mut cigar = Cigar::default();
    for &run in runs {
        let op = match run & 3 {
            0 => Op::Equal,
            1 => Op::Different,
            2 => Op::Insertion,
            _ => Op::Deletion,
        };
        cigar.push(op, run >> 2);
    }
    cigar
}
