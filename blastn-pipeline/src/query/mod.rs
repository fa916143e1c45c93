//! Queries: batches of them as they are searched, with masks and cutoffs.

pub mod batching;
pub(crate) mod contexts;
pub mod dust;
pub(crate) mod manner;
pub(crate) mod plan;
pub(crate) mod portions;
pub mod queries;
