//! Engine for processors.
//!
//! Pairs of similar size form a group that shares vector instructions, with a SIMD lane for each pair; groups are
//! distributed over the threads of the current rayon pool. Scores that are edit distances are computed with a bit for
//! each matrix cell (`edit_distance`), all others with a word for each cell (`fill_group`).

mod blocked_traceback;
mod edit_distance;
mod fill_group;
mod fill_rows;
mod lane_word;
mod traceback;

use rayon::prelude::*;

use crate::alignment::Alignment;
use crate::batch::{PairBatch, SequencePair};
use crate::scoring::Scoring;
use crate::scoring::bias::ScoreBias;
use fill_group::{Directions, LaneScoring};
use lane_word::LaneWord;
use traceback::Traceback;

/// Pairs of a group whose scores 16 bits hold: a vector of 256 bits. With more, compilers keep rows in memory instead
/// of registers, which is 20 times slower.
const NARROW_LANES: usize = 16;

/// Pairs of a group whose scores need 32 bits.
const WIDE_LANES: usize = 8;

/// Greatest number of bytes of directions that a thread holds. Where a group needs more, its pairs are aligned one by
/// one, by checkpoints (`blocked_traceback`).
pub const MAX_DIRECTION_BYTES: usize = 128 << 20;

/// Scores of the pairs of a batch, in their order.
pub fn scores(scoring: &Scoring, batch: PairBatch<'_>) -> Vec<i32> {
    let (narrow, wide) = lane_scorings(scoring);
    let groups = group_pairs(&narrow.bias, batch);
    in_batch_order(batch, &groups, |group| {
        let pairs: Vec<_> =
            group.pairs.iter().map(|&at| batch.sequences(batch.pairs[at])).collect();
        if scoring.is_edit_distance() {
            let distances = pairs.chunks(edit_distance::LANES).map(edit_distance::distances);
            distances.flatten().take(pairs.len()).map(|distance| -(distance as i32)).collect()
        } else if group.is_narrow {
            narrow.fill::<NARROW_LANES>(&pairs, None).map(|end| end.score).to_vec()
        } else {
            wide.fill::<WIDE_LANES>(&pairs, None).map(|end| end.score).to_vec()
        }
    })
}

/// Alignments of the pairs of a batch, in their order.
pub fn alignments(scoring: &Scoring, batch: PairBatch<'_>) -> Vec<Alignment> {
    alignments_within(scoring, batch, MAX_DIRECTION_BYTES)
}

/// [`alignments`] with at most `budget` bytes of directions in each thread.
pub fn alignments_within(scoring: &Scoring, batch: PairBatch<'_>, budget: usize) -> Vec<Alignment> {
    let (narrow, wide) = lane_scorings(scoring);
    let groups = group_pairs(&narrow.bias, batch);
    in_batch_order(batch, &groups, |group| {
        let pairs: Vec<_> =
            group.pairs.iter().map(|&at| batch.sequences(batch.pairs[at])).collect();
        if group.is_narrow {
            align_group::<i16, NARROW_LANES>(&narrow, &wide, &pairs, budget)
        } else {
            align_group::<i32, WIDE_LANES>(&wide, &wide, &pairs, budget)
        }
    })
}

/// A scoring in words of 16 and of 32 bits.
fn lane_scorings(scoring: &Scoring) -> (LaneScoring<'_, i16>, LaneScoring<'_, i32>) {
    (
        LaneScoring::new(scoring, ScoreBias::narrow(scoring)),
        LaneScoring::new(scoring, ScoreBias::wide(scoring)),
    )
}

/// Alignments of a group of pairs; `wide` is the scoring in 32 bits, for matrices whose directions exceed `budget`
/// bytes.
fn align_group<W: LaneWord, const L: usize>(
    scoring: &LaneScoring<'_, W>,
    wide: &LaneScoring<'_, i32>,
    pairs: &[(&[u8], &[u8])],
    budget: usize,
) -> Vec<Alignment> {
    let rows = pairs.iter().map(|pair| pair.0.len()).max().unwrap_or(0);
    let columns = pairs.iter().map(|pair| pair.1.len()).max().unwrap_or(0);
    if rows.saturating_mul(columns).saturating_mul(L) > budget {
        let align = |&(query, target): &(&[u8], &[u8])| {
            blocked_traceback::align(wide, query, target, budget)
        };
        return pairs.iter().map(align).collect();
    }
    let mut directions = Directions::<L> { cells: Vec::new(), columns: 0 };
    let ends = scoring.fill(pairs, Some(&mut directions));
    let lanes = pairs.iter().zip(ends).enumerate();
    lanes
        .map(|(lane, (&(query, target), end))| {
            let mut traceback = Traceback::new(scoring.scoring, query, target, end);
            traceback.follow(0, |row, column| {
                directions.cells[(row - 1) * directions.columns + column - 1][lane]
            });
            Alignment { score: end.score, cigar: traceback.finish() }
        })
        .collect()
}

/// Pairs that are computed together.
struct PairGroup {
    /// Indices of the pairs in the batch.
    pairs: Vec<usize>,
    /// Whether 16 bits hold their scores.
    is_narrow: bool,
}

/// Groups pairs of similar size, so that lanes compute few cells outside of their own matrix.
fn group_pairs(narrow: &ScoreBias, batch: PairBatch<'_>) -> Vec<PairGroup> {
    let lengths = |pair: SequencePair| {
        let (query, target) = batch.sequences(pair);
        (query.len(), target.len())
    };
    let mut order: Vec<_> = batch
        .pairs
        .iter()
        .enumerate()
        .map(|(index, &pair)| {
            let (m, n) = lengths(pair);
            // Queries whose lengths differ by less than an eighth are of one class.
            let class = m.div_ceil((m.next_power_of_two() / 8).max(8));
            (!narrow.fits(m, n), m.next_power_of_two(), class, n, m, index)
        })
        .collect();
    order.par_sort_unstable();
    let mut groups: Vec<PairGroup> = Vec::new();
    let mut last = None;
    for (wide, power, class, n, _, index) in order {
        let capacity = if wide { WIDE_LANES } else { NARROW_LANES };
        let fits = last.is_some_and(|(key, least)| {
            // A target of more than twice the least length would make most of the other lanes padding.
            key == (wide, power, class) && n <= 2 * least + 64
        });
        match groups.last_mut() {
            Some(group) if fits && group.pairs.len() < capacity => group.pairs.push(index),
            _ => {
                last = Some(((wide, power, class), n));
                groups.push(PairGroup { pairs: vec![index], is_narrow: !wide });
            }
        }
    }
    groups
}

/// Results of `work` for the pairs of each group, in the order of the batch.
fn in_batch_order<T: Send + Clone + Default>(
    batch: PairBatch<'_>,
    groups: &[PairGroup],
    work: impl Fn(&PairGroup) -> Vec<T> + Sync + Send,
) -> Vec<T> {
    // Large groups come last, and should start first.
    let done: Vec<Vec<T>> = groups.par_iter().rev().with_max_len(1).map(work).collect();
    let mut all = vec![T::default(); batch.pairs.len()];
    for (group, results) in groups.iter().rev().zip(done) {
        for (&index, result) in group.pairs.iter().zip(results) {
            all[index] = result;
        }
    }
    all
}
