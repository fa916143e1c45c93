//! The search of a database for batches of queries, stage by stage.

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
