//! Bidirectional FM-index of a reference of one or more contigs.
//!
//! # Design
//!
//! ```text
//!   FASTA --> Reference --> FmIndex --save--> file --open--> FmIndex
//!             contigs        |                (memory map)
//!             2-bit text     +-- search, extend, locate        host
//!             exceptions     +-- gpu::DeviceIndex, FmView      device
//! ```
//!
//! - [`Reference`] puts all contigs end to end. A, C, G, T are the *indexed text*, two bits each;
//!   other letters are listed apart and stand in the text as drawn bases, long gaps shortened. There
//!   are no separators: a hit counts only in a window that is plain ([`Reference::is_plain`]), and
//!   the caller checks others against the reference itself.
//! - [`FmIndex`] holds the Burrows-Wheeler transforms of the text and of the reversed text as
//!   64-byte blocks ([`RankBlock`]), so that extending a word by all four bases on either side costs
//!   two cache lines; every n-th row's position; and the intervals of all words of up to 12 bases.
//! - All of it is one byte image with a header and checksums, the same in memory and on disk, built
//!   or mapped read-only.
//!
//! Positions and rows are `u32`: a reference has fewer than 2^32 - 2^16 bases.

mod build;
mod contigs;
mod coordinates;
mod error;
mod fasta;
pub mod gpu;
mod header;
mod image;
mod index;
mod locate;
mod packed;
mod plain;
mod rank;
mod reference;
mod search;
mod segments;
mod source;

pub use build::BuildOptions;
pub use coordinates::FLANK;
pub use error::{IndexError, Place, ReferenceError, ReferenceProblem};
pub use index::FmIndex;
pub use plain::{Plain, PlainStretches};
pub use rank::{Bwt, RankBlock, SYMBOLS_PER_BLOCK};
pub use reference::{Contig, MAX_BASES, Reference};
pub use search::{Interval, Transforms};
pub use segments::{Segment, Segments};
pub use source::Source;
