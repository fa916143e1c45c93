//! Everyday mapping of short reads: seeds say where a read may come from, an extension says how well it
//! fits there, and its mate which of several places is meant. After BWA-MEM (Li, arXiv:1303.3997), whose
//! kind of records and qualities it gives.
//!
//! # Design
//!
//! Stages are functions from flat arrays to flat arrays; nothing is kept between batches but the
//! library's insert sizes, which are estimated once.
//!
//! ```text
//!   reads --queries--> codes of both orientations
//!     |                                                         Mapper::seek
//!     |  seeds     super-maximal matches, as rows of the index
//!     |  anchors   their occurrences in the text
//!     v  chains    anchors that may be one alignment, those that may matter
//!   Sought: chains of each read
//!     |                                                         Mapper::plan
//!     v  extension chains with at most one difference as they are; the others as tasks
//!   Planned
//!     |                                                         Mapper::align
//!     v  extend    the best alignment of each task: on the CPU a SIMD lane a task, on a GPU a thread for two
//!   Aligned
//!     |                                                         Mapper::rank
//!     v  regions, ranking   where a read aligns, and what competes
//!   Searched: regions of each read --insert--> Library, from the first pairs of the run
//!     |                                                         Mapper::rescue
//!     v  rescue    tasks where a mate is expected and was not found; extend again
//!   Rescued
//!     |                                                         Mapper::resolve_pairs, resolve_single
//!     |  ranking   which regions are alternatives; mapping quality
//!     |  pairs     which regions of two reads belong together
//!     v
//!   Resolved: what to report of each read
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`queries`] | reads in both orientations |
//! | [`packed`] | comparing packed bases |
//! | [`seeds`] | maximal exact matches |
//! | [`seeding`] | finding them, by stages on the streaming runtime |
//! | [`anchors`] | their occurrences |
//! | [`lists`] | many short lists in one array |
//! | [`chains`] | anchors that may belong to one alignment |
//! | [`chaining`] | finding both, by stages on the streaming runtime |
//! | [`find`] | these three for very many reads, on the CPU or a GPU |
//! | [`planned`] | what of that is to be aligned |
//! | [`extend`] | the best alignment of each of very many reads in a band of a window |
//! | [`extension`] | from chains to tasks, and from alignments to regions |
//! | [`regions`] | where a read aligns |
//! | [`ranking`] | which region is best, and how sure that is |
//! | [`insert`] | distances of pairs |
//! | [`words`] | words in common of a read and a part of the text |
//! | [`rescue`] | looking for a mate where it should be |
//! | [`pairs`] | which regions of two reads belong together |
//! | [`resolved`] | what was decided for the reads of a batch |
//! | [`options`] | how to map |
//! | `spares` | memory that one batch leaves to the next |
//! | [`mapper`], [`mates`] | all of it, for batches of reads, and what only pairs take |
//!
//! Positions are those of the indexed text, in which letters other than A, C, G and T have stand-ins, and
//! long runs of them are short. An alignment lies within one segment ([`fm_index::Segments`]), so that it
//! never crosses the end of a contig or what is left out.

pub mod anchors;
pub mod chaining;
pub mod chains;
pub mod extend;
pub mod extension;
pub mod find;
pub mod insert;
pub mod lists;
pub mod mapper;
pub mod mates;
pub mod options;
pub mod packed;
pub mod pairs;
pub mod planned;
pub mod queries;
pub mod ranking;
pub mod regions;
pub mod rescue;
pub mod resolved;
pub mod seeding;
pub mod seeds;
mod spares;
pub mod words;

pub use insert::{Library, Sample};
pub use mapper::{Aligned, MapError, Mapper, Searched, Sought, salt};
pub use mates::Rescued;
pub use options::Options;
pub use planned::Planned;
pub use resolved::{Placed, Resolved, Verdict};
