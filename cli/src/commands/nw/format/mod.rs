//! Output formats of `gpualign nw`.

mod matrix;
mod paf;
mod pairwise;
mod tsv;

use nw_batch::{AlignmentRef, BatchResults, CigarRef, Scoring, SequencePair};

use crate::commands::nw::args::NwFormat;
use crate::commands::nw::input::NamedSequences;

pub use matrix::write as write_matrix;

/// Formatter of pairs, with everything that formats need.
#[derive(Debug)]
pub struct PairFormatter<'a> {
    pub format: NwFormat,
    pub scoring: &'a Scoring,
    /// Name of the matrix, or the match and mismatch scores, for the heading of pairwise text.
    pub score_name: String,
    pub queries: &'a NamedSequences,
    pub targets: &'a NamedSequences,
    pub min_identity: Option<f64>,
}

/// Aligned pair, ready to format.
struct AlignedPair<'a> {
    query_name: &'a str,
    target_name: &'a str,
    query: &'a [u8],
    target: &'a [u8],
    alignment: AlignmentRef<'a>,
    /// Number of columns of the alignment.
    length: u32,
    /// Number of columns with identical residues.
    identical: u32,
}

impl AlignedPair<'_> {
    /// Share of identical columns among all columns; 1 if there is no column.
    fn identity(&self) -> f64 {
        if self.length == 0 { 1.0 } else { f64::from(self.identical) / f64::from(self.length) }
    }
}

impl PairFormatter<'_> {
    /// Text before the first pair.
    pub fn heading(&self) -> String {
        match self.format {
            NwFormat::Tsv => tsv::HEADING.to_owned(),
            NwFormat::Pair => pairwise::HEADING.to_owned(),
            NwFormat::Paf | NwFormat::Phylip | NwFormat::Square | NwFormat::Npy => String::new(),
        }
    }

    /// Appends a pair to `out`; `results` are those of its tile, in which it has the index `index`.
    pub fn pair(
        &self,
        pair: SequencePair,
        results: &BatchResults,
        index: usize,
        out: &mut Vec<u8>,
    ) {
        let query_name = &self.queries.names[pair.query as usize];
        let target_name = &self.targets.names[pair.target as usize];
        let alignment = match results {
            BatchResults::Scores(scores) => {
                let score = scores[index];
                return match self.format {
                    NwFormat::Square | NwFormat::Npy => out.extend(score.to_le_bytes()),
                    NwFormat::Tsv => tsv::score(query_name, target_name, score, out),
                    NwFormat::Paf | NwFormat::Pair | NwFormat::Phylip => {
                        unreachable!("the command line refuses scores alone as {:?}", self.format)
                    }
                };
            }
            BatchResults::Alignments(alignments) => alignments.get(index),
        };
        let query = self.queries.sequences.get(pair.query);
        let target = self.targets.sequences.get(pair.target);
        let (length, identical) = alignment.cigar.length_and_identical();
        let aligned =
            AlignedPair { query_name, target_name, query, target, alignment, length, identical };
        if self.min_identity.is_some_and(|least| aligned.identity() < least) {
            return;
        }
        match self.format {
            NwFormat::Tsv => tsv::alignment(&aligned, out),
            NwFormat::Paf => paf::alignment(&aligned, self.scoring.free_ends(), out),
            NwFormat::Pair => pairwise::alignment(&aligned, self.scoring, &self.score_name, out),
            NwFormat::Phylip | NwFormat::Square | NwFormat::Npy => {
                let distance = (1.0 - aligned.identity()) as f32;
                out.extend(distance.to_le_bytes());
            }
        }
    }
}

/// Appends a number in decimal digits.
fn push_number(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends a CIGAR string as in SAM; `*` if there is no column.
fn push_cigar(cigar: CigarRef<'_>, out: &mut Vec<u8>) {
    if cigar.0.is_empty() {
        out.push(b'*');
    }
    for run in cigar.iter() {
        push_number(run.length(), out);
        out.push(run.op().letter() as u8);
    }
}
