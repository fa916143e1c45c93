//! Tab-separated values, a line a pair.
//!
//! Identity is the share of identical columns among all columns (gaps and free ends included), and
//! length the number of columns.

use std::io::Write;

use super::Aligned;

pub const HEADING: &str = "#query\ttarget\tscore\tidentity\tlength\tcigar\n";

/// The line of a score alone.
pub fn score(query: &str, target: &str, score: i32, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = writeln!(out, "{query}\t{target}\t{score}\t*\t*\t*");
}

/// The line of an alignment.
pub fn alignment(aligned: &Aligned<'_>, out: &mut Vec<u8>) {
    let Aligned { query_name, target_name, alignment, columns, .. } = aligned;
    let (score, cigar) = (alignment.score, &alignment.cigar);
    let (identity, length) = (columns.identity(), columns.length);
    let _ = writeln!(out, "{query_name}\t{target_name}\t{score}\t{identity:.6}\t{length}\t{cigar}");
}
