//! Seeds: super-maximal exact matches of queries, found by an application of the streaming runtime, or by the same steps on the CPU.
//!
//! | module | concept |
//! |---|---|
//! | [`seeds`] | what a seed is |
//! | [`growing_word`] | a word of a query while it is extended |
//! | [`context`] | what the stages share, on the CPU and on a device |
//! | `grow`, `settle` | one base more; and what becomes of a word that cannot be extended |
//! | [`stages`], [`application`] | the stages, and the graph of them |
//! | [`cpu`] | the same steps on the CPU |

pub mod application;
pub mod context;
pub mod cpu;
mod grow;
pub mod growing_word;
pub mod seeds;
mod settle;
pub mod stages;

pub use application::{SeedSinks, searches, settings, topology};
