//! Shards: parts of a run that are made by themselves, perhaps on several machines, and that `gpualign merge` puts together.
//!
//! The input of a run is cut into [units](Unit) of a fixed size, which depends neither on batches nor on devices. Shard I of N
//! has every N-th unit ([`Share`]). Its [file](ShardWriter) has what the run would have given to the writer of its output for
//! these units, each block with its unit. So [merging](ShardSet) is giving the blocks of all shards to that writer, in the order
//! of units: sorting, marking duplicates and the file format itself are left to it, and the result is that of one run.
//!
//! ```text
//!   magic | length, JSON, checksum of the header | block | block | ... | JSON of the trailer | checksum, length, magic
//!
//!   block:   lane, unit, bytes, compressed bytes, checksum | compressed bytes (zstd)
//! ```
//!
//! | file | concept |
//! |---|---|
//! | `share` | which units a shard has |
//! | `format` | header, trailer and blocks of a file |
//! | `writer` | a file that is being written |
//! | `reader` | a file that is read |
//! | `set` | all shards of a run: that they belong together, and their blocks in order |

mod format;
mod reader;
mod set;
mod share;
mod writer;

pub use self::format::{Fingerprint, Header, Kind, Trailer};
pub use self::set::{MergedBlock, ShardSet};
pub use self::share::{Shard, Share, Unit};
pub use self::writer::ShardWriter;
