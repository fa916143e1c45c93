//! Engine for processors.
//!
//! Pairs of similar size form a group that shares vector instructions, with a SIMD lane for each pair; groups are
//! distributed over the threads of the current rayon pool. Scores that are edit distances are computed with a bit for
//! each matrix cell (`edit_distance`), all others with a word of 8 or 16 bits for each cell.
//!
//! ```text
//!   group_pairs     groups of pairs
//!     engine        a group: ends of alignments, or the whole alignments
//!       group_fill  its matrices, strip after strip        traceback
//!         strip     a few rows, in registers               blocked_traceback (very long pairs)
//!           simd    vectors of AVX-512, AVX2 or plain code
//! ```

mod band;
mod blocked_traceback;
mod edit_distance;
mod engine;
mod group_fill;
mod lane_scoring;
mod pair_scorer;
mod simd;
mod strip;
mod strip_flags;
mod traceback;

use rayon::prelude::*;

use crate::alignment::Alignment;
use crate::batch::{PairBatch, SequencePair};
use crate::scoring::Scoring;
use band::Band;
use engine::{CodePair, engine};
use simd::Instructions;

/// Greatest number of bytes that a thread holds for the flags of cells. Where a group needs more, parts of its matrices are
/// computed twice, or its pairs are aligned one by one (`blocked_traceback`).
pub const MAX_DIRECTION_BYTES: usize = 128 << 20;

/// Scores of the pairs of a batch, in their order.
pub fn scores(scoring: &Scoring, batch: PairBatch<'_>) -> Vec<i32> {
    scores_with(scoring, batch, Instructions::best())
}

/// [`scores`] with one kind of instructions.
fn scores_with(scoring: &Scoring, batch: PairBatch<'_>, instructions: Instructions) -> Vec<i32> {
    if scoring.is_edit_distance() {
        let groups = group_pairs(edit_distance::LANES, batch);
        return in_batch_order(batch, &groups, |pairs| {
            let distances = edit_distance::distances(pairs);
            distances[..pairs.len()].iter().map(|&distance| -(distance as i32)).collect()
        });
    }
    let engine = engine(scoring, instructions);
    let groups = group_pairs(engine.lanes(), batch);
    in_batch_order(batch, &groups, |pairs| {
        engine.ends(pairs, Band::WHOLE).iter().map(|end| end.score).collect()
    })
}

/// Alignments of the pairs of a batch, in their order.
pub fn alignments(scoring: &Scoring, batch: PairBatch<'_>) -> Vec<Alignment> {
    alignments_within(scoring, batch, MAX_DIRECTION_BYTES)
}

/// [`alignments`] with at most about `budget` bytes for the flags of cells in each thread.
pub fn alignments_within(scoring: &Scoring, batch: PairBatch<'_>, budget: usize) -> Vec<Alignment> {
    alignments_with(scoring, batch, budget, Instructions::best())
}

/// [`alignments_within`] with one kind of instructions.
fn alignments_with(
    scoring: &Scoring,
    batch: PairBatch<'_>,
    budget: usize,
    instructions: Instructions,
) -> Vec<Alignment> {
    let engine = engine(scoring, instructions);
    let groups = group_pairs(engine.lanes(), batch);
    in_batch_order(batch, &groups, |pairs| engine.alignments(pairs, Band::WHOLE, budget))
}

/// Groups of up to `lanes` pairs of similar size, by their indices in the batch, so that lanes compute few cells outside of
/// their own matrix.
fn group_pairs(lanes: usize, batch: PairBatch<'_>) -> Vec<Vec<usize>> {
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
            (m.next_power_of_two(), class, n, m, index)
        })
        .collect();
    order.par_sort_unstable();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut last = None;
    for (power, class, n, _, index) in order {
        let fits = last.is_some_and(|(key, least)| {
            // A target of more than twice the least length would make most of the other lanes padding.
            key == (power, class) && n <= 2 * least + 64
        });
        match groups.last_mut() {
            Some(group) if fits && group.len() < lanes => group.push(index),
            _ => {
                last = Some(((power, class), n));
                groups.push(vec![index]);
            }
        }
    }
    groups
}

/// Results of `work` for the pairs of each group, in the order of the batch.
fn in_batch_order<T: Send + Clone + Default>(
    batch: PairBatch<'_>,
    groups: &[Vec<usize>],
    work: impl Fn(&[CodePair<'_>]) -> Vec<T> + Sync + Send,
) -> Vec<T> {
    let work = |group: &Vec<usize>| {
        let pairs: Vec<_> = group.iter().map(|&at| batch.sequences(batch.pairs[at])).collect();
        work(&pairs)
    };
    // Large groups come last, and should start first.
    let done: Vec<Vec<T>> = groups.par_iter().rev().with_max_len(1).map(work).collect();
    let mut all = vec![T::default(); batch.pairs.len()];
    for (group, results) in groups.iter().rev().zip(done) {
        for (&index, result) in group.iter().zip(results) {
            all[index] = result;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::batch::SequenceSet;
    use crate::oracle;
    use crate::scoring::{FreeEnds, GapCosts, SubstitutionMatrix};

    /// Scorings for words of 8 and of 16 bits, with and without matrices.
    fn scorings() -> Vec<Scoring> {
        let simple = |matching, mismatch, open, extend| {
            Scoring::with_match_mismatch(matching, mismatch, GapCosts { open, extend })
                .expect("a scoring")
        };
        let matrix = |open, extend| {
            let matrix = SubstitutionMatrix::built_in("BLOSUM62").expect("a name");
            let gaps = GapCosts { open, extend };
            Scoring::with_matrix(matrix.expect("a matrix"), gaps).expect("a scoring")
        };
        vec![
            simple(5, -4, 10, 1),
            simple(5, -4, 10, 10),
            simple(1, -3, 5, 0),
            simple(0, -1, 1, 1),
            simple(-1, -3, 4, 2),
            simple(500, -500, 500, 3),
            simple(90, -500, 60, 60),
            matrix(11, 1),
            matrix(4, 4),
            matrix(400, 30),
        ]
    }

    /// Random pairs, more than a group has, some of them related.
    fn pairs(random: &mut Rng, codes: u8, longest: usize) -> (SequenceSet, SequenceSet) {
        let (mut queries, mut targets) = (SequenceSet::default(), SequenceSet::default());
        for _ in 0..random.usize(1..90) {
            let query: Vec<u8> =
                (0..random.usize(..=longest)).map(|_| random.u8(..codes)).collect();
            let rate = random.usize(1..30);
            let mut target = Vec::new();
            for &code in &query {
                match random.usize(..3 * rate) {
                    0 => {}
                    1 => target.extend([code, random.u8(..codes)]),
                    2 => target.push(random.u8(..codes)),
                    _ => target.push(code),
                }
            }
            queries.push(&query);
            targets.push(&target);
        }
        (queries, targets)
    }

    #[test]
    fn every_kind_of_instructions_finds_the_alignments_of_the_oracle() {
        for (number, scoring) in scorings().into_iter().enumerate() {
            for seed in 0..6 {
                let mut random = Rng::with_seed(seed);
                let bit = |bit: u8| !seed.is_multiple_of(4) && random.u8(..4) >> (bit % 2) & 1 != 0;
                let [query_begin, query_end, target_begin, target_end] = [0, 1, 2, 3].map(bit);
                let free = FreeEnds { query_begin, query_end, target_begin, target_end };
                let scoring = scoring.clone().with_free_ends(free);
                let codes = scoring.alphabet().len() as u8;
                let longest = [3, 40, 150][seed as usize % 3];
                let (queries, targets) = pairs(&mut random, codes, longest);
                let pairs: Vec<_> = (0..queries.len() as u32)
                    .map(|number| SequencePair { query: number, target: number })
                    .collect();
                let batch = PairBatch { queries: &queries, targets: &targets, pairs: &pairs };
                let expected: Vec<Alignment> = pairs
                    .iter()
                    .map(|&pair| {
                        let (query, target) = batch.sequences(pair);
                        oracle::align(&scoring, query, target)
                    })
                    .collect();
                let scores: Vec<i32> = expected.iter().map(|alignment| alignment.score).collect();
                for instructions in Instructions::available() {
                    let case = format!("scoring {number}, seed {seed}, {instructions:?}");
                    assert_eq!(scores_with(&scoring, batch, instructions), scores, "{case}");
                    // All flags at once; in parts; and pair by pair.
                    for budget in [MAX_DIRECTION_BYTES, 100_000, 20_000, 1] {
                        let found = alignments_with(&scoring, batch, budget, instructions);
                        assert_eq!(found, expected, "{case}, budget {budget}");
                    }
                }
            }
        }
    }
}
