//! The layout of mates in files of reads, and reading records in the order of that layout.

use std::io::Read;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aligner_core::fastx::{RecordProblem, RecordText};
use aligner_core::input_location::input_name;
use anyhow::Result;
use needletail::FastxReader;
use needletail::parser::SequenceRecord;

use super::fastq_files::OpenText;
use super::lined_text::LINES;
use super::plain_file::{BlockReaders, PlainFile};
use super::progress::InputProgress;
use super::record::record_error;
use super::source::open_reads;

/// How mates lie in files of reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// There are no mates. Files are read one after the other.
    Single,
    /// Files are pairs: records with the same number in two files are mates, and are read alternately.
    Pairs,
    /// In each file, every record is followed by its mate.
    Interleaved,
    /// In each file, a record may be followed by its mate, which has the same name; others have no mate. In SAM, BAM and CRAM,
    /// flags say which records have one.
    MixedPairs,
}

impl Layout {
    /// The number of reads of one template: 2 if there are mates, else 1.
    pub fn reads(self) -> usize {
        match self {
            Self::Single => 1,
            Self::Pairs | Self::Interleaved | Self::MixedPairs => 2,
        }
    }

    /// The number of files that are read alternately.
    pub fn files(self) -> usize {
        match self {
            Self::Single | Self::Interleaved | Self::MixedPairs => 1,
            Self::Pairs => 2,
        }
    }

    /// For each read that is read together with others, which of the files it is from.
    fn file_order(self) -> &'static [usize] {
        match self {
            Self::Single | Self::MixedPairs => &[0],
            Self::Pairs => &[0, 1],
            Self::Interleaved => &[0, 0],
        }
    }
}

/// One file, or two that are read alternately.
pub struct AlternatingFiles {
    /// For each read of a template, which of the files it is from.
    file_order: &'static [usize],
    files: Arc<[PathBuf]>,
    readers: Vec<Box<dyn FastxReader>>,
    /// The number of records that were read, of each file.
    read: Vec<u64>,
    /// Lines of each file that its reader does not count, since other threads split them into records.
    lines: u64,
}

/// Threads that decompress each of so many files of BGZF that are read at the same time, beside so many threads that read plain
/// files: three for each two of these, shared by the files. A GPU with 16 threads, two of which read, maps a single file of BGZF as
/// fast as a plain one if three threads decompress it.
fn decompression_threads(readers: NonZero<usize>, files: usize) -> usize {
    readers.get() * 3 / 2 / files.max(1)
}

/// Opens files, of which the first may be open already. Their bytes are counted as they are read.
///
/// # Errors
/// If one cannot be read.
pub fn open_files(
    files: &[PathBuf],
    mut open: Option<Box<dyn Read + Send>>,
    progress: &Arc<InputProgress>,
    readers: &BlockReaders,
) -> Result<Vec<OpenText>> {
    let threads = decompression_threads(readers.threads(), files.len());
    let open = |file: &PathBuf| {
        let text = open.take();
        let plain = if text.is_none() { PlainFile::open(file, progress) } else { None };
        match plain {
            Some(plain) => Ok(OpenText::Plain(plain)),
            None => open_reads(file, text, progress, threads).map(OpenText::Other),
        }
    };
    files.iter().map(open).collect()
}

impl AlternatingFiles {
    /// The files with these paths and texts, as many as [`Layout::files`]. So many records of each, which were of four lines,
    /// come before the text.
    pub fn new(
        files: Arc<[PathBuf]>,
        layout: Layout,
        texts: Vec<RecordText<'static>>,
        records: u64,
    ) -> Self {
        Self {
            file_order: layout.file_order(),
            files,
            read: vec![records; texts.len()],
            readers: texts.into_iter().map(RecordText::records).collect(),
            lines: LINES as u64 * records,
        }
    }

    /// The paths of the files.
    pub fn files(&self) -> &Arc<[PathBuf]> {
        &self.files
    }

    /// The number of the next record of the first file, from 1.
    pub fn record(&self) -> u64 {
        self.read[0] + 1
    }

    /// Passes the records that are read together to `add`, with the line where each begins, and returns whether there was one.
    ///
    /// # Errors
    /// If one cannot be read, or has no mate because a file ends.
    pub fn next(&mut self, mut add: impl FnMut(&SequenceRecord<'_>, u64)) -> Result<bool> {
        // A file that has ended, and the file of a record with its line.
        let (mut ended, mut found) = (None, None);
        for &which in self.file_order {
            let (file, number) = (&self.files[which], self.read[which] + 1);
            let Some(record) = self.readers[which].next() else {
                ended = Some(which);
                continue;
            };
            let record = record.map_err(|error| {
                let mut problem = RecordProblem::from(&error);
                problem.line = problem.line.map(|line| line + self.lines);
                record_error(file, number, problem)
            })?;
            let line = record.start_line_number() + self.lines;
            found = Some((which, line));
            if ended.is_none() {
                add(&record, line);
            }
            self.read[which] = number;
        }
        match (ended, found) {
            (Some(ended), Some((which, line))) => Err(self.no_mate(ended, which, line)),
            (_, found) => Ok(found.is_some()),
        }
    }

    /// The error that the last record of file `which`, in this line, has no mate, since file `ended` has no more records.
    fn no_mate(&self, ended: usize, which: usize, line: u64) -> anyhow::Error {
        let file = |number: usize| -> &Path { &self.files[number] };
        let number = self.read[which];
        let reason = if ended == which {
            format!("the read has no mate: the file has {number} records, an odd number")
        } else {
            let count = self.read[ended];
            format!("the read has no mate: {} has {count} records", input_name(file(ended)))
        };
        record_error(file(which), number, RecordProblem { line: Some(line), reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_share_threads_that_decompress() {
        for (readers, files, expected) in
            [(1, 1, 1), (1, 2, 0), (2, 1, 3), (2, 2, 1), (3, 2, 2), (8, 1, 12), (8, 2, 6)]
        {
            let readers = NonZero::new(readers).expect("a reader");
            assert_eq!(decompression_threads(readers, files), expected, "{readers}, {files}");
        }
    }
}
