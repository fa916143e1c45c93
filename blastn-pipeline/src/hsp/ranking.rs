//! Which subjects of a query are the best.

use std::cmp::Ordering;

use rayon::prelude::*;

/// E-values below this count as equal.
const NOTHING: f64 = 1.0e-180;

/// How good the alignments of a query and a subject are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SubjectRank {
    /// The least of them.
    pub(crate) e_value: f64,
    /// The best.
    pub(crate) score: i32,
    /// The subject's number: of equally good ones, the last comes first.
    pub(crate) subject: usize,
}

impl SubjectRank {
    /// The best first.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let by_e_value = if self.e_value < NOTHING && other.e_value < NOTHING {
            Ordering::Equal
        } else {
            self.e_value.total_cmp(&other.e_value)
        };
        by_e_value.then(other.score.cmp(&self.score)).then(other.subject.cmp(&self.subject))
    }
}

/// What is known of the rank of a query and subject before their alignments are made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RankBound {
    /// There is no alignment that could be reported, so there is no rank.
    NoAlignment,
    /// The rank itself.
    Exact(SubjectRank),
    /// An upper bound: the true rank is no better than this one.
    UpperBound(SubjectRank),
    /// Nothing is known.
    Unknown,
}

/// Items of a part that is looked at by one thread.
const OF_PART: usize = 1 << 13;

/// The numbers, in order, of the items that may be among the `most` best of their query. `known` tells the
/// query of each.
pub(crate) fn candidates<T: Sync>(
    items: &[T],
    known: impl Fn(&T) -> (usize, RankBound) + Sync,
    queries: usize,
    most: usize,
) -> Vec<usize> {
    let (all, mut chosen) = of_queries(items, known, queries, most);
    let numbers = all.into_iter().flat_map(|Candidates { ranked, at_best }| [ranked, at_best]);
    chosen.extend(numbers.flatten().map(|(_, number)| number));
    chosen.sort_unstable();
    chosen
}

/// The last of the `most` best of each query, of those whose rank is known, if there are so many.
pub(crate) fn lasts<T: Sync>(
    items: &[T],
    known: impl Fn(&T) -> (usize, RankBound) + Sync,
    queries: usize,
    most: usize,
) -> Vec<Option<SubjectRank>> {
    let (all, _) = of_queries(items, known, queries, most);
    all.iter().map(|candidates| candidates.last(most)).collect()
}

/// What may be among the `most` best of each query, and what is open.
fn of_queries<T: Sync>(
    items: &[T],
    known: impl Fn(&T) -> (usize, RankBound) + Sync,
    queries: usize,
    most: usize,
) -> (Vec<Candidates>, Vec<usize>) {
    let of_part = |(part, items): (usize, &[T])| {
        let mut of_queries = vec![Candidates::default(); queries];
        let mut open = Vec::new();
        for (number, item) in (part * OF_PART..).zip(items) {
            match known(item) {
                (_, RankBound::NoAlignment) => {}
                (query, RankBound::Exact(rank)) => of_queries[query].ranked.push((rank, number)),
                (query, RankBound::UpperBound(rank)) => {
                    of_queries[query].at_best.push((rank, number))
                }
                (_, RankBound::Unknown) => open.push(number),
            }
        }
        for candidates in &mut of_queries {
            candidates.keep(most);
        }
        (of_queries, open)
    };
    let parts: Vec<_> = items.par_chunks(OF_PART).enumerate().map(of_part).collect();
    let mut all = vec![Candidates::default(); queries];
    let mut open = Vec::new();
    for (of_queries, mut more) in parts {
        for (all, mut own) in all.iter_mut().zip(of_queries) {
            all.ranked.append(&mut own.ranked);
            all.at_best.append(&mut own.at_best);
        }
        open.append(&mut more);
    }
    all.par_iter_mut().for_each(|candidates| candidates.keep(most));
    (all, open)
}

/// What may be among the best of a query.
#[derive(Debug, Clone, Default)]
struct Candidates {
    ranked: Vec<(SubjectRank, usize)>,
    at_best: Vec<(SubjectRank, usize)>,
}

impl Candidates {
    /// Keeps what may be among the `most` best.
    fn keep(&mut self, most: usize) {
        keep_first(&mut self.ranked, most, |one, other| one.0.order(&other.0));
        if let Some(last) = self.last(most) {
            self.at_best.retain(|(rank, _)| rank.order(&last) == Ordering::Less);
        }
    }

    /// The last that is kept, if there is no room for more.
    fn last(&self, most: usize) -> Option<SubjectRank> {
        let ranks = self.ranked.iter().map(|&(rank, _)| rank);
        ranks.max_by(SubjectRank::order).filter(|_| self.ranked.len() >= most)
    }
}

/// Keeps the first `most` items of an order without ties, in that order if there are more.
pub(crate) fn keep_first<T>(items: &mut Vec<T>, most: usize, order: impl Fn(&T, &T) -> Ordering) {
    if items.len() > most {
        items.select_nth_unstable_by(most, &order);
        items.truncate(most);
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
            for (query, last) in lasts(&known, |&known| known, 3, most).into_iter().enumerate() {
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
