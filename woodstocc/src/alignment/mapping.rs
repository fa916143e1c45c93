//! All reported alignments of a read.

use aligner_core::cigar::CigarRun;

use super::ungapped::{AlignedWord, UngappedPath};
use crate::locus::loci::Locus;
use crate::read::Strand;

/// An alignment of a read to the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alignment<'m> {
    /// Number of the contig in the reference.
    pub contig: u32,
    /// First reference base of the alignment, 0-based within the contig.
    pub start: u32,
    /// Strand of the reference that the read matches.
    pub strand: Strand,
    /// Edit distance (SAM's `NM`).
    pub distance: u8,
    /// The columns of the alignment.
    pub path: AlignmentPath<'m>,
}

/// The columns of an alignment, in the order of the reference. The read's bases are those on the forward strand:
/// reverse-complemented for [`Strand::Reverse`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlignmentPath<'m> {
    /// An alignment without gaps.
    Ungapped(UngappedPath<'m>),
    /// An alignment as CIGAR runs.
    Runs(&'m [CigarRun]),
}

impl AlignmentPath<'_> {
    /// Fills `runs` with the CIGAR runs of the alignment.
    pub fn runs(self, runs: &mut Vec<CigarRun>) {
        runs.clear();
        match self {
            Self::Ungapped(path) => path.runs(|run| runs.push(run)),
            Self::Runs(path) => runs.extend_from_slice(path),
        }
    }
}

/// The alignments of one read, in memory that is reused for the next read. A read without alignments is unaligned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// Number of loci of the read, reported or not (SAM's `NH`). With [`Report::AllStarts`](crate::Report::AllStarts),
    /// the number of matches.
    pub total: u64,
    /// Mapping quality of the primary alignment.
    pub mapq: u8,
    /// Bases of the read.
    length: u32,
    loci: Vec<MappedLocus>,
    /// For each locus, the read compared with the text without gaps.
    words: Vec<AlignedWord>,
    /// CIGAR runs of the loci whose alignment has gaps or differs from the ungapped one.
    runs: Vec<CigarRun>,
}

/// A locus whose alignment is in a [`Mapping`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MappedLocus {
    locus: Locus,
    /// End of its CIGAR runs, which follow those of the locus before. If it has none, the alignment has no gaps.
    runs_end: usize,
}

impl Mapping {
    /// Removes all alignments, for a read of `length` bases. The memory is kept.
    pub fn clear(&mut self, length: u32) {
        (self.total, self.mapq, self.length) = (0, 0, length);
        self.loci.clear();
        self.words.clear();
        self.runs.clear();
    }

    /// Number of reported alignments.
    pub fn len(&self) -> usize {
        self.loci.len()
    }

    /// Whether the read is unaligned.
    pub fn is_empty(&self) -> bool {
        self.loci.is_empty()
    }

    /// The reported alignments: the primary one first, then (unless only the best was asked for) all others by contig,
    /// start and strand.
    pub fn alignments(&self) -> impl ExactSizeIterator<Item = Alignment<'_>> {
        let each = UngappedPath::words(self.length).max(1);
        let mut words = self.words.chunks_exact(each);
        let mut begin = 0;
        self.loci.iter().map(move |&MappedLocus { locus, runs_end }| {
            let runs = &self.runs[std::mem::replace(&mut begin, runs_end)..runs_end];
            let words = words.next().unwrap_or_default();
            let path = if runs.is_empty() {
                AlignmentPath::Ungapped(UngappedPath::new(words, self.length))
            } else {
                AlignmentPath::Runs(runs)
            };
            let Locus { best, strand } = locus;
            let (contig, start, distance) = (best.contig, best.start, best.distance);
            Alignment { contig, start, strand, distance, path }
        })
    }

    /// Appends an alignment, given as CIGAR runs.
    pub fn push_runs(&mut self, locus: Locus, runs: &[CigarRun]) {
        let words = UngappedPath::words(self.length);
        self.push(locus, |path| path.extend(std::iter::repeat_n(AlignedWord::default(), words)));
        self.set_runs(|path| path.extend_from_slice(runs));
    }

    /// Appends an alignment without gaps, whose words `fill` appends. Returns these words.
    pub(crate) fn push(
        &mut self,
        locus: Locus,
        fill: impl FnOnce(&mut Vec<AlignedWord>),
    ) -> &[AlignedWord] {
        self.loci.push(MappedLocus { locus, runs_end: self.runs.len() });
        let begin = self.words.len();
        fill(&mut self.words);
        &self.words[begin..]
    }

    /// Replaces the last alignment by the CIGAR runs that `fill` appends.
    pub(crate) fn set_runs<R>(&mut self, fill: impl FnOnce(&mut Vec<CigarRun>) -> R) -> R {
        let result = fill(&mut self.runs);
        if let Some(last) = self.loci.last_mut() {
            last.runs_end = self.runs.len();
        }
        result
    }
}
