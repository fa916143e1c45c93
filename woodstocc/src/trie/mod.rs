//! Search by dynamic programming over the virtual suffix trie of the reference (Cole 2017, chapter 2).
//!
//! A node of the trie is an interval of the bidirectional index, so the trie is never built. The walk goes down from
//! the root with all queries of a batch at once; each keeps one row of its alignment matrix and is dropped where no
//! continuation can come within `k`.
//!
//! | module | concept |
//! |---|---|
//! | [`row`] | the banded matrix row of a query at a node |
//! | [`bound`] | lower bounds of the differences that the rest of a query needs |
//! | [`hit`] | nodes within `k` of a query, and their rows of the suffix array |
//! | [`walk`] | the search on the CPU |
//! | [`pods`] | the search on a GPU, a walk of the streaming runtime; its *pods* are a node with all queries that are alive there |
//! | [`separate_lists`] | the search on a GPU with a thread and a separate worklist for each query, as a baseline |
//! | [`metrics`] | counters of all searches |

pub mod bound;
pub mod hit;
pub mod metrics;
pub mod pods;
pub mod row;
pub mod separate_lists;
pub mod walk;
