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
    pub reads: Reads,
    /// When reading them began and ended.
    pub begin: Instant,
    pub end: Instant,
}

/// Where batches come from.
#[derive(Debug)]
pub struct Batches {
    /// All batches; an error is the last item.
    pub batches: Receiver<Result<Batch>>,
    /// Where reads go whose memory is to be used again. New memory costs more than filling it.
    pub used: Sender<Reads>,
}

/// Reads the files, one after the other, on a thread of its own. Batches have up to `size` reads.
pub fn batches(paths: Vec<PathBuf>, size: usize) -> Batches {
    let (sender, batches) = sync_channel(AHEAD);
    let (used, unused) = channel();
    thread::spawn(move || {
        let (reads, begin) = (Reads::default(), Instant::now());
        let mut batcher = Batcher { sender, unused, size, reads, bases: 0, begin };
        for path in &paths {
            match read_file(path, &mut batcher) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => return,
                Err(error) => {
                    // Nobody listens any more if this fails, and so nobody misses it.
                    let _ = batcher.sender.send(Err(error));
                    return;
                }
            }
        }
        batcher.pass_on();
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

/// Gathers reads into batches and passes them on.
struct Batcher {
    sender: SyncSender<Result<Batch>>,
    unused: Receiver<Reads>,
    size: usize,
    reads: Reads,
    bases: usize,
    begin: Instant,
}

impl Batcher {
    /// Adds a record, and passes the batch on if it is large enough.
    fn add(&mut self, record: &SequenceRecord<'_>) -> Result<Flow, Problem> {
        record::read(record, &mut self.reads)?;
        self.bases += self.reads.get(self.reads.len() - 1).sequence.len();
        if self.reads.len() == self.size || self.bases >= MAX_BATCH_BASES {
            Ok(self.pass_on())
        } else {
            Ok(Flow::Continue)
        }
    }

    fn pass_on(&mut self) -> Flow {
        self.bases = 0;
        let mut next = self.unused.try_recv().unwrap_or_default();
        next.clear();
        let reads = std::mem::replace(&mut self.reads, next);
        let batch = Batch { begin: self.begin, end: Instant::now(), reads };
        let wanted = batch.reads.is_empty() || self.sender.send(Ok(batch)).is_ok();
        self.begin = Instant::now();
        if wanted { Flow::Continue } else { Flow::Stop }
    }
}

fn read_file(path: &Path, batcher: &mut Batcher) -> Result<Flow> {
    let mut records = open(path)?;
    let mut number = 0;
    while let Some(record) = records.next() {
        number += 1;
        let added = match record {
            Ok(record) => batcher.add(&record),
            Err(error) => Err(explain(&error)),
        };
        let flow = added.map_err(|problem| {
            let place =
                Place { file: Some(name(path).into()), record: Some(number), line: problem.line };
            anyhow!("{place}{}", problem.reason)
        })?;
        if flow == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Continue)
}
