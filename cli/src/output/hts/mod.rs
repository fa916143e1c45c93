//! Files of BAM and CRAM, written by htslib: a [`record()`] for each record, and a [`Writer`] of a file.

mod record;
mod reference_copy;
mod writer;

pub use self::record::record;
pub use self::reference_copy::ReferenceCopy;
pub use self::writer::{Index, Settings, Writer};
