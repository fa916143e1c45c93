//! Containment: alignments that lie within better ones.
//!
//! NCBI's blastn keeps alignments in an interval tree (`blast_itree.c`); here they are found by the diagonals of
//! their ends.

use rustc_hash::FxHashMap;

use crate::hsp::Hsp;

/// Binary logarithm of the number of diagonals in a bucket, which is no less than any separation.
const BUCKET: u32 = 6;

/// Kept alignments of a subject, which are found by their ends. An alignment lies within another if the other covers
/// its ranges of query and subject, scores at least as much, and begins or ends on a close diagonal.
#[derive(Debug)]
pub(crate) struct KeptHsps {
    hsps: Vec<Span>,
    /// Numbers of the alignments with an end on some diagonals.
    by_diagonal: FxHashMap<DiagonalKey, Vec<u32>>,
    /// Number of the latest alignment with an end at a pair of positions.
    by_end: FxHashMap<EndKey, u32>,
    /// Number of diagonals by which the ends of two alignments must differ by less for one to contain the other.
    separation: i32,
}

/// A bucket of diagonals of one end of the alignments of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct DiagonalKey {
    context: usize,
    /// Whether the end of the alignments counts, not their beginning.
    at_end: bool,
    bucket: i32,
}

/// The beginning or the end of an alignment of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct EndKey {
    context: usize,
    /// Whether this is the end of the alignment, not its beginning.
    at_end: bool,
    query: i32,
    subject: i32,
}

/// Score and ranges of an alignment.
#[derive(Debug, Clone, Copy)]
struct Span {
    score: i32,
    query: (i32, i32),
    subject: (i32, i32),
    /// Whether a better alignment with a common end has replaced this one.
    is_replaced: bool,
}

impl Span {
    fn of(hsp: &Hsp) -> Self {
        Self { score: hsp.score, query: hsp.query, subject: hsp.subject, is_replaced: false }
    }

    /// The diagonal of the alignment's end, or of its beginning.
    fn diagonal(&self, at_end: bool) -> i32 {
        if at_end { self.query.1 - self.subject.1 } else { self.query.0 - self.subject.0 }
    }

    /// Whether `other` lies within this alignment: it is covered, scores no more, and its end (or beginning) is less
    /// than `separation` diagonals away.
    fn holds(&self, other: &Self, at_end: bool, separation: i32) -> bool {
        self.score >= other.score
            && (self.diagonal(at_end) - other.diagonal(at_end)).abs() < separation
            && self.covers(other)
    }

    /// Whether the ranges of `other` in query and subject lie within those of this alignment.
    fn covers(&self, other: &Self) -> bool {
        let within = |outer: (i32, i32), inner: (i32, i32)| {
            outer.0 <= inner.0 && inner.0 <= outer.1 && outer.0 <= inner.1 && inner.1 <= outer.1
        };
        within(self.query, other.query) && within(self.subject, other.subject)
    }

    /// Whether this alignment stays, rather than a newer one with a common end.
    fn beats(&self, newer: &Self) -> bool {
        let length = |range: (i32, i32)| range.1 - range.0;
        let order = |span: &Self| (-span.score, length(span.query), length(span.subject));
        order(self) <= order(newer)
    }
}

impl KeptHsps {
    /// No alignments yet. See [`SearchOptions::diagonal_separation`](crate::options::SearchOptions) for `separation`.
    pub(crate) fn new(separation: i32) -> Self {
        Self {
            hsps: Vec::new(),
            by_diagonal: FxHashMap::default(),
            by_end: FxHashMap::default(),
            separation,
        }
    }

    /// Whether an alignment lies within a kept one.
    pub(crate) fn contains(&self, hsp: &Hsp) -> bool {
        let span = Span::of(hsp);
        [false, true].into_iter().any(|at_end| {
            let diagonal = span.diagonal(at_end);
            let near =
                (diagonal - self.separation) >> BUCKET..=(diagonal + self.separation) >> BUCKET;
            let key = |bucket| DiagonalKey { context: hsp.context, at_end, bucket };
            near.filter_map(|bucket| self.by_diagonal.get(&key(bucket)))
                .flatten()
                .map(|&number| &self.hsps[number as usize])
                .any(|kept| !kept.is_replaced && kept.holds(&span, at_end, self.separation))
        })
    }

    /// Keeps an alignment, unless a better one begins or ends at the same pair of positions.
    pub(crate) fn add(&mut self, hsp: &Hsp) {
        let span = Span::of(hsp);
        let context = hsp.context;
        let ends = [
            EndKey { context, at_end: false, query: hsp.query.0, subject: hsp.subject.0 },
            EndKey { context, at_end: true, query: hsp.query.1, subject: hsp.subject.1 },
        ];
        for end in &ends {
            let Some(&number) = self.by_end.get(end) else { continue };
            let other = &mut self.hsps[number as usize];
            if other.is_replaced {
                continue;
            }
            if other.beats(&span) {
                return;
            }
            other.is_replaced = true;
        }
        let number = self.hsps.len() as u32;
        self.hsps.push(span);
        for end in ends {
            self.by_end.insert(end, number);
            let at_end = end.at_end;
            let bucket = span.diagonal(at_end) >> BUCKET;
            let key = DiagonalKey { context, at_end, bucket };
            self.by_diagonal.entry(key).or_default().push(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containment_is_that_of_a_list() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let separation = if random.bool() { 6 } else { 50 };
            let mut kept = KeptHsps::new(separation);
            let mut list: Vec<Hsp> = Vec::new();
            for _ in 0..60 {
                let range = |random: &mut fastrand::Rng| {
                    let begin = random.i32(0..100);
                    (begin, begin + random.i32(1..60))
                };
                let hsp = Hsp {
                    context: random.usize(..2),
                    score: random.i32(0..50),
                    query: range(&mut random),
                    subject: range(&mut random),
                    ..Hsp::default()
                };
                let (begin, end) = hsp.diagonals();
                let is_within = |other: &Hsp| {
                    let (other_begin, other_end) = other.diagonals();
                    other.context == hsp.context
                        && other.score >= hsp.score
                        && ((other_begin - begin).abs() < separation
                            || (other_end - end).abs() < separation)
                        && Span::of(other).covers(&Span::of(&hsp))
                };
                assert_eq!(kept.contains(&hsp), list.iter().any(is_within), "seed {seed}");
                // Common ends are another matter.
                let is_new = list.iter().all(|other| {
                    (other.query.0, other.subject.0) != (hsp.query.0, hsp.subject.0)
                        && (other.query.1, other.subject.1) != (hsp.query.1, hsp.subject.1)
                });
                if is_new {
                    kept.add(&hsp);
                    list.push(hsp);
                }
            }
        }
    }

    #[test]
    fn of_alignments_with_a_common_end_the_better_is_kept() {
        let hsp = |score, query, subject| Hsp { score, query, subject, ..Hsp::default() };
        let mut kept = KeptHsps::new(50);
        kept.add(&hsp(20, (10, 60), (10, 60)));
        kept.add(&hsp(10, (10, 90), (10, 90)));
        assert!(!kept.contains(&hsp(5, (70, 80), (70, 80))));
        kept.add(&hsp(30, (10, 90), (10, 90)));
        assert!(kept.contains(&hsp(5, (70, 80), (70, 80))));
    }
}
