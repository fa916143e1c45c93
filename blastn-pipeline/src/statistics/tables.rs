//! Karlin-Altschul parameters of gapped alignments of nucleotides, as NCBI's BLAST tabulates them.
//!
//! Gapped parameters have no closed form; these were estimated by simulation (Altschul et al.,
//! Nucleic Acids Res. 29, 2001, for the method). Scores are reduced by their greatest common divisor
//! before the table is consulted.

use crate::scoring::Scoring;
use crate::statistics::Parameters;

/// gap open, gap extend, lambda, K, H, alpha, beta.
type Row = (i32, i32, f64, f64, f64, f64, f64);

/// The rows for one pair of scores.
struct Table {
    reward: i32,
    penalty: i32,
    /// From these gap costs on, alignments are as good as ungapped.
    ungapped_from: (i32, i32),
    /// Only even scores follow the statistics: odd ones are rounded down.
    even: bool,
    rows: &'static [Row],
}

const TABLES: [Table; 12] = [
    Table {
        reward: 1,
        penalty: -5,
        ungapped_from: (3, 3),
        even: false,
        rows: &[(0, 0, 1.39, 0.747, 1.38, 1.0, 0.0), (3, 3, 1.39, 0.747, 1.38, 1.0, 0.0)],
    },
    Table {
        reward: 1,
        penalty: -4,
        ungapped_from: (2, 2),
        even: false,
        rows: &[
            (0, 0, 1.383, 0.738, 1.36, 1.02, 0.0),
            (1, 2, 1.36, 0.67, 1.2, 1.1, 0.0),
            (0, 2, 1.26, 0.43, 0.90, 1.4, -1.0),
            (2, 1, 1.35, 0.61, 1.1, 1.2, -1.0),
            (1, 1, 1.22, 0.35, 0.72, 1.7, -3.0),
        ],
    },
    Table {
        reward: 2,
        penalty: -7,
        ungapped_from: (4, 4),
        even: true,
        rows: &[
            (0, 0, 0.69, 0.73, 1.34, 0.515, 0.0),
            (2, 4, 0.68, 0.67, 1.2, 0.55, 0.0),
            (0, 4, 0.63, 0.43, 0.90, 0.7, -1.0),
            (4, 2, 0.675, 0.62, 1.1, 0.6, -1.0),
            (2, 2, 0.61, 0.35, 0.72, 1.7, -3.0),
        ],
    },
    Table {
        reward: 1,
        penalty: -3,
        ungapped_from: (2, 2),
        even: false,
        rows: &[
            (0, 0, 1.374, 0.711, 1.31, 1.05, 0.0),
            (2, 2, 1.37, 0.70, 1.2, 1.1, 0.0),
            (1, 2, 1.35, 0.64, 1.1, 1.2, -1.0),
            (0, 2, 1.25, 0.42, 0.83, 1.5, -2.0),
            (2, 1, 1.34, 0.60, 1.1, 1.2, -1.0),
            (1, 1, 1.21, 0.34, 0.71, 1.7, -2.0),
        ],
    },
    Table {
        reward: 2,
        penalty: -5,
        ungapped_from: (4, 4),
        even: true,
        rows: &[
            (0, 0, 0.675, 0.65, 1.1, 0.6, -1.0),
            (2, 4, 0.67, 0.59, 1.1, 0.6, -1.0),
            (0, 4, 0.62, 0.39, 0.78, 0.8, -2.0),
            (4, 2, 0.67, 0.61, 1.0, 0.65, -2.0),
            (2, 2, 0.56, 0.32, 0.59, 0.95, -4.0),
        ],
    },
    Table {
        reward: 1,
        penalty: -2,
        ungapped_from: (2, 2),
        even: false,
        rows: &[
            (0, 0, 1.28, 0.46, 0.85, 1.5, -2.0),
            (2, 2, 1.33, 0.62, 1.1, 1.2, 0.0),
            (1, 2, 1.30, 0.52, 0.93, 1.4, -2.0),
            (0, 2, 1.19, 0.34, 0.66, 1.8, -3.0),
            (3, 1, 1.32, 0.57, 1.0, 1.3, -1.0),
            (2, 1, 1.29, 0.49, 0.92, 1.4, -1.0),
            (1, 1, 1.14, 0.26, 0.52, 2.2, -5.0),
        ],
    },
    Table {
        reward: 2,
        penalty: -3,
        ungapped_from: (6, 4),
        even: true,
        rows: &[
            (0, 0, 0.55, 0.21, 0.46, 1.2, -5.0),
            (4, 4, 0.63, 0.42, 0.84, 0.75, -2.0),
            (2, 4, 0.615, 0.37, 0.72, 0.85, -3.0),
            (0, 4, 0.55, 0.21, 0.46, 1.2, -5.0),
            (3, 3, 0.615, 0.37, 0.68, 0.9, -3.0),
            (6, 2, 0.63, 0.42, 0.84, 0.75, -2.0),
            (5, 2, 0.625, 0.41, 0.78, 0.8, -2.0),
            (4, 2, 0.61, 0.35, 0.68, 0.9, -3.0),
            (2, 2, 0.515, 0.14, 0.33, 1.55, -9.0),
        ],
    },
    Table {
        reward: 3,
        penalty: -4,
        ungapped_from: (6, 3),
        even: true,
        rows: &[
            (6, 3, 0.389, 0.25, 0.56, 0.7, -5.0),
            (5, 3, 0.375, 0.21, 0.47, 0.8, -6.0),
            (4, 3, 0.351, 0.14, 0.35, 1.0, -9.0),
            (6, 2, 0.362, 0.16, 0.45, 0.8, -4.0),
            (5, 2, 0.330, 0.092, 0.28, 1.2, -13.0),
            (4, 2, 0.281, 0.046, 0.16, 1.8, -23.0),
        ],
    },
    Table {
        reward: 4,
        penalty: -5,
        ungapped_from: (12, 8),
        even: false,
        rows: &[
            (0, 0, 0.22, 0.061, 0.22, 1.0, -15.0),
            (6, 5, 0.28, 0.21, 0.47, 0.6, -7.0),
            (5, 5, 0.27, 0.17, 0.39, 0.7, -9.0),
            (4, 5, 0.25, 0.10, 0.31, 0.8, -10.0),
            (3, 5, 0.23, 0.065, 0.25, 0.9, -11.0),
        ],
    },
    Table {
        reward: 1,
        penalty: -1,
        ungapped_from: (4, 2),
        even: false,
        rows: &[
            (3, 2, 1.09, 0.31, 0.55, 2.0, -2.0),
            (2, 2, 1.07, 0.27, 0.49, 2.2, -3.0),
            (1, 2, 1.02, 0.21, 0.36, 2.8, -6.0),
            (0, 2, 0.80, 0.064, 0.17, 4.8, -16.0),
            (4, 1, 1.08, 0.28, 0.54, 2.0, -2.0),
            (3, 1, 1.06, 0.25, 0.46, 2.3, -4.0),
            (2, 1, 0.99, 0.17, 0.30, 3.3, -10.0),
        ],
    },
    Table {
        reward: 3,
        penalty: -2,
        ungapped_from: (5, 5),
        even: false,
        rows: &[(5, 5, 0.208, 0.030, 0.072, 2.9, -47.0)],
    },
    Table {
        reward: 5,
        penalty: -4,
        ungapped_from: (25, 10),
        even: false,
        rows: &[(10, 6, 0.163, 0.068, 0.16, 1.0, -19.0), (8, 6, 0.146, 0.039, 0.11, 1.3, -29.0)],
    },
];

/// What is known of gapped alignments under some scoring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Gapped {
    /// Parameters of their own, with alpha and beta of the length adjustment.
    Known { parameters: Parameters, alpha: f64, beta: f64 },
    /// Gaps are so dear that ungapped parameters hold.
    Ungapped,
}

/// What is known of a scoring, and whether odd scores are to be rounded down for E-values; nothing
/// if the scoring is not supported.
pub(crate) fn gapped(scoring: &Scoring) -> Option<(Gapped, bool)> {
    let divisor = gcd(scoring.reward, -scoring.penalty);
    let table = TABLES.iter().find(|table| {
        table.reward * divisor == scoring.reward && table.penalty * divisor == scoring.penalty
    })?;
    let costs =
        |row: &&Row| row.0 * divisor == scoring.gap_open && row.1 * divisor == scoring.gap_extend;
    if let Some(&(_, _, lambda, k, h, alpha, beta)) = table.rows.iter().find(costs) {
        let divisor = f64::from(divisor);
        let parameters = Parameters::new(lambda / divisor, k, h);
        return Some((Gapped::Known { parameters, alpha: alpha / divisor, beta }, table.even));
    }
    let (open, extend) = table.ungapped_from;
    (scoring.gap_open >= open * divisor && scoring.gap_extend >= extend * divisor)
        .then_some((Gapped::Ungapped, table.even))
}

/// The gap costs that are supported with these scores, for messages: pairs of opening and extending,
/// the last of which may be exceeded. Nothing if the scores are not supported.
pub fn supported_gap_costs(reward: i32, penalty: i32) -> Option<Vec<(i32, i32)>> {
    let divisor = gcd(reward, -penalty);
    let is_it =
        |table: &&Table| table.reward * divisor == reward && table.penalty * divisor == penalty;
    let table = TABLES.iter().find(is_it)?;
    let costs = table.rows.iter().map(|row| (row.0, row.1)).chain([table.ungapped_from]);
    Some(costs.map(|(open, extend)| (open * divisor, extend * divisor)).collect())
}

/// Greatest common divisor of two positive numbers.
fn gcd(one: i32, other: i32) -> i32 {
    if other <= 0 { one.max(1) } else { gcd(other, one % other) }
}
