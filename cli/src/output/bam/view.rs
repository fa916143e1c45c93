//! Reading the fields of a record in BAM's encoding (SAM specification, section 4.2).

use crate::output::record::cigar;
use crate::output::record::fields::UNMAPPED;

/// Bytes of the fields before the name, with the record's size.
const FIXED: usize = 36;

/// Bytes before the flags.
const FLAG: usize = 18;

/// A record of this program in BAM's encoding. Its bytes are valid, since this program made them.
#[derive(Debug, Clone, Copy)]
pub struct RecordView<'b>(&'b [u8]);

/// The records that follow each other in some bytes.
pub fn records(mut bytes: &[u8]) -> impl Iterator<Item = RecordView<'_>> {
    std::iter::from_fn(move || {
        let size = u32::from_le_bytes(*bytes.first_chunk()?) as usize + 4;
        let (record, rest) = bytes.split_at(size);
        bytes = rest;
        Some(RecordView(record))
    })
}

/// Whether bytes are records of these sizes, whose parts lie within them, on this many contigs.
pub fn are_records(mut bytes: &[u8], sizes: &[u32], contigs: usize) -> bool {
    let is_record = |&size: &u32| {
        let Some((record, rest)) = bytes.split_at_checked(size as usize) else { return false };
        bytes = rest;
        let size = record.len();
        if size < FIXED || u32::from_le_bytes(RecordView(record).field(0)) as usize + 4 != size {
            return false;
        }
        let record = RecordView(record);
        let letters = record.length().saturating_add(record.length().div_ceil(2));
        let contig =
            |contig: i32| contig == -1 || usize::try_from(contig).is_ok_and(|it| it < contigs);
        record.0[12] > 0
            && record.sequence_begin().saturating_add(letters) <= size
            && contig(record.contig())
            && contig(record.mate_contig())
    };
    sizes.iter().all(is_record) && bytes.is_empty()
}

impl<'b> RecordView<'b> {
    /// The record that some bytes begin with.
    pub fn first(bytes: &'b [u8]) -> Option<Self> {
        records(bytes).next()
    }

    /// All bytes of the record, with its size.
    pub fn bytes(self) -> &'b [u8] {
        self.0
    }

    fn field<const N: usize>(self, at: usize) -> [u8; N] {
        std::array::from_fn(|byte| self.0[at + byte])
    }

    /// The contig's number from 0, or -1.
    pub fn contig(self) -> i32 {
        i32::from_le_bytes(self.field(4))
    }

    /// The leftmost base from 0, or -1.
    pub fn start(self) -> i64 {
        // Contigs may be longer than 2^31 bases, which a negative number then stands for.
        match i32::from_le_bytes(self.field(8)) {
            -1 => -1,
            start => i64::from(start as u32),
        }
    }

    /// The mapping quality of the alignment, from 0.
    pub fn mapq(self) -> u8 {
        self.0[13]
    }

    /// The smallest bin that holds the record's bases (SAM specification, section 5.3).
    #[cfg(test)]
    pub fn bin(self) -> u16 {
        u16::from_le_bytes(self.field(14))
    }

    /// The sum of the flags.
    pub fn flag(self) -> u16 {
        u16::from_le_bytes(self.field(FLAG))
    }

    /// Appends the record with one more flag.
    pub fn append_with_flag(self, flag: u16, bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.extend_from_slice(self.0);
        let flag = (self.flag() | flag).to_le_bytes();
        bytes[begin + FLAG..][..flag.len()].copy_from_slice(&flag);
    }

    /// The contig of the mate, or -1.
    pub fn mate_contig(self) -> i32 {
        i32::from_le_bytes(self.field(24))
    }

    /// The leftmost base of the mate from 0, or -1.
    pub fn mate_start(self) -> i32 {
        i32::from_le_bytes(self.field(28))
    }

    /// `TLEN`, the signed length of the template.
    pub fn span(self) -> i32 {
        i32::from_le_bytes(self.field(32))
    }

    /// The name of the read, without the NUL that ends it.
    pub fn name(self) -> &'b [u8] {
        &self.0[FIXED..FIXED + usize::from(self.0[12]) - 1]
    }

    fn cigar_begin(self) -> usize {
        FIXED + usize::from(self.0[12])
    }

    fn sequence_begin(self) -> usize {
        self.cigar_begin() + 4 * usize::from(u16::from_le_bytes(self.field(16)))
    }

    /// The runs of the CIGAR field.
    pub fn cigar(self) -> impl Iterator<Item = u32> + 'b {
        let runs = &self.0[self.cigar_begin()..self.sequence_begin()];
        runs.chunks_exact(4).map(|run| u32::from_le_bytes([run[0], run[1], run[2], run[3]]))
    }

    /// The number of bases.
    pub fn length(self) -> usize {
        u32::from_le_bytes(self.field(20)) as usize
    }

    /// The bases, two in a byte, as four-bit codes.
    pub fn packed_sequence(self) -> &'b [u8] {
        &self.0[self.sequence_begin()..][..self.length().div_ceil(2)]
    }

    /// The qualities, as many as bases; all are 255 if there are none.
    pub fn quality(self) -> &'b [u8] {
        &self.0[self.sequence_begin() + self.length().div_ceil(2)..][..self.length()]
    }

    /// The tags in BAM's encoding.
    pub fn tags(self) -> &'b [u8] {
        let length = self.length();
        &self.0[self.sequence_begin() + length.div_ceil(2) + length..]
    }

    /// Whether the read is aligned.
    pub fn is_mapped(self) -> bool {
        self.flag() & UNMAPPED == 0
    }

    /// The end of the record's bases on the contig, exclusive; a record that is not aligned has one base.
    pub fn end(self) -> i64 {
        let runs = self.cigar().filter(|_| self.is_mapped());
        let length: u32 = runs.map(cigar::bases_of_reference).sum();
        self.start() + i64::from(length.max(1))
    }
}
