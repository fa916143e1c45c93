//! Files of BAM and CRAM, written by htslib: a [`record()`] for each record, and a [`Writer`] of a file.

mod record;
mod writer;

pub use self::record::record;
pub use self::writer::{Index, Settings, Writer};
