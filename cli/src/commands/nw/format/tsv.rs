//! Tab-separated values, a line for each pair.
//!
//! Identity is the share of identical columns among all columns (gaps and free ends included), and
//! length the number of columns.

use std::io::Write;

use super::{AlignedPair, push_cigar, push_number};

/// First line of a file: names of the columns.
pub const HEADING: &str = "#query\ttarget\tscore\tidentity\tlength\tcigar\n";

/// Appends the line of a pair with its score only.
pub fn score(query: &str, target: &str, score: i32, out: &mut Vec<u8>) {
    begin(query, target, score, out);
    out.extend_from_slice(b"*\t*\t*\n");
}

/// Appends the line of an aligned pair.
pub fn alignment(aligned: &AlignedPair<'_>, out: &mut Vec<u8>) {
    let AlignedPair { query_name, target_name, alignment, .. } = aligned;
    begin(query_name, target_name, alignment.score, out);
    let (identity, length) = (aligned.identity(), aligned.length);
    // Writing to memory does not fail.
    let _ = write!(out, "{identity:.6}\t");
    push_number(length, out);
    out.push(b'\t');
    push_cigar(alignment.cigar, out);
    out.push(b'\n');
}

/// Appends names and score.
fn begin(query: &str, target: &str, score: i32, out: &mut Vec<u8>) {
    out.extend_from_slice(query.as_bytes());
    out.push(b'\t');
    out.extend_from_slice(target.as_bytes());
    out.push(b'\t');
    push_number(score, out);
    out.push(b'\t');
}
