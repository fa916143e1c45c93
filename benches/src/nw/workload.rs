//! The sequences that the benchmarks of global alignments align.

use fastrand::Rng;
use nw_batch::SequenceSet;

/// What to measure.
#[derive(Debug, Clone, Copy)]
pub struct NwOptions {
    /// Sequences, each of which is aligned with all others.
    pub sequences: u32,
    /// Residues of each, about.
    pub length: u32,
    /// Runs, of which the median counts.
    pub runs: usize,
}

/// Sequences as of one gene: copies of a random one, with differences.
pub(super) fn genes(options: NwOptions, codes: u8) -> SequenceSet {
    let mut random = Rng::with_seed(16);
    let ancestor: Vec<u8> = (0..options.length).map(|_| random.u8(..codes)).collect();
    let gene = |random: &mut Rng| -> Vec<u8> {
        let mut copy = Vec::with_capacity(ancestor.len());
        for &code in &ancestor {
            match random.u8(..100) {
                0 => {}
                1 => copy.extend([code, random.u8(..codes)]),
                2..12 => copy.push(random.u8(..codes)),
                _ => copy.push(code),
            }
        }
        copy
    };
    (0..options.sequences).map(|_| gene(&mut random)).collect()
}
