//! Which subjects of a query are the best.

use std::cmp::Ordering;

use rayon::prelude::*;

/// E-values below this count as equal.
const NOTHING: f64 = 1.0e-180;

/// How good the alignments of a query and a subject are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rank {
    /// The least of them.
    pub(crate) e_value: f64,
    /// The best.
    pub(crate) score: i32,
    /// The subject's number: of equally good ones, the last comes first.
    pub(crate) subject: usize,
}

impl Rank {
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

/// What is known of the rank of something.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Known {
    /// It has none, as there is no alignment.
    Nothing,
    /// All.
    Rank(Rank),
    /// That it is no better.
    AtBest(Rank),
    /// Nothing before its alignments are made.
    Open,
}

/// Items of a part that is looked at by one thread.
const OF_PART: usize = 1 << 13;

/// The numbers, in order, of the items that may be among the `most` best of their query. `known` tells the
/// query of each.
pub(crate) fn candidates<T: Sync>(
    items: &[T],
    known: impl Fn(&T) -> (usize, Known) + Sync,
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
    known: impl Fn(&T) -> (usize, Known) + Sync,
    queries: usize,
    most: usize,
) -> Vec<Option<Rank>> {
    let (all, _) = of_queries(items, known, queries, most);
    all.iter().map(|candidates| candidates.last(most)).collect()
}

/// What may be among the `most` best of each query, and what is open.
fn of_queries<T: Sync>(
    items: &[T],
    known: impl Fn(&T) -> (usize, Known) + Sync,
    queries: usize,
    most: usize,
) -> (Vec<Candidates>, Vec<usize>) {
    let of_part = |(part, items): (usize, &[T])| {
        let mut of_queries = vec![Candidates::default(); queries];
        let mut open = Vec::new();
        for (number, item) in (part * OF_PART..).zip(items) {
            match known(item) {
                (_, Known::Nothing) => {}
                (query, Known::Rank(rank)) => of_queries[query].ranked.push((rank, number)),
                (query, Known::AtBest(rank)) => of_queries[query].at_best.push((rank, number)),
                (_, Known::Open) => open.push(number),
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
    ranked: Vec<(Rank, usize)>,
    at_best: Vec<(Rank, usize)>,
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
    fn last(&self, most: usize) -> Option<Rank> {
        let ranks = self.ranked.iter().map(|&(rank, _)| rank);
        ranks.max_by(Rank::order).filter(|_| self.ranked.len() >= most)
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
            let known: Vec<(usize, Known)> = numbers
                .into_iter()
                .map(|subject| {
                    let e_value = [0.0, 1e-190, 1e-20, 3.0][random.usize(..4)];
                    let score = random.i32(20..24);
                    let rank = Rank { e_value, score, subject };
                    let known = match random.u8(..8) {
                        0 => Known::Open,
                        1 => Known::Nothing,
                        2 => Known::AtBest(rank),
                        _ => Known::Rank(rank),
                    };
                    (random.usize(..3), known)
                })
                .collect();
            let most = random.usize(1..12);
            let is_chosen = |&number: &usize| {
                let (query, own) = known[number];
                let (Known::Rank(rank) | Known::AtBest(rank)) = own else {
                    return matches!(own, Known::Open);
                };
                let better = known.iter().filter(|(other, known)| {
                    let is_better = |other: &Rank| other.order(&rank) == Ordering::Less;
                    *other == query && matches!(known, Known::Rank(other) if is_better(other))
                });
                better.count() < most
            };
            let expected: Vec<usize> = (0..count).filter(is_chosen).collect();
            assert_eq!(candidates(&known, |&known| known, 3, most), expected, "seed {seed}");
            for (query, last) in lasts(&known, |&known| known, 3, most).into_iter().enumerate() {
                let of_query = known.iter().filter(|(other, _)| *other == query);
                let rank = |known: &(usize, Known)| match known.1 {
                    Known::Rank(rank) => Some(rank),
                    _ => None,
                };
                let mut ranks: Vec<Rank> = of_query.filter_map(rank).collect();
                ranks.sort_by(Rank::order);
                assert_eq!(last, ranks.get(most - 1).copied(), "seed {seed}");
            }
        }
    }
}
