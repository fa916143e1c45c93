//! Text of FASTA or FASTQ in blocks of whole records, which can be parsed independently of each other.
//!
//! ```text
//!   >a  ACGT  AC  >b  GATT  >c  AC...      what is read
//!   >a  ACGT  AC  >b  GATT                 the block: up to the last place where a record is known to begin
//!                           >c  AC...      the next block begins with the rest
//! ```
//!
//! A record of FASTA begins with each line that begins with `>`, a record of FASTQ with every fourth line.

use std::io::{self, Cursor, Read};

use aligner_core::fastx::RecordText;
use memchr::{memmem, memrchr_iter};
use needletail::FastxReader;
use needletail::parser::{FastaReader, FastqReader};

use crate::input::count_line_feeds;

/// Bytes of a block, unless a record has more.
pub const BLOCK_BYTES: usize = 1 << 20;

/// Lines of a record of FASTQ.
const FASTQ_LINES: usize = 4;

/// Formats that a text of records may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordFormat {
    Fasta,
    Fastq,
}

/// Blocks of the records of a text, in their order.
pub struct RecordBlocks {
    text: Box<dyn Read + Send>,
    format: RecordFormat,
    /// Bytes that are read at a time.
    block_bytes: usize,
    /// Text that was read, from the begin of a record on, and is in no block yet.
    rest: Vec<u8>,
    has_ended: bool,
}

/// Consecutive whole records of a text.
pub struct RecordBlock {
    text: Vec<u8>,
    format: RecordFormat,
    /// Why the text cannot be read behind the block, if so.
    pub failure: Option<io::Error>,
}

impl RecordBlocks {
    /// Blocks of a text, for each of which so many bytes are read, or as many more as its first record needs.
    pub fn new(text: RecordText<'static>, block_bytes: usize) -> Self {
        let (format, text) = match text {
            RecordText::Fasta(text) => (RecordFormat::Fasta, text),
            RecordText::Fastq(text) => (RecordFormat::Fastq, text),
        };
        Self { text, format, block_bytes, rest: Vec::new(), has_ended: false }
    }
}

impl Iterator for RecordBlocks {
    type Item = RecordBlock;

    fn next(&mut self) -> Option<RecordBlock> {
        if self.has_ended {
            return None;
        }
        let mut text = std::mem::take(&mut self.rest);
        let mut records = WholeRecords::default();
        let failure = loop {
            text.reserve(self.block_bytes);
            let mut unread = self.text.by_ref().take(self.block_bytes as u64);
            let read = unread.read_to_end(&mut text);
            records.find(self.format, &text);
            match read {
                Ok(count) if count == self.block_bytes && records.end == 0 => {}
                Ok(count) if count == self.block_bytes => break None,
                // At the end of the text, the last record is complete, or its parser tells what it lacks.
                Ok(_) => {
                    self.has_ended = true;
                    records.end = text.len();
                    break None;
                }
                Err(error) => {
                    self.has_ended = true;
                    break Some(error);
                }
            }
        };
        self.rest.extend_from_slice(&text[records.end..]);
        text.truncate(records.end);
        Some(RecordBlock { text, format: self.format, failure })
    }
}

/// Whole records with which a text begins.
#[derive(Debug, Default)]
struct WholeRecords {
    /// Bytes of the text that were searched.
    searched: usize,
    /// Line feeds in these bytes; only of FASTQ.
    lines: usize,
    /// Where a record is known to begin, all records before which are whole; 0 if there is none.
    end: usize,
}

impl WholeRecords {
    /// Searches what was appended to the text.
    fn find(&mut self, format: RecordFormat, text: &[u8]) {
        match format {
            RecordFormat::Fasta => {
                let from = self.searched.saturating_sub(1);
                if let Some(line_feed) = memmem::rfind(&text[from..], b"\n>") {
                    self.end = from + line_feed + 1;
                }
            }
            RecordFormat::Fastq => {
                self.lines += count_line_feeds(&text[self.searched..]);
                if self.lines >= FASTQ_LINES {
                    let last = memrchr_iter(b'\n', text).nth(self.lines % FASTQ_LINES);
                    self.end = last.map_or(0, |line_feed| line_feed + 1);
                }
            }
        }
        self.searched = text.len();
    }
}

impl RecordBlock {
    /// The records. Their lines are counted from the begin of the block.
    pub fn records(&self) -> Box<dyn FastxReader + '_> {
        let text = Cursor::new(&self.text);
        match self.format {
            // The parser wants line ends behind a sequence that is empty.
            RecordFormat::Fasta => Box::new(FastaReader::new(text.chain(b"\n\n".as_slice()))),
            RecordFormat::Fastq => Box::new(FastqReader::new(text)),
        }
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Number of lines of the block.
    pub fn lines(&self) -> u64 {
        count_line_feeds(&self.text) as u64
    }
}
