//! Engines for groups of pairs, one for each kind of instructions and width of words.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::band::Band;
use super::blocked_traceback;
use super::group_fill::{CodePair, GroupFill, LaneSequences};
use super::lane_scoring::LaneScoring;
use super::simd::{Instructions, Portable, Simd};
use super::strip_flags::StripFlags;
use super::traceback::{Traceback, flags_of_cell};
use crate::alignment::{Alignment, AlignmentEnd};
use crate::scoring::Scoring;

/// Rows of a strip where there are 32 vector registers.
#[cfg(target_arch = "x86_64")]
const ROWS_OF_32_REGISTERS: usize = 8;

/// Rows of a strip where there are 16 vector registers.
const ROWS_OF_16_REGISTERS: usize = 4;

/// Aligns groups of pairs.
pub(crate) trait GroupEngine: Send + Sync {
    /// Most pairs of a group.
    fn lanes(&self) -> usize;
    /// Ends of the alignments of a group of pairs within a band.
    fn ends(&self, pairs: &[CodePair<'_>], band: Band) -> Vec<AlignmentEnd>;
    /// Alignments of a group of pairs within a band, with about `budget` bytes of memory for the flags of cells, and as many to
    /// compute them again where they need more. `is_proven` tells by a pair's place in the group and its score whether the band
    /// has all of its best alignments.
    fn alignments(
        &self,
        pairs: &[CodePair<'_>],
        band: Band,
        budget: usize,
        is_proven: &dyn Fn(usize, i32) -> bool,
    ) -> Vec<BandResult>;
}

/// Result of a pair in a band.
#[derive(Debug)]
pub(crate) enum BandResult {
    /// The alignment, which is the best one of the whole matrix.
    Aligned(Alignment),
    /// The score of the best alignment in the band, which may have others outside of it that are as good or better.
    Unproven(i32),
}

/// An engine with vectors of `L` lanes, in strips of `R` rows.
struct LaneEngine<'a, S: Simd<L>, const L: usize, const R: usize> {
    simd: S,
    scoring: LaneScoring<'a, S::Word>,
    /// Memory of flags that no group uses now.
    memory: Mutex<Vec<StripFlags<S::Flags, R>>>,
}

/// The engine for a scoring, with words of 8 bits if they suffice.
pub(crate) fn engine(scoring: &Scoring, instructions: Instructions) -> Box<dyn GroupEngine + '_> {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512(simd) => with_words::<_, 64, 32, ROWS_OF_32_REGISTERS>(simd, scoring),
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2(simd) => with_words::<_, 32, 16, ROWS_OF_16_REGISTERS>(simd, scoring),
        Instructions::Portable => with_words::<_, 16, 8, ROWS_OF_16_REGISTERS>(Portable, scoring),
    }
}

/// The engine with `N` words of 8 bits or `W` words of 16 bits.
fn with_words<'a, S, const N: usize, const W: usize, const R: usize>(
    simd: S,
    scoring: &'a Scoring,
) -> Box<dyn GroupEngine + 'a>
where
    S: Simd<N, Word = i8> + Simd<W, Word = i16> + 'a,
{
    let narrow = LaneScoring::<i8>::new(scoring);
    if narrow.fits(R) {
        return Box::new(LaneEngine::<S, N, R>::new(simd, narrow));
    }
    Box::new(LaneEngine::<S, W, R>::new(simd, LaneScoring::<i16>::new(scoring)))
}

impl<'a, S: Simd<L>, const L: usize, const R: usize> LaneEngine<'a, S, L, R> {
    fn new(simd: S, scoring: LaneScoring<'a, S::Word>) -> Self {
        Self { simd, scoring, memory: Mutex::default() }
    }

    /// Memory for flags, which is given back by [`Self::give_back`].
    fn take_memory(&self) -> StripFlags<S::Flags, R> {
        let unused = self.memory.lock().unwrap_or_else(PoisonError::into_inner).pop();
        unused.unwrap_or_else(|| StripFlags::new(flags_of_cell(self.scoring.is_affine())))
    }

    fn give_back(&self, flags: StripFlags<S::Flags, R>) {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).push(flags);
    }
}

impl<S: Simd<L>, const L: usize, const R: usize> GroupEngine for LaneEngine<'_, S, L, R> {
    fn lanes(&self) -> usize {
        L
    }

    fn ends(&self, pairs: &[CodePair<'_>], band: Band) -> Vec<AlignmentEnd> {
        let sequences = &LaneSequences::<_, L, R>::new(self.simd, &self.scoring, pairs);
        let fill = GroupFill { simd: self.simd, scoring: &self.scoring, sequences, band };
        let mut state = fill.begin();
        let mut ends = fill.border_ends();
        while state.strips < sequences.strips() {
            fill.fill_strip(&mut state, Some(&mut ends), None);
        }
        ends[..pairs.len()].to_vec()
    }

    fn alignments(
        &self,
        pairs: &[CodePair<'_>],
        band: Band,
        budget: usize,
        is_proven: &dyn Fn(usize, i32) -> bool,
    ) -> Vec<BandResult> {
        let sequences = &LaneSequences::<_, L, R>::new(self.simd, &self.scoring, pairs);
        let fill = GroupFill { simd: self.simd, scoring: &self.scoring, sequences, band };
        let mut state = fill.begin();
        let mut ends = fill.border_ends();
        // Where all flags would need too much memory, those of a part are computed, followed, and replaced by those of the part
        // above, which begins at a saved row.
        let parts = parts(&fill, budget);
        if (parts.len() - 2).saturating_mul(state.bytes()) > budget {
            let align = |(place, end): (usize, AlignmentEnd)| {
                if !is_proven(place, end.score) {
                    return BandResult::Unproven(end.score);
                }
                let scoring = self.scoring.scoring;
                BandResult::Aligned(blocked_traceback::align(
                    scoring,
                    pairs[place],
                    band,
                    end,
                    budget,
                ))
            };
            return self.ends(pairs, band).into_iter().enumerate().map(align).collect();
        }
        let mut flags = self.take_memory();
        let mut saved = Vec::new();
        for part in parts.windows(2) {
            let is_last = part[1] == sequences.strips();
            if is_last {
                flags.begin(part[0] * R, fill.flag_words(part[0]..part[1]));
            } else {
                saved.push(state.clone());
            }
            for _ in part[0]..part[1] {
                fill.fill_strip(&mut state, Some(&mut ends), is_last.then_some(&mut flags));
            }
        }
        let begin = |(lane, end): (usize, AlignmentEnd)| {
            let (query, target) = pairs[lane];
            let traceback = Traceback::new(self.scoring.scoring, query, target, end);
            is_proven(lane, end.score).then_some(traceback)
        };
        let mut tracebacks: Vec<_> =
            ends.into_iter().take(pairs.len()).enumerate().map(begin).collect();
        // All pairs are followed through a strip before the next one, so that near cells are read one after the other.
        let follow = |tracebacks: &mut [Option<Traceback<'_>>],
                      flags: &StripFlags<S::Flags, R>,
                      strips: Range<usize>| {
            for strip in strips.rev() {
                for (lane, traceback) in tracebacks.iter_mut().enumerate() {
                    let Some(traceback) = traceback else { continue };
                    let bit = lane * S::FLAG_BITS;
                    traceback.follow(strip * R, |row, column| {
                        let words = flags.of_cell(row, column);
                        move |flag| words[flag].into() >> bit & 1 != 0
                    });
                }
            }
        };
        for part in parts.windows(2).rev() {
            if part[1] < sequences.strips() {
                // A row is saved for each part but the last.
                let Some(mut state) = saved.pop() else { break };
                flags.begin(part[0] * R, fill.flag_words(part[0]..part[1]));
                for _ in part[0]..part[1] {
                    fill.fill_strip(&mut state, None, Some(&mut flags));
                }
            }
            follow(&mut tracebacks, &flags, part[0]..part[1]);
        }
        self.give_back(flags);
        let finish = |(traceback, end): (Option<Traceback<'_>>, AlignmentEnd)| match traceback {
            Some(traceback) => BandResult::Aligned(traceback.finish()),
            None => BandResult::Unproven(end.score),
        };
        tracebacks.into_iter().zip(ends).map(finish).collect()
    }
}

/// First strips of the parts whose flags may be in memory together, within `budget` bytes, and the number of strips.
fn parts<S: Simd<L>, const L: usize, const R: usize>(
    fill: &GroupFill<'_, S, L, R>,
    budget: usize,
) -> Vec<usize> {
    let strips = fill.sequences.strips();
    let (mut parts, mut bytes) = (vec![0], 0_usize);
    for strip in 0..strips {
        let more = fill.flag_words(strip..strip + 1) * size_of::<S::Flags>();
        if bytes > 0 && bytes + more > budget {
            parts.push(strip);
            bytes = 0;
        }
        bytes += more;
    }
    parts.push(strips);
    parts
}
