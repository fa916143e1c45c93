//! Merging sorted runs.
//!
//! The order of all records is cut into ranges of bounded size, and each range is merged by one thread: it takes the
//! records of the range from each run, in the order of the runs, and sorts them, which keeps records with equal keys in that
//! order. A single run in memory is in order as it is.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::run::{SortedRecord, SortedRun};
use crate::output::bam::records::CoordinateKey;

/// A place in the order of all records, before the first record of a chunk. By comparison, chunks are in the order of their
/// first records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    key: CoordinateKey,
    run: usize,
    chunk: usize,
}

/// Records between two places in the order of all records; `None` is the beginning or the end of all.
#[derive(Debug, Clone, Copy)]
pub struct MergeRange {
    begin: Option<Cut>,
    end: Option<Cut>,
}

/// Ranges that make up the order of all records, of about `bytes` each.
pub fn ranges(runs: &[SortedRun], bytes: usize) -> Vec<MergeRange> {
    let of_run = |(number, run): (usize, &SortedRun)| {
        let cut =
            |chunk| (Cut { key: run.first_key(chunk), run: number, chunk }, run.chunk_bytes(chunk));
        (0..run.chunks()).map(cut).collect::<Vec<_>>()
    };
    let mut heads: Vec<(Cut, usize)> = runs.iter().enumerate().flat_map(of_run).collect();
    heads.sort_unstable();
    let mut cuts = vec![None];
    let mut gathered = 0;
    for (head, size) in heads {
        if gathered > 0 && gathered + size > bytes {
            cuts.push(Some(head));
            gathered = 0;
        }
        gathered += size;
    }
    cuts.push(None);
    cuts.windows(2).map(|ends| MergeRange { begin: ends[0], end: ends[1] }).collect()
}

impl Cut {
    /// Whether the cut follows a record of another run than its own.
    fn follows(self, run: usize, key: CoordinateKey) -> bool {
        if run < self.run { key <= self.key } else { key < self.key }
    }

    /// The number of chunks of a run that begin before the cut.
    fn chunks_before(self, number: usize, run: &SortedRun) -> usize {
        if number == self.run {
            self.chunk
        } else {
            run.chunks_while(|first| self.follows(number, first))
        }
    }
}

impl MergeRange {
    /// The chunks of a run that have records of the range.
    fn chunks(self, number: usize, run: &SortedRun) -> Range<usize> {
        // Of a run with other chunks than that of the cut, the last chunk that begins before it may end behind it.
        let begin = self.begin.map_or(0, |cut| {
            let before = cut.chunks_before(number, run);
            if number == cut.run { before } else { before.saturating_sub(1) }
        });
        begin..self.end.map_or(run.chunks(), |cut| cut.chunks_before(number, run))
    }

    /// Whether a record of a run, in one of the range's chunks of the run, is in the range.
    fn contains(self, run: usize, key: CoordinateKey) -> bool {
        let is_before_begin = |cut: Cut| cut.run != run && cut.follows(run, key);
        let is_before_end = |cut: Cut| cut.run == run || cut.follows(run, key);
        !self.begin.is_some_and(is_before_begin) && self.end.is_none_or(is_before_end)
    }

    /// Passes the records of the range to `take`, in order.
    ///
    /// # Errors
    /// If the file of runs cannot be read, or a GPU fails that has a run; then no record was passed.
    pub fn merge(
        self,
        runs: &[SortedRun],
        file: &File,
        mut take: impl FnMut(SortedRecord<'_>),
    ) -> io::Result<()> {
        if let [SortedRun::Memory(run)] = runs {
            // The range begins and ends with chunks of the run.
            self.chunks(0, &runs[0]).for_each(|chunk| run.chunk(chunk, &mut take));
            return Ok(());
        }
        let mut contents = Vec::new();
        for (number, run) in runs.iter().enumerate() {
            for chunk in self.chunks(number, run) {
                contents.push((number, chunk, run.read(chunk, file)?));
            }
        }
        let mut records: Vec<SortedRecord<'_>> = Vec::new();
        for (number, chunk, content) in &contents {
            let of_chunk = runs[*number].records(*chunk, content.as_deref());
            records.reserve(of_chunk.len());
            records.extend(of_chunk.into_iter().filter(|it| self.contains(*number, it.key)));
        }
        // A stable sort, which is quick where records are in order already.
        records.sort_by_key(|it| it.key);
        records.into_iter().for_each(take);
        Ok(())
    }
}
