//! PAF, the format of minimap2 (<https://github.com/lh3/miniasm/blob/master/PAF.md>): a line for each
//! pair, positions from 0, with the score as `AS:i` (`AS:f` if scores have decimals) and the alignment as `cg:Z`.
//!
//! The aligned range does not include gaps at free ends.

use std::io::Write;
use std::ops::Range;

use nw_batch::{CigarOp, CigarRef, CigarRun, FreeEnds};

use super::AlignedPair;
use super::number::push_score;

/// The part of an alignment that has no gaps at free ends.
pub struct AlignedRange<'a> {
    /// Residues of the query.
    pub query: Range<usize>,
    /// Residues of the target.
    pub target: Range<usize>,
    pub runs: &'a [CigarRun],
}

impl<'a> AlignedRange<'a> {
    pub fn new(aligned: &AlignedPair<'a>, free: FreeEnds) -> Self {
        let AlignedPair { query, target, alignment, .. } = aligned;
        let cigar = alignment.cigar;
        let mut runs = cigar.0;
        let ends = |run: Option<&CigarRun>| match run.map(|run| (run.op(), run.length())) {
            Some((CigarOp::Insertion, length)) => (length as usize, 0),
            Some((CigarOp::Deletion, length)) => (0, length as usize),
            _ => (0, 0),
        };
        let (mut first, mut last) = ((0, 0), (0, 0));
        if cigar.begins_with_free_gap(free) {
            first = ends(runs.first());
            runs = &runs[1..];
        }
        if !runs.is_empty() && cigar.ends_with_free_gap(free) {
            last = ends(runs.last());
            runs = &runs[..runs.len() - 1];
        }
        Self { query: first.0..query.len() - last.0, target: first.1..target.len() - last.1, runs }
    }
}

/// Appends the line of an aligned pair.
pub fn alignment(aligned: &AlignedPair<'_>, free: FreeEnds, scale: i32, out: &mut Vec<u8>) {
    let AlignedPair { query_name, target_name, query, target, alignment, .. } = aligned;
    let range = AlignedRange::new(aligned, free);
    let count = |wanted: fn(CigarOp) -> bool| -> u32 {
        range.runs.iter().filter(|run| wanted(run.op())).map(|run| run.length()).sum()
    };
    let (matches, length) = (count(|op| op == CigarOp::Equal), count(|_| true));
    // Writing to memory does not fail.
    let _ = write!(
        out,
        "{query_name}\t{}\t{}\t{}\t+\t{target_name}\t{}\t{}\t{}\t{matches}\t{length}\t255\tNM:i:{}\tAS:{}:",
        query.len(),
        range.query.start,
        range.query.end,
        target.len(),
        range.target.start,
        range.target.end,
        length - matches,
        if scale == 1 { 'i' } else { 'f' },
    );
    push_score(alignment.score, scale, out);
    if !range.runs.is_empty() {
        out.extend_from_slice(b"\tcg:Z:");
        super::push_cigar(CigarRef(range.runs), out);
    }
    out.push(b'\n');
}
