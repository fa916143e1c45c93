//! A database and its subjects.

use std::io;
use std::ops::Range;
use std::path::Path;

use aligner_core::container::{ContainerError, ContainerProblem};
use bytemuck::Pod;

use super::defline::{Defline, SeqId};
use super::file::{
    DEFLINES, DatabaseFormat, DatabaseSection, Entry, Exception, Image, SPARE_BYTES,
};
use super::{check, date};
use crate::sequence::packed;
use crate::statistics::DatabaseSize;

/// A set of subject sequences.
#[derive(Debug)]
pub struct Database {
    /// Sections and parameters of the file.
    pub(super) image: Image,
    pub(super) details: Details,
}

/// What statistics and reports need to know of a database, apart from its sequences.
#[derive(Debug)]
pub(super) struct Details {
    pub(super) headers: Headers,
    pub(super) sources: Vec<SourceDatabase>,
    /// The size that statistics are computed with.
    pub(super) size: DatabaseSize,
    /// Number of each sequence in the database that it was selected from; `None` if it has all sequences of that.
    pub(super) numbers: Option<Vec<usize>>,
    /// Location of each sequence in the sequence that it was cut from; `None` if none was cut.
    pub(super) locations: Option<Vec<LocationInWhole>>,
}

/// Location of a sequence in one that it was cut from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocationInWhole {
    /// Position of its first letter, from 0.
    pub start: usize,
    /// Length of the whole sequence.
    pub whole: usize,
}

/// What the section of titles has for each sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Headers {
    /// The header line, without `>`.
    Titles,
    /// A `Blast-def-line-set` of NCBI's.
    Deflines,
}

/// One of the databases that are searched as one, as reports show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceDatabase {
    /// Title; by default the name of the file of sequences that it was made from.
    pub title: String,
    /// When it was made, as a date in NCBI's notation.
    pub posted: String,
    /// Number of its sequences and their letters, including those that are not selected.
    pub size: DatabaseSize,
}

impl Database {
    /// Maps a database file into memory, verifies all its checksums, and checks that sequences and ambiguous letters are where
    /// they can be.
    ///
    /// # Errors
    /// [`ContainerError`] with the path and the reason, if the file cannot be read or is not a database of this
    /// version as it was written.
    pub fn open(path: &Path) -> Result<Self, ContainerError> {
        let image = Image::open(path)?;
        check::check(&image).map_err(|reason| {
            ContainerError::new::<DatabaseFormat>(path, ContainerProblem::Inconsistent(reason))
        })?;
        Ok(Self::of_image(image))
    }

    /// The database of an image whose sequences have titles or definition lines, by its version.
    pub(super) fn of_image(image: Image) -> Self {
        let letters = image.parameters().letters;
        let headers = if image.version() == DEFLINES { Headers::Deflines } else { Headers::Titles };
        let entries: &[Entry] = image.section(DatabaseSection::Entries);
        let size = DatabaseSize { letters, sequences: entries.len() - 1 };
        let title = String::from_utf8_lossy(image.section(DatabaseSection::Name)).into_owned();
        let source = SourceDatabase { title, posted: date::shown(image.parameters().made), size };
        let details =
            Details { headers, sources: vec![source], size, numbers: None, locations: None };
        Self { image, details }
    }

    /// Saves the database as `path`, replacing a file there in one step; on failure `path` stays as it was.
    ///
    /// # Errors
    /// [`ContainerError`] with the path and the reason.
    pub fn save(&self, path: &Path) -> Result<(), ContainerError> {
        self.image.save(path)
    }

    /// Writes the bytes of a database file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut impl io::Write) -> io::Result<()> {
        self.image.write_to(out)
    }

    /// A section of the file, as an array.
    fn section<T: Pod>(&self, section: DatabaseSection) -> &[T] {
        self.image.section(section)
    }

    /// Entries of all sequences, and one behind the last.
    fn entries(&self) -> &[Entry] {
        self.section(DatabaseSection::Entries)
    }

    /// Number of sequences in the database: at least one if it was made by [`Database::from_fasta`].
    #[allow(clippy::len_without_is_empty, reason = "`from_fasta` refuses a file without letters")]
    pub fn len(&self) -> usize {
        self.entries().len() - 1
    }

    /// Number of letters of all sequences.
    pub fn letters(&self) -> u64 {
        self.image.parameters().letters
    }

    /// Length of the file in bytes.
    pub fn file_length(&self) -> u64 {
        self.image.total_bytes()
    }

    /// The databases that are searched as one, of which there is at least one.
    pub fn sources(&self) -> &[SourceDatabase] {
        &self.details.sources
    }

    /// The size that statistics are computed with. It differs from the sum of all sequences if some were selected, or if a
    /// list of databases states another size.
    pub fn size(&self) -> DatabaseSize {
        self.details.size
    }

    /// A range of bytes of the packed bases of all sequences, with spare bytes behind it. Each sequence begins with a
    /// new byte.
    pub(crate) fn packed_with_spare(&self, bytes: Range<usize>) -> &[u8] {
        &self.section(DatabaseSection::Bases)[bytes.start..bytes.end + SPARE_BYTES]
    }

    /// Position of the first base of a sequence among the packed bases of the whole database.
    pub(crate) fn first_base(&self, number: usize) -> u64 {
        self.entries()[number].bases * packed::BASES as u64
    }

    /// The numbers of the sequences with bases in a range of positions of the whole database.
    pub(crate) fn subjects_of(&self, places: Range<u64>) -> Range<usize> {
        let before = |place: u64| {
            let entries = &self.entries()[..self.len()];
            entries.partition_point(|entry| entry.bases * (packed::BASES as u64) < place)
        };
        before(places.start + 1).saturating_sub(1)..before(places.end)
    }

    /// The sequence with a number, from 0.
    ///
    /// # Panics
    /// If the database has no sequence with this number.
    pub fn subject(&self, number: usize) -> Subject<'_> {
        let (entry, next) = (self.entries()[number], self.entries()[number + 1]);
        let bases: &[u8] = self.section(DatabaseSection::Bases);
        let titles: &[u8] = self.section(DatabaseSection::Titles);
        let exceptions: &[Exception] = self.section(DatabaseSection::Exceptions);
        Subject {
            number,
            ordinal: self.details.numbers.as_ref().map_or(number, |numbers| numbers[number]),
            headers: self.details.headers,
            location: self.details.locations.as_ref().map(|locations| locations[number]),
            length: entry.length as usize,
            packed: &bases[entry.bases as usize..next.bases as usize + SPARE_BYTES],
            title: &titles[entry.title as usize..next.title as usize],
            exceptions: &exceptions[entry.exception as usize..next.exception as usize],
        }
    }
}

/// A sequence of a database.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'d> {
    /// Number of the sequence in the database, from 0.
    pub number: usize,
    /// Number of the sequence in the database that it was selected from, from 0.
    pub ordinal: usize,
    headers: Headers,
    location: Option<LocationInWhole>,
    /// Length of the sequence in letters.
    pub length: usize,
    /// Packed bases, four to a byte, with spare bytes behind them.
    pub(crate) packed: &'d [u8],
    title: &'d [u8],
    exceptions: &'d [Exception],
}

impl Subject<'_> {
    /// Definition lines of the sequence, at least one. Where identifiers were not parsed, the title is the header line without
    /// `>`, and the identifier is the number of the sequence ([`SeqId::ordinal`]).
    pub fn deflines(&self) -> Vec<Defline> {
        let ordinal = || vec![SeqId::ordinal(self.ordinal)];
        let mut lines = match self.headers {
            Headers::Titles => {
                let title = String::from_utf8_lossy(self.title).into_owned();
                vec![Defline { title, ids: ordinal(), taxid: 0 }]
            }
            // They were decoded when the database was opened, so they are well-formed.
            Headers::Deflines => Defline::decode_set(self.title).unwrap_or_default(),
        };
        for line in &mut lines {
            // An identifier that is a number counts the sequences of its volume.
            if line.ids.iter().all(SeqId::is_ordinal) {
                line.ids = ordinal();
            }
        }
        lines
    }

    /// The bytes of its title or its definition lines.
    pub(super) fn header(&self) -> &[u8] {
        self.title
    }

    /// Runs of ambiguous letters, as the file has them.
    pub(super) fn raw_exceptions(&self) -> &[Exception] {
        self.exceptions
    }

    /// Location in the sequence that it was cut from; if it was not cut, that is the whole.
    pub fn location(&self) -> LocationInWhole {
        self.location.unwrap_or(LocationInWhole { start: 0, whole: self.length })
    }

    /// Title of the sequence.
    pub fn title(&self) -> String {
        self.deflines().into_iter().next().map_or_else(String::new, |line| line.title)
    }

    /// Runs of letters other than A, C, G and T, ascending: the range of positions of each, and its letter.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (Range<u64>, u8)> {
        self.exceptions.iter().map(|exception| {
            let start = u64::from(exception.start);
            (start..start + u64::from(exception.length), exception.letter as u8)
        })
    }

    /// The letters of a range of positions, which count from 0.
    ///
    /// # Panics
    /// If the range ends behind the sequence.
    pub fn letters(&self, range: Range<usize>) -> Vec<u8> {
        assert!(range.end <= self.length, "a range within the sequence");
        let first = range.start / packed::BASES;
        let mut letters = Vec::new();
        let skipped = range.start % packed::BASES;
        packed::unpack(&self.packed[first..], skipped + range.len(), &mut letters);
        letters.drain(..skipped);
        let behind = self.exceptions.partition_point(|exception| {
            (exception.start + exception.length) as usize <= range.start
        });
        for exception in &self.exceptions[behind..] {
            let start = (exception.start as usize).max(range.start);
            let end = ((exception.start + exception.length) as usize).min(range.end);
            if start >= end {
                break;
            }
            letters[start - range.start..end - range.start].fill(exception.letter as u8);
        }
        letters
    }
}
