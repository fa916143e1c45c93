//! Databases: subjects in one memory-mapped file, or the same in memory.
//!
//! The file is a checksummed header and 64-byte aligned sections. Bases take two bits; other letters
//! are listed as exceptions, and in the packed bases one of the bases they may be stands for them, so
//! that the first stages of a search need to know only bases. All checksums are verified when a file
//! is opened.

mod build;
pub(crate) mod chunks;
mod header;
mod substitute;

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use bytemuck::{Pod, Zeroable, cast_slice, pod_read_unaligned};
use memmap2::Mmap;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use self::header::{BYTE_ORDER, HEADER, Header, LINE, MAGIC, Section, VERSION};
use crate::error::DatabaseError;
use crate::sequence::packed;

pub use self::build::Builder;

/// Bytes behind the last base, so that words can be read from any byte.
const SPARE: usize = 8;

/// A sequence of the database.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct Entry {
    /// Its first byte of bases.
    bases: u64,
    /// Where its title begins.
    title: u64,
    /// Its first exception.
    exception: u32,
    /// Its bases.
    length: u32,
}

/// A run of one letter other than A, C, G and T.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct Exception {
    /// Its first place in the sequence.
    start: u32,
    length: u32,
    letter: u32,
}

/// One cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Line([u8; LINE]);

enum Bytes {
    Owned(Vec<Line>),
    Mapped(Mmap),
}

/// A set of subject sequences.
pub struct Database {
    header: Header,
    bytes: Bytes,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Database {
    /// Maps a file and verifies all of it.
    ///
    /// # Errors
    /// If it cannot be read, or is not a database of this version as it was written.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        let path = path.to_owned();
        let map = match File::open(&path).and_then(|file| map(&file)) {
            Ok(map) => map,
            Err(source) => return Err(DatabaseError::Io { path, source }),
        };
        if !map.starts_with(&MAGIC) {
            return Err(DatabaseError::NotADatabase { path });
        }
        let found = map.len() as u64;
        let Some(header) = map.get(..HEADER) else {
            return Err(DatabaseError::Length { path, found, expected: HEADER as u64 });
        };
        let header: Header = pod_read_unaligned(header);
        if header.byte_order == BYTE_ORDER.swap_bytes() {
            return Err(DatabaseError::ByteOrder { path });
        }
        if header.version != VERSION {
            return Err(DatabaseError::Version { path, found: header.version, expected: VERSION });
        }
        if header.checksum != header.own_checksum() {
            return Err(DatabaseError::Damaged { path, part: "header" });
        }
        if found != header.file_length {
            return Err(DatabaseError::Length { path, found, expected: header.file_length });
        }
        let damaged = Section::ALL.into_par_iter().find_first(|&section| {
            let extent = &header.extents[section as usize];
            map.get(extent.padded()).map(xxh3_64) != Some(extent.checksum)
        });
        if let Some(section) = damaged {
            return Err(DatabaseError::Damaged { path, part: section.name() });
        }
        Ok(Self { header, bytes: Bytes::Mapped(map) })
    }

    /// Writes the database to a temporary file beside `path` and renames it; on failure nothing is
    /// left.
    ///
    /// # Errors
    /// If that fails.
    pub fn save(&self, path: &Path) -> Result<(), DatabaseError> {
        let io = |source| DatabaseError::Io { path: path.to_owned(), source };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::Builder::new()
            .prefix(".gpdb-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(io)?;
        file.write_all(self.bytes()).map_err(io)?;
        file.as_file().sync_all().map_err(io)?;
        file.persist(path).map_err(|error| io(error.error))?;
        Ok(())
    }

    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(lines) => cast_slice(lines),
            Bytes::Mapped(map) => map,
        }
    }

    fn section<T: Pod>(&self, section: Section) -> &[T] {
        cast_slice(&self.bytes()[self.header.extents[section as usize].exact()])
    }

    fn entries(&self) -> &[Entry] {
        self.section(Section::Entries)
    }

    /// Number of sequences.
    #[allow(clippy::len_without_is_empty, reason = "a database is never empty")]
    pub fn len(&self) -> usize {
        self.entries().len() - 1
    }

    /// Bases of all sequences.
    pub fn letters(&self) -> u64 {
        self.header.letters
    }

    /// Bytes of the file.
    pub fn file_length(&self) -> u64 {
        self.header.file_length
    }

    /// When it was made, in seconds since 1970.
    pub fn made(&self) -> u64 {
        self.header.made
    }

    /// What it is called: the name of the file of sequences.
    pub fn name(&self) -> String {
        String::from_utf8_lossy(self.section(Section::Name)).into_owned()
    }

    /// Some bytes of the bases of all sequences, four a byte, each sequence from a byte of its own on; with
    /// spare ones behind them.
    pub(crate) fn packed_with_spare(&self, bytes: Range<usize>) -> &[u8] {
        &self.section(Section::Bases)[bytes.start..bytes.end + SPARE]
    }

    /// The place of a sequence's first base, all bases counted through.
    pub(crate) fn first_base(&self, number: usize) -> u64 {
        self.entries()[number].bases * packed::BASES as u64
    }

    /// The sequences that have any of some places, all bases counted through.
    pub(crate) fn subjects_of(&self, places: Range<u64>) -> Range<usize> {
        let before = |place: u64| {
            let entries = &self.entries()[..self.len()];
            entries.partition_point(|entry| entry.bases * (packed::BASES as u64) < place)
        };
        before(places.start + 1).saturating_sub(1)..before(places.end)
    }

    /// One sequence, counted from 0.
    ///
    /// # Panics
    /// If there is none.
    pub fn subject(&self, number: usize) -> Subject<'_> {
        let (entry, next) = (self.entries()[number], self.entries()[number + 1]);
        let bases: &[u8] = self.section(Section::Bases);
        let titles: &[u8] = self.section(Section::Titles);
        let exceptions: &[Exception] = self.section(Section::Exceptions);
        Subject {
            number,
            length: entry.length as usize,
            packed: &bases[entry.bases as usize..next.bases as usize + SPARE],
            title: &titles[entry.title as usize..next.title as usize],
            exceptions: &exceptions[entry.exception as usize..next.exception as usize],
        }
    }
}

fn map(file: &File) -> io::Result<Mmap> {
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    #[allow(unsafe_code)]
    // SAFETY: the map is only read. A database is replaced by renaming, never changed in place, so
    // the mapped bytes stay as they are; whoever edits one under a running program breaks that.
    unsafe {
        Mmap::map(file)
    }
}

/// A sequence of a database.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'d> {
    /// Its number, from 0.
    pub number: usize,
    /// Its bases.
    pub length: usize,
    /// Bases, four a byte, and spare bytes behind them.
    pub(crate) packed: &'d [u8],
    title: &'d [u8],
    exceptions: &'d [Exception],
}

impl Subject<'_> {
    /// Its header.
    pub fn title(&self) -> String {
        String::from_utf8_lossy(self.title).into_owned()
    }

    /// Runs of letters other than A, C, G and T, in order.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (Range<u64>, u8)> {
        self.exceptions.iter().map(|exception| {
            let start = u64::from(exception.start);
            (start..start + u64::from(exception.length), exception.letter as u8)
        })
    }

    /// The letters of a range of places.
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
