//! Gathering records into batches on a thread.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use needletail::parser::SequenceRecord;

use super::alignments::{AlignmentReads, RecordText};
use super::lane::Lane;
use super::layout::{AlternatingFiles, Layout};
use super::progress::InputProgress;
use super::reads::{KeptTags, Reads, RecordRules};
use super::record::{record_error, without_comment};
use super::shared::{BatchUse, SharedReads, UnitTracker};
use super::source::OpenReads;

/// A batch ends when its reads take this many bytes (names, bases, qualities and their offsets), so that batches of long
/// reads stay small. The last read, or pair, may exceed it; each is limited by the input's limit on lines.
const MAX_BATCH_BYTES: usize = 1 << 26;

/// The first batch is this many times smaller than a full one or has [`FIRST_BATCH`] reads, and each of the next is twice as
/// large as the one before. So every stage of a pipeline starts early.
const FIRST_BATCH_DIVISOR: usize = 4;

/// The most reads of the first batch.
const FIRST_BATCH: usize = 4096;

/// The number of batches that are read ahead of their use.
const BATCHES_AHEAD: usize = 2;

/// Consecutive reads of a lane, whose records are not checked yet.
#[derive(Debug)]
pub struct ReadBatch {
    /// The number of the lane in the input, from 0.
    pub lane: usize,
    /// Records as they are in the files, until [`checked`](Self::checked).
    reads: Reads,
    /// What is made of the records; if they are paired, 2i and 2i + 1 are mates.
    rules: RecordRules,
    /// Where the records are from, in order.
    sources: Vec<RecordSource>,
    /// The error that ended reading after these records.
    error: Option<anyhow::Error>,
    /// When reading the batch began.
    pub begin: Instant,
    /// When the batch was complete.
    pub end: Instant,
}

/// The line of records of files without lines, in place of a number that is not known.
const NO_LINE: u64 = 1;

/// Consecutive records of a batch from one file, or from two files that are read alternately.
#[derive(Debug)]
struct RecordSource {
    files: Arc<[PathBuf]>,
    /// The number of the first record in the batch, from 0.
    begin: usize,
    /// The number of the first record in its file, from 1.
    record: u64,
    /// Whether the file has lines: FASTQ and FASTA.
    has_lines: bool,
}

impl ReadBatch {
    /// Checks the records on the current rayon pool and returns the reads. If they are pairs, reads 2i and 2i + 1 are mates
    /// with the same name.
    ///
    /// # Errors
    /// The first record that is no read, or the error that ended reading.
    pub fn checked(mut self) -> Result<Reads> {
        if let Err((number, mut problem)) = self.reads.check(self.rules) {
            let of_record = self.sources.iter().rfind(|source| source.begin <= number);
            let RecordSource { files, begin, record, has_lines } =
                of_record.context("a record without a file")?;
            problem.line = problem.line.filter(|_| *has_lines);
            let before = number - begin;
            let file = &files[before % files.len()];
            return Err(record_error(file, record + (before / files.len()) as u64, problem));
        }
        self.error.map_or(Ok(self.reads), Err)
    }
}

/// The batches of an input that is being read.
#[derive(Debug)]
pub struct Batches {
    /// All batches in order. If the input cannot be read, the last batch has the error.
    pub batches: Receiver<ReadBatch>,
    /// Takes reads back whose memory can be used again, since new memory costs more than filling it.
    pub used: Sender<Reads>,
    /// How far reading has come.
    pub progress: Arc<InputProgress>,
    /// The hash of all reads, also those of other shards, once all are read for a shard.
    pub fingerprint: Arc<OnceLock<u64>>,
    /// How large batches become.
    pub limit: Arc<BatchLimit>,
}

/// The most reads of a batch, which may change while batches are read.
#[derive(Debug)]
pub struct BatchLimit {
    /// Reads of a full batch.
    full: usize,
    /// The most reads of the next batches.
    most: AtomicUsize,
}

impl BatchLimit {
    /// Batches of up to `full` reads.
    fn new(full: usize) -> Self {
        Self { full, most: AtomicUsize::new(full) }
    }

    /// Lets the next batches have no more than `reads` reads.
    pub fn restrict(&self, reads: usize) {
        self.most.store(reads.min(self.full), Ordering::Relaxed);
    }

    /// Lets batches be full.
    pub fn lift(&self) {
        self.most.store(self.full, Ordering::Relaxed);
    }
}

/// Starts a thread that reads the lanes, one after the other. Batches have up to `size` reads, and an even number of them if
/// they are pairs; each is of one lane.
pub fn batches(lanes: Vec<Lane>, size: usize) -> Batches {
    batches_by_rules(lanes, size, RecordRules::default(), None)
}

/// As [`batches`], with rules for records; whether these are paired is for the layout of each lane to say. Of a shard, there
/// are only batches that it maps, each of one unit.
pub fn batches_by_rules(
    lanes: Vec<Lane>,
    size: usize,
    rules: RecordRules,
    shared: Option<SharedReads>,
) -> Batches {
    let (sender, batches) = sync_channel(BATCHES_AHEAD);
    let (used, unused) = channel();
    let together = lanes.iter().map(|lane| lane.layout().reads()).max().unwrap_or(1);
    let size = size.next_multiple_of(together);
    let progress = Arc::new(InputProgress::new(&lanes));
    let counted = Arc::clone(&progress);
    let fingerprint = Arc::new(OnceLock::new());
    let units = shared.map(|shared| UnitTracker::new(shared, Arc::clone(&fingerprint)));
    let limit = Arc::new(BatchLimit::new(size));
    let of_thread = Arc::clone(&limit);
    thread::spawn(move || {
        let mut batcher = Batcher {
            sender,
            unused,
            limit: of_thread,
            wanted: size.div_ceil(FIRST_BATCH_DIVISOR).min(FIRST_BATCH).next_multiple_of(together),
            lane: 0,
            reads: Reads::default(),
            rules,
            sources: Vec::new(),
            header: Vec::new(),
            begin: Instant::now(),
            progress: counted,
            units,
            is_stopped: false,
        };
        for (number, lane) in lanes.iter().enumerate() {
            batcher.lane = number;
            batcher.rules.is_paired = lane.layout() != Layout::Single;
            if let Some(units) = &mut batcher.units {
                units.begin_lane(number, lane.layout().reads());
            }
            match read_lane(lane, &mut batcher) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => return,
                Err(error) => {
                    batcher.send(Some(error));
                    return;
                }
            }
        }
        if let Some(units) = &batcher.units {
            units.finish();
        }
    });
    Batches { batches, used, progress, fingerprint, limit }
}

/// Whether reading goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    /// The receiver of batches is gone.
    Stop,
}

/// Gathers records into batches and passes them on.
struct Batcher {
    sender: SyncSender<ReadBatch>,
    /// Reads whose memory can be used again.
    unused: Receiver<Reads>,
    limit: Arc<BatchLimit>,
    /// Reads of the batch that is being gathered.
    wanted: usize,
    /// The number of the lane, from 0.
    lane: usize,
    reads: Reads,
    /// What is made of the records of the lane.
    rules: RecordRules,
    sources: Vec<RecordSource>,
    /// The header of a record with a tag that was appended.
    header: Vec<u8>,
    /// When gathering the batch began.
    begin: Instant,
    progress: Arc<InputProgress>,
    /// Tells the reads of this shard from others, if the run is a shard.
    units: Option<UnitTracker>,
    /// Whether the receiver of batches is gone.
    is_stopped: bool,
}

impl Batcher {
    /// Notes that the next record is this record of the files, from 1.
    fn note_source(&mut self, files: &Arc<[PathBuf]>, record: u64) {
        let begin = self.reads.len();
        let after_absent = self.reads.ends_absent();
        if begin == 0 || record == 1 || after_absent {
            let files = Arc::clone(files);
            self.sources.push(RecordSource { files, begin, record, has_lines: true });
        }
    }

    /// Adds one record of a file of SAM, BAM or CRAM.
    fn add_alignment(&mut self, files: &Arc<[PathBuf]>, record: &RecordText) {
        let (begin, number) = (self.reads.len(), record.number);
        let follows = |source: &RecordSource| {
            Arc::ptr_eq(&source.files, files)
                && source.record + (begin - source.begin) as u64 == number
        };
        if !self.sources.last().is_some_and(follows) {
            let files = Arc::clone(files);
            self.sources.push(RecordSource { files, begin, record: number, has_lines: false });
        }
        self.reads.set_group(record.group);
        self.reads.push(NO_LINE, &record.header, &record.sequence, &record.quality);
    }

    /// Adds one record to the batch.
    fn add(&mut self, record: &SequenceRecord<'_>) {
        let (line, quality) = (record.start_line_number(), record.qual().unwrap_or_default());
        let header = record.id();
        let name = without_comment(header);
        let mut header = if self.rules.kept_tags() == KeptTags::None { name } else { header };
        if let Some(umis) = self.rules.umis.filter(|umis| umis.are_in_names) {
            self.header.clear();
            self.header.extend_from_slice(header);
            umis.append_tag_of_name(name, &mut self.header);
            header = &self.header;
        }
        self.reads.push(line, header, record.raw_seq(), quality);
    }

    /// Adds one record of a file, which is the mate of the one before if that has no mate yet and the same name.
    fn add_mixed(
        &mut self,
        (files, number): (&Arc<[PathBuf]>, u64),
        group: Option<u32>,
        record: &SequenceRecord<'_>,
    ) {
        if self.lacks_mate() && !self.reads.is_mate_of_last(record.id()) {
            self.reads.push_absent();
            // The record is of the next unit.
            if self.is_end_of_unit() {
                self.is_stopped |= self.send(None) == Flow::Stop;
                self.reads.set_group(group);
            }
        }
        if !self.lacks_mate() {
            self.note_source(files, number);
        }
        self.add(record);
    }

    /// Whether the mate of the last read is still missing.
    fn lacks_mate(&self) -> bool {
        self.rules.is_paired && self.reads.len() % 2 == 1
    }

    /// Sends the batch if it is large enough.
    fn send_if_full(&mut self) -> Flow {
        if self.is_stopped {
            return Flow::Stop;
        }
        let is_full = self.reads.len() >= self.wanted
            || self.reads.bytes() >= MAX_BATCH_BYTES
            || self.is_end_of_unit();
        if is_full && !self.lacks_mate() { self.send(None) } else { Flow::Continue }
    }

    /// Whether the batch ends with a unit of the shards.
    fn is_end_of_unit(&self) -> bool {
        self.units.as_ref().is_some_and(|units| units.is_end(self.reads.len()))
    }

    /// Sends the batch, with the error that ended it, and begins the next one. A batch of other shards is left out.
    fn send(&mut self, error: Option<anyhow::Error>) -> Flow {
        if let Some(units) = &mut self.units {
            let of_batch = units.end_batch(&self.reads);
            if of_batch.1 == BatchUse::None && error.is_none() {
                self.reads.clear();
                self.sources.clear();
                return Flow::Continue;
            }
            self.reads.set_unit(of_batch);
        }
        self.wanted = self.limit.most.load(Ordering::Relaxed).min(2 * self.wanted);
        let mut next = self.unused.try_recv().unwrap_or_default();
        next.clear();
        let reads = std::mem::replace(&mut self.reads, next);
        let sources = std::mem::take(&mut self.sources);
        let is_empty = reads.is_empty() && error.is_none();
        self.progress.add_reads(reads.len() as u64);
        let Self { lane, rules, begin, .. } = *self;
        let batch = ReadBatch { lane, begin, end: Instant::now(), reads, rules, sources, error };
        let wanted = is_empty || self.sender.send(batch).is_ok();
        self.begin = Instant::now();
        if wanted { Flow::Continue } else { Flow::Stop }
    }
}

/// Reads the records of a lane, and sends the last of them, too.
fn read_lane(lane: &Lane, batcher: &mut Batcher) -> Result<Flow> {
    for files in lane.parts() {
        let text = match lane.take_open() {
            Some(OpenReads::Alignments(mut reads)) => {
                if read_alignments(&mut reads, batcher)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                continue;
            }
            Some(OpenReads::Text(text)) => Some(text),
            None => None,
        };
        let sources = AlternatingFiles::open(files, lane.layout(), text, &batcher.progress)?;
        if read_files(sources, lane, batcher)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(batcher.send(None))
}

/// Reads the records of a file of SAM, BAM or CRAM.
fn read_alignments(reads: &mut AlignmentReads, batcher: &mut Batcher) -> Result<Flow> {
    reads.start()?;
    let rules = batcher.rules;
    let files: Arc<[PathBuf]> = [reads.path().to_owned()].into();
    while let Some((first, second)) = reads.next(rules)? {
        batcher.add_alignment(&files, first);
        match second {
            Some(second) => batcher.add_alignment(&files, second),
            None if rules.is_paired => batcher.reads.push_absent(),
            None => {}
        }
        if batcher.send_if_full() == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Continue)
}

/// Reads the records of a file, or of two files alternately.
fn read_files(mut sources: AlternatingFiles, lane: &Lane, batcher: &mut Batcher) -> Result<Flow> {
    let layout = lane.layout();
    loop {
        // Each batch has reads of its own.
        batcher.reads.set_group(lane.group());
        let (files, number) = (Arc::clone(sources.files()), sources.record());
        let found = if layout == Layout::MixedPairs {
            sources.next(|record| batcher.add_mixed((&files, number), lane.group(), record))?
        } else {
            batcher.note_source(&files, number);
            sources.next(|record| batcher.add(record))?
        };
        if !found {
            if batcher.lacks_mate() {
                batcher.reads.push_absent();
            }
            return Ok(batcher.send_if_full());
        }
        if batcher.send_if_full() == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::slice::from_ref;

    use super::*;
    use crate::input::ReadSlice;
    use crate::shard::{Shard, Share};
    use tempfile::TempDir;

    /// FASTQ records with these names.
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

    /// The names of the reads of all batches, or the error message without the folder.
    fn read(
        folder: &TempDir,
        files: &[PathBuf],
        layout: Layout,
        size: usize,
    ) -> Result<Vec<Vec<String>>, String> {
        let names = |batch: ReadBatch| {
            let reads = batch.checked()?;
            Ok(reads.iter().map(|read| String::from_utf8_lossy(read.name).into_owned()).collect())
        };
        let parts = files.chunks(layout.files()).map(<[PathBuf]>::to_vec).collect();
        let lane = Lane::new(layout, parts).expect("has whole parts");
        let all = batches(vec![lane], size).batches.into_iter().map(names);
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
    fn batches_end_with_their_lane() {
        let folder = tempfile::tempdir().expect("a folder");
        let part = |name: &str, layout: Layout, numbers: std::ops::Range<usize>| {
            let of = |end: &&str| {
                let name = format!("{name}{}{}.fq", numbers.start, &end[1..]);
                file(&folder, &name, &fastq(&names(end, numbers.clone())))
            };
            ["/1", "/2"][..layout.files()].iter().map(of).collect::<Vec<_>>()
        };
        let pairs = |name: &str, numbers| part(name, Layout::Pairs, numbers);
        let lanes = [
            Lane::new(Layout::Pairs, vec![pairs("a", 0..7), pairs("a", 7..12)]),
            Lane::new(Layout::Single, vec![part("b", Layout::Single, 0..5)]),
            Lane::new(Layout::Pairs, vec![pairs("none", 0..0)]),
            Lane::new(Layout::Pairs, vec![pairs("c", 0..1)]),
        ];
        let lanes = lanes.map(|lane| lane.expect("has whole parts"));
        for size in [1, 2, 4, 6, 100] {
            let mut found = vec![Vec::new(); lanes.len()];
            for batch in batches(lanes.to_vec(), size).batches {
                let lane = batch.lane;
                let reads = batch.checked().expect("is fine");
                assert!(lane == 1 || reads.len().is_multiple_of(2), "{size}");
                found[lane].extend(reads.iter().map(|read| read.name.to_vec()));
            }
            assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [24, 5, 0, 2], "{size}");
            assert_eq!(found[0].last().map(Vec::as_slice), Some(&b"r11"[..]), "{size}");
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
    fn shards_have_whole_units_and_the_sample() {
        let folder = tempfile::tempdir().expect("a folder");
        let interleaved: String =
            names("", 0..40).iter().map(|name| fastq(&[name.clone(), name.clone()])).collect();
        // Every third read has no mate.
        let mixed = (0..40).map(|number| {
            let name = format!("r{number}");
            fastq(&vec![name; if number % 3 == 0 { 1 } else { 2 }])
        });
        let mixed: String = mixed.collect();
        let single = fastq(&names("", 0..40));
        let read = |layout, text: &str, size, shared| {
            let path = file(&folder, "x.fq", text);
            let part = || vec![path.clone()];
            // Units end with lanes, but not with the files of a lane.
            let lanes = [vec![part(), part()], vec![part()]];
            let lanes = lanes.map(|parts| Lane::new(layout, parts).expect("has whole parts"));
            let input = batches_by_rules(lanes.to_vec(), size, RecordRules::default(), shared);
            let found = input.batches.into_iter().map(|batch| {
                let lane = batch.lane;
                let reads = ReadSlice::all(batch.checked().expect("is fine"));
                let names = reads.iter().step_by(layout.reads());
                let names = names.map(|read| String::from_utf8_lossy(read.name).into_owned());
                (lane, reads.unit(), reads.batch_use(), names.collect::<Vec<_>>())
            });
            (found.collect::<Vec<_>>(), input.fingerprint.get().copied())
        };
        for (layout, text) in [
            (Layout::Single, &single),
            (Layout::Interleaved, &interleaved),
            (Layout::MixedPairs, &mixed),
        ] {
            let (whole, none) = read(layout, text, 1000, None);
            assert_eq!(none, None);
            let of_lane = |lane: usize| {
                let of_lane = whole.iter().filter(|batch| batch.0 == lane);
                of_lane.flat_map(|batch| batch.3.clone()).collect::<Vec<String>>()
            };
            let lanes = [of_lane(0), of_lane(1)];
            assert_eq!(lanes.each_ref().map(Vec::len), [80, 40]);
            let mut fingerprints = Vec::new();
            for (size, unit_size, sample) in [(1000, 7, 25), (6, 7, 0), (3, 20, 20), (50, 1, 100)] {
                let mut units = Vec::new();
                for number in 1..=3 {
                    let share = Share { shard: Shard { number, count: 3 }, unit_size };
                    let shared = SharedReads { share, sample };
                    let (batches, fingerprint) = read(layout, text, size, Some(shared));
                    fingerprints.push(fingerprint.expect("all is read"));
                    let sampled = if layout == Layout::Single { 0 } else { sample as usize };
                    for (lane, all) in lanes.iter().enumerate() {
                        // All templates of the sample come, and are the first ones.
                        let of_lane = batches.iter().filter(|batch| batch.0 == lane);
                        let names: Vec<_> = of_lane.flat_map(|batch| batch.3.clone()).collect();
                        let sampled = sampled.min(all.len());
                        assert_eq!(names[..sampled], all[..sampled], "{layout:?} {size}");
                    }
                    for (lane, unit, of_batch, names) in batches {
                        assert_eq!(of_batch == BatchUse::Written, share.has(unit));
                        assert_ne!(of_batch, BatchUse::None);
                        if of_batch == BatchUse::Written {
                            units.push((unit, lane, names));
                        }
                    }
                }
                units.sort_by_key(|(unit, ..)| *unit);
                for (lane, all) in lanes.iter().enumerate() {
                    let of_lane = units.iter().filter(|(_, of, _)| *of == lane);
                    let names: Vec<_> = of_lane.flat_map(|(.., names)| names.clone()).collect();
                    assert!(names == *all, "{layout:?} {size} {unit_size} {sample}");
                }
            }
            fingerprints.dedup();
            assert_eq!(fingerprints.len(), 1, "{layout:?}");
        }
    }
}
