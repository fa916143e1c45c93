//! Bidirectional FM-index of a reference of one or more contigs: finds all occurrences of a word (a short sequence of
//! bases) in time that does not depend on the length of the reference, and extends words at either end.
//!
//! ```
//! use aligner_core::seq::encode_all;
//! use fm_index::{BuildOptions, FmIndex, Reference};
//!
//! let reference = Reference::from_records([("one", "ACGTTGACCA"), ("two", "TTGACANN")])?;
//! let index = FmIndex::build(reference, &BuildOptions::default())?;
//!
//! let word = encode_all(b"TTGAC");
//! let interval = index.search(&word).expect("the word occurs");
//! let reference = index.reference();
//! let mut found: Vec<(&str, u32)> = (interval.lo..interval.lo + interval.size)
//!     .map(|row| index.locate(row))
//!     .filter(|&start| reference.is_plain(start, word.len() as u32))
//!     .map(|start| {
//!         let position = reference.to_reference(start);
//!         let contig = &reference.contigs()[reference.contig_at(position)];
//!         (contig.name.as_str(), position - contig.offset)
//!     })
//!     .collect();
//! found.sort_unstable();
//! assert_eq!(found, [("one", 3), ("two", 0)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`FmIndex::save`] and [`FmIndex::open`] keep an index in a file, which is mapped into memory.
//!
//! # Design
//!
//! ```text
//!   FASTA --> Reference --> FmIndex --save--> file --open--> FmIndex
//!             contigs        |                (memory map)
//!             2-bit text     +-- search, extend, locate        host
//!             exceptions     +-- gpu::DeviceIndex, IndexView   device
//! ```
//!
//! - [`Reference`] puts all contigs end to end. A, C, G, T are the *indexed text*, two bits each; other letters
//!   (*exceptions*) are listed apart and have randomly chosen bases in their place in the text, and the middles of long
//!   gaps of N are left out of it. There are no separators between contigs: a hit counts only in a window that is *plain*
//!   ([`Reference::is_plain`]), and the caller compares other windows with the reference itself.
//! - [`FmIndex`] holds the Burrows-Wheeler transforms of the text and of the reversed text as 64-byte blocks
//!   ([`RankBlock`]), so that extending a word by all four bases on either side reads two cache lines; the text
//!   position of every n-th row; and a look-up table of the intervals of all words of up to 12 bases.
//! - The whole index is one byte image with a header and checksums ([`aligner_core::container`]), the same in memory
//!   and on disk, built or mapped read-only.
//!
//! Positions and rows are `u32`: a reference has at most 2^32 - 2^16 bases ([`MAX_BASES`]).
//!
//! | module | contents |
//! |---|---|
//! | `reference/` | contigs, exceptions, two-bit text; reading FASTA; reference and indexed coordinates; plain stretches and segments |
//! | `image` | sections and numbers of an index file |
//! | `fingerprint` | how an index knows the FASTA file that it was built from |
//! | `index/` | building, ranks, bidirectional search, locating |
//! | [`turns`] | many searches in turn, whose waits for memory overlap |
//! | [`gpu`] | the index in device memory, for the kernels of any crate |
//!
//! | part | based on | changes |
//! |---|---|---|
//! | sorted suffixes | radix sort by the first bases; libsais for small and very repetitive texts | pieces by all threads, reduced to ranks and samples at once, without a suffix array |
//! | rank blocks | BWA-MEM2's interleaved occurrence table | two bit planes, 192 symbols a line |
//! | bidirectional search | Lam et al. 2009 | the sentinel is a row number, not a symbol |

mod fingerprint;
pub mod gpu;
mod image;
mod index;
mod reference;
pub mod turns;

pub use fingerprint::FileFingerprint;
pub use index::FmIndex;
pub use index::build::BuildOptions;
pub use index::error::BuildError;
pub use index::interval::{Interval, Transforms};
pub use index::rank::{Bwt, RankBlock, SYMBOLS_PER_BLOCK, SymbolCounts, prefetch, prefetch_all};
#[cfg(target_arch = "x86_64")]
pub use index::ranks::Avx512;
pub use index::ranks::{Portable, Ranks};
pub use index::slices::IndexSlices;
pub use reference::Reference;
pub use reference::contig::{Contig, MAX_BASES};
pub use reference::error::{ReferenceError, ReferenceProblem};
pub use reference::exception::FLANK;
pub use reference::packed::{fetch, with_first_base_highest};
pub use reference::plain::{PlainStretch, PlainStretches};
pub use reference::segments::{Segment, Segments};
