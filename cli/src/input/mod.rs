//! Reads: from files to checked batches of reads.
//!
//! `source` opens and decompresses files (`ahead` of what is needed), needletail splits the text into records,
//! `alignments` reads records of SAM, BAM and CRAM instead.
//! `layout` says which records are mates, and `lane` which files belong together; `batches` gathers the records, and `record`
//! checks them. `shared` leaves out what is of other shards. `progress` tells how far reading has come. An error is one line:
//! the file, the record's number and the line, both from 1, and the reason.

mod ahead;
mod alignments;
mod batches;
mod lane;
mod layout;
mod limit;
mod progress;
mod reads;
mod record;
mod shared;
mod source;
mod umi;

pub use self::alignments::{AlignmentReads, RecordGroups};
pub use self::batches::{BatchLimit, Batches, ReadBatch, batches, batches_by_rules};
pub use self::lane::Lane;
pub use self::layout::Layout;
pub use self::progress::InputProgress;
pub use self::reads::{Read, ReadSlice, Reads, RecordRules};
pub use self::shared::{BatchUse, SharedReads};
pub use self::source::{
    OpenReads, check, has_alignments, is_stream, open, open_alignments, open_stream,
};
pub use self::umi::Umis;
