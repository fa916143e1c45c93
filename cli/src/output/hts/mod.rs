//! The work of htslib: files of CRAM and sorted SAM, a [`Writer`] with a [`record()`] for each record, and indices of BAM, each
//! by an [`IndexBuilder`]. CRAM needs a [`ReferenceText`], which htslib reads as a [file in memory](memory_file).

mod index;
mod memory_file;
mod record;
mod reference_text;
mod writer;

pub use self::index::IndexBuilder;
pub use self::record::record;
pub use self::reference_text::{ReferenceFiles, ReferenceSource, ReferenceText};
pub use self::writer::{Index, Settings, Writer};
