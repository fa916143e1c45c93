//! Sorting records by coordinate in bounded memory.
//!
//! Records are gathered until they fill the memory allowed. Then they are sorted and written to a temporary file without a
//! name, as a sorted [`run`]. At the end all runs, the last of which stays in memory, are [merged](merge()). Records are
//! ordered by contig in the header, by position, and with equal positions as they came; records without a position are last.
//! So the order depends neither on where runs end nor on threads.
//!
//! All runs are in one file, whose chunks are read by the threads that need them: any number of runs takes one open file, and
//! one pass merges them.

mod merge;
mod order;
mod run;

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;

use self::merge::MergeRange;
use self::run::{Gathered, SortedRun};
use super::bam::batch::{RecordBatch, RecordPool};
use super::bam::records::EncodedRecords;

pub use self::run::SortedRecord;

/// The fewest bytes of records that a thread merges at a time.
const LEAST_RANGE: usize = 1 << 18;
/// The most, beyond which larger ranges gain nothing.
const MOST_RANGE: usize = 1 << 24;
/// The most if all records are in memory: what all threads have merged is then still in the processor's cache when it is copied
/// into blocks. A file has chunks that two ranges read, so small ranges would cost more there.
const MOST_IN_MEMORY: usize = 1 << 21;

/// Records that are being sorted.
#[derive(Debug)]
pub struct Sorter {
    /// The most bytes that gathered records may take.
    memory: usize,
    gathered: Gathered,
    /// Templates that came so far.
    templates: u64,
    /// The runs in the file.
    runs: Vec<SortedRun>,
    file: File,
    /// Where the file ends.
    end: u64,
    /// The folder of the file.
    folder: PathBuf,
}

impl Sorter {
    /// A sorter that holds `memory` bytes of records and writes the others to a temporary file in `folder`.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn new(memory: usize, folder: PathBuf) -> Result<Self> {
        let file = tempfile::tempfile_in(&folder)
            .with_context(|| format!("cannot make a temporary file in {}", folder.display()))?;
        Ok(Self {
            memory,
            gathered: Gathered::default(),
            templates: 0,
            runs: Vec::new(),
            file,
            end: 0,
            folder,
        })
    }

    /// The number of templates that came so far.
    pub fn templates(&self) -> u64 {
        self.templates
    }

    /// Adds records to those that are sorted.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub fn push(&mut self, records: EncodedRecords) -> Result<()> {
        let templates = u64::from(records.templates());
        if !records.places().is_empty() {
            self.gathered.push(records, self.templates);
        }
        self.templates += templates;
        if self.gathered.bytes() <= self.memory {
            return Ok(());
        }
        let run = std::mem::take(&mut self.gathered).sorted();
        let written = run.write(&self.file, &mut self.end);
        let named = || format!("cannot write a temporary file in {}", self.folder.display());
        self.runs.push(SortedRun::File(written.with_context(named)?));
        Ok(())
    }

    /// Passes all records to `write` in order, as `append` changes or leaves them out.
    ///
    /// # Errors
    /// If `write` fails, or the temporary file cannot be read.
    pub fn merge(
        self,
        append: impl Fn(SortedRecord<'_>, &mut EncodedRecords) + Sync,
        mut write: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let Self { mut runs, gathered, file, folder, memory, .. } = self;
        let most = if runs.is_empty() { MOST_IN_MEMORY } else { MOST_RANGE };
        if !gathered.is_empty() {
            runs.push(SortedRun::Memory(gathered.sorted()));
        }
        let threads = rayon::current_num_threads();
        // Each thread has a range twice: while some are merged, others are written. With a run in the file that is its chunks,
        // where their records are, and the records as they are written; else the latter alone.
        let bytes = (memory / (8 * threads)).clamp(LEAST_RANGE, most);
        let ranges = merge::ranges(&runs, bytes);
        let pool = &Arc::new(RecordPool::default());
        let merged = |range: &MergeRange| {
            let mut records = pool.take();
            // Chunks have about so many bytes.
            records.reserve(bytes + bytes / 4);
            range.merge(&runs, &file, |record| append(record, &mut records))?;
            Ok(records)
        };
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            let producer = scope.spawn(move || {
                for window in ranges.chunks(threads) {
                    let made: io::Result<Vec<EncodedRecords>> =
                        window.par_iter().map(merged).collect();
                    let is_end = made.is_err();
                    // Sending fails if writing failed, which is then reported.
                    if sender.send(made).is_err() || is_end {
                        break;
                    }
                }
            });
            for made in receiver {
                let named = || format!("cannot read a temporary file in {}", folder.display());
                write(RecordBatch::pooled(made.with_context(named)?, pool))?;
            }
            producer.join().map_err(|_| anyhow!("merging sorted records panicked"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::bam::view::{self, RecordView};
    use crate::output::record::fields::{ExtraTags, Position, Record};

    /// A record with this position, or none, and its number as its name.
    fn record(position: Option<Position>, name: &str) -> Record<'_> {
        Record {
            name: name.as_bytes(),
            flag: 0,
            position,
            mapq: 0,
            cigar: &[],
            mate: None,
            sequence: b"ACGT",
            quality: None,
            tags: None,
            group: None,
            extra: ExtraTags::default(),
        }
    }

    /// Names and templates of the sorted records.
    fn sorted(sorter: Sorter) -> Vec<(usize, u64)> {
        let append = |sorted: SortedRecord<'_>, records: &mut EncodedRecords| {
            let mut record = sorted.record.bytes().to_vec();
            // The template goes through the field of the mate's position.
            record[28..32].copy_from_slice(&(sorted.template as u32).to_le_bytes());
            records.push_encoded(RecordView::first(&record).expect("is whole"), 0);
        };
        let mut found = Vec::new();
        let note = |batch: RecordBatch| {
            for record in batch.parts().iter().flat_map(|part| view::records(part.bytes)) {
                let name = String::from_utf8_lossy(record.name()).parse().expect("a number");
                found.push((name, record.mate_start() as u64));
            }
            Ok(())
        };
        sorter.merge(append, note).expect("merges");
        found
    }

    #[test]
    fn the_order_does_not_depend_on_memory_or_parts() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut random = fastrand::Rng::with_seed(4);
        let place = |random: &mut fastrand::Rng, bases| {
            Some(Position { contig: random.u32(0..2), base: random.u32(0..bases) })
        };
        // Few places with many records each, and many places with one.
        let mut places: Vec<Option<Position>> = (0..6000).map(|_| place(&mut random, 3)).collect();
        places.extend((0..6000).map(|_| place(&mut random, 100_000)));
        places.extend([None; 900]);
        random.shuffle(&mut places);
        let mut expected: Vec<usize> = (0..places.len()).collect();
        expected
            .sort_by_key(|&number| places[number].map_or((u32::MAX, 0), |it| (it.contig, it.base)));
        let expected: Vec<(usize, u64)> =
            expected.into_iter().map(|number| (number, number as u64 / 2)).collect();
        // Two threads merge one range after the other where memory is little.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        let enough = 4 << 20;
        for (memory, part) in
            [(1 << 30, 13_000), (1 << 30, 8), (enough, 256), (300_000, 8), (100_000, 256), (1, 500)]
        {
            let mut sorter = Sorter::new(memory, folder.path().to_owned()).expect("a sorter");
            for (places, first) in places.chunks(part).zip((0..).step_by(part)) {
                let mut records = EncodedRecords::default();
                for (&position, number) in places.iter().zip(first..) {
                    if number % 2 == 0 {
                        records.begin_template();
                    }
                    records.push(&record(position, &number.to_string()), true);
                }
                sorter.push(records).expect("is sorted");
            }
            assert_eq!(sorter.runs.is_empty(), memory >= enough, "{memory}");
            assert!(pool.install(|| sorted(sorter)) == expected, "{memory} {part}");
            assert_eq!(std::fs::read_dir(&folder).expect("lists").count(), 0);
        }
    }

    #[test]
    fn no_records_are_sorted_too() {
        let sorter = Sorter::new(1, std::env::temp_dir()).expect("a sorter");
        assert!(sorted(sorter).is_empty());
    }
}
