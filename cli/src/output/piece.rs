//! Pieces of an output file, which threads make in parallel and which are written in order.

use std::sync::{Mutex, PoisonError};

use fm_index::Reference;

use crate::output::bam::records::{EncodedRecords, RecordSlice};
use crate::output::duplicates::signature::{ExaminedReads, Signature, SignatureBuilder};
use crate::output::lines::Lines;
use crate::output::record::fields::Record;
use crate::output::sam;
use crate::output::tally::TallyNotes;

/// The form of the records of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceForm {
    /// Lines of SAM, in the order of the reads.
    Lines,
    /// Records in BAM's encoding, which stay in the order of the reads.
    Records,
    /// Records in BAM's encoding, which will be sorted.
    SortableRecords,
    /// Records in BAM's encoding, which will be sorted, and what decides whether they are duplicates.
    MarkableRecords,
}

/// Consecutive records of an output file.
#[derive(Debug)]
pub struct Piece {
    content: Content,
    notes: TallyNotes,
    signatures: Option<PieceSignatures>,
}

/// The signatures of the templates of a piece, which decide whether they are duplicates.
#[derive(Debug)]
pub struct PieceSignatures {
    /// The number of the read group of all templates.
    group: u32,
    builder: SignatureBuilder,
    /// Signatures, each with the number of its template in the piece, from 0.
    signatures: Vec<(u32, Signature)>,
    /// Templates that were begun.
    templates: u32,
}

impl PieceSignatures {
    fn new(group: u32) -> Self {
        let (builder, signatures) = (SignatureBuilder::default(), Vec::new());
        Self { group, builder, signatures, templates: 0 }
    }

    /// The number of the read group of all templates.
    pub fn group(&self) -> u32 {
        self.group
    }

    /// Ends the current template.
    fn end_template(&mut self) {
        let number = self.templates.saturating_sub(1);
        self.signatures
            .extend(self.builder.finish(self.group).map(|signature| (number, signature)));
    }

    /// Takes the signatures and the counts of reads of all templates out.
    pub fn take(&mut self) -> (Vec<(u32, Signature)>, ExaminedReads) {
        self.end_template();
        (std::mem::take(&mut self.signatures), self.builder.take_counts())
    }
}

/// Records in the form that the output needs.
#[derive(Debug)]
enum Content {
    Lines(Lines),
    Records { records: EncodedRecords, is_sorted: bool },
}

impl Piece {
    /// An empty piece for records of the read group with this number, with memory of the pool.
    pub fn new(form: PieceForm, group: u32, pool: &PiecePool) -> Self {
        let content = match form {
            PieceForm::Lines => Content::Lines(pool.lines.take()),
            PieceForm::Records => {
                Content::Records { records: pool.records.take(), is_sorted: false }
            }
            // Sorting keeps the memory.
            PieceForm::SortableRecords | PieceForm::MarkableRecords => {
                Content::Records { records: EncodedRecords::default(), is_sorted: true }
            }
        };
        let is_marked = form == PieceForm::MarkableRecords;
        let signatures = is_marked.then(|| PieceSignatures::new(group));
        Self { content, notes: TallyNotes::default(), signatures }
    }

    /// Says that the records that follow are of another template: a read, or a pair of reads.
    pub fn begin_template(&mut self) {
        if let Content::Records { records, .. } = &mut self.content {
            records.begin_template();
        }
        if let Some(signatures) = &mut self.signatures {
            signatures.end_template();
            signatures.templates += 1;
        }
    }

    /// Appends a record to the piece, or only counts it.
    pub fn push_if(&mut self, is_written: bool, record: &Record<'_>, reference: &Reference) {
        if is_written {
            self.push(record, reference);
        } else {
            self.note(record);
        }
    }

    /// Counts a record.
    fn note(&mut self, record: &Record<'_>) {
        self.notes.note(record);
        if let Some(signatures) = &mut self.signatures {
            signatures.builder.add(record);
        }
    }

    /// Appends a record to the piece.
    pub fn push(&mut self, record: &Record<'_>, reference: &Reference) {
        self.note(record);
        match &mut self.content {
            Content::Lines(lines) => sam::append(record, reference.contigs(), lines),
            Content::Records { records, is_sorted } => records.push(record, *is_sorted),
        }
    }

    /// The lines; none if the piece has records.
    pub fn lines(&self) -> &[u8] {
        match &self.content {
            Content::Lines(lines) => lines.bytes(),
            Content::Records { .. } => &[],
        }
    }

    /// The records; none if the piece has lines.
    pub fn records(&self) -> RecordSlice<'_> {
        match &self.content {
            Content::Lines(_) => RecordSlice { bytes: &[], sizes: &[] },
            Content::Records { records, .. } => records.as_slice(),
        }
    }

    /// The facts to count of its records.
    pub fn notes(&self) -> &TallyNotes {
        &self.notes
    }

    /// The signatures of its templates, if duplicates are looked for.
    pub fn signatures(&mut self) -> Option<&mut PieceSignatures> {
        self.signatures.as_mut()
    }

    /// Takes the records out; none if the piece has lines.
    pub fn take_records(&mut self) -> EncodedRecords {
        match &mut self.content {
            Content::Lines(_) => EncodedRecords::default(),
            Content::Records { records, .. } => std::mem::take(records),
        }
    }
}

/// The most bytes of memory of a piece that is used again.
const MAX_POOLED: usize = 1 << 22;

/// A buffer pool for pieces: memory of written pieces, used again since new memory costs as much as filling it, unless it
/// is much more than most pieces need.
#[derive(Debug, Default)]
pub struct PiecePool {
    lines: Buffers<Lines>,
    records: Buffers<EncodedRecords>,
}

impl PiecePool {
    /// Takes the memory of a written piece back.
    pub fn put(&self, piece: Piece) {
        match piece.content {
            Content::Lines(mut lines) if lines.memory() <= MAX_POOLED => {
                lines.clear();
                self.lines.put(lines);
            }
            Content::Records { mut records, is_sorted: false }
                if records.memory() <= MAX_POOLED =>
            {
                records.clear();
                self.records.put(records);
            }
            Content::Lines(_) | Content::Records { .. } => {}
        }
    }
}

/// Buffers that are not in use.
#[derive(Debug, Default)]
struct Buffers<T>(Mutex<Vec<T>>);

impl<T: Default> Buffers<T> {
    fn take(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put(&self, buffer: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}
