//! Queries as they are searched: both strands, masks, statistics and cutoffs, and which queries are searched together.

pub mod batch;
pub(crate) mod batch_parameters;
pub(crate) mod batch_plan;
pub mod context;
pub(crate) mod portion_size;
