//! Gapped extensions on a GPU: all of a batch at once.
//!
//! A hit that lies within an alignment that is already kept is not extended. So whether a hit is extended depends on those
//! before it. Here all hits are extended but those within the best extension of their query and chunk
//! ([`crate::gpu::pairs`]), and the host applies the rule afterwards, in order, with the same result. The extended hits are
//! most of all hits for queries from human chromosome 20, and few of them where the database has similar sequences.
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
//! [`crate::gapped::greedy`]). Which cells live depends on the best score so far, from the first column of a row to the last.
//! So lanes that shared a row would need prefix maxima: of where gaps begin and, in rows with a new best score, of scores. A
//! CPU computes these for sixteen cells at a time ([`crate::gapped::affine`]). A GPU has thousands of sides to extend at once,
//! and with a thread for each it needs none.
//!
//! The live cells of a row, some tens, are in a ring in shared memory, four bytes each: scores relative to a base that follows
//! the best one. Slots of the ring that are not live are always dead, so eight columns at a time are scored without tests of
//! where the live ones begin and end. Sides that do not fit there are extended again by fewer threads with more memory each,
//! and at last by the host.
//!
//! For scores alone, sides are first extended in registers by `affine_frames`: the cells of a side that stays near one diagonal
//! are in a frame of 40 columns that moves along with it. The cell before a pair keeps its place from row to row, so nothing is
//! addressed, and all lanes of a warp do the same; the ring spends half of its time on addresses, packing, and lanes with fewer
//! groups of columns than their neighbours.
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
