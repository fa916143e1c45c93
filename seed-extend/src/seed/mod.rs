//! Seeds: super-maximal exact matches of queries, found by an application of the streaming runtime.
//!
//! | module | concept |
//! |---|---|
//! | [`seeds`] | what a seed is |
//! | [`growing_word`] | a word of a query while it is extended |
//! | [`context`] | what the stages share, on the CPU and on a device |
//! | `grow`, `settle` | one base more; and what becomes of a word that cannot be extended |
//! | [`stages`], [`application`] | the stages, and the graph of them |

pub mod application;
pub mod context;
mod grow;
pub mod growing_word;
pub mod seeds;
mod settle;
pub mod stages;

pub use application::{SeedSinks, on_cpu, searches, settings, topology};
