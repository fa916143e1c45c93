//! Limits of scores, costs, lengths and codes, within which no engine overflows.

/// Greatest score of a pair of residues, and the negative of the least. With it and [`MAX_LENGTH`], no intermediate
/// value overflows 32 bits (see [`crate::scoring::bias`]).
pub const MAX_SCORE: i32 = 500;

/// Greatest cost of one residue in a gap.
pub const MAX_COST: i32 = 500;

/// Residues of the longest sequence.
pub const MAX_LENGTH: usize = 1_000_000;

/// Number of residue codes that engines have room for; codes are below it.
pub const CODES: usize = 32;
