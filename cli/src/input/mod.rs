//! Reads: files in, checked batches of owned reads out.
//!
//! [`source`] opens and decompresses, needletail splits the text into records, [`record`] checks
//! them. Errors are one line: file, record (from 1), line (from 1) and reason.

mod reads;
mod record;
mod source;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use fm_index::Place;
use needletail::FastxReader;
use needletail::parser::SequenceRecord;

pub use reads::{Read, Reads};
pub use record::explain;

use self::record::Problem;

/// A batch ends when it has this many bases, so that batches of long reads stay small.
const MAX_BATCH_BASES: usize = 1 << 25;

/// The first batch is this many times smaller than others, the second half as many, and so on: so all
/// that works on batches begins early.
const BEGIN_SMALLER: usize = 4;

/// Batches read ahead.
const AHEAD: usize = 2;

/// Checks that the files are there, before any work is done.
pub fn check(paths: &[PathBuf]) -> Result<()> {
    for path in paths.iter().filter(|path| !is_stdin(path)) {
        let metadata = fs::metadata(path).with_context(|| name(path))?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory)).with_context(|| name(path));
        }
    }
    Ok(())
}

/// Reads that are mapped together.
#[derive(Debug)]
pub struct Batch {
    /// Records as they stand in the files, until [`checked`](Self::checked).
    reads: Reads,
    /// The files that they are of.
    parts: Vec<Part>,
    /// What came instead of a further record.
    error: Option<anyhow::Error>,
    /// When reading them began and ended.
    pub begin: Instant,
    pub end: Instant,
}

/// Records of one file in a batch.
#[derive(Debug)]
struct Part {
    file: PathBuf,
    /// The first one's number in the batch, from 0, and in the file, from 1.
    begin: usize,
    record: u64,
}

impl Batch {
    /// The reads, once their records are checked, which is done on the current rayon pool. An error is
    /// that of the first bad record.
    pub fn checked(mut self) -> Result<Reads> {
        if let Err((number, problem)) = self.reads.check() {
            let of_record = self.parts.iter().rfind(|part| part.begin <= number);
            let Part { file, begin, record } = of_record.context("a record of no file")?;
            return Err(complaint(file, record + (number - begin) as u64, problem));
        }
        self.error.map_or(Ok(self.reads), Err)
    }
}

/// What is wrong with a record of a file, in one line.
fn complaint(file: &Path, record: u64, Problem { line, reason }: Problem) -> anyhow::Error {
    let place = Place { file: Some(name(file).into()), record: Some(record), line };
    anyhow!("{place}{reason}")
}

/// Where batches come from.
#[derive(Debug)]
pub struct Batches {
    /// All batches. What cannot be read is told by the last one.
    pub batches: Receiver<Batch>,
    /// Where reads go whose memory is to be used again. New memory costs more than filling it.
    pub used: Sender<Reads>,
}

/// Reads the files, one after the other, on a thread of its own. Batches have up to `size` reads.
pub fn batches(paths: Vec<PathBuf>, size: usize) -> Batches {
    let (sender, batches) = sync_channel(AHEAD);
    let (used, unused) = channel();
    thread::spawn(move || {
        let (reads, begin) = (Reads::default(), Instant::now());
        let parts = Vec::new();
        let wanted = size.div_ceil(BEGIN_SMALLER);
        let mut batcher = Batcher { sender, unused, size, wanted, reads, parts, bases: 0, begin };
        for path in &paths {
            match read_file(path, &mut batcher) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => return,
                Err(error) => {
                    batcher.pass_on(Some(error));
                    return;
                }
            }
        }
        batcher.pass_on(None);
    });
    Batches { batches, used }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The records of a file or of standard input.
pub fn open(path: &Path) -> Result<Box<dyn FastxReader>> {
    source::open(path).with_context(|| name(path))
}

/// The name of a file in messages.
pub fn name(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Whether anybody still wants reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Stop,
}

/// Gathers records into batches and passes them on.
struct Batcher {
    sender: SyncSender<Batch>,
    unused: Receiver<Reads>,
    size: usize,
    /// Reads of the next batch.
    wanted: usize,
    reads: Reads,
    parts: Vec<Part>,
    bases: usize,
    begin: Instant,
}

impl Batcher {
    /// Adds a record, which has this number in the file, and passes the batch on if it is large enough.
    fn add(&mut self, record: &SequenceRecord<'_>, file: &Path, number: u64) -> Flow {
        let begin = self.reads.len();
        if begin == 0 || number == 1 {
            self.parts.push(Part { file: file.to_owned(), begin, record: number });
        }
        let letters = record.raw_seq();
        let line = record.start_line_number();
        self.reads.push(line, record.id(), letters, record.qual().unwrap_or_default());
        self.bases += letters.len();
        if self.reads.len() == self.wanted || self.bases >= MAX_BATCH_BASES {
            self.pass_on(None)
        } else {
            Flow::Continue
        }
    }

    fn pass_on(&mut self, error: Option<anyhow::Error>) -> Flow {
        self.bases = 0;
        self.wanted = self.size.min(2 * self.wanted);
        let mut next = self.unused.try_recv().unwrap_or_default();
        next.clear();
        let reads = std::mem::replace(&mut self.reads, next);
        let parts = std::mem::take(&mut self.parts);
        let is_empty = reads.is_empty() && error.is_none();
        let batch = Batch { begin: self.begin, end: Instant::now(), reads, parts, error };
        let wanted = is_empty || self.sender.send(batch).is_ok();
        self.begin = Instant::now();
        if wanted { Flow::Continue } else { Flow::Stop }
    }
}

fn read_file(path: &Path, batcher: &mut Batcher) -> Result<Flow> {
    let mut records = open(path)?;
    let mut number = 0;
    while let Some(record) = records.next() {
        number += 1;
        let record = record.map_err(|error| complaint(path, number, explain(&error)))?;
        if batcher.add(&record, path, number) == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Continue)
}
