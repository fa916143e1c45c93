//! Loci: runs of matches that are one place.
//!
//! Around every good match lie worse ones that begin a few bases earlier or later. A *locus* is a
//! maximal run of match starts on one contig and strand where neighbours differ by at most
//! `max(k, 1)`; the start of least distance stands for it, the leftmost of several.

use crate::alignment::Strand;
use crate::matches::Match;

/// The representative match of a locus, with its strand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Locus {
    /// The match that stands for the locus.
    pub best: Match,
    /// The strand.
    pub strand: Strand,
}

impl Locus {
    /// Ascends by contig, start and strand.
    pub fn order(&self) -> (u32, u64) {
        (self.best.contig, u64::from(self.best.start) << 1 | self.strand as u64)
    }
}

/// Builds loci from matches that come in descending order of contig and start, or contig by contig
/// in any order with descending starts.
#[derive(Debug)]
pub struct Builder<'a> {
    reach: u32,
    strand: Strand,
    open: Option<Open>,
    done: &'a mut Vec<Locus>,
}

#[derive(Debug)]
struct Open {
    best: Match,
    /// The start seen last, the leftmost so far.
    leftmost: u32,
}

impl<'a> Builder<'a> {
    /// A builder for one strand, which adds loci to `done`, in no particular order.
    pub fn new(k: usize, strand: Strand, done: &'a mut Vec<Locus>) -> Self {
        Self { reach: k.max(1) as u32, strand, open: None, done }
    }

    /// Takes the next match.
    pub fn push(&mut self, found: Match) {
        match &mut self.open {
            Some(open)
                if open.best.contig == found.contig
                    && open.leftmost - found.start <= self.reach =>
            {
                open.leftmost = found.start;
                if found.distance <= open.best.distance {
                    open.best = found;
                }
            }
            _ => {
                self.close();
                self.open = Some(Open { best: found, leftmost: found.start });
            }
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.done.push(Locus { best: open.best, strand: self.strand });
        }
    }

    /// Adds the last locus.
    pub fn finish(mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loci(k: usize, matches: &[(u32, u32, u8)]) -> Vec<(u32, u32, u8)> {
        let mut done = Vec::new();
        let mut builder = Builder::new(k, Strand::Forward, &mut done);
        for &(contig, start, distance) in matches.iter().rev() {
            builder.push(Match { contig, start, distance });
        }
        builder.finish();
        let mut loci: Vec<_> =
            done.iter().map(|l| (l.best.contig, l.best.start, l.best.distance)).collect();
        loci.sort_unstable();
        loci
    }

    #[test]
    fn neighbours_within_reach_are_one_locus() {
        assert_eq!(loci(2, &[]), []);
        assert_eq!(loci(2, &[(0, 5, 2), (0, 7, 0), (0, 9, 0), (0, 11, 1)]), [(0, 7, 0)]);
        assert_eq!(loci(2, &[(0, 5, 2), (0, 8, 0)]), [(0, 5, 2), (0, 8, 0)]);
        assert_eq!(loci(2, &[(0, 5, 1), (1, 5, 1), (1, 6, 0)]), [(0, 5, 1), (1, 6, 0)]);
        assert_eq!(loci(0, &[(0, 1, 0), (0, 2, 0), (0, 4, 0)]), [(0, 1, 0), (0, 4, 0)]);
    }
}
