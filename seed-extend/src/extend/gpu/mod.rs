//! The engine for NVIDIA GPUs.
//!
//! A thread does two tasks at a time, each in 16 bits of a word, and keeps a row of the band in registers
//! (`cuda/include/seed_extend/band.cuh`): about ten instructions for two cells. Where codes match is a bit a column,
//! computed for a whole row at once from the bits of the window's codes. Only codes are read from memory, and only ends
//! are written.
//!
//! For alignments, the rows are kept in memory, in slices of tasks that fit, and a thread for each task finds the way
//! back through them as [`super::cpu`] does. This takes two applications of the streaming runtime ([`super::stages`]).
//! Kept numbers take four times the memory of directions, but writing them is one instruction for two cells, where
//! directions take twelve, and the writes are far below the memory's bandwidth.
//!
//! Writing cells is most of the time that a wide band takes, so numbers that fit into a byte are kept in a byte
//! ([`plan`]). The way back knows the number of a cell from the cell before. Where bases are equal, it also knows that
//! a pair reaches that number; so it reads cells, and waits for memory, only at differences and gaps.
//!
//! | module | concept |
//! |---|---|
//! | [`plan`] | which kernel takes which tasks, in which slices |
//! | [`engine`] | the text and the kernels on a device |
//! | [`device_tasks`] | tasks on a device |
//! | [`costs`], [`parameters`] | what kernels are told |
//! | `scores`, `alignments` | launches for scores and for alignments |

mod alignments;
pub mod costs;
pub mod device_tasks;
pub mod engine;
pub mod parameters;
pub mod plan;
mod scores;

pub use device_tasks::DeviceTasks;
pub use engine::{AlignmentApplications, ExtendEngine, FILL_WIDTH, WALK_WIDTH};
pub use plan::{GpuPlan, MemoryLimits};
