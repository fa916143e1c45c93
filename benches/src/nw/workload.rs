//! The sequences that the benchmarks of global alignments align.

use fastrand::Rng;
use nw_batch::SequenceSet;

/// The workload: sequences, and how often to align them.
#[derive(Debug, Clone, Copy)]
pub struct NwOptions {
    /// Sequences, each of which is aligned with all others.
    pub sequences: u32,
    /// Residues of each sequence, about.
    pub length: u32,
    /// Timed runs; the median counts.
    pub runs: usize,
}

/// Sequences like those of one gene in many species: copies of a random ancestor with substitutions and gaps, drawn from `codes` residues.
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
