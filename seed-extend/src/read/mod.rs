//! Reads as queries, and comparing packed bases.
//!
//! | module | concept |
//! |---|---|
//! | [`queries`] | the reads of a batch in both orientations |
//! | [`device_queries`] | the packed reads of a batch in the memory of a device |
//! | [`packed`] | bases packed 32 a word, and how far two sequences are equal |
//! | [`packing`] | packing the codes of a query |

pub mod device_queries;
pub mod packed;
mod packing;
pub mod queries;
