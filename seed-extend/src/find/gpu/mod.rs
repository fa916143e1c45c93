//! Chains on a GPU: `cuda/find.cu`.

mod engine;
pub mod numbers;
pub mod plan;
mod seeded;

pub use engine::{Engine, Found};
pub use seeded::Indexed;
