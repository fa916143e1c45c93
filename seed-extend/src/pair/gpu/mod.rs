//! The search for mates on a GPU: `cuda/mates.cu`.
//!
//! The CPU looks the words of the text up in a table of the query's ([`super::shared_words`]). On a GPU such a table
//! would take a warp's share of fast memory many times over. There a thread compares the whole query with the text along
//! one diagonal instead, 16 bases at a time, and finds the words in common as runs of 8 equal bases, by a few operations
//! on the bits of all places (`cuda/include/seed_extend/mates.cuh`). Both count the same words.

mod engine;
pub mod parameters;

pub use engine::MateEngine;
