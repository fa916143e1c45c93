//! Limits of scores, costs, lengths and codes, within which no engine overflows.
//!
//! An alignment of `m` and `n` residues has at most `min(m, n)` pairs, each of at most [`MAX_SCORE`], and `m + n`
//! residues in gaps, each at a cost of at most [`MAX_COST`]. A pair takes the place of two residues in gaps, so no score
//! is beyond `500 (m + n)`, which is 10^9 for the longest sequences, less than half of 2^31. What engines add to scores
//! while they compute is in [`bias`](crate::scoring::bias).

/// Greatest score of a pair of residues, and the negative of the least. With it and [`MAX_LENGTH`], no intermediate
/// value overflows 32 bits (see [`crate::scoring::bias`]).
pub const MAX_SCORE: i32 = 500;

/// Greatest cost of one residue in a gap.
pub const MAX_COST: i32 = 500;

/// Residues of the longest sequence.
pub const MAX_LENGTH: usize = 1_000_000;

/// Number of residue codes that engines have room for; codes are below it.
pub const CODES: usize = 32;
