//! What mapping one read yields.

pub use aligner_core::cigar::{CigarOp, CigarRun};

use crate::loci::Locus;
use crate::ungapped::{Ungapped, Word};

/// The strand of the reference that a read matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strand {
    /// The read as given matches the reference.
    Forward,
    /// The reverse complement of the read matches the reference.
    Reverse,
}

/// One place where a read matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alignment<'m> {
    /// The contig's number in the reference.
    pub contig: u32,
    /// First reference base of the alignment, 0-based within the contig.
    pub start: u32,
    /// The strand.
    pub strand: Strand,
    /// The edit distance, SAM's `NM`.
    pub distance: u8,
    /// The alignment.
    pub path: Path<'m>,
}

/// An alignment, from its start on the reference. The read side is the read as it lies on the forward
/// strand (reverse-complemented for [`Strand::Reverse`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path<'m> {
    /// Base on base.
    Ungapped(Ungapped<'m>),
    /// Any, as runs of equal operations.
    Runs(&'m [CigarRun]),
}

impl Path<'_> {
    /// It as runs of equal operations, instead of what `runs` held.
    pub fn runs(self, runs: &mut Vec<CigarRun>) {
        runs.clear();
        match self {
            Self::Ungapped(path) => path.runs(|run| runs.push(run)),
            Self::Runs(path) => runs.extend_from_slice(path),
        }
    }
}

/// All that is reported of one read, in memory that can be used again for the next. The read is
/// unaligned if there are no alignments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// How many places there are in all (SAM's `NH`), reported or not: loci, or every match under
    /// [`Report::AllStarts`](crate::Report::AllStarts).
    pub total: u64,
    /// Mapping quality of the primary alignment.
    pub mapq: u8,
    /// Bases of the read.
    length: u32,
    placed: Vec<Placed>,
    /// Of each place, the read on the text without gaps.
    words: Vec<Word>,
    /// Of places where that is not the alignment.
    runs: Vec<CigarRun>,
}

/// A place of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placed {
    locus: Locus,
    /// The end of its runs, which follow those of the place before; without any, it has no gaps.
    end: usize,
}

impl Mapping {
    /// Makes it that of an unaligned read of `length` bases, and keeps its memory.
    pub fn clear(&mut self, length: u32) {
        (self.total, self.mapq, self.length) = (0, 0, length);
        self.placed.clear();
        self.words.clear();
        self.runs.clear();
    }

    /// How many alignments are reported.
    pub fn len(&self) -> usize {
        self.placed.len()
    }

    /// Whether the read is unaligned.
    pub fn is_empty(&self) -> bool {
        self.placed.is_empty()
    }

    /// The primary alignment first; then, unless only the best was asked for, all others by contig,
    /// start and strand.
    pub fn alignments(&self) -> impl ExactSizeIterator<Item = Alignment<'_>> {
        let each = Ungapped::words(self.length).max(1);
        let mut words = self.words.chunks_exact(each);
        let mut begin = 0;
        self.placed.iter().map(move |&Placed { locus, end }| {
            let runs = &self.runs[std::mem::replace(&mut begin, end)..end];
            let words = words.next().unwrap_or_default();
            let path = if runs.is_empty() {
                Path::Ungapped(Ungapped::new(words, self.length))
            } else {
                Path::Runs(runs)
            };
            let Locus { best, strand } = locus;
            let (contig, start, distance) = (best.contig, best.start, best.distance);
            Alignment { contig, start, strand, distance, path }
        })
    }

    /// Appends an alignment as runs.
    pub fn push_runs(&mut self, locus: Locus, runs: &[CigarRun]) {
        let words = Ungapped::words(self.length);
        self.push(locus, |path| path.extend(std::iter::repeat_n(Word::default(), words)));
        self.set_runs(|path| path.extend_from_slice(runs));
    }

    /// Appends an alignment without gaps, and gives its words, which `fill` appended.
    pub(crate) fn push(&mut self, locus: Locus, fill: impl FnOnce(&mut Vec<Word>)) -> &[Word] {
        self.placed.push(Placed { locus, end: self.runs.len() });
        let begin = self.words.len();
        fill(&mut self.words);
        &self.words[begin..]
    }

    /// Makes the last alignment that of the runs which `fill` appends.
    pub(crate) fn set_runs(&mut self, fill: impl FnOnce(&mut Vec<CigarRun>)) {
        fill(&mut self.runs);
        if let Some(last) = self.placed.last_mut() {
            last.end = self.runs.len();
        }
    }
}
