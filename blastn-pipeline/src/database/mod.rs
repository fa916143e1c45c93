//! Databases of subject sequences, in a memory-mapped file or in memory; also those that NCBI's makeblastdb writes
//! ([`ncbi`]).
//!
//! The file is a checksummed container ([`aligner_core::container`]). Bases take two bits each. Other letters are
//! listed as exceptions; in the packed bases, each is replaced by one of the bases that it may stand for, so that the
//! first stages of a search see bases alone. Sequences have titles, or if identifiers or taxa were read ([`Headings`]), definition
//! lines; then the file is of version 2, and else of version 1. All checksums, entries and exceptions are checked when a file is opened.

mod build;
mod check;
pub(crate) mod chunks;
mod date;
mod defline;
mod file;
pub mod ncbi;
mod select;
mod subjects;
mod substitute;
mod taxa;

pub use self::build::{Builder, Headings};
pub use self::defline::{Defline, SeqId};
pub use self::subjects::{Database, LocationInWhole, SourceDatabase, Subject};
pub use self::taxa::TaxonMap;
