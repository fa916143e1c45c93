//! Sides of gapped extensions with their columns, on a GPU.

mod affine;
mod greedy;
mod levels;

pub use self::levels::{DeviceQueries, TraceExtender};
