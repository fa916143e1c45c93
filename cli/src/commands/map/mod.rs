//! Mapping reads: the command of `gpualign` without a name.
//!
//! [`run`] opens the files of the [`lanes`], the [`devices`] and the index, and then runs the pipeline of the mode, [`best`] or
//! [`all`]. Both consist of [`stages`]. [`stats`], [`overview`] and [`report`] say how the run went.

mod all;
mod alt_contigs;
pub mod args;
mod best;
mod descriptions;
pub mod devices;
pub mod duplicates;
mod lanes;
pub mod mapping_device;
pub mod numbers;
mod opening;
mod operands;
pub mod overview;
pub mod preset;
pub mod report;
mod run;
pub mod shard;
pub mod sorting;
pub mod stages;
pub mod stats;

pub use self::run::run;
