//! CIGARs in BAM's encoding: a run of equal operations is one number, its length above four bits for the operation (SAM
//! specification, section 4.2).

use aligner_core::cigar::CigarRun;
use rust_htslib::htslib;

use crate::output::lines::{self, Room};

/// A run is its length shifted left by this, with the operation in the bits below.
pub const LENGTH_SHIFT: u32 = htslib::BAM_CIGAR_SHIFT;
/// The bits of a run that have the operation.
pub const OPERATION: u32 = htslib::BAM_CIGAR_MASK;
/// The letter of each operation, by its number.
pub const LETTERS: &[u8; 9] = b"MIDNSHP=X";

/// `M`: a match or a mismatch.
pub const MATCH: u32 = htslib::BAM_CMATCH;
/// `S`: bases of the read that are in the record but not aligned.
pub const SOFT_CLIP: u32 = htslib::BAM_CSOFT_CLIP;
const INSERTION: u32 = htslib::BAM_CINS;
const DELETION: u32 = htslib::BAM_CDEL;
/// `H`: bases of the read that are neither in the record nor aligned.
const HARD_CLIP: u32 = htslib::BAM_CHARD_CLIP;
/// `N`: bases of the reference that the alignment skips.
pub const SKIPPED: u32 = htslib::BAM_CREF_SKIP;
const EQUAL: u32 = htslib::BAM_CEQUAL;
const DIFFERENT: u32 = htslib::BAM_CDIFF;

/// Replaces a CIGAR by that of the runs; see [`push_runs`].
pub fn set_runs(runs: &[CigarRun], eqx: bool, cigar: &mut Vec<u32>) {
    cigar.clear();
    push_runs(runs, eqx, cigar);
}

/// Appends runs to a CIGAR, and joins neighbours with the same operation. With `eqx`, matches are `=` and mismatches `X`,
/// otherwise both are `M`.
pub fn push_runs(runs: &[CigarRun], eqx: bool, cigar: &mut Vec<u32>) {
    // In the order of the numbers of `CigarOp`.
    let [equal, different] = if eqx { [EQUAL, DIFFERENT] } else { [MATCH; 2] };
    let operations = [equal, different, INSERTION, DELETION];
    for run in runs {
        let (operation, count) = (operations[run.op() as usize], run.length());
        match cigar.last_mut() {
            Some(last) if *last & OPERATION == operation => *last += count << LENGTH_SHIFT,
            _ => cigar.push(count << LENGTH_SHIFT | operation),
        }
    }
}

/// Replaces `hard` by `cigar` with hard clips in place of soft ones.
pub fn set_hard_clipped(cigar: &[u32], hard: &mut Vec<u32>) {
    let hard_clip = |&run: &u32| match run & OPERATION {
        SOFT_CLIP => run & !OPERATION | HARD_CLIP,
        _ => run,
    };
    hard.clear();
    hard.extend(cigar.iter().map(hard_clip));
}

/// Whether a run is of bases that are clipped, softly or hard.
pub fn is_clip(run: u32) -> bool {
    matches!(run & OPERATION, SOFT_CLIP | HARD_CLIP)
}

/// The bases of the reference that a run covers.
pub fn bases_of_reference(run: u32) -> u32 {
    match run & OPERATION {
        MATCH | DELETION | SKIPPED | EQUAL | DIFFERENT => run >> LENGTH_SHIFT,
        _ => 0,
    }
}

/// The bases of the reference that a CIGAR covers.
pub fn reference_length(cigar: &[u32]) -> u32 {
    cigar.iter().map(|&run| bases_of_reference(run)).sum()
}

/// The most bytes that a run takes as text.
pub const TEXT_BYTES: usize = 10;

/// Writes a CIGAR as text; `*` if it is empty.
pub fn write_text(cigar: &[u32], room: &mut Room<'_>) {
    for run in cigar {
        room.number(run >> LENGTH_SHIFT);
        room.byte(LETTERS[(run & OPERATION) as usize]);
    }
    if cigar.is_empty() {
        room.byte(b'*');
    }
}

/// A CIGAR as text; `*` if it is empty.
pub fn text(cigar: &[u32]) -> String {
    let mut text = Vec::new();
    lines::append(&mut text, 1 + TEXT_BYTES * cigar.len(), |room| write_text(cigar, room));
    String::from_utf8_lossy(&text).into_owned()
}
