//! The engine for NVIDIA GPUs.

pub mod model;
pub mod plan;
pub mod runs;
