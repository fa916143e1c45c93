//! The stages of a search on a GPU.

pub(crate) mod engine;
pub mod extensions;
pub(crate) mod launch;
pub(crate) mod limits;
pub mod pairs;
pub mod parts;
pub mod pipeline;
pub(crate) mod prefilter;
pub(crate) mod resident_parts;
pub(crate) mod scored_pairs;
pub mod worker;
pub(crate) mod worker_pool;
