//! Culling: alignments are dropped where enough better ones cover the same range of the query (`-culling_limit`).
//!
//! An alignment dominates another if it covers at least half of the other's range and is better by a measure of score
//! and length. An alignment that a given number of others dominate is dropped (Berman et al., J. Comput. Biol. 7,
//! 2000).
//!
//! NCBI's blastn (`hspfilter_culling.c`) does not compare all pairs. It keeps alignments in a binary tree over the
//! query, one by one as they come. A new alignment is first compared with those of the nodes that it passes on its
//! way down; then the alignments below are compared with it. Where it covers the whole range of a node, all
//! alignments of the node count as dominated without a comparison. The alignments that are left depend on this order,
//! so the tree is the same here.

use crate::hsp::Hsp;
use crate::hsp::subject_hit::SubjectHit;
use crate::query::batch::QueryBatch;

/// Number of alignments of a leaf from which on it is divided.
const MAX_IN_LEAF: usize = 20;

/// An alignment that competes with others for a range of a query.
#[derive(Debug, Clone)]
struct CullingCandidate {
    /// Number of its subject hit, and its number among the alignments there.
    place: (usize, usize),
    /// Number of its subject in the database.
    subject: usize,
    /// Where it begins in the subject.
    offset: i32,
    /// Where it begins on the plus strand of the query.
    begin: i64,
    /// Where it ends on the plus strand of the query.
    end: i64,
    score: i64,
    /// Number of further alignments that must dominate this one for it to be dropped, at least 1.
    merit: usize,
}

impl CullingCandidate {
    fn new(
        place: (usize, usize),
        subject: usize,
        hsp: &Hsp,
        batch: &QueryBatch,
        merit: usize,
    ) -> Self {
        let context = &batch.contexts()[hsp.context];
        let length = context.length as i64;
        let (begin, end) = (i64::from(hsp.query.0), i64::from(hsp.query.1));
        let (begin, end) =
            if context.is_minus { (length - end, length - begin) } else { (begin, end) };
        let offset = hsp.subject.0;
        Self { place, subject, offset, begin, end, score: i64::from(hsp.score), merit }
    }

    /// Whether this alignment dominates another.
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

    /// Counts one more alignment that dominates this one, and tells whether it is still kept.
    fn survives(&mut self) -> bool {
        self.merit -= 1;
        self.merit > 0
    }
}

/// A node of the tree: a range of the query, with the alignments that lie in neither of its halves, or in a half
/// without a node.
#[derive(Debug)]
struct QueryRange {
    begin: i64,
    end: i64,
    /// Nodes of the left and the right half, as far as there are alignments.
    halves: [Option<Box<QueryRange>>; 2],
    candidates: Vec<CullingCandidate>,
}

impl QueryRange {
    fn new(begin: i64, end: i64) -> Self {
        Self { begin, end, halves: [None, None], candidates: Vec::new() }
    }

    fn is_leaf(&self) -> bool {
        self.halves.iter().all(Option::is_none)
    }

    fn is_empty(&self) -> bool {
        self.candidates.is_empty() && self.is_leaf()
    }

    fn middle(&self) -> i64 {
        i64::midpoint(self.begin, self.end)
    }

    /// The number of the half that an alignment lies in, if it lies in one.
    fn half(&self, candidate: &CullingCandidate) -> Option<usize> {
        if candidate.end < self.middle() {
            Some(0)
        } else {
            (candidate.begin > self.middle()).then_some(1)
        }
    }

    /// Adds an alignment to the node or below it, unless enough others dominate it.
    fn add(&mut self, mut new: CullingCandidate) {
        let dominating =
            self.candidates.iter().filter(|candidate| candidate.dominates(&new)).count();
        if dominating >= new.merit {
            return;
        }
        new.merit -= dominating;
        let half = self.half(&new);
        if let Some(half) = half.and_then(|half| self.halves[half].as_mut()) {
            return half.add(new);
        }
        // A node that loses its last half now is divided again only by the next alignment.
        let was_leaf = self.is_leaf();
        self.candidates.retain_mut(|candidate| !new.dominates(candidate) || candidate.survives());
        for half in &mut self.halves {
            Self::compare(half, &new);
        }
        self.candidates.push(new);
        if was_leaf && self.candidates.len() >= MAX_IN_LEAF {
            self.fork();
        }
    }

    /// Divides a leaf: alignments move to nodes of the halves that they lie in.
    fn fork(&mut self) {
        let (begin, middle, end) = (self.begin, self.middle(), self.end);
        for candidate in std::mem::take(&mut self.candidates) {
            match self.half(&candidate) {
                None => self.candidates.push(candidate),
                Some(half) => {
                    let (begin, end) = if half == 0 { (begin, middle) } else { (middle, end) };
                    let node =
                        self.halves[half].get_or_insert_with(|| Box::new(Self::new(begin, end)));
                    node.candidates.push(candidate);
                }
            }
        }
    }

    /// Counts a new alignment against those of a node and below that it dominates, and removes the node if none is
    /// left.
    fn compare(slot: &mut Option<Box<Self>>, new: &CullingCandidate) {
        let Some(node) = slot else { return };
        if new.begin <= node.begin && node.end <= new.end {
            return Self::count_against_all(slot);
        }
        let half = node.half(new).filter(|_| !node.is_leaf());
        if let Some(half) = half {
            // This node stays, though no alignment may be left in it.
            return Self::compare(&mut node.halves[half], new);
        }
        for half in &mut node.halves {
            Self::compare(half, new);
        }
        node.candidates.retain_mut(|candidate| !new.dominates(candidate) || candidate.survives());
        if node.is_empty() {
            *slot = None;
        }
    }

    /// Counts a new alignment against all of a node and below.
    fn count_against_all(slot: &mut Option<Box<Self>>) {
        let Some(node) = slot else { return };
        node.halves.iter_mut().for_each(Self::count_against_all);
        node.candidates.retain_mut(CullingCandidate::survives);
        if node.is_empty() {
            *slot = None;
        }
    }

    /// Appends the places of all alignments of the node and below.
    fn places(&self, places: &mut Vec<(usize, usize)>) {
        places.extend(self.candidates.iter().map(|candidate| candidate.place));
        self.halves.iter().flatten().for_each(|half| half.places(places));
    }
}

/// Drops the alignments of one query that at least `limit` others dominate, and hits without alignments. Alignments
/// enter the tree in the order of the hits.
pub(crate) fn cull(hits: &mut Vec<SubjectHit>, batch: &QueryBatch, limit: usize) {
    let Some(first) = hits.first().and_then(|hit| hit.hsps.first()) else { return };
    let length = batch.contexts()[first.context].length as i64;
    let mut tree = QueryRange::new(0, length);
    for (number, hit) in hits.iter().enumerate() {
        for (place, hsp) in hit.hsps.iter().enumerate() {
            tree.add(CullingCandidate::new((number, place), hit.subject, hsp, batch, limit));
        }
    }
    let mut places = Vec::new();
    tree.places(&mut places);
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

    fn candidate(begin: i64, end: i64, score: i64) -> CullingCandidate {
        CullingCandidate { place: (0, 0), subject: 0, offset: 0, begin, end, score, merit: 1 }
    }

    #[test]
    fn the_better_of_two_that_overlap_dominates() {
        let (good, bad) = (candidate(0, 100, 90), candidate(10, 90, 40));
        assert!(good.dominates(&bad) && !bad.dominates(&good));
        let later = CullingCandidate { subject: 1, ..candidate(0, 100, 90) };
        assert!(good.dominates(&later) && !later.dominates(&good));
        let apart = candidate(80, 300, 40);
        assert!(!good.dominates(&apart) && !apart.dominates(&good));
    }

    /// The places of the alignments that are left if each new one is compared with all others.
    fn left(candidates: &[CullingCandidate]) -> Vec<(usize, usize)> {
        let mut kept: Vec<CullingCandidate> = Vec::new();
        for candidate in candidates {
            let mut new = candidate.clone();
            let dominating = kept.iter().filter(|candidate| candidate.dominates(&new)).count();
            if dominating < new.merit {
                new.merit -= dominating;
                kept.retain_mut(|candidate| !new.dominates(candidate) || candidate.survives());
                kept.push(new);
            }
        }
        kept.iter().map(|candidate| candidate.place).collect()
    }

    fn left_in_tree(
        candidates: &[CullingCandidate],
        length: i64,
    ) -> (Vec<(usize, usize)>, QueryRange) {
        let mut tree = QueryRange::new(0, length);
        for candidate in candidates {
            tree.add(candidate.clone());
        }
        let mut places = Vec::new();
        tree.places(&mut places);
        places.sort_unstable();
        (places, tree)
    }

    fn random_candidate(
        random: &mut fastrand::Rng,
        number: usize,
        length: i64,
    ) -> CullingCandidate {
        let begin = random.i64(0..length - 10);
        let end = begin + random.i64(5..=(length - begin).min(60));
        let merit = 1 + number % 3;
        CullingCandidate {
            place: (number, 0),
            merit,
            subject: number,
            ..candidate(begin, end, end - begin)
        }
    }

    #[test]
    fn few_are_compared_with_each_other() {
        let mut dropped = 0;
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let candidates: Vec<CullingCandidate> = (0..MAX_IN_LEAF - 1)
                .map(|number| random_candidate(&mut random, number, 200))
                .collect();
            let (found, _) = left_in_tree(&candidates, 200);
            assert_eq!(found, left(&candidates), "seed {seed}");
            dropped += candidates.len() - found.len();
        }
        assert!(dropped > 500, "{dropped} dropped");
    }

    #[test]
    fn many_are_divided_and_compared_with_those_on_their_way() {
        for seed in 0..50 {
            let mut random = fastrand::Rng::with_seed(seed);
            // Apart from each other, and from what divides the query.
            let mut candidates: Vec<CullingCandidate> = (0..64)
                .map(|number| {
                    let begin = 100 * number + 10;
                    CullingCandidate {
                        place: (number as usize, 0),
                        ..candidate(begin, begin + 50, 200)
                    }
                })
                .collect();
            random.shuffle(&mut candidates);
            let (found, tree) = left_in_tree(&candidates, 6_400);
            assert_eq!(found.len(), 64, "seed {seed}");
            assert!(tree.candidates.is_empty() && !tree.is_leaf(), "seed {seed}");
            // One that covers all nodes, though it dominates none of the others.
            let long = CullingCandidate { place: (64, 0), ..candidate(0, 6_400, 50) };
            assert!(!candidates.iter().any(|candidate| long.dominates(candidate)));
            candidates.push(long);
            assert_eq!(left_in_tree(&candidates, 6_400).0, [(64, 0)], "seed {seed}");
            candidates.push(CullingCandidate { place: (65, 0), ..candidate(10, 60, 200) });
            let found = left_in_tree(&candidates, 6_400).0;
            assert_eq!(found, [(64, 0), (65, 0)], "seed {seed}");
        }
    }
}
