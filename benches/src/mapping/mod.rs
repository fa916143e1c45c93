//! The stages of best mapping: extensions in bands, seeds and chains, and all stages between reads and alignments.

mod extend;
mod seeds;
mod stages;

pub use extend::{ExtendOptions, ExtendTiming, extend, extend_table};
pub use seeds::{SeedsTiming, seeds, seeds_table};
pub use stages::{MappingTiming, mapping, mapping_table};
