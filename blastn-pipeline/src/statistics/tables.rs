//! Karlin-Altschul parameters of gapped nucleotide alignments, as NCBI's BLAST tabulates them (`blast_stat.c`).
//!
//! Gapped parameters have no closed form; NCBI estimated these by simulation (Altschul et al., Nucleic Acids Res. 29,
//! 2001, for the method). Scores are divided by the greatest common divisor of match and mismatch scores before the
//! table is consulted, as in `s_SplitArrayOf8` and `Blast_KarlinBlkNuclGappedCalc`.

use crate::scoring::Scoring;
use crate::statistics::KarlinAltschul;
use crate::statistics::space::LengthAdjustment;

/// The statistical parameters of one pair of gap costs.
struct GapCostRow {
    /// Cost of opening a gap.
    open: i32,
    /// Cost of each column of a gap.
    extend: i32,
    /// Parameters of alignments with these gap costs, see [`KarlinAltschul`].
    lambda: f64,
    k: f64,
    h: f64,
    /// Parameters of the length adjustment, see [`LengthAdjustment`].
    alpha: f64,
    beta: f64,
}

/// A row of a table: gap costs `[open, extend]`, then lambda, K, H, alpha and beta, in the order of NCBI's tables.
const fn row([open, extend]: [i32; 2], [lambda, k, h, alpha, beta]: [f64; 5]) -> GapCostRow {
    GapCostRow { open, extend, lambda, k, h, alpha, beta }
}

/// The rows for one pair of match and mismatch scores, which have no common divisor.
struct ScoreTable {
    reward: i32,
    penalty: i32,
    /// Costs of opening a gap and of its columns from which on alignments are statistically ungapped.
    ungapped_from: (i32, i32),
    /// Whether odd scores are rounded down, see [`ScoringStatistics::rounds_scores_down`].
    rounds_scores_down: bool,
    rows: &'static [GapCostRow],
}

/// NCBI's tables `blastn_values_1_5`, `blastn_values_1_4` and so on, of `blast_stat.c`.
const TABLES: [ScoreTable; 12] = [
    ScoreTable {
        reward: 1,
        penalty: -5,
        ungapped_from: (3, 3),
        rounds_scores_down: false,
        rows: &[
            row([0, 0], [1.39, 0.747, 1.38, 1.0, 0.0]),
            row([3, 3], [1.39, 0.747, 1.38, 1.0, 0.0]),
        ],
    },
    ScoreTable {
        reward: 1,
        penalty: -4,
        ungapped_from: (2, 2),
        rounds_scores_down: false,
        rows: &[
            row([0, 0], [1.383, 0.738, 1.36, 1.02, 0.0]),
            row([1, 2], [1.36, 0.67, 1.2, 1.1, 0.0]),
            row([0, 2], [1.26, 0.43, 0.90, 1.4, -1.0]),
            row([2, 1], [1.35, 0.61, 1.1, 1.2, -1.0]),
            row([1, 1], [1.22, 0.35, 0.72, 1.7, -3.0]),
        ],
    },
    ScoreTable {
        reward: 2,
        penalty: -7,
        ungapped_from: (4, 4),
        rounds_scores_down: true,
        rows: &[
            row([0, 0], [0.69, 0.73, 1.34, 0.515, 0.0]),
            row([2, 4], [0.68, 0.67, 1.2, 0.55, 0.0]),
            row([0, 4], [0.63, 0.43, 0.90, 0.7, -1.0]),
            row([4, 2], [0.675, 0.62, 1.1, 0.6, -1.0]),
            row([2, 2], [0.61, 0.35, 0.72, 1.7, -3.0]),
        ],
    },
    ScoreTable {
        reward: 1,
        penalty: -3,
        ungapped_from: (2, 2),
        rounds_scores_down: false,
        rows: &[
            row([0, 0], [1.374, 0.711, 1.31, 1.05, 0.0]),
            row([2, 2], [1.37, 0.70, 1.2, 1.1, 0.0]),
            row([1, 2], [1.35, 0.64, 1.1, 1.2, -1.0]),
            row([0, 2], [1.25, 0.42, 0.83, 1.5, -2.0]),
            row([2, 1], [1.34, 0.60, 1.1, 1.2, -1.0]),
            row([1, 1], [1.21, 0.34, 0.71, 1.7, -2.0]),
        ],
    },
    ScoreTable {
        reward: 2,
        penalty: -5,
        ungapped_from: (4, 4),
        rounds_scores_down: true,
        rows: &[
            row([0, 0], [0.675, 0.65, 1.1, 0.6, -1.0]),
            row([2, 4], [0.67, 0.59, 1.1, 0.6, -1.0]),
            row([0, 4], [0.62, 0.39, 0.78, 0.8, -2.0]),
            row([4, 2], [0.67, 0.61, 1.0, 0.65, -2.0]),
            row([2, 2], [0.56, 0.32, 0.59, 0.95, -4.0]),
        ],
    },
    ScoreTable {
        reward: 1,
        penalty: -2,
        ungapped_from: (2, 2),
        rounds_scores_down: false,
        rows: &[
            row([0, 0], [1.28, 0.46, 0.85, 1.5, -2.0]),
            row([2, 2], [1.33, 0.62, 1.1, 1.2, 0.0]),
            row([1, 2], [1.30, 0.52, 0.93, 1.4, -2.0]),
            row([0, 2], [1.19, 0.34, 0.66, 1.8, -3.0]),
            row([3, 1], [1.32, 0.57, 1.0, 1.3, -1.0]),
            row([2, 1], [1.29, 0.49, 0.92, 1.4, -1.0]),
            row([1, 1], [1.14, 0.26, 0.52, 2.2, -5.0]),
        ],
    },
    ScoreTable {
        reward: 2,
        penalty: -3,
        ungapped_from: (6, 4),
        rounds_scores_down: true,
        rows: &[
            row([0, 0], [0.55, 0.21, 0.46, 1.2, -5.0]),
            row([4, 4], [0.63, 0.42, 0.84, 0.75, -2.0]),
            row([2, 4], [0.615, 0.37, 0.72, 0.85, -3.0]),
            row([0, 4], [0.55, 0.21, 0.46, 1.2, -5.0]),
            row([3, 3], [0.615, 0.37, 0.68, 0.9, -3.0]),
            row([6, 2], [0.63, 0.42, 0.84, 0.75, -2.0]),
            row([5, 2], [0.625, 0.41, 0.78, 0.8, -2.0]),
            row([4, 2], [0.61, 0.35, 0.68, 0.9, -3.0]),
            row([2, 2], [0.515, 0.14, 0.33, 1.55, -9.0]),
        ],
    },
    ScoreTable {
        reward: 3,
        penalty: -4,
        ungapped_from: (6, 3),
        rounds_scores_down: true,
        rows: &[
            row([6, 3], [0.389, 0.25, 0.56, 0.7, -5.0]),
            row([5, 3], [0.375, 0.21, 0.47, 0.8, -6.0]),
            row([4, 3], [0.351, 0.14, 0.35, 1.0, -9.0]),
            row([6, 2], [0.362, 0.16, 0.45, 0.8, -4.0]),
            row([5, 2], [0.330, 0.092, 0.28, 1.2, -13.0]),
            row([4, 2], [0.281, 0.046, 0.16, 1.8, -23.0]),
        ],
    },
    ScoreTable {
        reward: 4,
        penalty: -5,
        ungapped_from: (12, 8),
        rounds_scores_down: false,
        rows: &[
            row([0, 0], [0.22, 0.061, 0.22, 1.0, -15.0]),
            row([6, 5], [0.28, 0.21, 0.47, 0.6, -7.0]),
            row([5, 5], [0.27, 0.17, 0.39, 0.7, -9.0]),
            row([4, 5], [0.25, 0.10, 0.31, 0.8, -10.0]),
            row([3, 5], [0.23, 0.065, 0.25, 0.9, -11.0]),
        ],
    },
    ScoreTable {
        reward: 1,
        penalty: -1,
        ungapped_from: (4, 2),
        rounds_scores_down: false,
        rows: &[
            row([3, 2], [1.09, 0.31, 0.55, 2.0, -2.0]),
            row([2, 2], [1.07, 0.27, 0.49, 2.2, -3.0]),
            row([1, 2], [1.02, 0.21, 0.36, 2.8, -6.0]),
            row([0, 2], [0.80, 0.064, 0.17, 4.8, -16.0]),
            row([4, 1], [1.08, 0.28, 0.54, 2.0, -2.0]),
            row([3, 1], [1.06, 0.25, 0.46, 2.3, -4.0]),
            row([2, 1], [0.99, 0.17, 0.30, 3.3, -10.0]),
        ],
    },
    ScoreTable {
        reward: 3,
        penalty: -2,
        ungapped_from: (5, 5),
        rounds_scores_down: false,
        rows: &[row([5, 5], [0.208, 0.030, 0.072, 2.9, -47.0])],
    },
    ScoreTable {
        reward: 5,
        penalty: -4,
        ungapped_from: (25, 10),
        rounds_scores_down: false,
        rows: &[
            row([10, 6], [0.163, 0.068, 0.16, 1.0, -19.0]),
            row([8, 6], [0.146, 0.039, 0.11, 1.3, -29.0]),
        ],
    },
];

/// Statistical parameters of gapped alignments with some scoring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum GappedParameters {
    /// Parameters from the table, with those of the length adjustment ([`LengthAdjustment`]).
    Tabulated { parameters: KarlinAltschul, length: LengthAdjustment },
    /// Gaps cost so much that the parameters of ungapped alignments hold.
    Ungapped,
}

/// Statistics of a supported scoring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoringStatistics {
    /// Parameters of gapped alignments.
    pub(crate) gapped: GappedParameters,
    /// Whether the parameters hold for even scores alone, so that odd scores are rounded down before E-values are
    /// computed (`round_down` in NCBI's `BlastScoreBlk`).
    pub(crate) rounds_scores_down: bool,
}

impl ScoringStatistics {
    /// Statistics of a search for alignments without gaps, whose scores are not rounded.
    pub(crate) const UNGAPPED: Self =
        Self { gapped: GappedParameters::Ungapped, rounds_scores_down: false };
}

/// The statistics of a scoring, or `None` if it is not supported.
pub(crate) fn scoring_statistics(scoring: &Scoring) -> Option<ScoringStatistics> {
    let divisor = gcd(scoring.reward, -scoring.penalty);
    let table = TABLES.iter().find(|table| {
        table.reward * divisor == scoring.reward && table.penalty * divisor == scoring.penalty
    })?;
    let has_costs = |row: &&GapCostRow| {
        row.open * divisor == scoring.gap_open && row.extend * divisor == scoring.gap_extend
    };
    let rounds_scores_down = table.rounds_scores_down;
    if let Some(&GapCostRow { lambda, k, h, alpha, beta, .. }) = table.rows.iter().find(has_costs) {
        let divisor = f64::from(divisor);
        let parameters = KarlinAltschul::new(lambda / divisor, k, h);
        let length = LengthAdjustment { alpha: alpha / divisor, beta };
        let gapped = GappedParameters::Tabulated { parameters, length };
        return Some(ScoringStatistics { gapped, rounds_scores_down });
    }
    let (open, extend) = table.ungapped_from;
    let is_ungapped = scoring.gap_open >= open * divisor && scoring.gap_extend >= extend * divisor;
    let gapped = GappedParameters::Ungapped;
    is_ungapped.then_some(ScoringStatistics { gapped, rounds_scores_down })
}

/// The gap costs that are supported with match and mismatch scores, as pairs of the cost of opening a gap and the
/// cost of a column; all costs greater than the last pair are supported, too. `None` if the scores are not supported
/// at all.
pub fn supported_gap_costs(reward: i32, penalty: i32) -> Option<Vec<(i32, i32)>> {
    let divisor = gcd(reward, -penalty);
    let is_it = |table: &&ScoreTable| {
        table.reward * divisor == reward && table.penalty * divisor == penalty
    };
    let table = TABLES.iter().find(is_it)?;
    let costs = table.rows.iter().map(|row| (row.open, row.extend)).chain([table.ungapped_from]);
    Some(costs.map(|(open, extend)| (open * divisor, extend * divisor)).collect())
}

/// Greatest common divisor of two positive numbers.
fn gcd(one: i32, other: i32) -> i32 {
    if other <= 0 { one.max(1) } else { gcd(other, one % other) }
}
