//! The report of a run, to read.

pub mod html;
pub mod markdown;
pub mod numbers;
