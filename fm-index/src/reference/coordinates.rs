//! Translation between reference coordinates and indexed coordinates.
//!
//! ```text
//! reference  ACGTNNNNNNNNNNNNNNNNNNNNNNNNNNNNNACGTNAC     all contigs, end to end
//!                |flank|     cut      |flank|
//! indexed    ACGTxxxxxxxxxxxxxxACGTxAC                    the text that the suffix arrays sort
//! ```
//!
//! An *exception* is a letter other than A, C, G, T. In the indexed text a base that
//! [`substitute`](super::exception::substitute) draws from its position stands for it, and of a run of more than
//! `2 * FLANK` consecutive exceptions only the first and last [`FLANK`](super::exception::FLANK) are kept, so that
//! gaps of N take no memory and do not add up to long repeats. A hit in the indexed text is a hit in the reference
//! where the window is *plain*: it has no exception and no contig end in it.
//!
//! A hit in another window is verified against the reference itself. An exception matches nothing, and the base that
//! stands for it may match; so it can only make a distance smaller, and no match is missed in the indexed text.

use std::ops::Range;

use super::contig::Contig;
use super::exception::{Exception, cut};

/// Begin of a stretch of the text without cuts.
#[derive(Debug, Clone, Copy)]
struct UncutStretch {
    /// Begin in reference coordinates.
    reference: u32,
    /// Begin in indexed coordinates.
    indexed: u32,
}

/// Translation between the two coordinates, and the exceptions and contig ends that make windows not plain.
#[derive(Debug, Clone)]
pub(crate) struct Coordinates {
    /// Never empty; both fields ascend.
    stretches: Vec<UncutStretch>,
    /// Starts of the barriers, which are runs of exceptions and, as empty ranges, contig ends: in indexed coordinates,
    /// ascending.
    barrier_starts: Vec<u32>,
    /// End of each barrier; apart from the starts because only the ends are searched.
    barrier_ends: Vec<u32>,
    /// Bases of the indexed text.
    indexed_length: u32,
}

impl Coordinates {
    /// Coordinates of a reference of `length` bases with these contigs and exceptions, both ascending.
    pub(crate) fn new(contigs: &[Contig], exceptions: &[Exception], length: u32) -> Self {
        let mut stretches = vec![UncutStretch { reference: 0, indexed: 0 }];
        let mut barriers = Vec::new();
        let mut skipped = 0;
        let mut ends = contigs.iter().map(Contig::end).peekable();
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
                stretches.push(UncutStretch { reference: cut.end, indexed: cut.end - skipped });
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

    /// Number of bases of the indexed text.
    pub(crate) fn indexed_length(&self) -> u32 {
        self.indexed_length
    }

    /// Reference coordinate of an indexed coordinate.
    pub(crate) fn to_reference(&self, indexed: u32) -> u32 {
        let after = self.stretches.partition_point(|stretch| stretch.indexed <= indexed);
        let stretch = self.stretches[after - 1];
        stretch.reference + (indexed - stretch.indexed)
    }

    /// Indexed coordinate of a reference coordinate; `None` if the indexed text leaves it out.
    pub(crate) fn to_indexed(&self, reference: u32) -> Option<u32> {
        self.indexed_parts(reference..reference + 1).next().map(|(_, indexed)| indexed.start)
    }

    /// The longest plain range around an indexed coordinate: up to the next barrier on each side. `None` if the
    /// coordinate is in an exception.
    pub(crate) fn plain_stretch(&self, indexed: u32) -> Option<Range<u32>> {
        let next = self.barrier_ends.partition_point(|&barrier_end| barrier_end <= indexed);
        let start = next.checked_sub(1).map_or(0, |last| self.barrier_ends[last]);
        let end = self.barrier_starts.get(next).map_or(self.indexed_length, |&start| start);
        (start..end).contains(&indexed).then_some(start..end)
    }

    /// Whether the `length` indexed bases from `start` on are inside the text and touch no barrier.
    pub(crate) fn is_plain(&self, start: u32, length: u32) -> bool {
        let end = start.saturating_add(length);
        let barrier = self.barrier_ends.partition_point(|&barrier_end| barrier_end <= start);
        end <= self.indexed_length
            && self.barrier_starts.get(barrier).is_none_or(|&barrier_start| barrier_start >= end)
    }

    /// The parts of a reference range that the indexed text holds, ascending: reference coordinate of the part's
    /// start, and its range in indexed coordinates.
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

/// Reference ranges of consecutive exceptions: exceptions that touch are merged, whatever their letters.
fn runs(exceptions: &[Exception]) -> impl Iterator<Item = Range<u32>> {
    exceptions
        .chunk_by(|left, right| left.end() == right.start)
        .map(|run| run[0].start..run[run.len() - 1].end())
}
