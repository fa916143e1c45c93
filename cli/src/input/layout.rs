//! Which records are mates, and reading them in their order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aligner_core::fastx::RecordProblem;
use aligner_core::input_location::input_name;
use anyhow::Result;
use needletail::FastxReader;
use needletail::parser::SequenceRecord;

use super::{complaint, open};

/// Which reads of which files belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// None do. Files follow each other.
    Single,
    /// Each two files are read in step: a record and that of the same number are mates.
    Pairs,
    /// In each file, every record is followed by its mate.
    Interleaved,
}

impl Layout {
    /// How many reads belong together.
    pub fn reads(self) -> usize {
        self.turns().len()
    }

    /// How many files are read in step.
    pub fn files(self) -> usize {
        match self {
            Self::Single | Self::Interleaved => 1,
            Self::Pairs => 2,
        }
    }

    /// Which of the files each of these reads is from.
    fn turns(self) -> &'static [usize] {
        match self {
            Self::Single => &[0],
            Self::Pairs => &[0, 1],
            Self::Interleaved => &[0, 0],
        }
    }
}

/// The files that are read in step.
pub struct Sources {
    turns: &'static [usize],
    files: Arc<[PathBuf]>,
    readers: Vec<Box<dyn FastxReader>>,
    /// Records that were read of each.
    read: Vec<u64>,
}

impl Sources {
    /// Opens the files: as many as are read in step.
    pub fn open(files: &[PathBuf], layout: Layout) -> Result<Self> {
        let readers = files.iter().map(|file| open(file)).collect::<Result<Vec<_>>>()?;
        Ok(Self {
            turns: layout.turns(),
            files: files.into(),
            read: vec![0; readers.len()],
            readers,
        })
    }

    /// The files.
    pub fn files(&self) -> &Arc<[PathBuf]> {
        &self.files
    }

    /// The number of the next record, from 1.
    pub fn record(&self) -> u64 {
        self.read[0] + 1
    }

    /// Passes on the next records that belong together, and says whether there were any.
    ///
    /// # Errors
    /// If one cannot be read, or has no mate because a file ends.
    pub fn next(&mut self, mut add: impl FnMut(&SequenceRecord<'_>)) -> Result<bool> {
        // A file that has ended, and a record with its line.
        let (mut ended, mut found) = (None, None);
        for &turn in self.turns {
            let (file, number) = (&self.files[turn], self.read[turn] + 1);
            let Some(record) = self.readers[turn].next() else {
                ended = Some(turn);
                continue;
            };
            let record =
                record.map_err(|error| complaint(file, number, RecordProblem::from(&error)))?;
            found = Some((turn, record.start_line_number()));
            if ended.is_none() {
                add(&record);
            }
            self.read[turn] = number;
        }
        match (ended, found) {
            (Some(ended), Some((turn, line))) => Err(self.no_mate(ended, turn, line)),
            (_, found) => Ok(found.is_some()),
        }
    }

    /// The last record read of a file has no mate.
    fn no_mate(&self, ended: usize, turn: usize, line: u64) -> anyhow::Error {
        let file = |number: usize| -> &Path { &self.files[number] };
        let number = self.read[turn];
        let reason = if ended == turn {
            format!("the read has no mate: the file has {number} records, an odd number")
        } else {
            let count = self.read[ended];
            format!("the read has no mate: {} has {count} records", input_name(file(ended)))
        };
        complaint(file(turn), number, RecordProblem { line: Some(line), reason })
    }
}
