//! The index and its queries: words are searched from either end, and rows of occurrences are located in the text.

pub(crate) mod build;
mod check;
pub(crate) mod error;
pub(crate) mod interval;
mod locate;
pub(crate) mod rank;
pub(crate) mod ranks;
mod search;
pub(crate) mod slices;
pub(crate) mod stored_reference;
mod suffix_sort;
mod transform;
pub(crate) mod word_counts;

use std::io;
use std::path::Path;
use std::sync::Arc;

use aligner_core::container::{ContainerError, ContainerProblem};

use self::build::BuildOptions;
use self::error::BuildError;
use self::interval::{Interval, Transforms};
use self::rank::Bwt;
use crate::fingerprint::FileFingerprint;
use crate::image::{IndexFormat, IndexImage, IndexSection};
use crate::reference::Reference;

/// Bidirectional FM-index of a [`Reference`]; the [crate's page](crate) explains it. Clones share its memory.
#[derive(Debug, Clone)]
pub struct FmIndex {
    image: Arc<IndexImage>,
    reference: Reference,
}

impl FmIndex {
    /// Builds the index of a reference, on the current rayon pool.
    ///
    /// Building takes 5.5 bytes of memory a base at sample rate 8. Where a text repeats too much to be sorted piece by piece, it takes
    /// 6.5 (10.5 from 2^31 bases on), and 5 (or 9) more if [`BuildOptions::memory`] allows them.
    ///
    /// # Errors
    /// [`BuildError::SampleRate`], or [`BuildError::SuffixArray`] if memory runs out.
    pub fn build(reference: Reference, options: &BuildOptions) -> Result<Self, BuildError> {
        let image = Arc::new(build::build(&reference, *options)?);
        Ok(Self { reference: reference.moved_to(Arc::clone(&image)), image })
    }

    /// Opens an index file: maps it into memory, verifies its checksums, and checks what it holds as far as one pass over
    /// it can (the module `index/check` says what that is).
    ///
    /// # Errors
    /// [`ContainerError`] with the path and the reason.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ContainerError> {
        Self::of_image(IndexImage::open(path.as_ref())?, path.as_ref(), check::check)
    }

    /// Opens an index file that [`open`](Self::open) has opened before and that has not changed since: maps it into memory, and
    /// checks its header and its contigs, which takes no time. If it has changed, queries give wrong answers, panic, or make a
    /// device fail.
    ///
    /// # Errors
    /// [`ContainerError`] with the path and the reason.
    pub fn open_verified(path: impl AsRef<Path>) -> Result<Self, ContainerError> {
        Self::of_image(IndexImage::map(path.as_ref())?, path.as_ref(), check::check_numbers)
    }

    /// The index in the image of a file, which is checked against the reference that it stores.
    fn of_image(
        image: IndexImage,
        path: &Path,
        check: impl FnOnce(&IndexImage, &Reference) -> Result<(), String>,
    ) -> Result<Self, ContainerError> {
        let image = Arc::new(image);
        let inconsistent = |reason| {
            ContainerError::new::<IndexFormat>(path, ContainerProblem::Inconsistent(reason))
        };
        let reference = stored_reference::load(&image).map_err(inconsistent)?;
        check(&image, &reference).map_err(inconsistent)?;
        Ok(Self { image, reference })
    }

    /// Writes the bytes of an index file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut impl io::Write) -> io::Result<()> {
        self.image.write_to(out)
    }

    /// Saves the index as `path`, replacing a file there in one step; on failure `path` stays as it was.
    ///
    /// # Errors
    /// [`ContainerError`] with the path and the reason.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ContainerError> {
        self.image.save(path.as_ref())
    }

    /// Moves an index that was opened into memory of pages of 2 MiB, where look-ups are faster, while others use it. It then
    /// takes memory of this process, where it was memory that processes share. An index that was built stays where it is.
    ///
    /// # Errors
    /// If the system refuses the memory, or has no such pages. The index can be used as before.
    pub fn move_to_large_pages(&self) -> io::Result<()> {
        self.image.move_to_large_pages()
    }

    /// The reference that is indexed.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Fingerprint of the file that the reference was read from; zeros if it came from memory.
    pub fn source(&self) -> FileFingerprint {
        self.image.parameters().source
    }

    /// Rows between samples of the suffix array.
    pub fn sample_rate(&self) -> u32 {
        self.image.parameters().sample_rate
    }

    /// Size of the index in bytes, in memory and on disk.
    pub fn bytes(&self) -> u64 {
        self.image.total_bytes()
    }

    /// Name and size in bytes of each section of the index; they add up to [`FmIndex::bytes`].
    pub fn sections(&self) -> Vec<(&'static str, u64)> {
        self.image.section_sizes()
    }

    /// Number of rows of either transform: one more than bases of the indexed text.
    pub fn rows(&self) -> u32 {
        self.image.parameters().bases + 1
    }

    /// Burrows-Wheeler transform of the indexed text.
    #[inline]
    pub fn forward(&self) -> Bwt<'_> {
        let parameters = self.image.parameters();
        Bwt {
            blocks: self.image.section(IndexSection::Forward),
            primary: parameters.forward_primary,
            first: parameters.first,
        }
    }

    /// Burrows-Wheeler transform of the reversed indexed text.
    #[inline]
    pub fn reverse(&self) -> Bwt<'_> {
        let parameters = self.image.parameters();
        Bwt {
            blocks: self.image.section(IndexSection::Reverse),
            primary: parameters.reverse_primary,
            first: parameters.first,
        }
    }

    /// The image that holds everything.
    #[inline]
    pub(crate) fn image(&self) -> &IndexImage {
        &self.image
    }

    /// Both transforms, for loops of many extensions: they are looked up in the image once.
    #[inline]
    pub fn transforms(&self) -> Transforms<'_> {
        Transforms { forward: self.forward(), reverse: self.reverse() }
    }

    /// Interval of the empty word: all rows.
    #[inline]
    pub fn root(&self) -> Interval {
        Interval { lo: 0, lo_reverse: 0, size: self.rows() }
    }

    /// Intervals of the word of `interval` with each code, 0 to 3, put before it.
    #[inline]
    pub fn extend_left(&self, interval: Interval) -> [Interval; 4] {
        self.transforms().extend_left(interval)
    }

    /// Intervals of the word of `interval` with each code, 0 to 3, put after it.
    #[inline]
    pub fn extend_right(&self, interval: Interval) -> [Interval; 4] {
        self.transforms().extend_right(interval)
    }

    /// Length of the words of the look-up table, 1 to 12 bases.
    #[inline]
    pub fn table_length(&self) -> usize {
        self.image.parameters().table_length as usize
    }

    /// Interval of a word of [`FmIndex::table_length`] codes, from the look-up table; empty if one of the codes is
    /// [`UNKNOWN`](aligner_core::seq::UNKNOWN).
    ///
    /// # Panics
    /// If the word has another length.
    #[inline]
    pub fn lookup(&self, word: &[u8]) -> Interval {
        self.slices().lookup(word)
    }
}
