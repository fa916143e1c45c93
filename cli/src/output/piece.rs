//! Pieces of an output file: made on any thread, written in their order.

use std::io;
use std::sync::{Mutex, PoisonError};

use fm_index::Reference;
use rust_htslib::bam;

use crate::output::lines::Lines;
use crate::output::record::Record;
use crate::output::tally::Marks;
use crate::output::{Format, hts, text};

/// Records that follow each other.
#[derive(Debug)]
pub struct Piece {
    form: Form,
    marks: Marks,
}

#[derive(Debug)]
enum Form {
    /// Lines of SAM.
    Text(Lines),
    /// Records of htslib's, for BAM and CRAM.
    Records(Vec<bam::Record>),
}

impl Piece {
    /// An empty one.
    pub fn new(format: Format, spares: &Spares) -> Self {
        let form = match format {
            Format::Sam => Form::Text(spares.take()),
            Format::Bam | Format::Cram => Form::Records(Vec::new()),
        };
        Self { form, marks: Marks::default() }
    }

    /// Appends a record.
    pub fn push(&mut self, record: &Record<'_>, reference: &Reference) -> io::Result<()> {
        self.marks.note(record);
        match &mut self.form {
            Form::Text(lines) => text::append(record, reference.contigs(), lines),
            Form::Records(records) => records.push(hts::record(record)?),
        }
        Ok(())
    }

    /// The lines, if it is text.
    pub fn text(&self) -> Option<&[u8]> {
        match &self.form {
            Form::Text(lines) => Some(lines.bytes()),
            Form::Records(_) => None,
        }
    }

    /// What is to be counted of them.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Takes the records out, if it is no text.
    pub fn take_records(&mut self) -> Vec<bam::Record> {
        match &mut self.form {
            Form::Text(_) => Vec::new(),
            Form::Records(records) => std::mem::take(records),
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
        if let Form::Text(mut lines) = piece.form {
            lines.clear();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(lines);
        }
    }
}
