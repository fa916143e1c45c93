//! Gathering records into batches.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Instant;

use needletail::parser::SequenceRecord;

use super::alignments::RecordText;
use super::layout::Layout;
use super::progress::InputProgress;
use super::read_batch::{NO_LINE, ReadBatch, RecordSource};
use super::reads::{KeptTags, Reads, RecordRules};
use super::record::without_comment;
use super::shared::{BatchUse, UnitTracker};

/// A batch ends when its reads take this many bytes of text (and of copied records: with their offsets), so that batches of long
/// reads stay small. The last read, or pair, may exceed it; each is limited by the input's limit on lines.
pub const MAX_BATCH_BYTES: usize = 1 << 26;

/// The first batch is this many times smaller than a full one, or has [`SMALL_BATCH`] reads, or those of a
/// [small one](BatchLimit::small). The next ones grow, so that every stage of a pipeline starts early.
const FIRST_BATCH_DIVISOR: usize = 4;

/// Reads of a small batch, unless batches are restricted. Up to so many reads, or where batches are restricted, each batch is
/// twice as large as the one before; beyond, larger by one part in [`GROWTH`].
const SMALL_BATCH: usize = 4096;

/// Large batches grow by one part in so many, so that all threads have work where each takes a batch.
const GROWTH: usize = 8;

/// If it is known how many reads are left, a batch has at most one part in so many of them, or the reads of a
/// [small one](BatchLimit::small). So the last batches are small, and all threads end at about the same time.
const LAST_BATCHES: usize = 32;

/// How many reads a batch has, which may change while batches are read.
#[derive(Debug)]
pub struct BatchLimit {
    /// Reads of a full batch.
    full: usize,
    /// The most reads of the next batches.
    most: AtomicUsize,
    /// Reads of a small batch: the first one, and the last ones.
    small: AtomicUsize,
}

impl BatchLimit {
    /// Batches of up to `full` reads.
    pub fn new(full: usize) -> Self {
        Self { full, most: AtomicUsize::new(full), small: AtomicUsize::new(SMALL_BATCH) }
    }

    /// Restricts the next batches to numbers of reads in this range: its begin is a small batch, its end a large one.
    pub fn restrict(&self, reads: RangeInclusive<usize>) {
        self.most.store((*reads.end()).min(self.full), Ordering::Relaxed);
        self.small.store(*reads.start(), Ordering::Relaxed);
    }

    /// Lets batches be full.
    pub fn lift(&self) {
        self.restrict(SMALL_BATCH..=self.full);
    }

    /// Reads of a small batch.
    fn small(&self) -> usize {
        self.small.load(Ordering::Relaxed)
    }
}

/// Whether reading goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Continue,
    /// The receiver of batches is gone.
    Stop,
}

/// Gathers records into batches and passes them on.
pub struct Batcher {
    sender: SyncSender<ReadBatch>,
    /// Reads whose memory can be used again.
    unused: Receiver<Reads>,
    limit: Arc<BatchLimit>,
    /// Reads of the batch that is being gathered.
    pub wanted: usize,
    /// The number of the lane, from 0.
    pub lane: usize,
    pub reads: Reads,
    /// What is made of the records of the lane.
    pub rules: RecordRules,
    sources: Vec<RecordSource>,
    /// The header of a record with a tag that was appended.
    header: Vec<u8>,
    /// When gathering the batch began.
    begin: Instant,
    pub progress: Arc<InputProgress>,
    /// Tells the reads of this shard from others, if the run is a shard.
    pub units: Option<UnitTracker>,
    /// Whether the receiver of batches is gone.
    is_stopped: bool,
}

impl Batcher {
    /// A batcher of no reads yet, for lanes whose templates have up to `together` reads. Batches go to `sender`; reads whose
    /// memory can be used again come from `unused`.
    pub fn new(
        (sender, unused): (SyncSender<ReadBatch>, Receiver<Reads>),
        limit: &Arc<BatchLimit>,
        together: usize,
        rules: RecordRules,
        progress: &Arc<InputProgress>,
    ) -> Self {
        let first = limit.full.div_ceil(FIRST_BATCH_DIVISOR).min(SMALL_BATCH).min(limit.small());
        Self {
            sender,
            unused,
            limit: Arc::clone(limit),
            wanted: first.next_multiple_of(together),
            lane: 0,
            reads: Reads::default(),
            rules,
            sources: Vec::new(),
            header: Vec::new(),
            begin: Instant::now(),
            progress: Arc::clone(progress),
            units: None,
            is_stopped: false,
        }
    }

    /// Reads whose memory can be used again, to be cleared or filled; new ones if there are none.
    pub fn unused_reads(&self) -> Reads {
        self.unused.try_recv().unwrap_or_default()
    }

    /// Notes that the next record is this record of the files, from 1.
    pub fn note_source(&mut self, files: &Arc<[PathBuf]>, record: u64) {
        let begin = self.reads.len();
        let after_absent = self.reads.ends_absent();
        if begin == 0 || record == 1 || after_absent {
            let files = Arc::clone(files);
            self.sources.push(RecordSource { files, begin, record, has_lines: true });
        }
    }

    /// Adds one record of a file of SAM, BAM or CRAM.
    pub fn add_alignment(&mut self, files: &Arc<[PathBuf]>, record: &RecordText) {
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

    /// Adds one record, which begins in this line, to the batch.
    pub fn add(&mut self, record: &SequenceRecord<'_>, line: u64) {
        let quality = record.qual().unwrap_or_default();
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
    pub fn add_mixed(
        &mut self,
        (files, number): (&Arc<[PathBuf]>, u64),
        group: Option<u32>,
        (record, line): (&SequenceRecord<'_>, u64),
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
        self.add(record, line);
    }

    /// Whether the mate of the last read is still missing.
    pub fn lacks_mate(&self) -> bool {
        self.rules.is_paired && self.reads.len() % 2 == 1
    }

    /// Sends the batch if it is large enough.
    pub fn send_if_full(&mut self) -> Flow {
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
    pub fn send(&mut self, error: Option<anyhow::Error>) -> Flow {
        if let Some(units) = &mut self.units {
            let of_batch = units.end_batch(&self.reads);
            if of_batch.1 == BatchUse::None && error.is_none() {
                self.reads.clear();
                self.sources.clear();
                return Flow::Continue;
            }
            self.reads.set_unit(of_batch);
        }
        let mut next = self.unused_reads();
        next.clear();
        let reads = std::mem::replace(&mut self.reads, next);
        let sources = std::mem::take(&mut self.sources);
        let count = reads.len();
        self.pass_on((reads, count), sources, error)
    }

    /// Passes a batch of so many reads on, unless it is empty, and begins the next one.
    pub fn pass_on(
        &mut self,
        (reads, count): (Reads, usize),
        sources: Vec<RecordSource>,
        error: Option<anyhow::Error>,
    ) -> Flow {
        let is_empty = count == 0 && error.is_none();
        self.progress.add_reads(count as u64);
        let most = self.limit.most.load(Ordering::Relaxed);
        let is_restricted = most < self.limit.full;
        let doubles = is_restricted || self.wanted < SMALL_BATCH;
        let growth = if doubles { self.wanted } else { self.wanted / GROWTH };
        let next = (self.wanted + growth).next_multiple_of(2).min(most);
        let left = self.progress.reads_left();
        let last = left.map_or(most, |left| left as usize / LAST_BATCHES).max(self.limit.small());
        self.wanted = next.min(last.next_multiple_of(2));
        let Self { lane, rules, begin, .. } = *self;
        let batch = ReadBatch { lane, begin, end: Instant::now(), reads, rules, sources, error };
        let wanted = is_empty || self.sender.send(batch).is_ok();
        self.begin = Instant::now();
        if wanted { Flow::Continue } else { Flow::Stop }
    }

    /// Whether batches of a lane can have the text of FASTQ as it is: names are not examined before they are checked, and
    /// nothing is appended to them.
    pub fn takes_text(&self, layout: Layout) -> bool {
        let appends = self.rules.umis.is_some_and(|umis| umis.are_in_names);
        layout != Layout::MixedPairs && !appends && self.units.is_none()
    }
}
