//! Reads: files in, checked batches of owned reads out.
//!
//! [`source`] opens and decompresses, needletail splits the text into records, [`record`] checks
//! them. Errors are one line: file, record (from 1), line (from 1) and reason.

mod record;
mod source;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::{Context, Result, anyhow};
use fm_index::Place;
use needletail::FastxReader;

pub use record::{Read, explain};

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

/// Reads the files, one after the other, on a thread of its own. Batches have up to `size` reads.
/// An error is the last item.
pub fn batches(paths: Vec<PathBuf>, size: usize) -> Receiver<Result<Vec<Read>>> {
    let (sender, receiver) = sync_channel(AHEAD);
    thread::spawn(move || {
        let mut batcher = Batcher { sender, size, batch: Vec::new(), bases: 0 };
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
    receiver
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
    sender: SyncSender<Result<Vec<Read>>>,
    size: usize,
    batch: Vec<Read>,
    bases: usize,
}

impl Batcher {
    fn add(&mut self, read: Read) -> Flow {
        self.bases += read.sequence.len();
        self.batch.push(read);
        if self.batch.len() == self.size || self.bases >= MAX_BATCH_BASES {
            self.pass_on()
        } else {
            Flow::Continue
        }
    }

    fn pass_on(&mut self) -> Flow {
        self.bases = 0;
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() || self.sender.send(Ok(batch)).is_ok() {
            Flow::Continue
        } else {
            Flow::Stop
        }
    }
}

fn read_file(path: &Path, batcher: &mut Batcher) -> Result<Flow> {
    let mut records = open(path)?;
    let mut number = 0;
    while let Some(record) = records.next() {
        number += 1;
        let read = match record {
            Ok(record) => record::read(&record),
            Err(error) => Err(explain(&error)),
        };
        let read = read.map_err(|problem| {
            let place =
                Place { file: Some(name(path).into()), record: Some(number), line: problem.line };
            anyhow!("{place}{}", problem.reason)
        })?;
        if batcher.add(read) == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Continue)
}
