//! Reads: from files to checked batches of reads.
//!
//! `source` opens and decompresses files (`ahead` of what is needed). `layout` says which records are mates, and `lane` which
//! files belong together; `batches` reads them on one thread, and `batcher` gathers their records. Of FASTQ, that thread
//! takes text in whole records as it is, for which it counts lines (`fastq_files`, `lined_text`); of a file that is not
//! compressed, several threads read blocks (`plain_file`). The threads that map split the text into records where it lies
//! (`read_text`). Records of FASTA are split by needletail, those of SAM, BAM and CRAM are read by `alignments`, and then
//! copied, as are records of FASTQ that are long, are of mixed pairs or a shard, have UMIs in their names, or end a file
//! without filling a batch. `record` checks all of them. `shared` leaves out what is of other shards. `progress` tells how far
//! reading has come. An error is one line: the file, the record's number and the line, both from 1, and the reason.

mod ahead;
mod alignments;
mod batcher;
mod batches;
#[cfg(test)]
pub mod broken;
mod fastq_files;
mod lane;
mod layout;
mod limit;
mod lined_text;
mod plain_file;
mod progress;
mod read_batch;
mod read_text;
mod reads;
mod record;
mod shared;
mod source;
mod umi;

pub use self::alignments::{AlignmentReads, RecordGroups};
pub use self::batcher::BatchLimit;
pub use self::batches::{Batches, batches, batches_by_rules};
pub use self::lane::Lane;
pub use self::layout::Layout;
pub use self::lined_text::count_line_feeds;
pub use self::progress::InputProgress;
pub use self::read_batch::ReadBatch;
pub use self::reads::{Read, ReadSlice, Reads, RecordRules};
pub use self::shared::{BatchUse, SharedReads};
pub use self::source::{
    OpenReads, check, has_alignments, is_stream, open, open_alignments, open_stream, open_text,
};
pub use self::umi::Umis;
