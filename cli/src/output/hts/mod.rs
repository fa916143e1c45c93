//! The work of htslib: files of CRAM and sorted SAM, a [`Writer`] with a [`record()`] for each record, and indices of BAM, each
//! by an [`IndexBuilder`].

mod index;
mod record;
mod reference_copy;
mod writer;

pub use self::index::IndexBuilder;
pub use self::record::record;
pub use self::reference_copy::ReferenceCopy;
pub use self::writer::{Index, Settings, Writer};
