//! Engine for NVIDIA GPUs.
//!
//! | kernels | matrices | use |
//! |---|---|---|
//! | `warp.cu` | cells in registers of a warp, two pairs at a time | all scores and alignments |
//! | `edit.cu` | a bit for each cell (Myers, J. ACM 46, 1999) | scores that are edit distances |
//! | `strips.cu` | as `warp.cu`, but many warps for one pair | long pairs |
//! | `full.cu` | in device memory, as in Li 2016, chapter 3 | comparison: scores with linear gaps |
//!
//! `edit.cu` keeps no directions: alignments are made by `warp.cu` and `strips.cu`, for unit costs as for all others.
//!
//! | module | concept |
//! |---|---|
//! | [`structs`], [`strip_structs`] | structs that kernels share with the host |
//! | [`plan`] | which kernel aligns which pairs, in which order, and what memory it needs |
//! | [`engine`] | sequences on the device, kernels, and memory that is used again |
//! | [`launch`] | launches of planned batches, and their results |
//!
//! Sequences go to the device once, then only indices of pairs; only scores or runs of CIGARs come back.

pub mod engine;
pub mod launch;
pub mod plan;
pub mod strip_structs;
pub mod structs;

pub use engine::Engine;
