//! From search results to loci: the places of the reference that a read matches.
//!
//! | module | concept |
//! |---|---|
//! | [`match_starts`] | positions of the indexed text where the searches found a query, by query |
//! | [`matches`](mod@matches) | matches on contigs, verified near ambiguous bases and contig ends |
//! | [`loci`] | runs of neighbouring matches, and the match that represents each |
//! | [`mapq`](mod@mapq) | mapping quality from the distances of all loci |

pub mod loci;
pub mod mapq;
pub mod match_starts;
pub mod matches;
