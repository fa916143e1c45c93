//! The index as one byte image, the same in memory and on disk: a header, then sections, each from
//! a 64-byte boundary on. It is either built in memory or mapped from a file read-only; sections
//! are viewed in place, in the byte order of the machine, which the header records.
//!
//! The header has a checksum of itself and one of each section (padding included), so that every
//! byte of a file is under a checksum; all are verified when a file is opened.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice, cast_slice_mut, pod_read_unaligned};
use memmap2::Mmap;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::IndexError;
use crate::header::{BYTE_ORDER, HEADER, Header, LINE, MAGIC, Numbers, Section, VERSION};

/// One cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Line([u8; LINE]);

enum Bytes {
    Owned(Vec<Line>),
    Mapped(Mmap),
}

/// A complete index image, read-only.
pub(crate) struct Image {
    header: Header,
    bytes: Bytes,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Image {
    #[inline]
    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(lines) => cast_slice(lines),
            Bytes::Mapped(map) => map,
        }
    }

    #[inline]
    pub(crate) fn numbers(&self) -> &Numbers {
        &self.header.numbers
    }

    /// A section's elements.
    #[inline]
    pub(crate) fn section<T: Pod>(&self, section: Section) -> &[T] {
        cast_slice(&self.bytes()[self.header.extents[section as usize].exact()])
    }

    /// A section's elements and its padding, as the elements of a whole number of lines.
    pub(crate) fn padded_section<T: Pod>(&self, section: Section) -> &[T] {
        cast_slice(&self.bytes()[self.header.extents[section as usize].padded()])
    }

    /// Bytes of the whole.
    pub(crate) fn len(&self) -> u64 {
        self.header.file_length
    }

    /// Bytes of the header and of each section with its padding; they add up to the whole.
    pub(crate) fn sizes(&self) -> Vec<(&'static str, u64)> {
        let sections = Section::ALL.iter().zip(&self.header.extents);
        std::iter::once(("header", HEADER as u64))
            .chain(sections.map(|(section, extent)| (section.name(), extent.padded().len() as u64)))
            .collect()
    }

    /// Writes the image to a temporary file beside `path` and renames it; on failure nothing is
    /// left.
    pub(crate) fn save(&self, path: &Path) -> Result<(), IndexError> {
        let io = |source| IndexError::Io { path: path.to_owned(), source };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::Builder::new()
            .prefix(".gpx-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(io)?;
        file.write_all(self.bytes()).map_err(io)?;
        file.as_file().sync_all().map_err(io)?;
        file.persist(path).map_err(|error| io(error.error))?;
        Ok(())
    }

    /// Maps a file and verifies all of it.
    pub(crate) fn open(path: &Path) -> Result<Self, IndexError> {
        let path = path.to_owned();
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(source) => return Err(IndexError::Io { path, source }),
        };
        let map = match map(&file) {
            Ok(map) => map,
            Err(source) => return Err(IndexError::Io { path, source }),
        };
        if !map.starts_with(&MAGIC) {
            return Err(IndexError::NotAnIndex { path });
        }
        let found = map.len() as u64;
        let Some(header) = map.get(..HEADER) else {
            return Err(IndexError::Length { path, found, expected: HEADER as u64 });
        };
        let header: Header = pod_read_unaligned(header);
        if header.byte_order == BYTE_ORDER.swap_bytes() {
            return Err(IndexError::ByteOrder { path });
        }
        if header.version != VERSION {
            return Err(IndexError::Version { path, found: header.version, expected: VERSION });
        }
        if header.checksum != header.own_checksum() {
            return Err(IndexError::DamagedHeader { path });
        }
        if found != header.file_length {
            return Err(IndexError::Length { path, found, expected: header.file_length });
        }
        let damaged = Section::ALL.into_par_iter().find_first(|&section| {
            let extent = &header.extents[section as usize];
            map.get(extent.padded()).map(xxh3_64) != Some(extent.checksum)
        });
        if let Some(section) = damaged {
            return Err(IndexError::DamagedSection { path, section: section.name() });
        }
        Ok(Self { header, bytes: Bytes::Mapped(map) })
    }
}

fn map(file: &File) -> io::Result<Mmap> {
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    #[allow(unsafe_code)]
    // SAFETY: the map is only read. An index file is replaced by renaming, never changed in place,
    // so the mapped bytes stay as they are; whoever edits one under a running program breaks that.
    unsafe {
        Mmap::map(file)
    }
}

/// An image under construction.
pub(crate) struct ImageBuilder {
    header: Header,
    lines: Vec<Line>,
}

impl ImageBuilder {
    /// An image of zeros with sections of these lengths in bytes.
    pub(crate) fn new(lengths: [u64; 8]) -> Self {
        let header = Header::new(lengths);
        let lines = bytemuck::allocation::zeroed_vec(header.file_length as usize / LINE);
        Self { header, lines }
    }

    pub(crate) fn numbers_mut(&mut self) -> &mut Numbers {
        &mut self.header.numbers
    }

    /// A section's elements, to fill.
    pub(crate) fn section_mut<T: Pod>(&mut self, section: Section) -> &mut [T] {
        let bytes: &mut [u8] = cast_slice_mut(&mut self.lines);
        cast_slice_mut(&mut bytes[self.header.extents[section as usize].exact()])
    }

    /// A section's elements.
    pub(crate) fn section<T: Pod>(&self, section: Section) -> &[T] {
        let bytes: &[u8] = cast_slice(&self.lines);
        cast_slice(&bytes[self.header.extents[section as usize].exact()])
    }

    /// Signs the finished image.
    pub(crate) fn finish(mut self) -> Image {
        let bytes: &[u8] = cast_slice(&self.lines);
        self.header
            .extents
            .par_iter_mut()
            .for_each(|extent| extent.checksum = xxh3_64(&bytes[extent.padded()]));
        self.header.checksum = self.header.own_checksum();
        let bytes: &mut [u8] = cast_slice_mut(&mut self.lines);
        bytes[..HEADER].copy_from_slice(bytes_of(&self.header));
        Image { header: self.header, bytes: Bytes::Owned(self.lines) }
    }
}
