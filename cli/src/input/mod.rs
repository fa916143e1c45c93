//! Reads: files in, checked batches of owned reads out.
//!
//! [`source`] opens and decompresses ([`ahead`] of what is needed), needletail splits the text into
//! records, [`layout`] says which of them are mates, [`record`] checks them. Errors are one line: file,
//! record (from 1), line (from 1) and reason.

mod ahead;
mod layout;
mod reads;
mod record;
mod source;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Instant;

use aligner_core::fastx::RecordProblem;
use aligner_core::input_location::{InputLocation, input_name, is_stdin};
use anyhow::{Context, Result, anyhow, bail};
use needletail::FastxReader;
use needletail::parser::SequenceRecord;

pub use layout::Layout;
pub use reads::{Read, Reads};

use self::layout::Sources;

/// A batch ends when it has this many bases, so that batches of long reads stay small.
const MAX_BATCH_BASES: usize = 1 << 25;

/// The first batch is this many times smaller than others, the second half as many, and so on: so all
/// that works on batches begins early.
const BEGIN_SMALLER: usize = 4;

/// Batches read ahead.
const AHEAD: usize = 2;

/// Checks that the files are there, and standard input at most once, before any work is done.
pub fn check(paths: &[PathBuf]) -> Result<()> {
    if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
        bail!("standard input can be read only once");
    }
    for path in paths.iter().filter(|path| !is_stdin(path)) {
        let metadata = fs::metadata(path).with_context(|| input_name(path))?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory))
                .with_context(|| input_name(path));
        }
    }
    Ok(())
}

/// Reads that are mapped together.
#[derive(Debug)]
pub struct Batch {
    /// Records as they stand in the files, until [`checked`](Self::checked).
    reads: Reads,
    /// Whether each two of them are mates.
    paired: bool,
    /// The files that they are of.
    parts: Vec<Part>,
    /// What came instead of a further record.
    error: Option<anyhow::Error>,
    /// When reading the batch began.
    pub begin: Instant,
    /// When the batch was complete.
    pub end: Instant,
}

/// Records in a batch of one file, or of two that are read in step, one of each in turn.
#[derive(Debug)]
struct Part {
    files: Arc<[PathBuf]>,
    /// The first one's number in the batch, from 0, and in its file, from 1.
    begin: usize,
    record: u64,
}

impl Batch {
    /// The reads, once their records are checked, which is done on the current rayon pool. Of pairs,
    /// mates follow each other: 2i and 2i + 1, with the same name. An error is that of the first bad
    /// record.
    pub fn checked(mut self) -> Result<Reads> {
        if let Err((number, problem)) = self.reads.check(self.paired) {
            let of_record = self.parts.iter().rfind(|part| part.begin <= number);
            let Part { files, begin, record } = of_record.context("a record of no file")?;
            let before = number - begin;
            let file = &files[before % files.len()];
            return Err(complaint(file, record + (before / files.len()) as u64, problem));
        }
        self.error.map_or(Ok(self.reads), Err)
    }
}

/// What is wrong with a record of a file, in one line.
fn complaint(file: &Path, record: u64, problem: RecordProblem) -> anyhow::Error {
    let location = InputLocation::in_file(file).at_record(record, problem.line);
    anyhow!("{location}{}", problem.reason)
}

/// Where batches come from.
#[derive(Debug)]
pub struct Batches {
    /// All batches. What cannot be read is told by the last one.
    pub batches: Receiver<Batch>,
    /// Where reads go whose memory is to be used again. New memory costs more than filling it.
    pub used: Sender<Reads>,
}

/// Reads the files on a thread of its own, one after the other or in step. Batches have up to `size`
/// reads, of pairs an even number of them.
pub fn batches(paths: Vec<PathBuf>, layout: Layout, size: usize) -> Batches {
    let (sender, batches) = sync_channel(AHEAD);
    let (used, unused) = channel();
    let together = layout.reads();
    let size = size.next_multiple_of(together);
    thread::spawn(move || {
        let mut batcher = Batcher {
            sender,
            unused,
            size,
            wanted: size.div_ceil(BEGIN_SMALLER).next_multiple_of(together),
            reads: Reads::default(),
            paired: layout != Layout::Single,
            parts: Vec::new(),
            bases: 0,
            begin: Instant::now(),
        };
        for files in paths.chunks(layout.files()) {
            match read_files(files, layout, &mut batcher) {
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

/// The records of a file or of standard input.
pub fn open(path: &Path) -> Result<Box<dyn FastxReader>> {
    source::open(path).with_context(|| input_name(path))
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
    paired: bool,
    parts: Vec<Part>,
    bases: usize,
    begin: Instant,
}

impl Batcher {
    /// Says that the next records are these of the files.
    fn begin(&mut self, files: &Arc<[PathBuf]>, record: u64) {
        let begin = self.reads.len();
        if begin == 0 || record == 1 {
            self.parts.push(Part { files: Arc::clone(files), begin, record });
        }
    }

    /// Adds a record.
    fn add(&mut self, record: &SequenceRecord<'_>) {
        let letters = record.raw_seq();
        let line = record.start_line_number();
        self.reads.push(line, record.id(), letters, record.qual().unwrap_or_default());
        self.bases += letters.len();
    }

    /// Passes the batch on if it is large enough.
    fn end(&mut self) -> Flow {
        if self.reads.len() >= self.wanted || self.bases >= MAX_BATCH_BASES {
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
        let (paired, begin) = (self.paired, self.begin);
        let batch = Batch { begin, end: Instant::now(), reads, paired, parts, error };
        let wanted = is_empty || self.sender.send(batch).is_ok();
        self.begin = Instant::now();
        if wanted { Flow::Continue } else { Flow::Stop }
    }
}

/// Reads a file, or two in step.
fn read_files(files: &[PathBuf], layout: Layout, batcher: &mut Batcher) -> Result<Flow> {
    let mut sources = Sources::open(files, layout)?;
    loop {
        batcher.begin(sources.files(), sources.record());
        let found = sources.next(|record| batcher.add(record))?;
        if !found {
            return Ok(Flow::Continue);
        }
        if batcher.end() == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;
    use tempfile::TempDir;

    /// FASTQ records of these names, four lines each.
    fn fastq(names: &[String]) -> String {
        names.iter().map(|name| format!("@{name}\nACGT\n+\nIIII\n")).collect()
    }

    fn names(end: &str, numbers: std::ops::Range<usize>) -> Vec<String> {
        numbers.map(|number| format!("r{number}{end}")).collect()
    }

    fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("writes");
        path
    }

    /// The names of all batches, or the error in one line without the folder.
    fn read(
        folder: &TempDir,
        files: &[PathBuf],
        layout: Layout,
        size: usize,
    ) -> Result<Vec<Vec<String>>, String> {
        let names = |batch: Batch| {
            let reads = batch.checked()?;
            Ok(reads.iter().map(|read| String::from_utf8_lossy(read.name).into_owned()).collect())
        };
        let all = batches(files.to_vec(), layout, size).batches.into_iter().map(names);
        all.collect::<Result<_>>().map_err(|error| {
            format!("{error:#}").replace(&format!("{}/", folder.path().display()), "")
        })
    }

    #[test]
    fn pairs_stay_together_whatever_the_batches() {
        let folder = tempfile::tempdir().expect("a folder");
        let interleaved: Vec<String> =
            (0..50).flat_map(|number| [format!("r{number}/1"), format!("r{number}/2 x")]).collect();
        let pairs = |folder: &TempDir, numbers: std::ops::Range<usize>| {
            let mate = |end: &str| {
                let name = format!("{}{}.fq", numbers.start, &end[1..2]);
                file(folder, &name, &fastq(&names(end, numbers.clone())))
            };
            [mate("/1"), mate("/2 x")]
        };
        let lanes = [pairs(&folder, 0..17), pairs(&folder, 17..50)].concat();
        let one = file(&folder, "i.fq", &fastq(&interleaved));
        let expected: Vec<String> =
            (0..50).flat_map(|number| [format!("r{number}"), format!("r{number}")]).collect();
        for size in [1, 2, 7, 16, 100, 1000] {
            for (files, layout) in
                [(lanes.as_slice(), Layout::Pairs), (from_ref(&one), Layout::Interleaved)]
            {
                let batches = read(&folder, files, layout, size).expect("reads");
                assert!(batches.iter().all(|batch| batch.len() % 2 == 0), "{layout:?} {size}");
                assert!(batches.iter().all(|batch| batch.len() <= size.max(2) + 1));
                assert_eq!(batches.concat(), expected, "{layout:?} {size}");
            }
        }
    }

    #[test]
    fn reads_without_a_mate_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let two = file(&folder, "two.fq", &fastq(&names("", 0..2)));
        let three = file(&folder, "three.fq", &fastq(&names("", 0..3)));
        let twice = file(&folder, "odd.fq", &fastq(&["a".into(), "a".into(), "b".into()]));
        let none = "the read has no mate: ";
        let pairs = |files: &[PathBuf], size| read(&folder, files, Layout::Pairs, size);
        for size in [2, 100] {
            let expected = format!("three.fq: record 3 (line 9): {none}two.fq has 2 records");
            assert_eq!(pairs(&[two.clone(), three.clone()], size), Err(expected.clone()));
            assert_eq!(pairs(&[three.clone(), two.clone()], size), Err(expected));
            let odd = read(&folder, from_ref(&twice), Layout::Interleaved, size);
            let expected =
                format!("odd.fq: record 3 (line 9): {none}the file has 3 records, an odd number");
            assert_eq!(odd, Err(expected));
        }
    }

    #[test]
    fn the_record_of_an_error_is_counted_in_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let good = file(&folder, "good.fq", &fastq(&names("/1", 0..9)));
        let other = |name: &str, number: usize, with: &str| {
            let mut records = names("/2", 0..9);
            with.clone_into(&mut records[number]);
            file(&folder, name, &fastq(&records))
        };
        let swapped = other("swapped.fq", 6, "r5/2");
        let unnamed = other("unnamed.fq", 7, " ");
        let mut text = fastq(&names("/2", 0..4));
        text.truncate(text.len() - 3);
        let cut = file(&folder, "cut.fq", &text);
        for size in [2, 4, 6, 100] {
            let error = |mate: &PathBuf| {
                let files = [good.clone(), mate.clone()];
                read(&folder, &files, Layout::Pairs, size).expect_err("is bad")
            };
            assert_eq!(
                error(&swapped),
                "swapped.fq: record 7 (line 25): the name 'r5/2' is not that of its mate, 'r6/1'"
            );
            assert_eq!(error(&unnamed), "unnamed.fq: record 8 (line 29): the read has no name");
            assert_eq!(
                error(&cut),
                "cut.fq: record 4 (line 13): sequence and quality differ in length"
            );
        }
    }

    #[test]
    fn standard_input_is_read_once() {
        let twice = check(&["-".into(), "-".into()]).expect_err("is refused");
        assert_eq!(twice.to_string(), "standard input can be read only once");
        assert!(check(&["-".into()]).is_ok());
    }
}
