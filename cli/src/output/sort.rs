//! Sorting records by coordinate in bounded memory.
//!
//! Records are gathered until they fill the memory allowed. Then they are sorted and written to a temporary file, a sorted
//! run. At the end all sorted runs, the last of which stays in memory, are merged. Records are ordered by contig in the
//! header, by position, and with equal positions as they came; records without a position are last. So the order does not
//! depend on where sorted runs end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result};
use rayon::prelude::*;
use rust_htslib::bam::{self, Read};
use rust_htslib::tpool::ThreadPool;

use crate::output::format::Format;
use crate::output::hts::{Settings, Writer};
use crate::staging::Scratch;

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
    folder: Scratch,
}

impl Sorter {
    /// A sorter that holds `memory` bytes of records and writes the others to files with this header in `folder`.
    pub fn new(memory: usize, threads: usize, header: String, folder: Scratch) -> Self {
        Self { memory, threads, header, records: Vec::new(), bytes: 0, runs: Vec::new(), folder }
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
        let path = self.folder.path().join(format!("run-{}.bam", self.runs.len()));
        let settings = Settings {
            format: Format::Bam,
            is_temporary: true,
            header: &self.header,
            threads: self.threads,
            reference: None,
        };
        let write = || {
            let mut file = Writer::create(File::create(&path)?.into(), &settings)?;
            sorted(&self.records).try_for_each(|(_, record)| file.write(record))?;
            file.close()
        };
        write().with_context(|| path.display().to_string())?;
        self.runs.push(path);
        self.records.clear();
        self.bytes = 0;
        Ok(())
    }

    /// Passes all records to `write` in order.
    ///
    /// # Errors
    /// If `write` fails, or a temporary file cannot be read.
    pub fn merge(self, mut write: impl FnMut(&bam::Record) -> io::Result<()>) -> Result<()> {
        let in_memory = sorted(&self.records);
        if self.runs.is_empty() {
            return Ok(in_memory.map(|(_, record)| record).try_for_each(write)?);
        }
        let pool = ThreadPool::new(self.threads as u32)?;
        let open = |path| SortedRun::open(path, &pool);
        let mut runs = self.runs.iter().map(open).collect::<Result<Vec<_>>>()?;
        // Of records with equal keys, that of the earlier run is first.
        let mut heads = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            heads.extend(run.advance()?.map(|key| Reverse((key, number))));
        }
        // The last run is the one in memory.
        for (key, record) in in_memory {
            while let Some(&Reverse((first, number))) = heads.peek()
                && first <= key
            {
                heads.pop();
                write(&runs[number].record)?;
                heads.extend(runs[number].advance()?.map(|key| Reverse((key, number))));
            }
            write(record)?;
        }
        while let Some(Reverse((_, number))) = heads.pop() {
            write(&runs[number].record)?;
            heads.extend(runs[number].advance()?.map(|key| Reverse((key, number))));
        }
        Ok(())
    }
}

/// A file of a sorted run, which is being read.
struct SortedRun<'r> {
    path: &'r PathBuf,
    file: bam::Reader,
    /// The record that was read last.
    record: bam::Record,
}

impl<'r> SortedRun<'r> {
    fn open(path: &'r PathBuf, pool: &ThreadPool) -> Result<Self> {
        let open = || {
            let mut file = bam::Reader::from_path(path)?;
            file.set_thread_pool(pool)?;
            Ok::<_, rust_htslib::errors::Error>(file)
        };
        let file = open().with_context(|| path.display().to_string())?;
        Ok(Self { path, file, record: bam::Record::new() })
    }

    /// Reads the next record and returns its key; `None` at the end.
    fn advance(&mut self) -> Result<Option<Key>> {
        let read = self.file.read(&mut self.record).transpose();
        let read = read.with_context(|| self.path.display().to_string())?;
        Ok(read.map(|()| key(&self.record)))
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

    fn names(sorter: Sorter) -> Vec<usize> {
        let mut names = Vec::new();
        let note = |record: &bam::Record| {
            names.push(String::from_utf8_lossy(record.qname()).parse().expect("a number"));
            Ok(())
        };
        sorter.merge(note).expect("merges");
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
        for (memory, part) in [(1 << 30, 3009), (1 << 30, 7), (20_000, 7), (100_000, 256), (1, 500)]
        {
            let scratch = Scratch::new_in(folder.path()).expect("a folder");
            let mut sorter = Sorter::new(memory, 2, HEADER.to_owned(), scratch);
            for (places, first) in places.chunks(part).zip((0..).step_by(part)) {
                let records =
                    places.iter().zip(first..).map(|(&(tid, pos), n)| record(tid, pos, n));
                sorter.push(records.collect()).expect("is sorted");
            }
            let spilled = sorter.runs.len();
            assert_eq!(spilled > 0, memory < 1 << 30, "{memory}");
            assert!(names(sorter) == expected, "{memory} {part}");
            assert_eq!(std::fs::read_dir(&folder).expect("lists").count(), 0);
        }
    }

    #[test]
    fn no_records_are_sorted_too() {
        let scratch = Scratch::new_in(&std::env::temp_dir()).expect("a folder");
        let sorter = Sorter::new(1, 1, HEADER.to_owned(), scratch);
        assert!(names(sorter).is_empty());
    }
}
