//! `gpualign nw`: global alignments of many pairs.
//!
//! ```text
//!   files --input--> NamedSequences --tiles--> tiles of pairs --nw_batch--> scores or alignments
//!             ^                                                                     |
//!          scoring: the first one that has all letters                              |
//!                                                                                   |
//!        FILE <--format::matrix (matrices only)-- tile_writer <-- compression <-- format
//! ```
//!
//! Aligning, formatting and writing have a thread each, through which tiles pass in order (`pipeline`). Output does not
//! depend on the size of the tiles.

pub mod args;
pub mod compression;
pub mod format;
mod input;
mod pipeline;
mod resume;
mod run;
mod scoring;
pub mod shard;
mod tile_writer;
mod tiles;

#[cfg(feature = "fuzzing")]
pub mod fuzzing;

pub use run::run;
