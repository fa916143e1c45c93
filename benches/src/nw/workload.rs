//! The sequences that the benchmarks of global alignments align.

use std::ops::RangeInclusive;

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
    (0..options.sequences).map(|_| copy(&mut random, &ancestor, codes)).collect()
}

/// Lengths from short genes to long viruses.
pub(super) const MIXED_LENGTHS: RangeInclusive<u32> = 50..=20_000;

/// Copies of the begin of a random ancestor, as [`genes`] makes them of nucleotides, with lengths that are evenly spread over
/// `lengths`.
pub(super) fn lengths(sequences: u32, lengths: RangeInclusive<u32>) -> SequenceSet {
    let mut random = Rng::with_seed(16);
    let longest = *lengths.end() as usize;
    // A copy may be shorter than its ancestor.
    let ancestor: Vec<u8> = (0..longest + longest / 20).map(|_| random.u8(..4)).collect();
    let one = |_| {
        let length = random.u32(lengths.clone()) as usize;
        let mut copy = copy(&mut random, &ancestor[..length + length / 20], 4);
        copy.truncate(length);
        copy
    };
    (0..sequences).map(one).collect()
}

/// Copy of an ancestor with substitutions and gaps.
fn copy(random: &mut Rng, ancestor: &[u8], codes: u8) -> Vec<u8> {
    let mut copy = Vec::with_capacity(ancestor.len());
    for &code in ancestor {
        match random.u8(..100) {
            0 => {}
            1 => copy.extend([code, random.u8(..codes)]),
            2..12 => copy.push(random.u8(..codes)),
            _ => copy.push(code),
        }
    }
    copy
}
