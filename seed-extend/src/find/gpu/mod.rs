//! Chains on a GPU: `cuda/seeds.cu`, `cuda/chains.cu` and, between and after them, `cuda/find.cu`.

mod engine;
pub mod plan;
mod seeded;

pub use engine::{Engine, Found, Measured, Stages, WIDTH};
