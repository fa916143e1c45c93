//! Parameters that NCBI's blastn chooses for all queries that it searches together, from those queries together.

use std::f64::consts::LN_2;
use std::ops::Range;

use crate::options::SearchOptions;
use crate::query::context::QueryContext;
use crate::scoring::MAX_X_DROP;

/// Parameters shared by all queries of a batch. Nothing else in the results of a query depends on the queries that are
/// searched with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BatchParameters {
    /// Number of bases of a word of the lookup table, at most the word size of the options.
    pub(crate) lookup_width: usize,
    /// X-drop of preliminary gapped extensions, in score units.
    pub(crate) gapped_x_drop: i32,
    /// X-drop of final gapped extensions, in score units; no less than `gapped_x_drop`.
    pub(crate) final_x_drop: i32,
    /// With sum statistics, the least gap trigger: alignments that score no more are not linked to others near them.
    pub(crate) near_cutoff: Option<i32>,
    /// With sum statistics of gapped alignments, the search space of a query of average length in a subject of average
    /// length, in which an alignment that is kept has an E-value of at most 1.
    pub(crate) average_space: Option<i64>,
}

impl BatchParameters {
    /// Parameters for queries with these contexts and unmasked ranges (`segments`).
    pub(crate) fn new(
        contexts: &[QueryContext],
        segments: &[Range<usize>],
        options: &SearchOptions,
    ) -> Self {
        let lambdas = contexts.iter().filter_map(|context| context.statistics);
        let lambda = lambdas.map(|statistics| statistics.gapped.lambda).fold(f64::MAX, f64::min);
        let score = |bits: f64| bits * LN_2 / lambda;
        let x_drop = (score(options.x_drops.gapped) as i32).min(MAX_X_DROP);
        let final_x_drop = (score(options.x_drops.gapped_final) as i32).clamp(x_drop, MAX_X_DROP);
        let triggers = contexts.iter().filter_map(|it| it.statistics).map(|it| it.gap_trigger);
        let words = segments.iter().map(|segment| segment.len() - 1).sum();
        Self {
            lookup_width: lookup_width(options.word_size, words),
            gapped_x_drop: x_drop,
            final_x_drop,
            near_cutoff: triggers.min().filter(|_| options.has_sum_statistics),
            average_space: None,
        }
    }
}

/// The number of bases of a word of the lookup table, given the word size of the options and the approximate number
/// of words in the queries (`BlastChooseNaLookupTable` in NCBI's `blast_nalookup.c`).
fn lookup_width(word: usize, words: usize) -> usize {
    // Each choice: the number of words from which on it applies, and the width.
    let choose = |choices: &[(usize, usize)]| {
        choices.iter().rev().find(|&&(from, _)| words >= from).map_or(word, |&(_, width)| width)
    };
    match word {
        0..=6 => word,
        7 => choose(&[(0, 6), (250, 7)]),
        8 => choose(&[(0, 7), (8_500, 8)]),
        9 => choose(&[(0, 7), (1_250, 8), (21_000, 9)]),
        10 => choose(&[(0, 7), (1_250, 8), (8_500, 9), (18_000, 10)]),
        11 => choose(&[(0, 8), (12_000, 10), (180_000, 11)]),
        12 => choose(&[(0, 8), (8_500, 9), (18_000, 10), (60_000, 11), (900_000, 12)]),
        _ => choose(&[(0, 8), (8_500, 11), (300_000, 12)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_the_number_of_words() {
        assert_eq!(
            [0, 11_999, 12_000, 180_000].map(|words| lookup_width(11, words)),
            [8, 8, 10, 11]
        );
        assert_eq!([0, 8_500, 300_000].map(|words| lookup_width(28, words)), [8, 11, 12]);
        assert_eq!((lookup_width(4, 5), lookup_width(7, 100), lookup_width(7, 1000)), (4, 6, 7));
    }
}
