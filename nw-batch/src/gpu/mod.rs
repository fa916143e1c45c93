//! The engine for NVIDIA GPUs.
//!
//! | kernels | matrices | for |
//! |---|---|---|
//! | `warp.cu` | cells in registers of a warp, two pairs at a time | everything |
//! | `edit.cu` | a bit a cell (Myers, J. ACM 46, 1999) | edit distances |
//! | `full.cu` | in device memory, as in Li's dissertation, chapter 3 | comparison: scores, linear gaps |
//!
//! `edit.cu` keeps no directions: alignments are those of `warp.cu`, for unit costs as for all others.
//!
//! [`plan`] chooses a [`kernel`] for each pair, and sizes launches by memory; [`engine`] has the
//! sequences, kernels and memory with which [`scores`], [`alignments`] and [`full`] launch. Sequences
//! go to the device once, then only numbers of pairs; only scores or runs of CIGARs come back.

pub mod alignments;
pub mod edit;
pub mod engine;
pub mod full;
pub mod kernel;
pub mod model;
pub mod plan;
pub mod scores;
mod warp;

pub use engine::Engine;
pub use scores::Launched;
