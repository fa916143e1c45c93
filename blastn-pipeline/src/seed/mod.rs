//! Seeds: words of the queries that occur in subjects.

pub mod lookup;
pub mod template;
pub mod word_hits;
mod word_table;
