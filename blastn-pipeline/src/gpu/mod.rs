//! The stages of a search on a GPU.

pub(crate) mod engine;
pub(crate) mod extended;
pub mod extensions;
pub(crate) mod held;
pub(crate) mod launch;
pub(crate) mod limits;
pub mod pairs;
pub mod parts;
pub mod pipeline;
pub(crate) mod pool;
pub(crate) mod promising;
pub mod worker;
