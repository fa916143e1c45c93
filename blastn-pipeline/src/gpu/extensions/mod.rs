//! Gapped extensions on a GPU: all of a batch at once.
//!
//! A hit that lies within an alignment that is already kept is not extended. So whether a hit is extended depends on those
//! before it. Here all hits are extended but those within the best extension of their query and chunk
//! ([`crate::gpu::pairs`]), and the host applies the rule afterwards, in order, with the same result.
//!
//! ```text
//!   ungapped hits --> two sides each --affine_frames, affine_scores--> scores and ends
//!                                                                            |  the host removes contained alignments
//!   alignments by score --> a seed, two sides each --affine_traces--> columns
//! ```
//!
//! `greedy_scores` and `greedy_traces` do the same for greedy sides; the host tidies their columns.
//!
//! A thread extends one side at a time, through the same rows (or fronts) in the same order as [`crate::gapped::affine`] (or
//! [`crate::gapped::greedy`]). Which cells live depends on the best score so far, so lanes that shared a row would need a prefix
//! maximum of its scores. The live cells are few, and are in shared memory. Sides that do not fit there are extended again by
//! fewer threads with more memory each, and at last by the host.
//!
//! For scores alone, sides are first extended in registers by `affine_frames`: the cells of a side that stays near one diagonal
//! are in a frame of 40 columns that moves along with it.
//!
//! | module | concept |
//! |---|---|
//! | [`parameters`] | sides, how far they reach, and the kernels' parameters |
//! | [`text`] | letters as the kernels read them |
//! | `left_right` | the sides of alignments, and alignments from their sides |
//! | `traces` | launches of the kernels with columns |

pub(crate) mod left_right;
pub mod parameters;
#[cfg(test)]
mod tests;
pub mod text;
pub(crate) mod traces;
