//! What is written of each pair.

mod matrix;
mod paf;
mod pairwise;
mod tsv;

use nw_batch::{AlignmentRef, BatchResults, SequencePair, CigarRef, Scoring};

use crate::commands::nw::args::NwFormat;
use crate::commands::nw::input::NamedSequences;

pub use matrix::write as write_matrix;

/// All that formats need to know.
#[derive(Debug)]
pub struct PairFormatter<'a> {
    pub format: NwFormat,
    pub scoring: &'a Scoring,
    /// What the scores of pairs are, for the heading of pairwise text.
    pub scores: String,
    pub queries: &'a NamedSequences,
    pub targets: &'a NamedSequences,
    pub min_identity: Option<f64>,
}

/// An aligned pair.
struct AlignedPair<'a> {
    query_name: &'a str,
    target_name: &'a str,
    query: &'a [u8],
    target: &'a [u8],
    alignment: AlignmentRef<'a>,
    /// Columns.
    length: u32,
    /// Those of identical residues.
    identical: u32,
}

impl AlignedPair<'_> {
    /// The share of identical columns, 1 if there is none.
    fn identity(&self) -> f64 {
        if self.length == 0 { 1.0 } else { f64::from(self.identical) / f64::from(self.length) }
    }
}

impl PairFormatter<'_> {
    /// What comes before all pairs.
    pub fn heading(&self) -> String {
        match self.format {
            NwFormat::Tsv => tsv::HEADING.to_owned(),
            NwFormat::Pair => pairwise::HEADING.to_owned(),
            NwFormat::Paf | NwFormat::Phylip | NwFormat::Square | NwFormat::Npy => String::new(),
        }
    }

    /// Adds the `place`-th pair of a tile to `out`.
    pub fn pair(&self, pair: SequencePair, found: &BatchResults, place: usize, out: &mut Vec<u8>) {
        let query_name = &self.queries.names[pair.query as usize];
        let target_name = &self.targets.names[pair.target as usize];
        let alignment = match found {
            BatchResults::Scores(scores) => {
                let score = scores[place];
                return match self.format {
                    NwFormat::Square | NwFormat::Npy => out.extend(score.to_le_bytes()),
                    _ => tsv::score(query_name, target_name, score, out),
                };
            }
            BatchResults::Alignments(alignments) => alignments.get(place),
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
            NwFormat::Pair => pairwise::alignment(&aligned, self.scoring, &self.scores, out),
            NwFormat::Phylip | NwFormat::Square | NwFormat::Npy => {
                let distance = (1.0 - aligned.identity()) as f32;
                out.extend(distance.to_le_bytes());
            }
        }
    }
}

/// A number in decimal.
fn digits(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Runs as in SAM; `*` if there is none.
fn runs(runs: CigarRef<'_>, out: &mut Vec<u8>) {
    if runs.0.is_empty() {
        out.push(b'*');
    }
    for &run in runs.0 {
        digits(run.count(), out);
        out.push(run.op().letter() as u8);
    }
}
