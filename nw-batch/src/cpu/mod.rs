//! The engine for processors: pairs of similar size share vector instructions, a lane a pair, and
//! groups of them share the threads of the current rayon pool. Scores that are edit distances are
//! computed a bit a cell (`edit`), all else a word a cell (`fill`).

mod blocks;
mod edit;
mod fill;
mod rows;
mod trace;
mod word;

use rayon::prelude::*;

use crate::batch::{Batch, Pair};
use crate::bias::Bias;
use crate::cigar::Alignment;
use crate::scoring::Scoring;
use fill::{Directions, Model};
use trace::Walk;
use word::Word;

/// Pairs of a group where 16 bits hold their scores: a vector of 256 bits. With more, compilers keep
/// the rows in memory, which is 20 times slower.
const NARROW: usize = 16;

/// Pairs of a group else.
const WIDE: usize = 8;

/// Bytes of directions that a thread holds at most: beyond, rows are computed again.
pub const DIRECTIONS: usize = 128 << 20;

/// The scores of the pairs, in their order.
pub fn scores(scoring: &Scoring, batch: Batch<'_>) -> Vec<i32> {
    let (narrow, wide) = models(scoring);
    let groups = groups(&narrow.bias, batch);
    in_order(batch, &groups, |group| {
        let pairs: Vec<_> =
            group.pairs.iter().map(|&at| batch.sequences(batch.pairs[at])).collect();
        if scoring.is_edit_distance() {
            let distances = pairs.chunks(edit::LANES).map(edit::distances);
            distances.flatten().take(pairs.len()).map(|distance| -(distance as i32)).collect()
        } else if group.narrow {
            narrow.fill::<NARROW>(&pairs, None).map(|end| end.score).to_vec()
        } else {
            wide.fill::<WIDE>(&pairs, None).map(|end| end.score).to_vec()
        }
    })
}

/// The alignments of the pairs, in their order.
pub fn alignments(scoring: &Scoring, batch: Batch<'_>) -> Vec<Alignment> {
    alignments_within(scoring, batch, DIRECTIONS)
}

/// The same, with at most `budget` bytes of directions a thread.
pub fn alignments_within(scoring: &Scoring, batch: Batch<'_>, budget: usize) -> Vec<Alignment> {
    let (narrow, wide) = models(scoring);
    let groups = groups(&narrow.bias, batch);
    in_order(batch, &groups, |group| {
        let pairs: Vec<_> =
            group.pairs.iter().map(|&at| batch.sequences(batch.pairs[at])).collect();
        if group.narrow {
            traced::<i16, NARROW>(&narrow, &wide, &pairs, budget)
        } else {
            traced::<i32, WIDE>(&wide, &wide, &pairs, budget)
        }
    })
}

fn models(scoring: &Scoring) -> (Model<'_, i16>, Model<'_, i32>) {
    (Model::new(scoring, Bias::narrow(scoring)), Model::new(scoring, Bias::wide(scoring)))
}

/// The alignments of a group.
fn traced<W: Word, const L: usize>(
    model: &Model<'_, W>,
    wide: &Model<'_, i32>,
    pairs: &[(&[u8], &[u8])],
    budget: usize,
) -> Vec<Alignment> {
    let rows = pairs.iter().map(|pair| pair.0.len()).max().unwrap_or(0);
    let columns = pairs.iter().map(|pair| pair.1.len()).max().unwrap_or(0);
    if rows.saturating_mul(columns).saturating_mul(L) > budget {
        let align = |&(query, target): &(&[u8], &[u8])| blocks::align(wide, query, target, budget);
        return pairs.iter().map(align).collect();
    }
    let mut directions = Directions::<L> { cells: Vec::new(), columns: 0 };
    let ends = model.fill(pairs, Some(&mut directions));
    let lanes = pairs.iter().zip(ends).enumerate();
    lanes
        .map(|(lane, (&(query, target), end))| {
            let mut walk = Walk::new(model.scoring, query, target, end);
            walk.go(0, |row, column| {
                directions.cells[(row - 1) * directions.columns + column - 1][lane]
            });
            Alignment { score: end.score, cigar: walk.finish() }
        })
        .collect()
}

/// Pairs that are computed together, by their places in the batch.
struct Group {
    pairs: Vec<usize>,
    narrow: bool,
}

/// Groups pairs of similar size, so that lanes have little beyond their own matrix.
fn groups(narrow: &Bias, batch: Batch<'_>) -> Vec<Group> {
    let lengths = |pair: Pair| {
        let (query, target) = batch.sequences(pair);
        (query.len(), target.len())
    };
    let mut order: Vec<_> = batch
        .pairs
        .iter()
        .enumerate()
        .map(|(place, &pair)| {
            let (m, n) = lengths(pair);
            // Queries that differ by less than an eighth are of one class.
            let class = m.div_ceil((m.next_power_of_two() / 8).max(8));
            (!narrow.fits(m, n), m.next_power_of_two(), class, n, m, place)
        })
        .collect();
    order.par_sort_unstable();
    let mut groups: Vec<Group> = Vec::new();
    let mut last = None;
    for (wide, power, class, n, _, place) in order {
        let capacity = if wide { WIDE } else { NARROW };
        let fits = last.is_some_and(|(key, least)| {
            // Targets of less than half the length would be mostly padding.
            key == (wide, power, class) && n <= 2 * least + 64
        });
        match groups.last_mut() {
            Some(group) if fits && group.pairs.len() < capacity => group.pairs.push(place),
            _ => {
                last = Some(((wide, power, class), n));
                groups.push(Group { pairs: vec![place], narrow: !wide });
            }
        }
    }
    groups
}

/// What `work` gives for each pair of each group, in the order of the batch.
fn in_order<T: Send + Clone + Default>(
    batch: Batch<'_>,
    groups: &[Group],
    work: impl Fn(&Group) -> Vec<T> + Sync + Send,
) -> Vec<T> {
    // The large groups come last in their order, and are best begun first.
    let done: Vec<Vec<T>> = groups.par_iter().rev().with_max_len(1).map(work).collect();
    let mut all = vec![T::default(); batch.pairs.len()];
    for (group, results) in groups.iter().rev().zip(done) {
        for (&place, result) in group.pairs.iter().zip(results) {
            all[place] = result;
        }
    }
    all
}
