//! Culling: dropping alignments of parts of a query that better ones cover.
//!
//! An alignment dominates another if it covers half of it or more and is better, which is a
//! matter of score and length. One that a given number of others dominate is dropped (Berman et al.,
//! J. Comput. Biol. 7, 2000).

use crate::hsp::Hsp;
use crate::queries::Batch;
use crate::search::Hit;

/// An alignment of a query.
struct Rival {
    /// Its hit and its place there.
    place: (usize, usize),
    /// Its subject, and where it begins there.
    subject: usize,
    offset: i32,
    /// Its range of the query's plus strand.
    begin: i64,
    end: i64,
    score: i64,
    /// How many more may dominate it before it is dropped.
    merit: usize,
}

impl Rival {
    fn new(place: (usize, usize), subject: usize, hsp: &Hsp, batch: &Batch, merit: usize) -> Self {
        let context = &batch.contexts()[hsp.context];
        let length = context.length as i64;
        let (begin, end) = (i64::from(hsp.query.0), i64::from(hsp.query.1));
        let (begin, end) =
            if context.minus { (length - end, length - begin) } else { (begin, end) };
        let offset = hsp.subject.0;
        Self { place, subject, offset, begin, end, score: i64::from(hsp.score), merit }
    }

    /// Whether it dominates another.
    fn dominates(&self, other: &Self) -> bool {
        let (length, other_length) = (self.end - self.begin, other.end - other.begin);
        let overlap = self.end.min(other.end) - self.begin.max(other.begin);
        if 2 * overlap < other_length {
            return false;
        }
        let better = 4 * self.score * length + 2 * self.score * other_length
            - 2 * other.score * length
            - 4 * other.score * other_length;
        if better != 0 {
            return better > 0;
        }
        if self.score != other.score {
            return self.score > other.score;
        }
        (self.subject, self.offset) <= (other.subject, other.offset)
    }
}

/// Drops alignments of one query, hits in the order of subjects, that `limit` others dominate.
pub(crate) fn cull(hits: &mut Vec<Hit>, batch: &Batch, limit: usize) {
    let mut kept: Vec<Rival> = Vec::new();
    for (number, hit) in hits.iter().enumerate() {
        for (place, hsp) in hit.hsps.iter().enumerate() {
            let mut new = Rival::new((number, place), hit.subject, hsp, batch, limit);
            let dominating = kept.iter().filter(|rival| rival.dominates(&new)).count();
            if dominating >= limit {
                continue;
            }
            new.merit -= dominating;
            kept.retain_mut(|rival| {
                rival.merit -= usize::from(new.dominates(rival));
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
        Rival { place: (0, 0), subject: 0, offset: 0, begin, end, score, merit: 1 }
    }

    #[test]
    fn the_better_of_two_that_overlap_dominates() {
        let (good, bad) = (rival(0, 100, 90), rival(10, 90, 40));
        assert!(good.dominates(&bad) && !bad.dominates(&good));
        let later = Rival { subject: 1, ..rival(0, 100, 90) };
        assert!(good.dominates(&later) && !later.dominates(&good));
        let apart = rival(80, 300, 40);
        assert!(!good.dominates(&apart) && !apart.dominates(&good));
    }
}
