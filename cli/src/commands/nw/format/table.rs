//! Tables: a line for each pair, with its values separated by tabs or commas.
//!
//! Identity is the share of identical columns among all columns (gaps and free ends included), and
//! length the number of columns. A distance, if one is asked for, is the last column.

use std::io::Write;

use super::number::{push_number, push_score};
use super::{AlignedPair, push_cigar};

/// Names of the columns but that of distances.
const COLUMNS: [&str; 6] = ["query", "target", "score", "identity", "length", "cigar"];

/// How the values of a line are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    Tab,
    Comma,
}

impl Separator {
    fn byte(self) -> u8 {
        match self {
            Self::Tab => b'\t',
            Self::Comma => b',',
        }
    }

    /// First line of a file: names of the columns, which begin with `#` if tabs separate them.
    pub fn heading(self, has_distance: bool) -> String {
        let columns = COLUMNS.into_iter().chain(has_distance.then_some("distance"));
        let columns: Vec<_> = columns.collect();
        match self {
            Self::Tab => format!("#{}\n", columns.join("\t")),
            Self::Comma => format!("{}\n", columns.join(",")),
        }
    }

    /// Appends the line of a pair with its score only.
    pub fn score(self, names: [&str; 2], score: i32, scale: i32, out: &mut Vec<u8>) {
        self.begin(names, score, scale, out);
        for end in [self.byte(), self.byte(), b'\n'] {
            out.extend([b'*', end]);
        }
    }

    /// Appends the line of an aligned pair.
    pub fn alignment(self, aligned: &AlignedPair<'_>, scale: i32, out: &mut Vec<u8>) {
        let AlignedPair { query_name, target_name, alignment, .. } = aligned;
        self.begin([query_name, target_name], alignment.score, scale, out);
        let (identity, length) = (aligned.identity(), aligned.length);
        // Writing to memory does not fail.
        let _ = write!(out, "{identity:.6}");
        out.push(self.byte());
        push_number(length, out);
        out.push(self.byte());
        push_cigar(alignment.cigar, out);
        if let Some(distance) = aligned.distance {
            out.push(self.byte());
            let _ = write!(out, "{distance:.6}");
        }
        out.push(b'\n');
    }

    /// Appends names and score.
    fn begin(self, names: [&str; 2], score: i32, scale: i32, out: &mut Vec<u8>) {
        for name in names {
            self.name(name, out);
            out.push(self.byte());
        }
        push_score(score, scale, out);
        out.push(self.byte());
    }

    /// Appends a name, in quotation marks where commas separate values and the name has one, or a quotation mark (RFC 4180).
    fn name(self, name: &str, out: &mut Vec<u8>) {
        if self == Self::Comma && name.contains([',', '"']) {
            out.push(b'"');
            out.extend_from_slice(name.replace('"', "\"\"").as_bytes());
            out.push(b'"');
        } else {
            out.extend_from_slice(name.as_bytes());
        }
    }
}
