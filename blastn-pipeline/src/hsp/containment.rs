//! Which alignments lie within better ones.

use rustc_hash::FxHashMap;

use crate::hsp::Hsp;

/// Diagonals of a bucket, as a power of two: no less than what alignments may be apart.
const BUCKET: u32 = 6;

/// Alignments of a subject, found by their ends. An alignment is within another if that covers its
/// ranges of query and subject, scores at least as much, and begins or ends on a close diagonal.
#[derive(Debug)]
pub(crate) struct Kept {
    hsps: Vec<Span>,
    /// By context, side and bucket of its diagonal.
    by_diagonal: FxHashMap<(usize, bool, i32), Vec<u32>>,
    /// By context, side and pair of places.
    by_end: FxHashMap<(usize, bool, i32, i32), u32>,
    separation: i32,
}

/// What matters of an alignment.
#[derive(Debug, Clone, Copy)]
struct Span {
    score: i32,
    query: (i32, i32),
    subject: (i32, i32),
    /// Whether it was replaced by a better one that has an end in common.
    replaced: bool,
}

impl Span {
    fn of(hsp: &Hsp) -> Self {
        Self { score: hsp.score, query: hsp.query, subject: hsp.subject, replaced: false }
    }

    fn diagonal(&self, at_end: bool) -> i32 {
        if at_end { self.query.1 - self.subject.1 } else { self.query.0 - self.subject.0 }
    }

    /// Whether `other` lies within this one, whose diagonals at an end differ by less than `separation`.
    fn holds(&self, other: &Self, at_end: bool, separation: i32) -> bool {
        self.score >= other.score
            && (self.diagonal(at_end) - other.diagonal(at_end)).abs() < separation
            && self.covers(other)
    }

    fn covers(&self, other: &Self) -> bool {
        let within = |outer: (i32, i32), inner: (i32, i32)| {
            outer.0 <= inner.0 && inner.0 <= outer.1 && outer.0 <= inner.1 && inner.1 <= outer.1
        };
        within(self.query, other.query) && within(self.subject, other.subject)
    }

    /// Whether it is kept rather than a newer one that has an end in common.
    fn beats(&self, newer: &Self) -> bool {
        let length = |range: (i32, i32)| range.1 - range.0;
        let order = |span: &Self| (-span.score, length(span.query), length(span.subject));
        order(self) <= order(newer)
    }
}

impl Kept {
    /// Nothing yet; alignments are close whose diagonals differ by less than `separation`.
    pub(crate) fn new(separation: i32) -> Self {
        Self {
            hsps: Vec::new(),
            by_diagonal: FxHashMap::default(),
            by_end: FxHashMap::default(),
            separation,
        }
    }

    /// Whether an alignment lies within one that is kept.
    pub(crate) fn contains(&self, hsp: &Hsp) -> bool {
        let span = Span::of(hsp);
        [false, true].into_iter().any(|at_end| {
            let diagonal = span.diagonal(at_end);
            let near =
                (diagonal - self.separation) >> BUCKET..=(diagonal + self.separation) >> BUCKET;
            near.filter_map(|bucket| self.by_diagonal.get(&(hsp.context, at_end, bucket)))
                .flatten()
                .map(|&number| &self.hsps[number as usize])
                .any(|kept| !kept.replaced && kept.holds(&span, at_end, self.separation))
        })
    }

    /// Keeps an alignment, unless a better one begins or ends at the same pair of places.
    pub(crate) fn add(&mut self, hsp: &Hsp) {
        let span = Span::of(hsp);
        let ends = [
            (hsp.context, false, hsp.query.0, hsp.subject.0),
            (hsp.context, true, hsp.query.1, hsp.subject.1),
        ];
        for end in &ends {
            let Some(&number) = self.by_end.get(end) else { continue };
            let other = &mut self.hsps[number as usize];
            if other.replaced {
                continue;
            }
            if other.beats(&span) {
                return;
            }
            other.replaced = true;
        }
        let number = self.hsps.len() as u32;
        self.hsps.push(span);
        for end in ends {
            self.by_end.insert(end, number);
            let bucket = span.diagonal(end.1) >> BUCKET;
            self.by_diagonal.entry((hsp.context, end.1, bucket)).or_default().push(number);
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
            let mut kept = Kept::new(separation);
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
        let mut kept = Kept::new(50);
        kept.add(&hsp(20, (10, 60), (10, 60)));
        kept.add(&hsp(10, (10, 90), (10, 90)));
        assert!(!kept.contains(&hsp(5, (70, 80), (70, 80))));
        kept.add(&hsp(30, (10, 90), (10, 90)));
        assert!(kept.contains(&hsp(5, (70, 80), (70, 80))));
    }
}
