//! Chains: where in the text each read may come from.
//!
//! | module | concept |
//! |---|---|
//! | [`anchors`] | occurrences of seeds |
//! | [`chains`] | anchors that may belong to one alignment |
//! | [`outscored`] | chains that another one outscores without being aligned |
//! | [`whole_match`] | chains that need no alignment |
//! | [`context`], [`items`], [`stages`], [`application`] | the application of the streaming runtime that finds them |
//! | [`gpu`], [`cpu`] | seeds and chains of a batch of reads on either device |
//! | [`Finder`] | whichever device there is |
//! | [`ChainsOfReads`] | the result |

pub mod anchors;
pub mod application;
pub mod chains;
mod chains_of_reads;
pub mod context;
pub mod cpu;
mod finder;
pub mod gpu;
pub mod items;
pub mod outscored;
pub mod stages;
pub mod whole_match;

pub use application::{settings, topology};
pub use chains_of_reads::ChainsOfReads;
pub use context::FinderInputs;
pub use finder::{BatchChains, Finder};
