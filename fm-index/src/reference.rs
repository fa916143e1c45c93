//! The reference and its bases.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use aligner_core::seq::{UNKNOWN, decode};

use crate::coordinates::{Coordinates, Exception};
use crate::error::ReferenceError;
use crate::fasta;
use crate::header::Section;
use crate::image::Image;
use crate::packed;
use crate::plain::Plain;
use crate::source::Source;

/// The most bases of a reference, all contigs together.
pub const MAX_BASES: u32 = u32::MAX - (1 << 16) + 1;

/// One sequence of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contig {
    /// The header's first word, printable ASCII.
    pub name: String,
    /// Reference coordinate of its first base.
    pub offset: u32,
    /// Bases, at least 1.
    pub length: u32,
    /// MD5 of its letters in upper case, as in `M5` of a SAM header (SAM specification 1.3).
    pub md5: [u8; 16],
}

/// The two-bit text: its own, or in the index built of it.
#[derive(Debug, Clone)]
enum Text {
    Owned(Vec<u64>),
    Indexed(Arc<Image>),
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
    length: u32,
    text: Text,
    source: Source,
}

impl Reference {
    /// Reads a FASTA file, plain or compressed by gzip (BGZF included), bzip2 or zstd, which is
    /// told from its first bytes. Line ends may be LF or CRLF, letters in either case.
    ///
    /// # Errors
    /// [`ReferenceError`] with file, record and line: see [`crate::ReferenceProblem`].
    pub fn from_fasta(path: impl AsRef<Path>) -> Result<Self, ReferenceError> {
        fasta::read(path.as_ref())
    }

    /// Takes records from memory: headers (the name is the first word) and letters.
    ///
    /// # Errors
    /// As [`Reference::from_fasta`], without file and line.
    pub fn from_records<N: AsRef<[u8]>, L: AsRef<[u8]>>(
        records: impl IntoIterator<Item = (N, L)>,
    ) -> Result<Self, ReferenceError> {
        fasta::collect(records)
    }

    /// From checked parts; `text` is the indexed text.
    pub(crate) fn new(
        contigs: Vec<Contig>,
        exceptions: Vec<Exception>,
        text: Vec<u64>,
        source: Source,
    ) -> Self {
        Self::with_text(contigs, exceptions, Text::Owned(text), source)
    }

    /// From the parts that an index stores.
    pub(crate) fn in_image(
        contigs: Vec<Contig>,
        exceptions: Vec<Exception>,
        image: Arc<Image>,
        source: Source,
    ) -> Self {
        Self::with_text(contigs, exceptions, Text::Indexed(image), source)
    }

    fn with_text(
        contigs: Vec<Contig>,
        exceptions: Vec<Exception>,
        text: Text,
        source: Source,
    ) -> Self {
        let length = contigs.last().map_or(0, |contig| contig.offset + contig.length);
        let coordinates = Coordinates::new(&contigs, &exceptions, length);
        Self { contigs, exceptions, coordinates, length, text, source }
    }

    /// Lets go of the own text for the same text in an index.
    pub(crate) fn moved_to(self, image: Arc<Image>) -> Self {
        Self { text: Text::Indexed(image), ..self }
    }

    /// The indexed text: 32 bases a word, the first in the lowest two bits, as codes 0 to 3. Letters
    /// other than A, C, G, T have stand-ins; see [`Reference::is_plain`].
    #[inline]
    pub fn words(&self) -> &[u64] {
        match &self.text {
            Text::Owned(words) => words,
            Text::Indexed(image) => image.section(Section::Text),
        }
    }

    pub(crate) fn exceptions(&self) -> &[Exception] {
        &self.exceptions
    }

    /// The contigs, by offset.
    pub fn contigs(&self) -> &[Contig] {
        &self.contigs
    }

    /// Bases of all contigs together.
    #[allow(clippy::len_without_is_empty, reason = "a reference has at least one base")]
    pub fn len(&self) -> u32 {
        self.length
    }

    /// Bases of the indexed text: [`Reference::len`] less the middles of long gaps.
    pub fn indexed_len(&self) -> u32 {
        self.coordinates.indexed_length()
    }

    /// The file it was read from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// The code, 0 to 4, at a reference coordinate below [`Reference::len`].
    pub fn code(&self, position: u32) -> u8 {
        let mut code = [UNKNOWN];
        self.fill(position..position + 1, &mut code);
        code[0]
    }

    /// The codes, 0 to 4, of a reference range.
    ///
    /// # Panics
    /// If the range ends behind the reference.
    pub fn codes(&self, range: Range<u32>) -> Vec<u8> {
        let mut codes = Vec::new();
        self.codes_into(range, &mut codes);
        codes
    }

    /// As [`Reference::codes`], replacing the contents of `codes`.
    ///
    /// # Panics
    /// If the range ends behind the reference.
    pub fn codes_into(&self, range: Range<u32>, codes: &mut Vec<u8>) {
        codes.clear();
        codes.resize(range.len(), UNKNOWN);
        self.fill(range, codes);
    }

    /// The upper-case letters of a reference range, ambiguity letters included; T for U.
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

    /// Codes of a range into a slice of [`UNKNOWN`] of its length.
    fn fill(&self, range: Range<u32>, codes: &mut [u8]) {
        assert!(range.end <= self.length, "range {range:?} of a reference of {}", self.length);
        for (start, indexed) in self.coordinates.indexed_parts(range.clone()) {
            let place = (start - range.start) as usize;
            let part = &mut codes[place..place + indexed.len()];
            packed::unpack(self.words(), indexed.start as usize..indexed.end as usize, part);
        }
        for (_, places) in self.exceptions_in(&range) {
            codes[places].fill(UNKNOWN);
        }
    }

    /// The exceptions that overlap a reference range, with the part they cover, relative to it.
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

    /// The reference coordinate of an indexed coordinate below [`Reference::indexed_len`].
    #[inline]
    pub fn to_reference(&self, indexed: u32) -> u32 {
        self.coordinates.to_reference(indexed)
    }

    /// The indexed coordinate of a reference coordinate below [`Reference::len`]; `None` in the middle
    /// of a long gap.
    #[inline]
    pub fn to_indexed(&self, position: u32) -> Option<u32> {
        self.coordinates.to_indexed(position)
    }

    /// The plain stretch with this position of the indexed text; `None` if an exception is there. See
    /// [`PlainStretches`](crate::PlainStretches).
    pub fn plain_stretch(&self, indexed: u32) -> Option<Plain> {
        let stretch = self.coordinates.plain_stretch(indexed)?;
        let start = self.to_reference(stretch.start);
        let contig = self.contig_at(start);
        let start = start - self.contigs[contig].offset;
        Some(Plain { indexed: stretch, contig: contig as u32, start })
    }

    /// The number of the contig that holds a reference coordinate below [`Reference::len`].
    #[inline]
    pub fn contig_at(&self, position: u32) -> usize {
        self.contigs.partition_point(|contig| contig.offset <= position) - 1
    }

    /// Whether the `length` indexed bases from `start` on equal the reference inside one contig:
    /// no exception among them, no contig end between them, and the text does not end before
    /// them. `length` is at least 1.
    #[inline]
    pub fn is_plain(&self, start: u32, length: u32) -> bool {
        self.coordinates.is_plain(start, length)
    }

    /// The parts of a reference range that the indexed text holds, as (reference start, indexed
    /// range), ascending.
    pub(crate) fn indexed_parts(
        &self,
        range: Range<u32>,
    ) -> impl Iterator<Item = (u32, Range<u32>)> {
        self.coordinates.indexed_parts(range)
    }

    /// All codes of the indexed text, 0 to 3.
    pub(crate) fn indexed_codes(&self) -> Vec<u8> {
        let mut codes = vec![0; self.indexed_len() as usize];
        packed::unpack(self.words(), 0..codes.len(), &mut codes);
        codes
    }
}
