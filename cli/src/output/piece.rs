//! Pieces of an output file: made on any thread, written in their order.

use std::io;
use std::sync::{Mutex, PoisonError};

use fm_index::Reference;
use rust_htslib::bam;

use crate::output::lines::Lines;
use crate::output::record::Record;
use crate::output::{Format, hts, text};

/// Records that follow each other.
#[derive(Debug)]
pub enum Piece {
    /// Lines of SAM.
    Text(Lines),
    /// Records of htslib's, for BAM and CRAM.
    Records(Vec<bam::Record>),
}

impl Piece {
    /// An empty one.
    pub fn new(format: Format, spares: &Spares) -> Self {
        match format {
            Format::Sam => Self::Text(spares.take()),
            Format::Bam | Format::Cram => Self::Records(Vec::new()),
        }
    }

    /// Appends a record.
    pub fn push(&mut self, record: &Record<'_>, reference: &Reference) -> io::Result<()> {
        match self {
            Self::Text(lines) => text::append(record, reference.contigs(), lines),
            Self::Records(records) => records.push(hts::record(record)?),
        }
        Ok(())
    }

    /// The lines, if it is text.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(lines) => Some(lines.bytes()),
            Self::Records(_) => None,
        }
    }

    /// Takes the records out, if it is no text.
    pub fn take_records(&mut self) -> Vec<bam::Record> {
        match self {
            Self::Text(_) => Vec::new(),
            Self::Records(records) => std::mem::take(records),
        }
    }
}

/// Memory of pieces that were written. New memory would cost as much as filling it.
#[derive(Debug, Default)]
pub struct Spares(Mutex<Vec<Lines>>);

impl Spares {
    fn take(&self) -> Lines {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps the memory of a piece.
    pub fn put(&self, piece: Piece) {
        if let Piece::Text(mut lines) = piece {
            lines.clear();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(lines);
        }
    }
}
