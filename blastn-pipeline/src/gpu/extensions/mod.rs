//! Gapped extensions on a GPU: all of a batch at once.
//!
//! Whether an alignment is extended depends on those before it: what lies within one that is kept is
//! not. Here all are extended but those within the best of their query and chunk (`extended`), and the rule
//! is applied on the host afterwards, in its order (`ahead::keep`), with the answers of one after the
//! other.
//!
//! ```text
//!   ungapped alignments --> two sides each --affine_scores--> scores and ends
//!                                                                  |  contained, purged: host
//!   alignments by score --> seeds, two sides --affine_traces--> columns
//! ```
//!
//! `greedy_scores` and `greedy_traces` are the same for greedy sides; their columns are tidied on the
//! host.
//!
//! Each side is one thread's, which goes through the same rows (or fronts) in the same order as
//! [`crate::gapped::affine`] (or [`crate::gapped::greedy`]): which cells live depends on the best score
//! up to then, so lanes that share a row would need a prefix maximum of its scores. Live cells are few, and
//! lie in shared memory. What does not fit there is tried again with fewer threads that have more, and at
//! last left to the host.
//!
//! Scores alone are first tried for in registers, by `affine_frames`: the cells of a side that stays near one
//! diagonal are in a frame of 40 columns that moves along with it.

pub(crate) mod left_right;
pub mod parameters;
#[cfg(test)]
mod tests;
pub mod text;
pub(crate) mod traces;
