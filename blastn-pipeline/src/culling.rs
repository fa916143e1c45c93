//! Culling: dropping alignments of parts of a query that better ones cover.
//!
//! An alignment dominates another if they overlap by half of either and it is better, which is a
//! matter of score and length. One that a given number of others dominate is dropped (Berman et al.,
//! J. Comput. Biol. 7, 2000).

use crate::hsp::Hsp;
use crate::queries::Batch;
use crate::search::Hit;

/// An alignment of a query.
struct Rival {
    /// Its hit and its place there.
    place: (usize, usize),
    /// Its range of the query's plus strand.
    begin: i64,
    end: i64,
    score: i64,
    /// How many more may dominate it before it is dropped.
    merit: usize,
}

impl Rival {
    fn new(place: (usize, usize), hsp: &Hsp, batch: &Batch, merit: usize) -> Self {
        let context = &batch.contexts()[hsp.context];
        let length = context.length as i64;
        let (begin, end) = (i64::from(hsp.query.0), i64::from(hsp.query.1));
        let (begin, end) =
            if context.minus { (length - end, length - begin) } else { (begin, end) };
        Self { place, begin, end, score: i64::from(hsp.score), merit }
    }

    /// Whether it dominates another; of equals, the one that came first does.
    fn dominates(&self, other: &Self, came_first: bool) -> bool {
        let (length, other_length) = (self.end - self.begin, other.end - other.begin);
        let better = 3 * self.score * length + self.score * other_length
            - other.score * length
            - 3 * other.score * other_length;
        let outside = |one: &Self, other: &Self| {
            let middle = one.begin + one.end;
            (middle - 2 * other.begin) * (middle - 2 * other.end) > 0
        };
        if better < 0 || outside(self, other) && outside(other, self) {
            return false;
        }
        let equal = self.score == other.score && length == other_length;
        better > 0 || (came_first && equal) || self.score > other.score
    }
}

/// Drops alignments of one query, hits in the order of subjects, that `limit` others dominate.
pub(crate) fn cull(hits: &mut Vec<Hit>, batch: &Batch, limit: usize) {
    let mut kept: Vec<Rival> = Vec::new();
    for (number, hit) in hits.iter().enumerate() {
        for (place, hsp) in hit.hsps.iter().enumerate() {
            let mut new = Rival::new((number, place), hsp, batch, limit);
            let dominating = kept.iter().filter(|rival| rival.dominates(&new, true)).count();
            if dominating >= limit {
                continue;
            }
            new.merit -= dominating;
            kept.retain_mut(|rival| {
                rival.merit -= usize::from(new.dominates(rival, false));
                rival.merit > 0
            });
            kept.push(new);
        }
    }
    let mut places: Vec<(usize, usize)> = kept.into_iter().map(|rival| rival.place).collect();
    places.sort_unstable();
    for (number, hit) in hits.iter_mut().enumerate() {
        let mut place = 0..;
        hit.hsps.retain(|_| {
            let place = place.next().unwrap_or_default();
            places.binary_search(&(number, place)).is_ok()
        });
    }
    hits.retain(|hit| !hit.hsps.is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rival(begin: i64, end: i64, score: i64) -> Rival {
        Rival { place: (0, 0), begin, end, score, merit: 1 }
    }

    #[test]
    fn the_better_of_two_that_overlap_dominates() {
        let (good, bad) = (rival(0, 100, 90), rival(10, 90, 40));
        assert!(good.dominates(&bad, false) && !bad.dominates(&good, true));
        assert!(good.dominates(&good, true) && !good.dominates(&good, false));
        let apart = rival(80, 300, 40);
        assert!(!good.dominates(&apart, true) && !apart.dominates(&good, true));
    }
}
