//! Files of typed sections that are mapped into memory and used in place: the index of a reference and the database
//! of subjects are such files.
//!
//! A container is one byte image, the same in memory and on disk: a header, then sections, each from a 64-byte
//! boundary on. It is either built in memory ([`ContainerBuilder`]) or mapped from a file read-only
//! ([`Container::open`]); sections are viewed in place, in the byte order of the machine, which the header records.
//!
//! ```text
//! bytes            header, padded with zeros to whole lines of 64 bytes
//!   8                magic number of the format
//!   4                version of the format
//!   4                0x01020304, as the machine that wrote the file stores it
//!   8                length of the whole file
//!   ...              parameters: the format's own numbers, a plain struct
//!   24 per section   offset, length without padding, XXH3 of the section with its padding
//!   8                XXH3 of the header's bytes before this field (the header's last 8 bytes)
//! ...              sections, each padded with zeros to whole lines
//! ```
//!
//! Every byte of a file is under a checksum, and all checksums are verified when a file is opened. A checksum finds
//! damage, not a file that some other program wrote: where the sections lie is checked too, so that all views are inside
//! the file, and each format checks what its sections hold.
//!
//! ```
//! use aligner_core::container::{Container, ContainerBuilder, Format, SectionName};
//!
//! #[derive(Debug, Clone, Copy)]
//! enum Lists { Primes, Squares }
//!
//! impl SectionName for Lists {
//!     const ALL: &'static [Self] = &[Self::Primes, Self::Squares];
//!     fn number(self) -> usize { self as usize }
//!     fn name(self) -> &'static str { ["primes", "squares"][self as usize] }
//!     fn element_bytes(self) -> usize { size_of::<u32>() }
//! }
//!
//! #[derive(Debug)]
//! struct NumberFile;
//!
//! impl Format for NumberFile {
//!     const MAGIC: [u8; 8] = *b"NUMBERS\0";
//!     const VERSION: u32 = 1;
//!     const KIND: &'static str = "number file";
//!     const COMMAND: &'static str = "make numbers";
//!     type Parameters = u64;
//!     type Section = Lists;
//! }
//!
//! let mut builder = ContainerBuilder::<NumberFile, 2>::new([4 * 3, 4 * 2]);
//! builder.section_mut(Lists::Primes).copy_from_slice(&[2_u32, 3, 5]);
//! builder.section_mut(Lists::Squares).copy_from_slice(&[1_u32, 4]);
//! let path = std::env::temp_dir().join(format!("numbers-{}", std::process::id()));
//! builder.finish().save(&path)?;
//! let opened = Container::<NumberFile, 2>::open(&path)?;
//! assert_eq!(opened.section::<u32>(Lists::Primes), [2, 3, 5]);
//! # std::fs::remove_file(path).unwrap();
//! # Ok::<(), aligner_core::container::ContainerError>(())
//! ```

mod error;
mod format;
mod header;
mod large_pages;
mod mapped;

use std::fmt;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use memmap2::Mmap;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

pub use error::{ContainerError, ContainerProblem};
pub use format::{Format, SectionName};
pub use mapped::{mapped_file_at, mapped_path};

use self::header::{Header, LINE_BYTES};
use self::mapped::MappedFile;

/// 64 bytes at a 64-byte boundary, as the sections are aligned.
#[repr(C, align(64))]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Line([u8; LINE_BYTES]);

enum ContainerBytes {
    Owned(Vec<Line>),
    Mapped(MappedFile),
}

/// A complete container of format `F` with `SECTIONS` sections, read-only.
pub struct Container<F: Format, const SECTIONS: usize> {
    header: Header<F, SECTIONS>,
    bytes: ContainerBytes,
}

impl<F: Format, const SECTIONS: usize> fmt::Debug for Container<F, SECTIONS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Container")
            .field("kind", &F::KIND)
            .field("parameters", &self.header.parameters)
            .field("extents", &self.header.extents)
            .finish_non_exhaustive()
    }
}

impl<F: Format, const SECTIONS: usize> Container<F, SECTIONS> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            ContainerBytes::Owned(lines) => cast_slice(lines),
            ContainerBytes::Mapped(map) => map,
        }
    }

    /// The format's own numbers.
    #[inline]
    pub fn parameters(&self) -> &F::Parameters {
        &self.header.parameters
    }

    /// Version of the file.
    pub fn version(&self) -> u32 {
        self.header.version
    }

    /// Elements of a section.
    ///
    /// # Panics
    /// If the section is not a whole number of `T`.
    #[inline]
    pub fn section<T: Pod>(&self, section: F::Section) -> &[T] {
        cast_slice(&self.bytes()[self.header.extents[section.number()].without_padding()])
    }

    /// Elements of a section and its padding, as the elements of a whole number of lines.
    ///
    /// # Panics
    /// If a line is not a whole number of `T`.
    pub fn padded_section<T: Pod>(&self, section: F::Section) -> &[T] {
        cast_slice(&self.bytes()[self.header.extents[section.number()].with_padding()])
    }

    /// Moves a mapped file into memory of pages of 2 MiB, where random access is faster, while others read it. It then takes
    /// memory of this process, where it was memory that processes share. A container in memory stays where it is.
    ///
    /// # Errors
    /// If the system refuses the memory, or has no such pages. The container can be used as before.
    pub fn move_to_large_pages(&self) -> io::Result<()> {
        match &self.bytes {
            ContainerBytes::Owned(_) => Ok(()),
            ContainerBytes::Mapped(file) => file.move_to_large_pages(),
        }
    }

    /// Length of the whole, in bytes, the same in memory and on disk.
    pub fn total_bytes(&self) -> u64 {
        self.header.file_length
    }

    /// Name and length in bytes of the header and of each section with its padding; they add up to
    /// [`total_bytes`](Self::total_bytes).
    pub fn section_sizes(&self) -> Vec<(&'static str, u64)> {
        let sections = F::Section::ALL.iter().zip(&self.header.extents);
        std::iter::once(("header", Header::<F, SECTIONS>::BYTES as u64))
            .chain(
                sections
                    .map(|(section, extent)| (section.name(), extent.with_padding().len() as u64)),
            )
            .collect()
    }

    /// Writes the bytes of the container, which [`open`](Self::open) maps from a file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.bytes())
    }

    /// Writes the container to a temporary file beside `path` and renames it to `path`; on failure nothing is left.
    ///
    /// # Errors
    /// [`ContainerProblem::Io`].
    pub fn save(&self, path: &Path) -> Result<(), ContainerError> {
        let failed = |source| ContainerError::new::<F>(path, ContainerProblem::Io(source));
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::Builder::new()
            .prefix(".gpualign-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(failed)?;
        self.write_to(&mut file).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Maps a file into memory and verifies all its checksums, on the current rayon pool.
    ///
    /// # Errors
    /// [`ContainerError`] with the path and the reason, if the file cannot be read or is not a container of this
    /// format as it was written.
    pub fn open(path: &Path) -> Result<Self, ContainerError> {
        let container = Self::map(path)?;
        let bytes = container.bytes();
        let damaged = F::Section::ALL.into_par_iter().find_first(|&section| {
            let extent = &container.header.extents[section.number()];
            xxh3_64(&bytes[extent.with_padding()]) != extent.checksum
        });
        match damaged {
            None => Ok(container),
            Some(section) => {
                let problem = ContainerProblem::DamagedSection(section.name());
                Err(ContainerError::new::<F>(path, problem))
            }
        }
    }

    /// Maps a file into memory and verifies its header and its length, but not the checksums of its sections: the caller has to
    /// know that they are as they were written.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn map(path: &Path) -> Result<Self, ContainerError> {
        let refused = |problem| ContainerError::new::<F>(path, problem);
        let map = File::open(path)
            .and_then(|file| map(&file))
            .map(|map| MappedFile::new(map, path))
            .map_err(|source| refused(ContainerProblem::Io(source)))?;
        let header = Header::<F, SECTIONS>::read(&map).map_err(refused)?;
        Ok(Self { header, bytes: ContainerBytes::Mapped(map) })
    }
}

/// Maps a whole file read-only.
fn map(file: &File) -> io::Result<Mmap> {
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    #[allow(unsafe_code)]
    // SAFETY: the map is only read. A container's file is replaced by renaming, never changed in place, so the mapped
    // bytes stay as they are; whoever edits one under a running program breaks that. If it is cut short, reading the map
    // raises SIGBUS, see `mapped`.
    unsafe {
        Mmap::map(file)
    }
}

/// A container of format `F` under construction: its sections are filled in place.
pub struct ContainerBuilder<F: Format, const SECTIONS: usize> {
    header: Header<F, SECTIONS>,
    lines: Vec<Line>,
}

impl<F: Format, const SECTIONS: usize> fmt::Debug for ContainerBuilder<F, SECTIONS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContainerBuilder").field("kind", &F::KIND).finish_non_exhaustive()
    }
}

impl<F: Format, const SECTIONS: usize> ContainerBuilder<F, SECTIONS> {
    /// A container of zeros with sections of these lengths in bytes, in the order of [`SectionName::ALL`].
    pub fn new(lengths: [u64; SECTIONS]) -> Self {
        let header = Header::new(lengths);
        let lines = bytemuck::allocation::zeroed_vec(header.file_length as usize / LINE_BYTES);
        Self { header, lines }
    }

    /// Sets the version of the file, if it is not the newest: files that need nothing of a newer version may have an older one.
    ///
    /// # Panics
    /// If it is none of those that are read.
    pub fn set_version(&mut self, version: u32) {
        assert!((F::OLDEST_VERSION..=F::VERSION).contains(&version), "a version that is read");
        self.header.version = version;
    }

    /// Length of the whole, in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.header.file_length
    }

    /// The format's own numbers, to set.
    pub fn parameters_mut(&mut self) -> &mut F::Parameters {
        &mut self.header.parameters
    }

    /// Elements of a section, to fill.
    ///
    /// # Panics
    /// If the section is not a whole number of `T`.
    pub fn section_mut<T: Pod>(&mut self, section: F::Section) -> &mut [T] {
        let bytes: &mut [u8] = cast_slice_mut(&mut self.lines);
        cast_slice_mut(&mut bytes[self.header.extents[section.number()].without_padding()])
    }

    /// Elements of a section as filled so far.
    ///
    /// # Panics
    /// If the section is not a whole number of `T`.
    pub fn section<T: Pod>(&self, section: F::Section) -> &[T] {
        let bytes: &[u8] = cast_slice(&self.lines);
        cast_slice(&bytes[self.header.extents[section.number()].without_padding()])
    }

    /// Computes all checksums, on the current rayon pool, and completes the container.
    pub fn finish(mut self) -> Container<F, SECTIONS> {
        let bytes: &[u8] = cast_slice(&self.lines);
        self.header
            .extents
            .par_iter_mut()
            .for_each(|extent| extent.checksum = xxh3_64(&bytes[extent.with_padding()]));
        let bytes: &mut [u8] = cast_slice_mut(&mut self.lines);
        self.header.write(bytes);
        Container { header: self.header, bytes: ContainerBytes::Owned(self.lines) }
    }
}
