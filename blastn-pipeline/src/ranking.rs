//! Which subjects of a query are the best.

use std::cmp::Ordering;

use rayon::prelude::*;

/// E-values below this count as equal.
const NOTHING: f64 = 1.0e-180;

/// How good the alignments of a query and a subject are.
#[derive(Debug, Clone, Copy)]
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
    /// Nothing before its alignments are made.
    Open,
}

/// The numbers, in order, of those that may be among the `most` best of their query. `known` has the
/// query of each.
pub(crate) fn candidates(known: &[(usize, Known)], queries: usize, most: usize) -> Vec<usize> {
    let mut ranked: Vec<Vec<(Rank, usize)>> = vec![Vec::new(); queries];
    let mut chosen = Vec::new();
    for (number, &(query, known)) in known.iter().enumerate() {
        match known {
            Known::Nothing => {}
            Known::Rank(rank) => ranked[query].push((rank, number)),
            Known::Open => chosen.push(number),
        }
    }
    ranked.par_iter_mut().for_each(|ranked| {
        keep_first(ranked, most, |one, other| one.0.order(&other.0));
    });
    chosen.extend(ranked.into_iter().flatten().map(|(_, number)| number));
    chosen.sort_unstable();
    chosen
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
                    let known = match random.u8(..8) {
                        0 => Known::Open,
                        1 => Known::Nothing,
                        _ => Known::Rank(Rank { e_value, score, subject }),
                    };
                    (random.usize(..3), known)
                })
                .collect();
            let most = random.usize(1..12);
            let is_chosen = |&number: &usize| {
                let (query, own) = known[number];
                let Known::Rank(rank) = own else { return matches!(own, Known::Open) };
                let better = known.iter().filter(|(other, known)| {
                    let is_better = |other: &Rank| other.order(&rank) == Ordering::Less;
                    *other == query && matches!(known, Known::Rank(other) if is_better(other))
                });
                better.count() < most
            };
            let expected: Vec<usize> = (0..count).filter(is_chosen).collect();
            assert_eq!(candidates(&known, 3, most), expected, "seed {seed}");
        }
    }
}
