//! The strands of queries, and what an alignment must score to be of interest there.

use std::f64::consts::LN_2;
use std::ops::Range;

use crate::options::Options;
use crate::scoring::Matrix;
use crate::statistics::tables::Gapped;
use crate::statistics::{Parameters, SearchSpace, ungapped};

/// Bits that an ungapped alignment must score to be extended with gaps.
const GAP_TRIGGER: f64 = 27.0;

/// Of the score that is needed, what an extension four bases at a time must reach.
const NEARLY: f64 = 0.8;

/// A strand of a query.
#[derive(Debug, Clone)]
pub struct Context {
    /// Its first letter.
    pub first: usize,
    /// Its letters.
    pub length: usize,
    /// The query, counted within the batch.
    pub query: usize,
    /// Whether it is the reverse complement.
    pub minus: bool,
    /// Nothing if there are no statistics for the query, as for one of N only.
    pub statistics: Option<Statistics>,
}

impl Context {
    /// Its letters among those of the batch.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first..self.first + self.length
    }
}

/// Statistics of a strand, and the scores that follow.
#[derive(Debug, Clone, Copy)]
pub struct Statistics {
    /// Of ungapped alignments.
    pub ungapped: Parameters,
    /// Of gapped alignments.
    pub gapped: Parameters,
    /// The search space.
    pub space: SearchSpace,
    /// How far the score of an ungapped extension may drop.
    pub(crate) x_drop: i32,
    /// The least score of an ungapped alignment that is extended with gaps.
    pub(crate) trigger: i32,
    /// The least score of a gapped alignment.
    pub(crate) cutoff: i32,
}

/// How much there is to search in.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Bases.
    pub letters: u64,
    /// Sequences.
    pub sequences: usize,
}

impl Statistics {
    /// What an extension by four bases at a time must score.
    pub(crate) fn nearly(&self) -> i32 {
        (NEARLY * f64::from(self.trigger)) as i32
    }

    pub(crate) fn new(
        strand: &[u8],
        matrix: &Matrix,
        options: &Options,
        gapped: Gapped,
        extent: Extent,
    ) -> Option<Self> {
        let ungapped = ungapped::of_query(&options.scoring, matrix, strand)?;
        let (gapped, lengths) = match gapped {
            Gapped::Known { parameters, alpha, beta } => (parameters, (alpha, beta)),
            Gapped::Ungapped => {
                let scores = (options.scoring.reward, options.scoring.penalty);
                let beta = if matches!(scores, (1, -1) | (2, -3)) { -2.0 } else { 0.0 };
                (ungapped, (ungapped.lambda / ungapped.h, beta))
            }
        };
        let space = SearchSpace::new(
            &gapped,
            lengths,
            strand.len() as i64,
            extent.letters as i64,
            extent.sequences as i64,
        );
        let cutoff = gapped.cutoff(options.e_value, space.effective);
        let trigger = ((GAP_TRIGGER * LN_2 + ungapped.log_k) / ungapped.lambda) as i32;
        let x_drop = (options.x_drops.ungapped * LN_2 / ungapped.lambda).ceil() as i32;
        let trigger = trigger.min(cutoff);
        let x_drop = if x_drop == 0 { trigger } else { x_drop };
        Some(Self { ungapped, gapped, space, x_drop, trigger, cutoff })
    }
}
