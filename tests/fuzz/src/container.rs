//! Repair of mutated containers (`aligner_core::container`), whose checksums would refuse every change of a byte.

use xxhash_rust::xxh3::xxh3_64;

/// Bytes of the fields before the parameters: magic number, version, byte order, length of the file.
const PREFIX_BYTES: usize = 24;
/// First byte of the length of the file.
const LENGTH_BEGIN: usize = 16;
/// Bytes of a section's offset, length and checksum.
const EXTENT_BYTES: usize = 24;
const LINE_BYTES: usize = 64;

/// Makes the length of the file and all checksums of a container right, as far as its sections lie in the file.
pub fn repair(file: &mut [u8], parameter_bytes: usize, sections: usize) {
    let extents = PREFIX_BYTES + parameter_bytes;
    let header = (extents + sections * EXTENT_BYTES + 8).next_multiple_of(LINE_BYTES);
    if file.len() < header {
        return;
    }
    let length = file.len() as u64;
    file[LENGTH_BEGIN..PREFIX_BYTES].copy_from_slice(&length.to_ne_bytes());
    for section in 0..sections {
        let extent = extents + section * EXTENT_BYTES;
        let number = |at: usize| u64::from_ne_bytes(file[at..at + 8].try_into().expect("8 bytes"));
        let offset = number(extent);
        let end = offset.saturating_add(number(extent + 8));
        let end = end.checked_next_multiple_of(LINE_BYTES as u64).unwrap_or(u64::MAX);
        if let Some(bytes) = file.get(offset as usize..end as usize) {
            let checksum = xxh3_64(bytes);
            file[extent + 16..extent + 24].copy_from_slice(&checksum.to_ne_bytes());
        }
    }
    let checksum = xxh3_64(&file[..header - 8]);
    file[header - 8..header].copy_from_slice(&checksum.to_ne_bytes());
}
