//! The best subjects of each query.

use std::cmp::Ordering;

use rayon::prelude::*;

/// E-values below this limit count as equal.
const TINY_E_VALUE: f64 = 1.0e-180;

/// Compares E-values; the better is less (NCBI's `s_EvalueComp` in `blast_hits.c`).
pub(crate) fn compare_e_values(one: f64, other: f64) -> Ordering {
    if one < TINY_E_VALUE && other < TINY_E_VALUE { Ordering::Equal } else { one.total_cmp(&other) }
}

/// The rank of a subject among all subjects of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SubjectRank {
    /// Least E-value of its alignments.
    pub(crate) e_value: f64,
    /// Best score of its alignments.
    pub(crate) score: i32,
    /// Number of the subject in the database. Of equally good subjects, the last comes first.
    pub(crate) subject: usize,
}

impl SubjectRank {
    /// Compares ranks; the better is less.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let by_e_value = compare_e_values(self.e_value, other.e_value);
        by_e_value.then(other.score.cmp(&self.score)).then(other.subject.cmp(&self.subject))
    }
}

/// Knowledge of the rank of a subject before its alignments are made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RankBound {
    /// There is no alignment that could be reported, so there is no rank.
    NoAlignment,
    /// The rank is known exactly.
    Exact(SubjectRank),
    /// An upper bound: the true rank is no better than this one.
    UpperBound(SubjectRank),
    /// The rank may be any.
    Unknown,
}

/// Number of items that one thread looks at at a time.
const ITEMS_PER_TASK: usize = 1 << 13;

/// The numbers, ascending, of the items (pairs of a query and a subject) that may be among the `limit` best of their
/// query. `bound_of` tells the query of an item and what is known of its rank.
pub(crate) fn candidates<T: Sync>(
    items: &[T],
    bound_of: impl Fn(&T) -> (usize, RankBound) + Sync,
    queries: usize,
    limit: usize,
) -> Vec<usize> {
    let (all, mut chosen) = candidates_by_query(items, bound_of, queries, limit);
    let numbers = all.into_iter().flat_map(|Candidates { exact, bounded }| [exact, bounded]);
    chosen.extend(numbers.flatten().map(|(_, number)| number));
    chosen.sort_unstable();
    chosen
}

/// The worst of the `limit` best exact ranks of each query, or `None` for queries with fewer exact ranks.
pub(crate) fn worst_ranks<T: Sync>(
    items: &[T],
    bound_of: impl Fn(&T) -> (usize, RankBound) + Sync,
    queries: usize,
    limit: usize,
) -> Vec<Option<SubjectRank>> {
    let (all, _) = candidates_by_query(items, bound_of, queries, limit);
    all.iter().map(|candidates| candidates.worst(limit)).collect()
}

/// The candidates for the `limit` best of each query, and the numbers of the items of which nothing is known.
fn candidates_by_query<T: Sync>(
    items: &[T],
    bound_of: impl Fn(&T) -> (usize, RankBound) + Sync,
    queries: usize,
    limit: usize,
) -> (Vec<Candidates>, Vec<usize>) {
    let of_part = |(part, items): (usize, &[T])| {
        let mut of_queries = vec![Candidates::default(); queries];
        let mut open = Vec::new();
        for (number, item) in (part * ITEMS_PER_TASK..).zip(items) {
            match bound_of(item) {
                (_, RankBound::NoAlignment) => {}
                (query, RankBound::Exact(rank)) => of_queries[query].exact.push((rank, number)),
                (query, RankBound::UpperBound(rank)) => {
                    of_queries[query].bounded.push((rank, number));
                }
                (_, RankBound::Unknown) => open.push(number),
            }
        }
        for candidates in &mut of_queries {
            candidates.keep(limit);
        }
        (of_queries, open)
    };
    let parts: Vec<_> = items.par_chunks(ITEMS_PER_TASK).enumerate().map(of_part).collect();
    let mut all = vec![Candidates::default(); queries];
    let mut open = Vec::new();
    for (of_queries, mut more) in parts {
        for (all, mut own) in all.iter_mut().zip(of_queries) {
            all.exact.append(&mut own.exact);
            all.bounded.append(&mut own.bounded);
        }
        open.append(&mut more);
    }
    all.par_iter_mut().for_each(|candidates| candidates.keep(limit));
    (all, open)
}

/// Items that may be among the best of a query, each with its number.
#[derive(Debug, Clone, Default)]
struct Candidates {
    /// Items whose rank is known.
    exact: Vec<(SubjectRank, usize)>,
    /// Items of whose rank an upper bound is known.
    bounded: Vec<(SubjectRank, usize)>,
}

impl Candidates {
    /// Drops items that cannot be among the `limit` best.
    fn keep(&mut self, limit: usize) {
        keep_first(&mut self.exact, limit, |one, other| one.0.order(&other.0));
        if let Some(worst) = self.worst(limit) {
            self.bounded.retain(|(rank, _)| rank.order(&worst) == Ordering::Less);
        }
    }

    /// The worst of the exact ranks, if there are `limit` of them.
    fn worst(&self, limit: usize) -> Option<SubjectRank> {
        let ranks = self.exact.iter().map(|&(rank, _)| rank);
        ranks.max_by(SubjectRank::order).filter(|_| self.exact.len() >= limit)
    }
}

/// Keeps the first `limit` items of an order without ties. Items are sorted only if there were more.
pub(crate) fn keep_first<T>(items: &mut Vec<T>, limit: usize, order: impl Fn(&T, &T) -> Ordering) {
    if items.len() > limit {
        items.select_nth_unstable_by(limit, &order);
        items.truncate(limit);
        items.sort_unstable_by(order);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_the_best_and_what_is_open() {
        for seed in 0..50 {
            let mut random = fastrand::Rng::with_seed(seed);
            let count = random.usize(..60);
            let mut numbers: Vec<usize> = (0..count).collect();
            random.shuffle(&mut numbers);
            let known: Vec<(usize, RankBound)> = numbers
                .into_iter()
                .map(|subject| {
                    let e_value = [0.0, 1e-190, 1e-20, 3.0][random.usize(..4)];
                    let score = random.i32(20..24);
                    let rank = SubjectRank { e_value, score, subject };
                    let known = match random.u8(..8) {
                        0 => RankBound::Unknown,
                        1 => RankBound::NoAlignment,
                        2 => RankBound::UpperBound(rank),
                        _ => RankBound::Exact(rank),
                    };
                    (random.usize(..3), known)
                })
                .collect();
            let most = random.usize(1..12);
            let is_chosen = |&number: &usize| {
                let (query, own) = known[number];
                let (RankBound::Exact(rank) | RankBound::UpperBound(rank)) = own else {
                    return matches!(own, RankBound::Unknown);
                };
                let better = known.iter().filter(|(other, known)| {
                    let is_better = |other: &SubjectRank| other.order(&rank) == Ordering::Less;
                    *other == query && matches!(known, RankBound::Exact(other) if is_better(other))
                });
                better.count() < most
            };
            let expected: Vec<usize> = (0..count).filter(is_chosen).collect();
            assert_eq!(candidates(&known, |&known| known, 3, most), expected, "seed {seed}");
            for (query, last) in
                worst_ranks(&known, |&known| known, 3, most).into_iter().enumerate()
            {
                let of_query = known.iter().filter(|(other, _)| *other == query);
                let rank = |known: &(usize, RankBound)| match known.1 {
                    RankBound::Exact(rank) => Some(rank),
                    _ => None,
                };
                let mut ranks: Vec<SubjectRank> = of_query.filter_map(rank).collect();
                ranks.sort_by(SubjectRank::order);
                assert_eq!(last, ranks.get(most - 1).copied(), "seed {seed}");
            }
        }
    }
}
