//! Sorting records by coordinate in bounded memory.
//!
//! Records are gathered until they fill the memory allowed. Then they are sorted and written to a temporary file, a sorted
//! run. At the end all sorted runs, the last of which stays in memory, are merged; if they are more than files may be
//! open, neighbours are merged to longer runs first. Records are ordered by contig in the
//! header, by position, and with equal positions as they came; records without a position are last. So the order does not
//! depend on where sorted runs end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use nix::sys::resource::{Resource, getrlimit};
use rayon::prelude::*;
use rust_htslib::bam;

use crate::hts::{self, ThreadPool};
use crate::output::format::Format;
use crate::output::hts::{Settings, Writer};
use crate::staging::Scratch;

/// The most runs that are open at a time: each takes a few megabytes for blocks that are decompressed ahead.
const MAX_OPEN_RUNS: usize = 64;

/// Files that may be opened while runs are merged, such as the merged run.
const OTHER_FILES: usize = 8;

/// The sort key of a record: contig and position.
type Key = u64;

/// Records that are being sorted.
#[derive(Debug)]
pub struct Sorter {
    /// The most bytes that gathered records may take.
    memory: usize,
    /// Threads that compress and decompress sorted runs.
    threads: usize,
    /// The header of all files, as text.
    header: String,
    /// The records of the current run, as they came.
    records: Vec<Vec<bam::Record>>,
    /// Bytes that these records take.
    bytes: usize,
    /// Files of the earlier sorted runs.
    runs: Vec<PathBuf>,
    /// The number of files so far, by which they are named.
    files: usize,
    folder: Scratch,
}

impl Sorter {
    /// A sorter that holds `memory` bytes of records and writes the others to files with this header in `folder`.
    pub fn new(memory: usize, threads: usize, header: String, folder: Scratch) -> Self {
        Self {
            memory,
            threads,
            header,
            records: Vec::new(),
            bytes: 0,
            runs: Vec::new(),
            files: 0,
            folder,
        }
    }

    /// Adds records to those that are sorted.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn push(&mut self, records: Vec<bam::Record>) -> Result<()> {
        self.bytes += records.iter().map(size).sum::<usize>();
        self.records.push(records);
        if self.bytes > self.memory { self.spill() } else { Ok(()) }
    }

    /// Writes the gathered records to a file, as a sorted run.
    fn spill(&mut self) -> Result<()> {
        let path = self.folder.path().join(format!("run-{}.bam", self.files));
        self.files += 1;
        self.write_run(&path, |file| {
            sorted(&self.records).try_for_each(|(_, record)| Ok(file.write(record)?))
        })?;
        self.runs.push(path);
        self.records.clear();
        self.bytes = 0;
        Ok(())
    }

    /// Writes a sorted run, whose records `write` passes to the file.
    fn write_run(&self, path: &Path, write: impl FnOnce(&mut Writer) -> Result<()>) -> Result<()> {
        let settings = Settings {
            format: Format::Bam,
            is_temporary: true,
            header: &self.header,
            threads: self.threads,
            reference: None,
        };
        let write = || {
            let mut file = Writer::create(File::create(path)?.into(), settings)?;
            write(&mut file)?;
            Ok::<_, anyhow::Error>(file.close()?)
        };
        write().with_context(|| path.display().to_string())
    }

    /// Passes all records to `write` in order.
    ///
    /// # Errors
    /// If `write` fails, or a temporary file cannot be read or written.
    pub fn merge(self, write: impl FnMut(&bam::Record) -> io::Result<()>) -> Result<()> {
        let open_files = open_runs()?;
        self.merge_by(open_files, write)
    }

    /// Merges as [`merge`](Self::merge), with at most `open_runs` runs open at a time, which are at least 2.
    fn merge_by(
        mut self,
        open_runs: usize,
        mut write: impl FnMut(&bam::Record) -> io::Result<()>,
    ) -> Result<()> {
        let pool = ThreadPool::new(self.threads)?;
        // Neighbours are merged, and their run takes their place, so that the order of equal keys stays.
        while self.runs.len() > open_runs {
            let runs = std::mem::take(&mut self.runs);
            for group in runs.chunks(open_runs) {
                let path = self.folder.path().join(format!("run-{}.bam", self.files));
                self.files += 1;
                let mut merge = Merge::open(group, &pool)?;
                self.write_run(&path, |file| {
                    merge.write_until(None, &mut |record| file.write(record))
                })?;
                drop(merge);
                for run in group {
                    fs::remove_file(run).with_context(|| run.display().to_string())?;
                }
                self.runs.push(path);
            }
        }
        let mut merge = Merge::open(&self.runs, &pool)?;
        // The last run is the one in memory.
        for (key, record) in sorted(&self.records) {
            merge.write_until(Some(key), &mut write)?;
            write(record)?;
        }
        merge.write_until(None, &mut write)
    }
}

/// The number of runs that may be open at a time: what the system leaves this process, but not more than [`MAX_OPEN_RUNS`].
fn open_runs() -> Result<usize> {
    let (limit, _) = getrlimit(Resource::RLIMIT_NOFILE).context("cannot ask for the file limit")?;
    // Where the system does not list open files, there are few.
    let open = fs::read_dir("/dev/fd").map_or(OTHER_FILES, Iterator::count);
    let free = usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(open + OTHER_FILES);
    Ok(free.clamp(2, MAX_OPEN_RUNS))
}

/// Sorted runs that are being merged. Of records with equal keys, that of the earlier run is first.
struct Merge {
    runs: Vec<SortedRun>,
    /// The key of the next record of each run, with the run's number.
    heads: BinaryHeap<Reverse<(Key, usize)>>,
}

impl Merge {
    fn open(paths: &[PathBuf], pool: &ThreadPool) -> Result<Self> {
        let mut merge = Self { runs: Vec::new(), heads: BinaryHeap::new() };
        for (number, path) in paths.iter().enumerate() {
            merge.runs.push(SortedRun::open(path, pool)?);
            merge.advance(number)?;
        }
        Ok(merge)
    }

    /// Reads the next record of a run.
    fn advance(&mut self, number: usize) -> Result<()> {
        self.heads.extend(self.runs[number].advance()?.map(|key| Reverse((key, number))));
        Ok(())
    }

    /// Passes the next records to `write`: those with keys up to `last`, or all.
    fn write_until(
        &mut self,
        last: Option<Key>,
        write: &mut impl FnMut(&bam::Record) -> io::Result<()>,
    ) -> Result<()> {
        while let Some(&Reverse((key, number))) = self.heads.peek()
            && last.is_none_or(|last| key <= last)
        {
            self.heads.pop();
            write(&self.runs[number].record)?;
            self.advance(number)?;
        }
        Ok(())
    }
}

/// A file of a sorted run, which is being read.
struct SortedRun {
    file: hts::Reader,
    /// The record that was read last.
    record: bam::Record,
}

impl SortedRun {
    fn open(path: &Path, pool: &ThreadPool) -> Result<Self> {
        Ok(Self { file: hts::Reader::open(path, Some(pool))?, record: bam::Record::new() })
    }

    /// Reads the next record and returns its key; `None` at the end.
    fn advance(&mut self) -> Result<Option<Key>> {
        let is_read = self.file.read(&mut self.record)?;
        Ok(is_read.then(|| key(&self.record)))
    }
}

/// Records in the order of their keys; those with equal keys as they came.
fn sorted(records: &[Vec<bam::Record>]) -> impl Iterator<Item = (Key, &bam::Record)> {
    let of_part = |(part, records): (usize, &Vec<bam::Record>)| {
        let place = |(number, record)| (key(record), part as u32, number as u32);
        records.iter().enumerate().map(place).collect::<Vec<_>>()
    };
    let mut order: Vec<(Key, u32, u32)> =
        records.par_iter().enumerate().flat_map_iter(of_part).collect();
    order.par_sort_unstable();
    order.into_iter().map(|(key, part, number)| (key, &records[part as usize][number as usize]))
}

/// The sort key of a record. A record without a contig, -1 in BAM, comes last.
fn key(record: &bam::Record) -> Key {
    u64::from(record.tid() as u32) << 32 | u64::from((record.pos() + 1) as u32)
}

/// Bytes of memory that a record takes, with those of its key.
fn size(record: &bam::Record) -> usize {
    size_of::<bam::Record>() + record.inner().m_data as usize + size_of::<(Key, u32, u32)>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "@HD\tVN:1.6\n@SQ\tSN:a\tLN:1000\n@SQ\tSN:b\tLN:1000\n";

    /// A record with this position, or none, and its number as its name.
    fn record(tid: i32, pos: i64, number: usize) -> bam::Record {
        let mut record = bam::Record::new();
        record.set(number.to_string().as_bytes(), None, b"ACGT", &[30; 4]);
        record.set_tid(tid);
        record.set_pos(pos);
        record.set_mtid(-1);
        record.set_mpos(-1);
        record
    }

    /// The names of the records in order, with at most this many runs open.
    fn names(sorter: Sorter, open_runs: usize) -> Vec<usize> {
        let mut names = Vec::new();
        let note = |record: &bam::Record| {
            names.push(String::from_utf8_lossy(record.qname()).parse().expect("a number"));
            Ok(())
        };
        sorter.merge_by(open_runs, note).expect("merges");
        names
    }

    #[test]
    fn the_order_does_not_depend_on_memory_or_parts() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut random = fastrand::Rng::with_seed(4);
        let mut places: Vec<(i32, i64)> =
            (0..3000).map(|_| (random.i32(0..2), random.i64(0..40))).collect();
        places.extend([(-1, -1); 9]);
        random.shuffle(&mut places);
        let mut expected: Vec<usize> = (0..places.len()).collect();
        expected.sort_by_key(|&number| {
            let (tid, pos) = places[number];
            (tid < 0, tid, pos)
        });
        for (memory, part, open_runs) in [
            (1 << 30, 3009, 9),
            (1 << 30, 7, 9),
            (20_000, 7, 3),
            (20_000, 7, MAX_OPEN_RUNS),
            (100_000, 256, 2),
            (1, 500, 2),
            (1, 40, 4),
        ] {
            let scratch = Scratch::new_in(folder.path()).expect("a folder");
            let mut sorter = Sorter::new(memory, 2, HEADER.to_owned(), scratch);
            for (places, first) in places.chunks(part).zip((0..).step_by(part)) {
                let records =
                    places.iter().zip(first..).map(|(&(tid, pos), n)| record(tid, pos, n));
                sorter.push(records.collect()).expect("is sorted");
            }
            let spilled = sorter.runs.len();
            assert_eq!(spilled > 0, memory < 1 << 30, "{memory}");
            assert!(names(sorter, open_runs) == expected, "{memory} {part} {open_runs}");
            assert_eq!(fs::read_dir(&folder).expect("lists").count(), 0);
        }
    }

    #[test]
    fn no_records_are_sorted_too() {
        let scratch = Scratch::new_in(&std::env::temp_dir()).expect("a folder");
        let sorter = Sorter::new(1, 1, HEADER.to_owned(), scratch);
        assert!(names(sorter, 2).is_empty());
    }
}
