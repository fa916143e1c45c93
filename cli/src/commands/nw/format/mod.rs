//! Output formats of `gpualign nw`.

mod cigar;
mod matrix;
mod number;
mod paf;
mod pairwise;
mod sam;
mod table;

use nw_batch::{AlignmentRef, BatchResults, DistanceMeasure, SequencePair};

use self::cigar::push_cigar;
use self::table::Separator;
use crate::commands::nw::args::NwFormat;
use crate::commands::nw::input::NamedSequences;
use crate::commands::nw::scoring::NwScoring;

pub use matrix::{MatrixValues, write as write_matrix};
pub use sam::check_names as check_sam_names;

/// Formatter of pairs, with everything that formats need.
#[derive(Debug)]
pub struct PairFormatter<'a> {
    pub format: NwFormat,
    pub scoring: &'a NwScoring,
    pub queries: &'a NamedSequences,
    pub targets: &'a NamedSequences,
    pub min_identity: Option<f64>,
    /// Distances to report; matrices have 1 - identity without it.
    pub distance: Option<&'a DistanceMeasure>,
}

/// Aligned pair, ready to format.
struct AlignedPair<'a> {
    query_name: &'a str,
    target_name: &'a str,
    query: &'a [u8],
    target: &'a [u8],
    /// Letters of the query; none if the format does not show them.
    query_letters: &'a [u8],
    target_letters: &'a [u8],
    alignment: AlignmentRef<'a>,
    /// Number of columns of the alignment.
    length: u32,
    /// Number of columns with identical residues.
    identical: u32,
    distance: Option<f64>,
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
            NwFormat::Tsv => Separator::Tab.heading(self.distance.is_some()),
            NwFormat::Csv => Separator::Comma.heading(self.distance.is_some()),
            NwFormat::Sam => sam::heading(self.targets),
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
        let NwScoring { scoring, scale, .. } = self.scoring;
        let (free, scale) = (scoring.free_ends(), *scale);
        let alignment = match results {
            BatchResults::Scores(scores) => {
                let score = scores[index];
                return match self.format {
                    NwFormat::Square | NwFormat::Npy => out.extend(score.to_le_bytes()),
                    NwFormat::Tsv => {
                        Separator::Tab.score([query_name, target_name], score, scale, out);
                    }
                    NwFormat::Csv => {
                        Separator::Comma.score([query_name, target_name], score, scale, out);
                    }
                    NwFormat::Paf | NwFormat::Sam | NwFormat::Pair | NwFormat::Phylip => {
                        unreachable!("the command line refuses scores alone as {:?}", self.format)
                    }
                };
            }
            BatchResults::Alignments(alignments) => alignments.get(index),
        };
        let query = self.queries.sequences.get(pair.query);
        let target = self.targets.sequences.get(pair.target);
        let (length, identical) = alignment.cigar.length_and_identical();
        let aligned = AlignedPair {
            query_name,
            target_name,
            query,
            target,
            query_letters: letters_of(self.queries, pair.query),
            target_letters: letters_of(self.targets, pair.target),
            alignment,
            length,
            identical,
            distance: self.distance.map(|it| it.distance(alignment.cigar, query, target)),
        };
        if self.min_identity.is_some_and(|least| aligned.identity() < least) {
            return;
        }
        match self.format {
            NwFormat::Tsv => Separator::Tab.alignment(&aligned, scale, out),
            NwFormat::Csv => Separator::Comma.alignment(&aligned, scale, out),
            NwFormat::Paf => paf::alignment(&aligned, free, scale, out),
            NwFormat::Sam => sam::alignment(&aligned, free, scale, out),
            NwFormat::Pair => pairwise::alignment(&aligned, self.scoring, out),
            NwFormat::Phylip | NwFormat::Square | NwFormat::Npy => {
                let distance = aligned.distance.unwrap_or(1.0 - aligned.identity()) as f32;
                out.extend(distance.to_le_bytes());
            }
        }
    }
}

/// Letters of a sequence; none if they were not kept.
fn letters_of(sequences: &NamedSequences, index: u32) -> &[u8] {
    sequences.letters.as_ref().map_or(&[], |letters| letters.get(index))
}
