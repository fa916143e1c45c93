//! Reads as queries, and comparing packed bases.
//!
//! | module | concept |
//! |---|---|
//! | [`queries`] | the reads of a batch in both orientations |
//! | [`device_queries`] | the packed reads of a batch in the memory of a device |
//! | [`packed`] | bases packed 32 a word, and how far two sequences are equal |
//! | `encoding` | the codes of a read, and packing them |

pub mod device_queries;
pub(crate) mod encoding;
pub mod packed;
pub mod queries;
