//! Complete read mapping by dynamic programming over the virtual suffix trie of the reference,
//! after WOODSTOCC (S. V. Cole, dissertation, chapter 2).
//!
//! # What is found
//!
//! For a read `r` of `m` bases, a contig `T`, a threshold `k` and a strand, `d(p)` is the least edit
//! distance between `r` (its reverse complement on the reverse strand) and any `T[p..e)`. A base
//! other than A, C, G or T matches nothing, on either side. Start `p` is a *match* if `d(p) <= k`; a
//! *locus* is a maximal run of matches whose neighbours are at most `max(k, 1)` apart. Mapping is
//! complete: every match is found, on both strands, whatever the read and however often it occurs.
//! A read of no more than `k` bases matches everywhere; an empty read is unaligned.
//!
//! # How
//!
//! | module | concept |
//! |---|---|
//! | [`query`] | reads as queries, one for each strand |
//! | [`row`] | the banded matrix row of a query at a trie node |
//! | [`bound`] | differences that the rest of a query needs at least |
//! | [`trie`] | batched search over the virtual trie, on the CPU |
//! | [`gpu`] | search and locate on a GPU |
//! | [`pods`] | the same search on a GPU, a block a worklist of pods of live reads |
//! | [`filter`] | search by exact occurrences of pieces, on the streaming runtime |
//! | [`scheme`] | search by search schemes on the bidirectional index |
//! | [`cost`] | which of these costs least |
//! | [`scan`] | search for reads so short that nearly everything matches |
//! | [`found`] | what the searches found for a batch, by query |
//! | [`hits`] | trie nodes to disjoint suffix-array segments |
//! | [`mod@matches`] | located starts, verified near N and contig ends |
//! | [`loci`] | runs of matches, and their representatives |
//! | [`ungapped`] | alignments without gaps, by packed bases |
//! | [`diagonals`] | where a query differs from the text, for alignments with gaps |
//! | [`traceback`] | the alignment of a representative |
//! | [`mapq`] | mapping quality from distances and multiplicities |
//! | [`resolver`] | from what was found for a read to its mapping |
//! | [`mapper`] | all of it, for batches of reads |
//! | [`oracle`] | the definition by brute force, for tests |

pub mod alignment;
pub mod bound;
pub mod cost;
pub mod diagonals;
pub mod error;
pub mod filter;
pub mod found;
pub mod gpu;
pub mod hits;
pub mod loci;
pub mod mapper;
pub mod mapq;
pub mod matches;
pub mod oracle;
pub mod params;
pub mod pods;
pub mod query;
pub mod resolver;
pub mod row;
pub mod scan;
pub mod scheme;
pub mod stats;
pub mod traceback;
pub mod trie;
pub mod ungapped;

pub use alignment::{Alignment, CigarOp, CigarRun, Mapping, Path, Strand};
pub use cost::Choice;
pub use error::MapError;
pub use found::{Found, Searched};
pub use mapper::{Batch, Mapper};
pub use params::{MAX_BATCH_BASES, MAX_K, MAX_READ, MAX_TRIE_K, Params, Report, Strategy};
pub use query::Query;
pub use resolver::Resolver;
pub use stats::{FilterStats, SchemeStats, Stats};
pub use ungapped::Ungapped;
