//! Pieces of an output file, which threads make in parallel and which are written in order.

use std::sync::{Arc, Mutex};

use aligner_core::buffer_pool::{BufferPool, lock};
use fm_index::Reference;

use crate::input::Umis;
use crate::output::bam::batch::{MAX_POOLED, RecordPool};
use crate::output::bam::records::{EncodedRecords, RecordRoom};
use crate::output::duplicates::signature::{ExaminedReads, Signature, SignatureBuilder};
use crate::output::lines::Lines;
use crate::output::record::fields::Record;
use crate::output::sam;
use crate::output::sort::SortableRecords;
use crate::output::sort::gpu_store::{GpuRecords, GpuStore};
use crate::output::tally::RecordCounts;

/// The form of the records of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceForm {
    /// Lines of SAM, in the order of the reads.
    Lines,
    /// Records in BAM's encoding, which stay in the order of the reads.
    Records,
    /// Records in BAM's encoding, which will be sorted.
    SortableRecords,
    /// Records in BAM's encoding, which will be sorted, and what decides whether they are duplicates: also UMIs, if there are
    /// some.
    MarkableRecords { umis: Option<Umis> },
}

impl PieceForm {
    /// Whether the records will be sorted.
    pub fn is_sorted(self) -> bool {
        matches!(self, Self::SortableRecords | Self::MarkableRecords { .. })
    }
}

/// Consecutive records of an output file.
#[derive(Debug)]
pub struct Piece {
    content: Content,
    counts: RecordCounts,
    signatures: Option<PieceSignatures>,
    /// The room of the records that were taken out.
    taken: RecordRoom,
}

/// The signatures of the templates of a piece, which decide whether they are duplicates.
#[derive(Debug, Default)]
pub struct PieceSignatures {
    /// The number of the read group of the current template.
    group: u32,
    /// Counts of the reads of templates before, by read group; a group may come again.
    counts: Vec<GroupCounts>,
    builder: SignatureBuilder,
    /// Signatures, each with the number of its template in the piece, from 0.
    signatures: Vec<(u32, Signature)>,
    /// Templates that were begun.
    templates: u32,
}

/// Counts of reads of the read group with this number.
#[derive(Debug, Clone, Copy)]
pub struct GroupCounts {
    pub group: u32,
    pub reads: ExaminedReads,
}

impl PieceSignatures {
    /// No signatures, with room for so many.
    fn new(umis: Option<Umis>, room: usize) -> Self {
        let (builder, signatures) = (SignatureBuilder::new(umis), Vec::with_capacity(room));
        Self { builder, signatures, ..Self::default() }
    }

    /// The signatures and the counts of templates that have ended.
    pub fn restored(signatures: Vec<(u32, Signature)>, counts: Vec<GroupCounts>) -> Self {
        Self { counts, signatures, ..Self::default() }
    }

    /// Begins a template of the read group with this number.
    fn begin_template(&mut self, group: u32) {
        self.end_template();
        if group != self.group {
            self.end_group();
            self.group = group;
        }
        self.templates += 1;
    }

    /// Ends consecutive templates of one read group.
    fn end_group(&mut self) {
        let reads = self.builder.take_counts();
        if reads != ExaminedReads::default() {
            self.counts.push(GroupCounts { group: self.group, reads });
        }
    }

    /// Ends the current template.
    fn end_template(&mut self) {
        let number = self.templates.saturating_sub(1);
        self.signatures
            .extend(self.builder.finish(self.group).map(|signature| (number, signature)));
    }

    /// Takes the signatures and the counts of reads of all templates out.
    pub fn take(&mut self) -> (Vec<(u32, Signature)>, Vec<GroupCounts>) {
        self.end_template();
        self.end_group();
        (std::mem::take(&mut self.signatures), std::mem::take(&mut self.counts))
    }
}

/// Records in the form that the output needs.
#[derive(Debug)]
enum Content {
    Lines(Lines),
    Records {
        records: EncodedRecords,
        is_sorted: bool,
    },
    /// Records that will be sorted, on a GPU, until they are taken out.
    OnGpu(Option<GpuRecords>),
}

impl Piece {
    /// An empty piece, with memory of the pool.
    pub fn new(form: PieceForm, pool: &PiecePool) -> Self {
        let content = match form {
            PieceForm::Lines => Content::Lines(pool.lines.take()),
            PieceForm::Records => {
                Content::Records { records: pool.records.take(), is_sorted: false }
            }
            PieceForm::SortableRecords | PieceForm::MarkableRecords { .. } => {
                // Sorting keeps the memory, unless records went to a GPU.
                let mut records = pool.records.take();
                records.reserve_sortable(pool.sortable_room());
                Content::Records { records, is_sorted: true }
            }
        };
        let signatures = match form {
            PieceForm::MarkableRecords { umis } => {
                Some(PieceSignatures::new(umis, pool.sortable_room().records))
            }
            _ => None,
        };
        Self { content, counts: RecordCounts::default(), signatures, taken: RecordRoom::default() }
    }

    /// A piece of these records, whose facts are counted already.
    pub fn restored(records: EncodedRecords, signatures: Option<PieceSignatures>) -> Self {
        let is_sorted = !records.places().is_empty();
        let content = Content::Records { records, is_sorted };
        Self { content, counts: RecordCounts::default(), signatures, taken: RecordRoom::default() }
    }

    /// Says that the records that follow are of another template, a read or a pair of reads, of the read group with this
    /// number, if they have one.
    pub fn begin_template(&mut self, group: Option<u32>) {
        if let Content::Records { records, .. } = &mut self.content {
            records.begin_template();
        }
        if let Some(signatures) = &mut self.signatures {
            // Reads without a group are of one library, as those of the first group.
            signatures.begin_template(group.unwrap_or(0));
        }
    }

    /// Appends a record to the piece, or only counts it.
    pub fn push_if(&mut self, is_written: bool, record: &Record<'_>, reference: &Reference) {
        if is_written {
            self.push(record, reference);
        } else {
            self.count(record);
        }
    }

    /// Counts a record.
    fn count(&mut self, record: &Record<'_>) {
        self.counts.count(record);
        if let Some(signatures) = &mut self.signatures {
            signatures.builder.add(record);
        }
    }

    /// Appends a record to the piece.
    pub fn push(&mut self, record: &Record<'_>, reference: &Reference) {
        self.count(record);
        match &mut self.content {
            Content::Lines(lines) => sam::append(record, reference.contigs(), lines),
            Content::Records { records, is_sorted } => records.push(record, *is_sorted),
            Content::OnGpu(_) => unreachable!("records go to a GPU when the piece is complete"),
        }
    }

    /// The lines; none if the piece has records.
    pub fn lines(&self) -> &[u8] {
        match &self.content {
            Content::Lines(lines) => lines.bytes(),
            Content::Records { .. } | Content::OnGpu(_) => &[],
        }
    }

    /// The counts of its records.
    pub fn counts(&self) -> &RecordCounts {
        &self.counts
    }

    /// The signatures of its templates, if duplicates are looked for.
    pub fn signatures(&mut self) -> Option<&mut PieceSignatures> {
        self.signatures.as_mut()
    }

    /// Copies records that will be sorted to the GPU of the pool, if there is one that has room, and gives their memory back to the pool.
    pub fn move_to_gpu(&mut self, pool: &PiecePool) {
        if let Content::Records { records, is_sorted: true } = &mut self.content
            && let Some(on_gpu) = pool.gpu_store.as_ref().and_then(|store| store.upload(records))
        {
            pool.note_sorted(records.room());
            pool.records.give_back(std::mem::take(records));
            self.content = Content::OnGpu(Some(on_gpu));
        }
    }

    /// Takes the records out to be sorted.
    pub fn take_sortable(&mut self) -> SortableRecords {
        if let Content::OnGpu(records) = &mut self.content
            && let Some(records) = records.take()
        {
            return SortableRecords::OnGpu(records);
        }
        SortableRecords::Host(self.take_records())
    }

    /// Takes the records out as they are; none if the piece has none on the host.
    pub fn take_all(&mut self) -> EncodedRecords {
        match &mut self.content {
            Content::Records { records, .. } => std::mem::take(records),
            Content::Lines(_) | Content::OnGpu(_) => EncodedRecords::default(),
        }
    }

    /// Takes the records out, without unused memory; none if the piece has lines.
    pub fn take_records(&mut self) -> EncodedRecords {
        let mut records = self.take_all();
        self.taken = records.room();
        records.shrink();
        records
    }
}

/// A buffer pool for pieces: memory of written pieces, used again since new memory costs as much as filling it, unless it
/// is much more than most pieces need.
#[derive(Debug, Default)]
pub struct PiecePool {
    lines: BufferPool<Lines>,
    records: Arc<RecordPool>,
    /// The room of the records of a piece that were taken to be sorted. Most pieces need about as much.
    sorted: Mutex<RecordRoom>,
    /// Where records that will be sorted may be kept.
    gpu_store: Option<Arc<GpuStore>>,
}

impl PiecePool {
    /// A pool for pieces whose records may be kept in this store.
    pub fn new(gpu_store: Option<Arc<GpuStore>>) -> Self {
        Self { gpu_store, ..Self::default() }
    }

    /// Notes what the records of a piece took that will be sorted.
    fn note_sorted(&self, room: RecordRoom) {
        *lock(&self.sorted) = room;
    }

    /// The room for the records of a piece that will be sorted: a little more than a piece before took.
    fn sortable_room(&self) -> RecordRoom {
        let more = |count| count + count / 8;
        let RecordRoom { bytes, records } = *lock(&self.sorted);
        RecordRoom { bytes: more(bytes), records: more(records) }
    }

    /// The memory of records.
    pub fn records(&self) -> &Arc<RecordPool> {
        &self.records
    }

    /// Takes the memory of a written piece back.
    pub fn put(&self, piece: Piece) {
        match piece.content {
            Content::Lines(mut lines) if lines.memory() <= MAX_POOLED => {
                lines.clear();
                self.lines.give_back(lines);
            }
            Content::Records { records, is_sorted: false } => self.records.give_back(records),
            Content::Records { is_sorted: true, .. } => self.note_sorted(piece.taken),
            Content::Lines(_) | Content::OnGpu(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::record::fields::Position;

    #[test]
    fn records_on_a_gpu_give_their_memory_back() {
        let reference = Reference::from_records([("a", "ACGT")]).expect("a reference");
        let record = Record::of_four_bases(b"r", Some(Position { contig: 0, base: 1 }));
        let each = {
            let mut records = EncodedRecords::default();
            records.push(&record, true);
            records.bytes().len()
        };
        // There is room for two pieces.
        let pool = PiecePool::new(Some(Arc::new(GpuStore::on_shim(250 * each as u64))));
        for number in 0..4 {
            let mut piece = Piece::new(PieceForm::SortableRecords, &pool);
            for _ in 0..100 {
                piece.begin_template(None);
                piece.push(&record, &reference);
            }
            piece.move_to_gpu(&pool);
            let (is_on_gpu, records) = match piece.take_sortable() {
                SortableRecords::OnGpu(records) => (true, records.read().expect("is read")),
                SortableRecords::Host(records) => (false, records),
            };
            assert_eq!(is_on_gpu, number < 2);
            assert_eq!((records.bytes().len(), records.templates()), (100 * each, 100));
            pool.put(piece);
            assert_eq!(pool.sortable_room().records, 100 * 9 / 8);
            assert_eq!(pool.records.take().memory() > 0, is_on_gpu, "piece {number}");
        }
    }

    #[test]
    fn records_that_are_sorted_take_little_more_memory_than_they_need() {
        let reference = Reference::from_records([("a", "ACGT")]).expect("a reference");
        let pool = PiecePool::default();
        let record = Record {
            sequence: &[b'A'; 150],
            quality: Some(&[0; 150]),
            ..Record::of_four_bases(b"r", Some(Position { contig: 0, base: 0 }))
        };
        for (round, count) in [300, 300, 310, 290, 0, 5, 300, 1, 300].into_iter().enumerate() {
            let mut piece = Piece::new(PieceForm::SortableRecords, &pool);
            for _ in 0..count {
                piece.push(&record, &reference);
            }
            let records = piece.take_records();
            let needed = records.bytes().len() + size_of_val(records.places()) + 4 * count;
            // Only where few records come before are there more than were expected.
            let most = if [1, 2, 3].contains(&round) { needed * 5 / 4 } else { needed * 2 };
            assert!(records.memory() <= most, "{round}: {} of {needed}", records.memory());
            assert!(pool.sortable_room().records <= 310 * 9 / 8);
            pool.put(piece);
        }
    }
}
