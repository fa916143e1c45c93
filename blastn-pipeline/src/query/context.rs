//! Query contexts: the strands of queries, with their statistics and cutoff scores. "Context" is NCBI's word
//! (`BlastContextInfo`).

use std::f64::consts::LN_2;
use std::ops::Range;

use crate::options::SearchOptions;
use crate::scoring::{MAX_X_DROP, ScoreMatrix};
use crate::statistics::space::LengthAdjustment;
use crate::statistics::sum;
use crate::statistics::tables::GappedParameters;
use crate::statistics::{DatabaseSize, KarlinAltschul, SearchSpace, ungapped};

/// Bit score from which on an ungapped alignment is extended with gaps (`BLAST_GAP_TRIGGER_NUCL` in NCBI's
/// `blast_options.h`).
const GAP_TRIGGER: f64 = 27.0;

/// E-value of an alignment without gaps, in a subject of average length, that is kept in a search for such alignments
/// (`CUTOFF_E_BLASTN` in NCBI's `blast_parameters.h`).
const UNGAPPED_E_VALUE: f64 = 0.05;

/// Share of the gap trigger that an approximate ungapped extension must score (`reduced_nucl_cutoff_score` in NCBI's
/// `blast_parameters.c`).
const APPROXIMATE_SHARE: f64 = 0.8;

/// A strand of a query, within a batch.
#[derive(Debug, Clone)]
pub struct QueryContext {
    /// Position of its first letter among the letters of the batch.
    pub first: usize,
    /// Number of its letters.
    pub length: usize,
    /// Number of the query within the batch, from 0.
    pub query: usize,
    /// Whether this is the minus strand: the reverse complement of the query.
    pub is_minus: bool,
    /// Statistics of the strand, or `None` if it has none, as a query of N alone; such a strand is not searched.
    pub statistics: Option<ContextStatistics>,
}

impl QueryContext {
    /// The range of its letters among the letters of the batch.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first..self.first + self.length
    }
}

/// Statistics of a context, and the cutoff scores that follow from them. The *gap trigger* of a context is the least
/// score of an ungapped alignment that is extended with gaps, or kept in a search for alignments without gaps.
#[derive(Debug, Clone, Copy)]
pub struct ContextStatistics {
    /// Karlin-Altschul parameters of ungapped alignments.
    pub ungapped: KarlinAltschul,
    /// Karlin-Altschul parameters of gapped alignments.
    pub gapped: KarlinAltschul,
    /// The effective search space of the query in the database.
    pub space: SearchSpace,
    /// X-drop of ungapped extensions, in score units, positive.
    pub(crate) x_drop: i32,
    /// The gap trigger.
    pub(crate) gap_trigger: i32,
    /// The least score of a gapped alignment that is kept, from the greatest E-value.
    pub(crate) cutoff: i32,
}

/// Limits of approximate ungapped extensions that hold for all contexts of a batch: an extension that scores too little by
/// them does so in every context.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LenientLimits {
    /// The greatest X-drop of a context, in score units, positive.
    pub(crate) x_drop: i32,
    /// The least [`approximate_cutoff`](ContextStatistics::approximate_cutoff) of a context.
    pub(crate) approximate_cutoff: i32,
}

impl LenientLimits {
    /// The limits for these contexts.
    pub(crate) fn new(contexts: &[QueryContext]) -> Self {
        let statistics = || contexts.iter().filter_map(|context| context.statistics);
        let cutoffs = statistics().map(|it| it.approximate_cutoff());
        Self {
            x_drop: statistics().map(|it| it.x_drop).max().unwrap_or(0),
            approximate_cutoff: cutoffs.min().unwrap_or(0),
        }
    }
}

impl ContextStatistics {
    /// The least score of an approximate ungapped extension, by four bases at a time, that is repeated base by base.
    pub(crate) fn approximate_cutoff(&self) -> i32 {
        (APPROXIMATE_SHARE * f64::from(self.gap_trigger)) as i32
    }

    /// The statistics of a strand, or `None` if it has no bases or its alignments are expected to score 0 or more.
    pub(crate) fn new(
        strand: &[u8],
        matrix: &ScoreMatrix,
        options: &SearchOptions,
        gapped: GappedParameters,
        database: DatabaseSize,
    ) -> Option<Self> {
        let ungapped = ungapped::of_query(&options.scoring, matrix, strand)?;
        let (gapped, length) = match gapped {
            GappedParameters::Tabulated { parameters, length } => (parameters, length),
            GappedParameters::Ungapped => {
                let scores = (options.scoring.reward, options.scoring.penalty);
                let beta = if matches!(scores, (1, -1) | (2, -3)) { -2.0 } else { 0.0 };
                let alpha = ungapped.lambda / ungapped.h;
                (ungapped, LengthAdjustment { alpha, beta })
            }
        };
        let average = database.average();
        let letters = options.database_letters.unwrap_or(database.letters);
        let database = DatabaseSize { letters, ..database };
        let mut space = SearchSpace::new(&gapped, length, strand.len() as i64, database);
        space.effective = options.search_space.unwrap_or(space.effective);
        let cutoff = options
            .min_gapped_score
            .unwrap_or_else(|| gapped.cutoff(options.e_value, space.effective));
        let gap_trigger = if options.is_ungapped {
            // Both strands count.
            let space = average.min(2 * strand.len() as i64) * average;
            let weight = if options.has_sum_statistics { sum::weight(1) } else { 1.0 };
            ungapped.cutoff(UNGAPPED_E_VALUE * weight, space)
        } else {
            ((GAP_TRIGGER * LN_2 + ungapped.log_k) / ungapped.lambda) as i32
        };
        let x_drop = (options.x_drops.ungapped * LN_2 / ungapped.lambda).ceil() as i32;
        let x_drop = x_drop.min(MAX_X_DROP);
        let gap_trigger = gap_trigger.min(cutoff);
        let x_drop = if x_drop == 0 { gap_trigger } else { x_drop };
        Some(Self { ungapped, gapped, space, x_drop, gap_trigger, cutoff })
    }
}
