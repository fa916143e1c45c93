//! Reads as queries, and comparing packed bases.
//!
//! | module | concept |
//! |---|---|
//! | [`queries`] | the reads of a batch in both orientations |
//! | [`packed`] | bases packed 32 a word, and how far two sequences are equal |

pub mod packed;
pub mod queries;
