//! Alignments of reads at their loci.
//!
//! | module | concept |
//! |---|---|
//! | [`mapping`] | all reported alignments of a read |
//! | [`ungapped`] | alignments without gaps, by packed bases |
//! | [`diagonals`] | differences between a query and the text, diagonal by diagonal |
//! | [`traceback`] | the alignment at a locus, with or without gaps |

pub mod diagonals;
pub mod mapping;
pub mod traceback;
pub mod ungapped;
