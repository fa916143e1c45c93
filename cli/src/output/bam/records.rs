//! Consecutive records in BAM's encoding, with the key and the template of each.

use bytemuck::{Pod, Zeroable};

use super::encoding;
use super::view::RecordView;
use crate::output::record::fields::{Position, Record};

/// Where a record is among all records by coordinate: its contig, then its position plus one. Records without a contig come
/// last.
pub type CoordinateKey = u64;

/// The key of a record with this position.
pub fn coordinate_key(position: Option<Position>) -> CoordinateKey {
    position.map_or(u64::from(u32::MAX) << 32, |Position { contig, base }| {
        u64::from(contig) << 32 | (u64::from(base) + 1)
    })
}

/// Consecutive records in BAM's encoding, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct RecordSlice<'b> {
    /// The records, one after the other.
    pub bytes: &'b [u8],
    /// Bytes of each record.
    pub sizes: &'b [u32],
}

/// Consecutive records in BAM's encoding.
#[derive(Debug, Default)]
pub struct EncodedRecords {
    bytes: Vec<u8>,
    /// Bytes of each record: who needs to know where records end does not have to look for them in their bytes.
    sizes: Vec<u32>,
    /// Key and template of each record; empty if records are not sorted.
    places: Vec<RecordPlace>,
    /// Templates that were begun: a template is a read, or a pair of reads.
    templates: u32,
}

/// Room in memory for records.
#[derive(Debug, Default, Clone, Copy)]
pub struct RecordRoom {
    /// Bytes of the records.
    pub bytes: usize,
    /// The number of records.
    pub records: usize,
}

/// The key and the template of a record, by which it is sorted and marked.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct RecordPlace {
    pub key: CoordinateKey,
    /// The record's first byte.
    pub offset: u32,
    /// The number of its template among these records, from 0.
    pub template: u32,
}

impl EncodedRecords {
    /// Records of these bytes and sizes, with the places of all of them, or none if they are not sorted.
    pub fn restored(
        bytes: Vec<u8>,
        sizes: Vec<u32>,
        places: Vec<RecordPlace>,
        templates: u32,
    ) -> Self {
        Self { bytes, sizes, places, templates }
    }

    /// Makes room for records that will be sorted.
    pub fn reserve_sortable(&mut self, room: RecordRoom) {
        self.bytes.reserve(room.bytes);
        self.sizes.reserve(room.records);
        self.places.reserve(room.records);
    }

    /// Makes room for records of so many bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    /// The room that the records take.
    pub fn room(&self) -> RecordRoom {
        RecordRoom { bytes: self.bytes.len(), records: self.sizes.len() }
    }

    /// Gives memory back if more than half of it is unused.
    pub fn shrink(&mut self) {
        if self.bytes.capacity() > 2 * self.bytes.len() {
            self.bytes.shrink_to_fit();
            self.sizes.shrink_to_fit();
            self.places.shrink_to_fit();
        }
    }

    /// Says that the records that follow are of another template.
    pub fn begin_template(&mut self) {
        self.templates += 1;
    }

    /// Appends a record, and with `is_sorted` its key and template.
    pub fn push(&mut self, record: &Record<'_>, is_sorted: bool) {
        if is_sorted {
            self.places.push(RecordPlace {
                key: coordinate_key(record.position),
                offset: self.bytes.len() as u32,
                template: self.templates.saturating_sub(1),
            });
        }
        let begin = self.bytes.len();
        encoding::append(record, &mut self.bytes);
        self.sizes.push((self.bytes.len() - begin) as u32);
    }

    /// Appends a record that is encoded already, and `flag` to its flags.
    pub fn push_encoded(&mut self, record: RecordView<'_>, flag: u16) {
        record.append_with_flag(flag, &mut self.bytes);
        self.sizes.push(record.bytes().len() as u32);
    }

    /// All records.
    pub fn as_slice(&self) -> RecordSlice<'_> {
        RecordSlice { bytes: &self.bytes, sizes: &self.sizes }
    }

    /// The bytes of all records.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Key and template of each record, in the order of the records.
    pub fn places(&self) -> &[RecordPlace] {
        &self.places
    }

    /// The number of templates.
    pub fn templates(&self) -> u32 {
        self.templates
    }

    /// Bytes of memory that the records take.
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
            + self.sizes.capacity() * size_of::<u32>()
            + self.places.capacity() * size_of::<RecordPlace>()
    }

    /// Removes all records and keeps their memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.sizes.clear();
        self.places.clear();
        self.templates = 0;
    }
}
