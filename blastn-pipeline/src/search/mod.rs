//! The search of a database for batches of queries, stage by stage.
//!
//! The ways of CPU and GPU part at [`Searcher::seed`] and meet again in [`Searcher::finish`]:
//!
//! ```text
//!         CPU: a subject at a time, `preliminary`       GPU: all subjects at once, `crate::gpu`
//!   seed            words --> ungapped --> gapped              words --> ungapped --> rule of diagonals
//!   prefilter       -                                          pairs that cannot be reported are dropped
//!   extend_gapped   -                                          gapped, for all pairs that are left
//!   finish          best subjects of each query, alignments with columns, limits: the same for both
//! ```
//!
//! The rule of diagonals (a seed is not extended if an earlier extension of its diagonal has passed it) is applied by the
//! CPU before each ungapped extension, and by the GPU after all of them. The prefilter is a step of the GPU alone.

pub(crate) mod batch_states;
pub(crate) mod preliminary;
pub(crate) mod searcher;
pub mod seeded_batches;
pub(crate) mod speculative;
pub(crate) mod times;
pub(crate) mod traceback;

pub use self::batch_states::{ScoredBatch, SearchResults, SeededBatch};
pub use self::searcher::{Searcher, WORKERS};
pub use self::times::SearchTimes;
pub use crate::gpu::limits::Limits;
