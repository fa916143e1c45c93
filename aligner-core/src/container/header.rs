//! Header of a container.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, bytes_of, pod_read_unaligned};
use xxhash_rust::xxh3::xxh3_64;

use super::error::ContainerProblem;
use super::format::{Format, SectionName};

/// Header and sections are whole numbers of lines of this many bytes.
pub(super) const LINE_BYTES: usize = 64;

/// Value of [`Prefix::byte_order`]: a machine of the other byte order reads another number.
const BYTE_ORDER: u32 = 0x0102_0304;

/// First fields of the header, the same in every format.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Prefix {
    magic: [u8; 8],
    version: u32,
    byte_order: u32,
    /// Length of the whole file, in bytes.
    file_length: u64,
}

/// Location of a section in the file.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Extent {
    /// Bytes from the start of the file.
    offset: u64,
    /// Length in bytes, without padding.
    length: u64,
    /// XXH3 of the section with its padding.
    pub(super) checksum: u64,
}

impl Extent {
    /// Byte range of the section in the file, without padding.
    #[inline]
    pub(super) fn without_padding(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.length) as usize
    }

    /// Byte range of the section in the file, with padding.
    pub(super) fn with_padding(&self) -> Range<usize> {
        let end = (self.offset + self.length).next_multiple_of(LINE_BYTES as u64);
        self.offset as usize..end as usize
    }
}

/// Contents of the header beyond what the format fixes.
pub(super) struct Header<F: Format, const SECTIONS: usize> {
    /// Version of the file.
    pub(super) version: u32,
    pub(super) file_length: u64,
    pub(super) parameters: F::Parameters,
    pub(super) extents: [Extent; SECTIONS],
}

impl<F: Format, const SECTIONS: usize> Header<F, SECTIONS> {
    const PARAMETERS_BEGIN: usize = size_of::<Prefix>();
    const EXTENTS_BEGIN: usize = Self::PARAMETERS_BEGIN + size_of::<F::Parameters>();
    const EXTENTS_END: usize = Self::EXTENTS_BEGIN + size_of::<[Extent; SECTIONS]>();

    /// Length of the header, in bytes.
    pub(super) const BYTES: usize = {
        assert!(size_of::<F::Parameters>().is_multiple_of(8), "whole 8-byte words of parameters");
        (Self::EXTENTS_END + size_of::<u64>()).next_multiple_of(LINE_BYTES)
    };

    /// Offset of the header's checksum, its last field.
    const CHECKSUM_BEGIN: usize = Self::BYTES - size_of::<u64>();

    /// A header for sections of these lengths in bytes; its parameters and checksums are 0.
    pub(super) fn new(lengths: [u64; SECTIONS]) -> Self {
        let mut end = Self::BYTES as u64;
        let extents = lengths.map(|length| {
            let extent = Extent { offset: end, length, checksum: 0 };
            end += length.next_multiple_of(LINE_BYTES as u64);
            extent
        });
        Self { version: F::VERSION, file_length: end, parameters: F::Parameters::zeroed(), extents }
    }

    /// Writes the header with its checksum to the begin of `file`, whose bytes are 0 there.
    pub(super) fn write(&self, file: &mut [u8]) {
        let prefix = Prefix {
            magic: F::MAGIC,
            version: self.version,
            byte_order: BYTE_ORDER,
            file_length: self.file_length,
        };
        file[..Self::PARAMETERS_BEGIN].copy_from_slice(bytes_of(&prefix));
        file[Self::PARAMETERS_BEGIN..Self::EXTENTS_BEGIN]
            .copy_from_slice(bytes_of(&self.parameters));
        let extents = bytemuck::cast_slice(&self.extents);
        file[Self::EXTENTS_BEGIN..Self::EXTENTS_END].copy_from_slice(extents);
        let checksum = xxh3_64(&file[..Self::CHECKSUM_BEGIN]);
        file[Self::CHECKSUM_BEGIN..Self::BYTES].copy_from_slice(bytes_of(&checksum));
    }

    /// Reads the header of a file of this format and verifies its checksum, the file's length and where the sections lie.
    pub(super) fn read(file: &[u8]) -> Result<Self, ContainerProblem> {
        if !file.starts_with(&F::MAGIC) {
            return Err(ContainerProblem::OtherKind);
        }
        let found = file.len() as u64;
        let Some(bytes) = file.get(..Self::BYTES) else {
            return Err(ContainerProblem::Length { found, expected: Self::BYTES as u64 });
        };
        let prefix: Prefix = pod_read_unaligned(&bytes[..Self::PARAMETERS_BEGIN]);
        if prefix.byte_order == BYTE_ORDER.swap_bytes() {
            return Err(ContainerProblem::ByteOrder);
        }
        if !(F::OLDEST_VERSION..=F::VERSION).contains(&prefix.version) {
            return Err(ContainerProblem::Version { found: prefix.version, expected: F::VERSION });
        }
        let (checked, checksum) = bytes.split_at(Self::CHECKSUM_BEGIN);
        if pod_read_unaligned::<u64>(checksum) != xxh3_64(checked) {
            return Err(ContainerProblem::DamagedHeader);
        }
        let file_length = prefix.file_length;
        if found != file_length {
            return Err(ContainerProblem::Length { found, expected: file_length });
        }
        let parameters = pod_read_unaligned(&bytes[Self::PARAMETERS_BEGIN..Self::EXTENTS_BEGIN]);
        let mut extents = [Extent::zeroed(); SECTIONS];
        bytemuck::cast_slice_mut(&mut extents)
            .copy_from_slice(&bytes[Self::EXTENTS_BEGIN..Self::EXTENTS_END]);
        let header = Self { version: prefix.version, file_length, parameters, extents };
        header.check_extents()?;
        Ok(header)
    }

    /// Checks that the sections lie in the file as [`Header::new`] would lay them out, one behind the other without gaps,
    /// and that each is a whole number of elements: all ranges of bytes are then inside the file and aligned.
    fn check_extents(&self) -> Result<(), ContainerProblem> {
        let inconsistent = |reason| Err(ContainerProblem::Inconsistent(reason));
        let mut end = Self::BYTES as u64;
        for (section, extent) in F::Section::ALL.iter().zip(&self.extents) {
            let name = section.name();
            if extent.offset != end {
                return inconsistent(format!(
                    "section '{name}' begins at byte {}, not at {end}",
                    extent.offset
                ));
            }
            if !extent.length.is_multiple_of(section.element_bytes() as u64) {
                return inconsistent(format!(
                    "section '{name}' has {} bytes, which is no multiple of {}",
                    extent.length,
                    section.element_bytes()
                ));
            }
            let after = extent
                .length
                .checked_next_multiple_of(LINE_BYTES as u64)
                .and_then(|padded| end.checked_add(padded));
            match after {
                Some(after) if after <= self.file_length => end = after,
                _ => return inconsistent(format!("section '{name}' ends behind the file")),
            }
        }
        if end != self.file_length {
            return inconsistent(format!("the sections end at byte {end} of {}", self.file_length));
        }
        Ok(())
    }
}
