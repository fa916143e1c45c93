//! Linking of the alignments of a query and a subject that may follow each other, for sum statistics.
//!
//! ```text
//!   subject   ====1====    ====2====        ====3====      in the same order in both sequences, with little overlap
//!   query       ====1====   ====2====   ====3====
//! ```
//!
//! The set of alignments with the greatest sum of scores is taken, then that of the rest, and so on; all of a set get its
//! E-value. Sets of alignments near each other and sets at any distance compete. This is `s_BlastEvenGapLinkHSPs` of NCBI's
//! `link_hsps.c`.

use crate::hsp::Hsp;
use crate::query::batch::QueryBatch;
use crate::statistics::sum::PairSpace;

/// Number of positions at which an alignment may begin near another one: the greatest gap, the greatest overlap, and 1
/// (`BLAST_GAP_SIZE`, `BLAST_OVERLAP_SIZE` in NCBI's `blast_parameters.h`).
const WINDOW: i32 = 40 + 9 + 1;
/// Greatest number of bases that are cut off each end of an alignment before it is compared with others.
const TRIM: i32 = (9 + 1) / 2;
/// Share of an alignment that is cut off at most.
const TRIM_SHARE: i32 = 4;
/// Share of the E-value that sets of alignments near each other have (`BLAST_GAP_PROB`).
const NEAR_SHARE: f64 = 0.5;

/// Distances at which alignments are linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Distance {
    Near,
    Far,
}

/// The best set that begins with an alignment.
#[derive(Debug, Clone, Copy, Default)]
struct Chain {
    /// The next alignment of the set.
    next: Option<usize>,
    /// Number of alignments.
    count: usize,
    /// Sum of their scores above the cutoff.
    sum: i32,
    /// Sum of their normalized scores.
    normalized: f64,
}

/// An alignment of one context and a subject. Ends are those that are left after trimming.
#[derive(Debug)]
struct Link {
    /// Its place among all alignments.
    place: usize,
    score: i32,
    begin: (i32, i32),
    end: (i32, i32),
    near: Chain,
    far: Chain,
    /// Whether it is in a set that has been taken.
    is_taken: bool,
    /// Whether another one is followed by it.
    followers: usize,
    /// Whether its set at any distance has changed when sets were last looked for.
    has_changed: bool,
}

/// Gives alignments of the queries and a subject of `length` bases the E-values of their sets, and orders them by score.
/// Alignments that score no more than `near_cutoff` are not linked to others near them; if it is `None`, only alignments at
/// any distance are linked.
pub(crate) fn link(batch: &QueryBatch, hsps: &mut [Hsp], length: usize, near_cutoff: Option<i32>) {
    // The last in the query comes first.
    let descending = |hsp: &Hsp| (hsp.query.0, hsp.query.1, hsp.subject.0, hsp.subject.1);
    hsps.sort_by(|one, other| {
        one.context.cmp(&other.context).then_with(|| descending(other).cmp(&descending(one)))
    });
    for of_context in hsps.chunk_by_mut(|one, other| one.context == other.context) {
        Linker::new(batch, of_context, length, near_cutoff).link(of_context);
    }
    hsps.sort_by(Hsp::by_score);
}

/// Links the alignments of one context.
struct Linker {
    /// Alignments that are in no set yet, the last in the query first, as indices in `links`.
    open: Vec<usize>,
    links: Vec<Link>,
    space: PairSpace,
    near_cutoff: Option<i32>,
    lambda: f64,
    log_k: f64,
}

impl Linker {
    fn new(batch: &QueryBatch, hsps: &[Hsp], length: usize, near_cutoff: Option<i32>) -> Self {
        let context = hsps[0].context;
        let statistics = batch.statistics(context);
        let (space, parameters) = (statistics.space, statistics.gapped);
        let left = |length: usize| (length as i64 - space.adjustment).max(1) as i32;
        let space = PairSpace {
            query: left(batch.contexts[context].length),
            subject: left(length),
            database: space.effective,
        };
        let trimmed = |(begin, end): (i32, i32)| {
            let trim = ((end - begin) / TRIM_SHARE).min(TRIM);
            (begin + trim, end - trim)
        };
        let new_link = |(place, hsp): (usize, &Hsp)| {
            let (query, subject) = (trimmed(hsp.query), trimmed(hsp.subject));
            Link {
                place,
                score: hsp.score,
                begin: (query.0, subject.0),
                end: (query.1, subject.1),
                near: Chain::default(),
                far: Chain::default(),
                is_taken: false,
                followers: 0,
                has_changed: true,
            }
        };
        let links: Vec<Link> = hsps.iter().enumerate().map(new_link).collect();
        let open = (0..links.len()).collect();
        Self { open, links, space, near_cutoff, lambda: parameters.lambda, log_k: parameters.log_k }
    }

    /// Takes one set after the other, until all alignments are in one.
    fn link(mut self, hsps: &mut [Hsp]) {
        let (mut is_first, mut is_stale) = (true, true);
        while !self.open.is_empty() {
            if is_first || (is_stale && !self.are_best_whole()) {
                self.find_chains(is_first);
                (is_first, is_stale) = (false, false);
            }
            let far = self.best(Distance::Far);
            let e_value = self.e_value(far, Distance::Far);
            let of_far = (far, Distance::Far, e_value);
            let (first, distance, e_value) = if self.near_cutoff.is_some() {
                let near = self.best(Distance::Near);
                let of_near = (near, Distance::Near, self.e_value(near, Distance::Near));
                if of_near.2 <= of_far.2 { of_near } else { of_far }
            } else {
                of_far
            };
            is_stale |= self.take(hsps, first, distance, e_value);
        }
    }

    fn chain(&self, link: usize, distance: Distance) -> &Chain {
        match distance {
            Distance::Near => &self.links[link].near,
            Distance::Far => &self.links[link].far,
        }
    }

    /// The alignments of a set, from its first on.
    fn set(&self, first: usize, distance: Distance) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(first), move |&link| self.chain(link, distance).next)
    }

    /// The first alignment of the best set; of equally good ones, the last in the order.
    fn best(&self, distance: Distance) -> usize {
        let sum = |&link: &usize| self.chain(link, distance).sum;
        self.open.iter().copied().max_by_key(sum).unwrap_or_default()
    }

    /// Whether no alignment of the best sets has been taken since they were found. Then they are still the best: others
    /// can only have become worse.
    fn are_best_whole(&self) -> bool {
        let distances = [Distance::Far, Distance::Near];
        let of_use = &distances[..=usize::from(self.near_cutoff.is_some())];
        of_use.iter().all(|&distance| {
            self.set(self.best(distance), distance).all(|link| !self.links[link].is_taken)
        })
    }

    /// Finds the best sets that begin with each alignment.
    fn find_chains(&mut self, is_first: bool) {
        for &link in &self.open {
            self.links[link].followers = 0;
        }
        if let Some(cutoff) = self.near_cutoff {
            for number in 0..self.open.len() {
                let next = self.best_near(number, cutoff);
                let chain = self.chain_with(self.open[number], next, Distance::Near, cutoff);
                self.links[self.open[number]].near = chain;
            }
        }
        // Of each open alignment, the number of the last one before it whose set is better.
        let mut better: Vec<Option<usize>> = Vec::with_capacity(self.open.len());
        for number in 0..self.open.len() {
            let link = self.open[number];
            let before = self.links[link].far.next;
            let is_same = !is_first && before.is_none_or(|next| !self.links[next].has_changed);
            let next = if is_same { before } else { self.best_far(number, &better) };
            self.links[link].has_changed = !is_same;
            let chain = self.chain_with(link, next, Distance::Far, 0);
            self.links[link].far = chain;
            let mut worse = number.checked_sub(1);
            while let Some(other) = worse {
                if self.links[self.open[other]].far.sum > chain.sum {
                    break;
                }
                worse = better[other];
            }
            better.push(worse);
        }
    }

    /// The alignment behind open alignment `number`, and near it, with the best set.
    fn best_near(&self, number: usize, cutoff: i32) -> Option<usize> {
        let link = &self.links[self.open[number]];
        if link.score <= cutoff {
            return None;
        }
        let (mut best, mut sum) = (None, 0);
        for &other in self.open[..number].iter().rev() {
            let begin = self.links[other].begin;
            if begin.0 > link.end.0 + WINDOW + TRIM {
                break;
            }
            let is_within = |begin: i32, end: i32| begin > end && begin <= end + WINDOW;
            let follows = is_within(begin.0, link.end.0) && is_within(begin.1, link.end.1);
            if follows && self.links[other].near.sum > sum {
                (best, sum) = (Some(other), self.links[other].near.sum);
            }
        }
        best
    }

    /// The alignment behind open alignment `number` with the best set.
    fn best_far(&self, number: usize, better: &[Option<usize>]) -> Option<usize> {
        let link = &self.links[self.open[number]];
        if link.score <= 0 {
            return None;
        }
        let (mut best, mut sum) = (None, 0);
        let mut next = number.checked_sub(1);
        while let Some(other) = next {
            let candidate = &self.links[self.open[other]];
            if candidate.far.sum <= sum {
                next = better[other];
                continue;
            }
            next = other.checked_sub(1);
            if candidate.begin.0 > link.end.0 && candidate.begin.1 > link.end.1 {
                (best, sum) = (Some(self.open[other]), candidate.far.sum);
            }
        }
        best
    }

    /// The set of an alignment and the set that begins with the next one.
    fn chain_with(
        &mut self,
        link: usize,
        next: Option<usize>,
        distance: Distance,
        cutoff: i32,
    ) -> Chain {
        let rest = next.map_or_else(Chain::default, |next| {
            self.links[next].followers += 1;
            *self.chain(next, distance)
        });
        let score = self.links[link].score;
        Chain {
            next,
            count: rest.count + 1,
            sum: rest.sum + (score - cutoff),
            normalized: rest.normalized + f64::from(score) * self.lambda - self.log_k,
        }
    }

    fn e_value(&self, first: usize, distance: Distance) -> f64 {
        let &Chain { count, normalized, .. } = self.chain(first, distance);
        let (e_value, share) = match distance {
            Distance::Near => (self.space.e_value_of_near(WINDOW, count, normalized), NEAR_SHARE),
            Distance::Far => (self.space.e_value_of_far(count, normalized), 1.0 - NEAR_SHARE),
        };
        // Both distances were tried.
        if self.near_cutoff.is_some() && count > 1 {
            (e_value / share).min(f64::from(i32::MAX))
        } else {
            e_value
        }
    }

    /// Takes a set, and tells whether others may have become worse by that.
    fn take(&mut self, hsps: &mut [Hsp], first: usize, distance: Distance, e_value: f64) -> bool {
        let set: Vec<usize> = self.set(first, distance).collect();
        let mut is_stale = self.links[first].followers > 0;
        for &link in &set {
            let taken = &mut self.links[link];
            is_stale |= taken.followers > 1;
            taken.is_taken = true;
            taken.has_changed = true;
            let hsp = &mut hsps[taken.place];
            hsp.e_value = e_value;
            hsp.set_size = set.len();
        }
        self.open.retain(|&link| !self.links[link].is_taken);
        is_stale
    }
}
