//! Chains on a GPU: `cuda/find.cu`.

mod engine;
pub mod numbers;
pub mod plan;

pub use engine::{Engine, Found};
