//! The engine for NVIDIA GPUs.
//!
//! A thread does two tasks at a time, each in 16 bits of a word, with a row of the band in registers
//! (`cuda/include/seed_extend/band.cuh`): about ten instructions for two cells. Where codes match is a bit
//! a column, found for a whole row at once from the bits of the window's codes. Nothing but codes comes
//! in, and nothing but ends goes out.
//!
//! For alignments the rows are kept, in slices of the tasks that memory allows, and a thread for each
//! task finds the way back through them as [`super::cpu`] does, in two applications of the streaming runtime
//! ([`super::stages`]). Kept numbers take four times the memory of directions, but
//! writing them is one instruction for two cells, where directions take twelve; and what is written is far below
//! what the memory takes.
//!
//! [`plan`] sorts tasks into pairs and launches; [`engine`] has kernels and memory; `scores` and `aligned` launch.

mod aligned;
pub mod costs;
pub mod engine;
pub mod plan;
mod scores;
mod uploaded;

pub use aligned::Limits;
pub use engine::{Applications, Engine, FILL_WIDTH, WALK_WIDTH};
pub use plan::Plan;
