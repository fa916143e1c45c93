//! PAF, the format of minimap2 (<https://github.com/lh3/miniasm/blob/master/PAF.md>): a line for each
//! pair, positions from 0, with the score as `AS:i` and the alignment as `cg:Z`.
//!
//! The aligned range does not include gaps at free ends.

use std::io::Write;

use nw_batch::{CigarOp, CigarRef, CigarRun, FreeEnds};

use super::AlignedPair;

/// Appends the line of an aligned pair.
pub fn alignment(aligned: &AlignedPair<'_>, free: FreeEnds, out: &mut Vec<u8>) {
    let AlignedPair { query_name, target_name, query, target, alignment, .. } = aligned;
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
    let count = |wanted: fn(CigarOp) -> bool| -> u32 {
        runs.iter().filter(|run| wanted(run.op())).map(|run| run.length()).sum()
    };
    let (matches, length) = (count(|op| op == CigarOp::Equal), count(|_| true));
    // Writing to memory does not fail.
    let _ = write!(
        out,
        "{query_name}\t{}\t{}\t{}\t+\t{target_name}\t{}\t{}\t{}\t{matches}\t{length}\t255\tNM:i:{}\tAS:i:{}",
        query.len(),
        first.0,
        query.len() - last.0,
        target.len(),
        first.1,
        target.len() - last.1,
        length - matches,
        alignment.score,
    );
    if !runs.is_empty() {
        out.extend_from_slice(b"\tcg:Z:");
        super::push_cigar(CigarRef(runs), out);
    }
    out.push(b'\n');
}
