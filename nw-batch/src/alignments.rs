//! The alignments of a batch, the runs of all in few arrays: as they come from the device, without an
//! allocation each.

use aligner_core::gpu::StagedDownload;

use crate::cigar::{Alignment, Cigar, Run, Runs};
use crate::gpu::model::Traced;

/// Alignments of pairs, in their order.
#[derive(Debug, Default)]
pub struct Alignments {
    traced: Vec<Traced>,
    /// Runs that came from a GPU.
    landed: Option<StagedDownload>,
    /// Other runs, with numbers beyond those.
    own: Vec<Run>,
}

/// An alignment of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlignmentRef<'a> {
    /// The score.
    pub score: i32,
    /// Its columns, from the first residues on.
    pub runs: Runs<'a>,
}

impl AlignmentRef<'_> {
    /// A copy.
    pub fn to_alignment(&self) -> Alignment {
        let mut cigar = Cigar::default();
        self.runs.iter().for_each(|(op, count)| cigar.push(op, count));
        Alignment { score: self.score, cigar }
    }
}

impl Alignments {
    /// Those of a GPU.
    pub(crate) fn landed(traced: Vec<Traced>, runs: StagedDownload) -> Self {
        Self { traced, landed: Some(runs), own: Vec::new() }
    }

    fn landed_runs(&self) -> &[Run] {
        self.landed.as_ref().map_or(&[], |landed| bytemuck::cast_slice(landed.bytes()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.traced.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.traced.is_empty()
    }

    /// That of a pair, by its place in the batch.
    ///
    /// # Panics
    /// If the batch has no such place.
    pub fn get(&self, place: usize) -> AlignmentRef<'_> {
        let Traced { score, count, first } = self.traced[place];
        let landed = self.landed_runs();
        let (runs, first) = match (first as usize).checked_sub(landed.len()) {
            Some(first) => (&self.own[..], first),
            None => (landed, first as usize),
        };
        AlignmentRef { score, runs: Runs(&runs[first..first + count as usize]) }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = AlignmentRef<'_>> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// Puts another alignment at a place.
    pub(crate) fn set(&mut self, place: usize, alignment: &Alignment) {
        let first = (self.landed_runs().len() + self.own.len()) as u64;
        let runs = alignment.cigar.runs().0;
        self.own.extend_from_slice(runs);
        self.traced[place] = Traced { score: alignment.score, count: runs.len() as u32, first };
    }
}

impl From<Vec<Alignment>> for Alignments {
    fn from(all: Vec<Alignment>) -> Self {
        let mut alignments = Self { traced: vec![Traced::default(); all.len()], ..Self::default() };
        for (place, alignment) in all.iter().enumerate() {
            alignments.set(place, alignment);
        }
        alignments
    }
}

impl PartialEq for Alignments {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl PartialEq<Alignment> for AlignmentRef<'_> {
    fn eq(&self, other: &Alignment) -> bool {
        self.score == other.score && self.runs == other.cigar.runs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cigar::Op;

    #[test]
    fn alignments_keep_their_places() {
        let alignment = |score, count| {
            let mut cigar = Cigar::default();
            cigar.push(Op::Equal, count);
            cigar.push(Op::Deletion, 2);
            Alignment { score, cigar }
        };
        let mut all = Alignments::from(vec![alignment(1, 1), alignment(2, 0), alignment(3, 3)]);
        all.set(0, &alignment(7, 9));
        assert!(all.get(0) == alignment(7, 9) && all.get(1) == alignment(2, 0));
        assert_eq!(all.get(1).runs.to_string(), "2D");
        assert_eq!(all, Alignments::from(vec![alignment(7, 9), alignment(2, 0), alignment(3, 3)]));
        assert_ne!(all, Alignments::from(vec![alignment(7, 9), alignment(2, 0)]));
        assert!(Alignments::default().is_empty());
    }
}
