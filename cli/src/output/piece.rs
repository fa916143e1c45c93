//! Pieces of an output file, which threads make in parallel and which are written in order.

use std::io;
use std::sync::{Mutex, PoisonError};

use fm_index::Reference;
use rust_htslib::bam;

use crate::output::format::Format;
use crate::output::lines::Lines;
use crate::output::record::fields::Record;
use crate::output::tally::TallyNotes;
use crate::output::{hts, sam};

/// Consecutive records of an output file.
#[derive(Debug)]
pub struct Piece {
    content: Content,
    notes: TallyNotes,
}

/// Records in the form that a format needs.
#[derive(Debug)]
enum Content {
    /// Lines of text, for SAM.
    Text(Lines),
    /// Records of htslib, for BAM and CRAM.
    Records(Vec<bam::Record>),
}

impl Piece {
    /// An empty piece, with memory of the pool if it is text.
    pub fn new(format: Format, pool: &LinePool) -> Self {
        let content = match format {
            Format::Sam => Content::Text(pool.take()),
            Format::Bam | Format::Cram => Content::Records(Vec::new()),
        };
        Self { content, notes: TallyNotes::default() }
    }

    /// Appends a record to the piece.
    ///
    /// # Errors
    /// If htslib refuses it.
    pub fn push(&mut self, record: &Record<'_>, reference: &Reference) -> io::Result<()> {
        self.notes.note(record);
        match &mut self.content {
            Content::Text(lines) => sam::append(record, reference.contigs(), lines),
            Content::Records(records) => records.push(hts::record(record)?),
        }
        Ok(())
    }

    /// The lines of SAM; `None` if it has records of htslib.
    pub fn text(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Text(lines) => Some(lines.bytes()),
            Content::Records(_) => None,
        }
    }

    /// The facts to count of its records.
    pub fn notes(&self) -> &TallyNotes {
        &self.notes
    }

    /// Takes the records of htslib out; none if it is text.
    pub fn take_records(&mut self) -> Vec<bam::Record> {
        match &mut self.content {
            Content::Text(_) => Vec::new(),
            Content::Records(records) => std::mem::take(records),
        }
    }
}

/// The most bytes of memory of a piece that is used again.
const MAX_POOLED: usize = 1 << 22;

/// A buffer pool for pieces of text: memory of written pieces, used again since new memory costs as much as filling it.
#[derive(Debug, Default)]
pub struct LinePool(Mutex<Vec<Lines>>);

impl LinePool {
    fn take(&self) -> Lines {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes the memory of a written piece back, unless it is much more than most pieces need.
    pub fn put(&self, piece: Piece) {
        if let Content::Text(mut lines) = piece.content
            && lines.memory() <= MAX_POOLED
        {
            lines.clear();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(lines);
        }
    }
}
