//! Reference coordinates and indexed coordinates.
//!
//! ```text
//! reference  ACGTNNNNNNNNNNNNNNNNNNNNNNNNNNNNNACGTNAC     all contigs, end to end
//!                |flank|     cut      |flank|
//! indexed    ACGTxxxxxxxxxxxxxxACGTxAC                    what the suffix arrays sort
//! ```
//!
//! An *exception* is a base other than A, C, G, T. In the indexed text it is replaced by a base
//! that [`substitute`] draws from its position, and of a run of more than `2 * FLANK` consecutive
//! exceptions only the first and last [`FLANK`] are kept, so that gaps of N cost nothing and pile
//! up nowhere. A hit in the indexed text is a hit in the reference where the window is *plain*:
//! no exception in it and no contig end.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::reference::Contig;

/// Exceptions kept in the indexed text at each end of a long run of them.
pub const FLANK: u32 = 64;

/// A run of one letter other than A, C, G, T, in reference coordinates.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Exception {
    pub(crate) start: u32,
    pub(crate) length: u32,
    /// The upper-case ASCII letter.
    pub(crate) letter: u32,
}

impl Exception {
    pub(crate) fn end(&self) -> u32 {
        self.start + self.length
    }
}

/// The base, 0 to 3, that stands in the indexed text for an exception at this reference position
/// (the finaliser of `MurmurHash3`: neighbours look unrelated).
pub(crate) fn substitute(position: u32) -> u8 {
    let mut hash = position;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xC2B2_AE35);
    ((hash ^ (hash >> 16)) & 3) as u8
}

/// The part of a run of consecutive exceptions that the indexed text leaves out.
pub(crate) fn cut(run: &Range<u32>) -> Range<u32> {
    if run.end - run.start > 2 * FLANK {
        run.start + FLANK..run.end - FLANK
    } else {
        run.end..run.end
    }
}

/// Where a stretch without cuts begins, in both coordinates.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    reference: u32,
    indexed: u32,
}

/// Translates between the two coordinates and tells plain windows.
#[derive(Debug, Clone)]
pub(crate) struct Coordinates {
    /// Never empty; both fields ascend.
    stretches: Vec<Stretch>,
    /// Runs of exceptions, and contig ends as empty ranges, in indexed coordinates: the starts and,
    /// apart, the ends, which are searched.
    barrier_starts: Vec<u32>,
    barrier_ends: Vec<u32>,
    indexed_length: u32,
}

impl Coordinates {
    /// From contigs and exceptions, both ascending, of a reference of `length` bases.
    pub(crate) fn new(contigs: &[Contig], exceptions: &[Exception], length: u32) -> Self {
        let mut stretches = vec![Stretch { reference: 0, indexed: 0 }];
        let mut barriers = Vec::new();
        let mut skipped = 0;
        let mut ends = contigs.iter().map(|contig| contig.offset + contig.length).peekable();
        for run in runs(exceptions) {
            while let Some(end) = ends.next_if(|&end| end <= run.start) {
                barriers.push(end - skipped..end - skipped);
            }
            // Contig ends inside the run: the run itself is the barrier.
            while ends.next_if(|&end| end < run.end).is_some() {}
            let cut = cut(&run);
            let start = run.start - skipped;
            skipped += cut.end - cut.start;
            barriers.push(start..run.end - skipped);
            if !cut.is_empty() {
                stretches.push(Stretch { reference: cut.end, indexed: cut.end - skipped });
            }
        }
        barriers.extend(ends.map(|end| end - skipped..end - skipped));
        Self {
            stretches,
            barrier_starts: barriers.iter().map(|barrier| barrier.start).collect(),
            barrier_ends: barriers.iter().map(|barrier| barrier.end).collect(),
            indexed_length: length - skipped,
        }
    }

    pub(crate) fn indexed_length(&self) -> u32 {
        self.indexed_length
    }

    pub(crate) fn to_reference(&self, indexed: u32) -> u32 {
        let after = self.stretches.partition_point(|stretch| stretch.indexed <= indexed);
        let stretch = self.stretches[after - 1];
        stretch.reference + (indexed - stretch.indexed)
    }

    /// The indexed coordinate of a reference coordinate, unless the text leaves it out.
    pub(crate) fn to_indexed(&self, reference: u32) -> Option<u32> {
        self.indexed_parts(reference..reference + 1).next().map(|(_, indexed)| indexed.start)
    }

    /// The positions around this one up to the next barriers; `None` if it is in an exception.
    pub(crate) fn plain_stretch(&self, indexed: u32) -> Option<Range<u32>> {
        let next = self.barrier_ends.partition_point(|&barrier_end| barrier_end <= indexed);
        let start = next.checked_sub(1).map_or(0, |last| self.barrier_ends[last]);
        let end = self.barrier_starts.get(next).map_or(self.indexed_length, |&start| start);
        (start..end).contains(&indexed).then_some(start..end)
    }

    pub(crate) fn is_plain(&self, start: u32, length: u32) -> bool {
        let end = start.saturating_add(length);
        let barrier = self.barrier_ends.partition_point(|&barrier_end| barrier_end <= start);
        end <= self.indexed_length
            && self.barrier_starts.get(barrier).is_none_or(|&barrier_start| barrier_start >= end)
    }

    /// The parts of a reference range that the indexed text holds, as (reference start, indexed
    /// range), ascending.
    pub(crate) fn indexed_parts(
        &self,
        range: Range<u32>,
    ) -> impl Iterator<Item = (u32, Range<u32>)> {
        let first = self.stretches.partition_point(|stretch| stretch.reference <= range.start) - 1;
        (first..self.stretches.len())
            .take_while({
                let end = range.end;
                move |&i| self.stretches[i].reference < end
            })
            .filter_map(move |i| {
                let stretch = self.stretches[i];
                let next =
                    self.stretches.get(i + 1).map_or(self.indexed_length, |next| next.indexed);
                let held = stretch.reference..stretch.reference + (next - stretch.indexed);
                let part = range.start.max(held.start)..range.end.min(held.end);
                let indexed = |position| stretch.indexed + (position - stretch.reference);
                (part.start < part.end)
                    .then(|| (part.start, indexed(part.start)..indexed(part.end)))
            })
    }
}

/// Merges exceptions that touch, whatever their letters.
fn runs(exceptions: &[Exception]) -> impl Iterator<Item = Range<u32>> {
    exceptions
        .chunk_by(|left, right| left.end() == right.start)
        .map(|run| run[0].start..run[run.len() - 1].end())
}
