//! PAF, the format of minimap2 (<https://github.com/lh3/miniasm/blob/master/PAF.md>): a line a
//! pair, positions from 0, with the score as `AS:i` and the alignment as `cg:Z`.
//!
//! Gaps at free ends are no part of the aligned range.

use std::io::Write;

use nw_batch::{FreeEnds, CigarOp, CigarRun, CigarRef};

use super::AlignedPair;

/// The line of an alignment.
pub fn alignment(aligned: &AlignedPair<'_>, free: FreeEnds, out: &mut Vec<u8>) {
    let AlignedPair { query_name, target_name, query, target, alignment, .. } = aligned;
    let cigar = alignment.cigar;
    let mut runs = cigar.0;
    let ends = |run: Option<&CigarRun>| match run.map(|run| (run.op(), run.count())) {
        Some((CigarOp::Insertion, count)) => (count as usize, 0),
        Some((CigarOp::Deletion, count)) => (0, count as usize),
        _ => (0, 0),
    };
    let (mut first, mut last) = ((0, 0), (0, 0));
    if cigar.free_run(free.query_begin, free.target_begin, true) {
        first = ends(runs.first());
        runs = &runs[1..];
    }
    if !runs.is_empty() && cigar.free_run(free.query_end, free.target_end, false) {
        last = ends(runs.last());
        runs = &runs[..runs.len() - 1];
    }
    let count = |wanted: fn(CigarOp) -> bool| -> u32 {
        runs.iter().filter(|run| wanted(run.op())).map(|run| run.count()).sum()
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
        super::runs(CigarRef(runs), out);
    }
    out.push(b'\n');
}
