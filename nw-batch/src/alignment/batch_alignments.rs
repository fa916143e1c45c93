//! Alignments of a whole batch in a few arrays, so that none needs an allocation of its own.

use aligner_core::device_struct;
use aligner_core::gpu::StagedDownload;

use super::cigar::{Alignment, Cigar, CigarRef, CigarRun};

device_struct! {
    /// Score of an alignment, and the position of its CIGAR runs in the array of all runs of the batch.
    #[derive(PartialEq, Eq, Default)]
    pub struct TracedAlignment {
        /// Score of the alignment.
        pub score: i32,
        /// Number of runs of its CIGAR.
        pub run_count: u32,
        /// Index of the first run.
        pub first_run: u64,
    }
}

/// Alignments of the pairs of a batch, in the order of the pairs.
#[derive(Debug, Default)]
pub struct BatchAlignments {
    alignments: Vec<TracedAlignment>,
    /// Runs that came from a GPU.
    downloaded: Option<StagedDownload>,
    /// Other runs; their indices follow those of the downloaded runs.
    host_runs: Vec<CigarRun>,
}

/// One alignment of a [`BatchAlignments`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlignmentRef<'a> {
    /// Score of the alignment.
    pub score: i32,
    /// Columns, from the first residues on.
    pub cigar: CigarRef<'a>,
}

impl AlignmentRef<'_> {
    /// Copies the alignment to memory of its own.
    pub fn to_alignment(&self) -> Alignment {
        let mut cigar = Cigar::default();
        self.cigar.iter().for_each(|run| cigar.push(run.op(), run.length()));
        Alignment { score: self.score, cigar }
    }
}

impl BatchAlignments {
    /// Alignments that came from a GPU.
    pub(crate) fn downloaded(alignments: Vec<TracedAlignment>, runs: StagedDownload) -> Self {
        Self { alignments, downloaded: Some(runs), host_runs: Vec::new() }
    }

    fn downloaded_runs(&self) -> &[CigarRun] {
        self.downloaded.as_ref().map_or(&[], |runs| bytemuck::cast_slice(runs.bytes()))
    }

    /// Number of alignments, which is that of the pairs of the batch.
    pub fn len(&self) -> usize {
        self.alignments.len()
    }

    /// Whether there is no alignment.
    pub fn is_empty(&self) -> bool {
        self.alignments.is_empty()
    }

    /// Alignment of the pair with this index in the batch.
    ///
    /// # Panics
    /// If the batch has fewer pairs.
    pub fn get(&self, index: usize) -> AlignmentRef<'_> {
        let TracedAlignment { score, run_count, first_run } = self.alignments[index];
        let downloaded = self.downloaded_runs();
        let (runs, first) = match (first_run as usize).checked_sub(downloaded.len()) {
            Some(first) => (&self.host_runs[..], first),
            None => (downloaded, first_run as usize),
        };
        AlignmentRef { score, cigar: CigarRef(&runs[first..first + run_count as usize]) }
    }

    /// Iterates over all alignments.
    pub fn iter(&self) -> impl Iterator<Item = AlignmentRef<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Replaces the alignment of the pair with this index.
    pub(crate) fn set(&mut self, index: usize, alignment: &Alignment) {
        let first_run = (self.downloaded_runs().len() + self.host_runs.len()) as u64;
        let runs = alignment.cigar.view().0;
        self.host_runs.extend_from_slice(runs);
        let (score, run_count) = (alignment.score, runs.len() as u32);
        self.alignments[index] = TracedAlignment { score, run_count, first_run };
    }
}

impl From<Vec<Alignment>> for BatchAlignments {
    fn from(all: Vec<Alignment>) -> Self {
        let mut batch =
            Self { alignments: vec![TracedAlignment::default(); all.len()], ..Self::default() };
        for (index, alignment) in all.iter().enumerate() {
            batch.set(index, alignment);
        }
        batch
    }
}

impl PartialEq for BatchAlignments {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl PartialEq<Alignment> for AlignmentRef<'_> {
    fn eq(&self, other: &Alignment) -> bool {
        self.score == other.score && self.cigar == other.cigar.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alignment::CigarOp;

    #[test]
    fn alignments_keep_their_places() {
        let alignment = |score, length| {
            let mut cigar = Cigar::default();
            cigar.push(CigarOp::Equal, length);
            cigar.push(CigarOp::Deletion, 2);
            Alignment { score, cigar }
        };
        let mut all =
            BatchAlignments::from(vec![alignment(1, 1), alignment(2, 0), alignment(3, 3)]);
        all.set(0, &alignment(7, 9));
        assert!(all.get(0) == alignment(7, 9) && all.get(1) == alignment(2, 0));
        assert_eq!(all.get(1).cigar.to_string(), "2D");
        let expected = vec![alignment(7, 9), alignment(2, 0), alignment(3, 3)];
        assert_eq!(all, BatchAlignments::from(expected));
        assert_ne!(all, BatchAlignments::from(vec![alignment(7, 9), alignment(2, 0)]));
        assert!(BatchAlignments::default().is_empty());
    }
}
