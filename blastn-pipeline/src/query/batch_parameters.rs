//! What NCBI's program decides for queries that it searches together, by what these are together.

use std::f64::consts::LN_2;
use std::ops::Range;

use crate::options::Options;
use crate::query::context::Context;

/// How queries are searched. It is all that a query's results owe to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Manner {
    /// Bases of a looked-up word.
    pub(crate) width: usize,
    /// X-drops of gapped extensions, in scores.
    pub(crate) x_drop: i32,
    pub(crate) x_drop_last: i32,
}

impl Manner {
    /// For strands with these stretches that are not masked.
    pub(crate) fn new(contexts: &[Context], segments: &[Range<usize>], options: &Options) -> Self {
        let lambdas = contexts.iter().filter_map(|context| context.statistics);
        let lambda = lambdas.map(|statistics| statistics.gapped.lambda).fold(f64::MAX, f64::min);
        let score = |bits: f64| bits * LN_2 / lambda;
        let x_drop = score(options.x_drops.gapped) as i32;
        let words = segments.iter().map(|segment| segment.len() - 1).sum();
        Self {
            width: width(options.word, words),
            x_drop,
            x_drop_last: score(options.x_drops.last).max(f64::from(x_drop)) as i32,
        }
    }
}

/// Bases of a looked-up word, given those of a hit and how many words there are about.
fn width(word: usize, words: usize) -> usize {
    // Each row: from this many words on, this width.
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
        assert_eq!([0, 11_999, 12_000, 180_000].map(|words| width(11, words)), [8, 8, 10, 11]);
        assert_eq!([0, 8_500, 300_000].map(|words| width(28, words)), [8, 11, 12]);
        assert_eq!((width(4, 5), width(7, 100), width(7, 1000)), (4, 6, 7));
    }
}
