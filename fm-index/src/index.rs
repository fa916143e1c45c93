//! The index and its queries.

use std::path::Path;
use std::sync::Arc;

use aligner_core::seq::UNKNOWN;

use crate::build::{self, BuildOptions};
use crate::contigs;
use crate::error::IndexError;
use crate::header::Section;
use crate::image::Image;
use crate::rank::{Bwt, prefetch};
use crate::reference::Reference;
use crate::search::{self, Interval, Transforms};
use crate::source::Source;

/// A bidirectional FM-index of a [`Reference`]; see the [crate](crate). Clones share its memory.
#[derive(Debug, Clone)]
pub struct FmIndex {
    image: Arc<Image>,
    reference: Reference,
}

impl FmIndex {
    /// Builds the index of a reference, on the current thread pool.
    ///
    /// Takes 6.5 bytes of memory a base at sample rate 8 (10.5 from 2^31 bases on).
    ///
    /// # Errors
    /// [`IndexError::SampleRate`], or [`IndexError::SuffixArray`] when memory runs out.
    pub fn build(reference: Reference, options: &BuildOptions) -> Result<Self, IndexError> {
        let image = Arc::new(build::build(&reference, *options)?);
        Ok(Self { reference: reference.moved_to(Arc::clone(&image)), image })
    }

    /// Opens an index file: maps it into memory and verifies its checksums.
    ///
    /// # Errors
    /// [`IndexError`] with the path and the reason.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, IndexError> {
        let path = path.as_ref();
        let image = Arc::new(Image::open(path)?);
        let reference = contigs::load(&image).map_err(|section| IndexError::DamagedSection {
            path: path.to_owned(),
            section: section.name(),
        })?;
        Ok(Self { image, reference })
    }

    /// Saves the index under `path`, replacing a file there in one step; on failure `path` stays as
    /// it was.
    ///
    /// # Errors
    /// [`IndexError::Io`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), IndexError> {
        self.image.save(path.as_ref())
    }

    /// The reference.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// The file that the reference was read from.
    pub fn source(&self) -> Source {
        self.image.numbers().source
    }

    /// Rows between samples of the suffix array.
    pub fn sample_rate(&self) -> u32 {
        self.image.numbers().sample_rate
    }

    /// Bytes of the index, in memory and on disk.
    pub fn bytes(&self) -> u64 {
        self.image.len()
    }

    /// Bytes of each part of the index; they add up to [`FmIndex::bytes`].
    pub fn sections(&self) -> Vec<(&'static str, u64)> {
        self.image.sizes()
    }

    /// Rows of either transform: one more than bases of the indexed text.
    pub fn rows(&self) -> u32 {
        self.image.numbers().bases + 1
    }

    /// The transform of the indexed text.
    #[inline]
    pub fn forward(&self) -> Bwt<'_> {
        let numbers = self.image.numbers();
        Bwt {
            blocks: self.image.section(Section::Forward),
            primary: numbers.forward_primary,
            first: numbers.first,
        }
    }

    /// The transform of the reversed indexed text.
    #[inline]
    pub fn reverse(&self) -> Bwt<'_> {
        let numbers = self.image.numbers();
        Bwt {
            blocks: self.image.section(Section::Reverse),
            primary: numbers.reverse_primary,
            first: numbers.first,
        }
    }

    #[inline]
    pub(crate) fn image(&self) -> &Image {
        &self.image
    }

    /// Both transforms, for loops of many extensions.
    #[inline]
    pub fn transforms(&self) -> Transforms<'_> {
        Transforms { forward: self.forward(), reverse: self.reverse() }
    }

    /// The interval of the empty word: all rows.
    #[inline]
    pub fn root(&self) -> Interval {
        Interval { lo: 0, lo_reverse: 0, size: self.rows() }
    }

    /// The intervals of the word with each code put before it.
    #[inline]
    pub fn extend_left(&self, interval: Interval) -> [Interval; 4] {
        self.transforms().extend_left(interval)
    }

    /// The intervals of the word with each code put after it.
    #[inline]
    pub fn extend_right(&self, interval: Interval) -> [Interval; 4] {
        self.transforms().extend_right(interval)
    }

    /// The interval of the word with a code, below 4, put before it or after it: one of those of
    /// [`extend_left`](Self::extend_left) or [`extend_right`](Self::extend_right).
    #[inline]
    pub fn extend(&self, to_left: bool, code: u8, interval: Interval) -> Interval {
        if to_left {
            search::extend_by(&self.forward(), code, interval)
        } else {
            search::extend_by(&self.reverse(), code, interval.mirrored()).mirrored()
        }
    }

    /// Tells the processor that the word of `interval` may soon be extended, so that the wait for memory
    /// overlaps with other work. Changes nothing else.
    #[inline]
    pub fn expect(&self, to_left: bool, interval: Interval) {
        if to_left {
            search::expect(&self.forward(), interval.lo, interval.size);
        } else {
            search::expect(&self.reverse(), interval.lo_reverse, interval.size);
        }
    }

    /// Bases of the words of the look-up table, 1 to 12.
    #[inline]
    pub fn table_length(&self) -> usize {
        self.image.numbers().table_length as usize
    }

    /// The interval of a word of [`FmIndex::table_length`] codes, from the table; empty if one of
    /// them is [`UNKNOWN`].
    ///
    /// # Panics
    /// If the word has another length.
    #[inline]
    pub fn lookup(&self, word: &[u8]) -> Interval {
        let table: &[Interval] = self.image.section(Section::Table);
        self.entry(word).map_or_else(Interval::default, |entry| table[entry])
    }

    /// Tells the processor that a word may soon be looked up, so that the wait for memory overlaps with
    /// other work. Changes nothing else.
    ///
    /// # Panics
    /// As [`lookup`](Self::lookup).
    #[inline]
    pub fn expect_lookup(&self, word: &[u8]) {
        let table: &[Interval] = self.image.section(Section::Table);
        if let Some(entry) = self.entry(word).and_then(|entry| table.get(entry)) {
            prefetch(entry);
        }
    }

    /// Number of a word of the look-up table; `None` if one of its codes is [`UNKNOWN`].
    fn entry(&self, word: &[u8]) -> Option<usize> {
        assert_eq!(word.len(), self.table_length(), "length of a word of the look-up table");
        let add = |entry, &code: &u8| (code < UNKNOWN).then_some(entry << 2 | usize::from(code));
        word.iter().try_fold(0, add)
    }

    /// The interval of a word of codes; `None` if it does not occur. [`UNKNOWN`] never does; the
    /// empty word is everywhere.
    pub fn search(&self, word: &[u8]) -> Option<Interval> {
        let (rest, mut interval) = match word.len().checked_sub(self.table_length()) {
            Some(split) => (&word[..split], self.lookup(&word[split..])),
            None => (word, self.root()),
        };
        let transforms = self.transforms();
        for &code in rest.iter().rev() {
            if interval.is_empty() || code >= UNKNOWN {
                return None;
            }
            interval = transforms.extend_left(interval)[code as usize];
        }
        (!interval.is_empty()).then_some(interval)
    }
}
