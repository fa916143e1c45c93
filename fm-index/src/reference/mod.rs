//! A reference: contigs, their two-bit text, and letters other than A, C, G and T.

pub(crate) mod contig;
pub(crate) mod coordinates;
pub(crate) mod error;
pub(crate) mod exception;
mod fasta;
pub(crate) mod packed;
pub(crate) mod plain;
pub(crate) mod segments;

use std::ops::Range;
use std::sync::Arc;

use aligner_core::seq::{UNKNOWN, decode};
use md5::{Digest, Md5};
use rayon::prelude::*;

use self::contig::Contig;
use self::coordinates::Coordinates;
use self::exception::Exception;
use crate::fingerprint::FileFingerprint;
use crate::image::{IndexImage, IndexSection};

/// Bases whose letters are made at a time to compute a digest.
const DIGESTED_BASES: u32 = 1 << 16;

/// The two-bit text of a reference.
#[derive(Debug, Clone)]
enum ReferenceText {
    /// The reference's own words, before it is indexed.
    Owned(Vec<u64>),
    /// The text section of the index built from it.
    Indexed(Arc<IndexImage>),
}

/// Contigs end to end, addressed by *reference coordinates* (0-based).
///
/// The bases are held two bits each in *indexed coordinates*, in which long gaps are short;
/// letters other than A, C, G, T are a list of runs apart. U is read as T.
#[derive(Debug, Clone)]
pub struct Reference {
    contigs: Vec<Contig>,
    exceptions: Vec<Exception>,
    coordinates: Coordinates,
    /// Bases of all contigs together.
    length: u32,
    text: ReferenceText,
    source: FileFingerprint,
}

impl Reference {
    /// A reference of checked parts; `text` is the indexed text.
    pub(crate) fn new(
        contigs: Vec<Contig>,
        exceptions: Vec<Exception>,
        text: Vec<u64>,
        source: FileFingerprint,
    ) -> Self {
        Self::with_text(contigs, exceptions, ReferenceText::Owned(text), source)
    }

    /// A reference of the parts that an index stores, with the text in its image.
    pub(crate) fn in_image(
        contigs: Vec<Contig>,
        exceptions: Vec<Exception>,
        image: Arc<IndexImage>,
        source: FileFingerprint,
    ) -> Self {
        Self::with_text(contigs, exceptions, ReferenceText::Indexed(image), source)
    }

    fn with_text(
        contigs: Vec<Contig>,
        exceptions: Vec<Exception>,
        text: ReferenceText,
        source: FileFingerprint,
    ) -> Self {
        let length = contigs.last().map_or(0, Contig::end);
        let coordinates = Coordinates::new(&contigs, &exceptions, length);
        Self { contigs, exceptions, coordinates, length, text, source }
    }

    /// Drops the reference's own text, and uses the text in the image of its index from now on.
    pub(crate) fn moved_to(self, image: Arc<IndexImage>) -> Self {
        Self { text: ReferenceText::Indexed(image), ..self }
    }

    /// The indexed text: 32 bases in each word, the first in the lowest two bits, as codes 0 to 3. Bases stand in it
    /// for letters other than A, C, G and T; see [`Reference::is_plain`].
    #[inline]
    pub fn packed_text(&self) -> &[u64] {
        match &self.text {
            ReferenceText::Owned(words) => words,
            ReferenceText::Indexed(image) => image.section(IndexSection::Text),
        }
    }

    /// Letters other than A, C, G and T, ascending.
    pub(crate) fn exceptions(&self) -> &[Exception] {
        &self.exceptions
    }

    /// Contigs, ascending by offset.
    pub fn contigs(&self) -> &[Contig] {
        &self.contigs
    }

    /// Number of bases of all contigs together.
    #[allow(clippy::len_without_is_empty, reason = "a reference has at least one base")]
    pub fn len(&self) -> u32 {
        self.length
    }

    /// Number of bases of the indexed text: [`Reference::len`] minus the middles of long gaps.
    pub fn indexed_len(&self) -> u32 {
        self.coordinates.indexed_length()
    }

    /// Fingerprint of the file that the reference was read from; zeros if it came from memory.
    pub fn source(&self) -> FileFingerprint {
        self.source
    }

    /// Code, 0 to 4, of the base at a reference coordinate below [`Reference::len`].
    pub fn code(&self, position: u32) -> u8 {
        let mut code = [UNKNOWN];
        self.fill(position..position + 1, &mut code);
        code[0]
    }

    /// Codes, 0 to 4, of a reference range.
    ///
    /// # Panics
    /// If the range ends behind the reference.
    pub fn codes(&self, range: Range<u32>) -> Vec<u8> {
        let mut codes = Vec::new();
        self.codes_into(range, &mut codes);
        codes
    }

    /// Replaces the contents of `codes` by those of a reference range, as [`Reference::codes`] gives them.
    ///
    /// # Panics
    /// If the range ends behind the reference.
    pub fn codes_into(&self, range: Range<u32>, codes: &mut Vec<u8>) {
        codes.clear();
        codes.resize(range.len(), UNKNOWN);
        self.fill(range, codes);
    }

    /// Upper-case letters of a reference range, ambiguity letters included; T for U.
    ///
    /// # Panics
    /// If the range ends behind the reference.
    pub fn letters(&self, range: Range<u32>) -> Vec<u8> {
        let mut letters = self.codes(range.clone());
        for letter in &mut letters {
            *letter = decode(*letter);
        }
        for (exception, places) in self.exceptions_in(&range) {
            letters[places].fill(exception.letter as u8);
        }
        letters
    }

    /// The numbers of the contigs with a U, which is T in all letters here: their MD5 is not that of these letters. Reads the
    /// whole reference, on the current rayon pool.
    pub fn contigs_with_uracil(&self) -> Vec<usize> {
        let has_uracil = |contig: &Contig| {
            let mut digest = Md5::new();
            for start in (contig.offset..contig.end()).step_by(DIGESTED_BASES as usize) {
                let end = contig.end().min(start.saturating_add(DIGESTED_BASES));
                digest.update(self.letters(start..end));
            }
            contig.md5 != <[u8; 16]>::from(digest.finalize())
        };
        let numbers = 0..self.contigs.len();
        numbers.into_par_iter().filter(|&number| has_uracil(&self.contigs[number])).collect()
    }

    /// Writes the codes of a range into a slice of [`UNKNOWN`] of its length.
    fn fill(&self, range: Range<u32>, codes: &mut [u8]) {
        assert!(range.end <= self.length, "range {range:?} of a reference of {}", self.length);
        for (start, indexed) in self.coordinates.indexed_parts(range.clone()) {
            let place = (start - range.start) as usize;
            let part = &mut codes[place..place + indexed.len()];
            packed::unpack(self.packed_text(), indexed.start as usize..indexed.end as usize, part);
        }
        for (_, places) in self.exceptions_in(&range) {
            codes[places].fill(UNKNOWN);
        }
    }

    /// Exceptions that overlap a reference range, each with the part of the range that it covers, relative to the
    /// range's start.
    fn exceptions_in(
        &self,
        range: &Range<u32>,
    ) -> impl Iterator<Item = (&Exception, Range<usize>)> {
        let Range { start, end } = *range;
        let first = self.exceptions.partition_point(|exception| exception.end() <= start);
        self.exceptions[first..].iter().take_while(move |exception| exception.start < end).map(
            move |exception| {
                let from = exception.start.max(start) - start;
                let to = exception.end().min(end) - start;
                (exception, from as usize..to as usize)
            },
        )
    }

    /// Reference coordinate of an indexed coordinate below [`Reference::indexed_len`].
    #[inline]
    pub fn to_reference(&self, indexed: u32) -> u32 {
        self.coordinates.to_reference(indexed)
    }

    /// Indexed coordinate of a reference coordinate below [`Reference::len`]; `None` in the middle of a long gap.
    #[inline]
    pub fn to_indexed(&self, position: u32) -> Option<u32> {
        self.coordinates.to_indexed(position)
    }

    /// Number of the contig, from 0, that holds a reference coordinate below [`Reference::len`].
    #[inline]
    pub fn contig_at(&self, position: u32) -> usize {
        self.contigs.partition_point(|contig| contig.offset <= position) - 1
    }

    /// Whether the `length` indexed bases from indexed coordinate `start` on equal the reference inside one contig: no
    /// exception is among them, no contig end is between them, and they end inside the text. `length` is at least 1.
    #[inline]
    pub fn is_plain(&self, start: u32, length: u32) -> bool {
        self.coordinates.is_plain(start, length)
    }

    /// Translation between reference and indexed coordinates.
    pub(crate) fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    /// Codes, 0 to 3, of the whole indexed text.
    pub(crate) fn indexed_codes(&self) -> Vec<u8> {
        let mut codes = vec![0; self.indexed_len() as usize];
        packed::unpack(self.packed_text(), 0..codes.len(), &mut codes);
        codes
    }
}
