//! Loci: runs of neighbouring matches that count as one place.
//!
//! Around every good match there are worse ones that begin a few bases earlier or later. A *locus* is a maximal run of
//! match starts on one contig and strand where neighbours are at most `max(k, 1)` apart. The match of least distance
//! represents it, the leftmost of several. For `k` = 2:
//!
//! ```text
//!   start      5   6   7   8   9  10  11  12  13  14  15
//!   distance   2       0       0       1               2
//!   locus     |----- represented by 7 -----|          |-|
//! ```

use super::matches::Match;
use crate::read::Strand;

/// A locus of a read, by its representative match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Locus {
    /// The match that represents the locus.
    pub best: Match,
    /// The strand of the match.
    pub strand: Strand,
}

impl Locus {
    /// Sort key: by contig, start and strand.
    pub fn order(&self) -> (u32, u64) {
        (self.best.contig, u64::from(self.best.start) << 1 | self.strand as u64)
    }
}

/// Builds the loci of one strand from matches whose starts descend within each contig; contigs may come in any order.
#[derive(Debug)]
pub struct LocusBuilder<'a> {
    /// Greatest distance of neighbouring starts within a locus.
    reach: u32,
    strand: Strand,
    open: Option<OpenLocus>,
    done: &'a mut Vec<Locus>,
}

/// A locus to which matches may still be added.
#[derive(Debug)]
struct OpenLocus {
    best: Match,
    /// The leftmost start so far, which is the latest one.
    leftmost: u32,
}

impl<'a> LocusBuilder<'a> {
    /// Makes a builder for one strand, which appends loci to `done` in the order of their matches.
    pub fn new(k: usize, strand: Strand, done: &'a mut Vec<Locus>) -> Self {
        Self { reach: k.max(1) as u32, strand, open: None, done }
    }

    /// Adds the next match.
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
                self.open = Some(OpenLocus { best: found, leftmost: found.start });
            }
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.done.push(Locus { best: open.best, strand: self.strand });
        }
    }

    /// Completes the last locus.
    pub fn finish(mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loci(k: usize, matches: &[(u32, u32, u8)]) -> Vec<(u32, u32, u8)> {
        let mut done = Vec::new();
        let mut builder = LocusBuilder::new(k, Strand::Forward, &mut done);
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
