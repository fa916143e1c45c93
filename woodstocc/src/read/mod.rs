//! Reads as the mapper takes them: each becomes two queries, one for each strand of the reference.

mod queries;
mod strand;

pub use queries::{Queries, Read};
pub use strand::Strand;
