//! What gaps make of ungapped alignments, as far as a device was asked, and what that tells of ranks.

use std::mem::take;
use std::ops::Range;

use aligner_core::DeviceError;
use rayon::prelude::*;

use crate::contained;
use crate::database::Database;
use crate::gapped::Gapped;
use crate::hits::{self, ChunkHit, Hits, Pair};
use crate::hsp::Hsp;
use crate::parts::Origin;
use crate::preliminary::Search;
use crate::ranking::{self, Known, Rank};
use crate::search::Hit;
use crate::ungapped::UngappedHit;

/// Ungapped alignments, and what gaps make of them.
#[derive(Debug, Default)]
pub(crate) struct Extended {
    pub(crate) hits: Hits,
    /// Of the best of each pair; nothing where the device could not tell.
    best: Vec<Option<Gapped>>,
    /// Which others were extended: their places among the hits, ascending.
    others: Vec<usize>,
    of_others: Vec<Option<Gapped>>,
}

impl Extended {
    /// Extends, on a device, the best of each pair, and then what does not lie within that.
    ///
    /// # Errors
    /// Those of `extend`.
    pub(crate) fn new(
        search: &Search<'_>,
        hits: Hits,
        extend: impl Fn(&[ChunkHit]) -> Result<Vec<Option<Gapped>>, DeviceError>,
    ) -> Result<Self, DeviceError> {
        let all = hits.all();
        let best: Vec<ChunkHit> =
            hits.pairs().par_iter().map(|pair| all[pair.hits.start]).collect();
        let best = extend(&best)?;
        let separation = search.options.diagonal_separation();
        let left = |(pair, gapped): (&Pair, &Option<Gapped>)| {
            let best =
                gapped.as_ref().map(|gapped| search.gapped_hsp(&all[pair.hits.start].hit, gapped));
            let best = best.filter(|hsp| search.is_enough(hsp));
            let is_left = move |&place: &usize| {
                let hsp = search.ungapped_hsp(&all[place].hit);
                !best.as_ref().is_some_and(|best| contained::lies_within(&hsp, best, separation))
            };
            (pair.hits.start + 1..pair.hits.end).filter(is_left)
        };
        let others: Vec<usize> = hits.pairs().par_iter().zip(&best).flat_map_iter(left).collect();
        let chosen: Vec<ChunkHit> = others.par_iter().map(|&place| all[place]).collect();
        let of_others = extend(&chosen)?;
        Ok(Self { hits, best, others, of_others })
    }

    /// Adds what was found in other chunks, of which the first is the `first`-th now.
    pub(crate) fn append(&mut self, first: usize, mut next: Self) {
        let before = self.hits.all().len();
        next.others.par_iter_mut().for_each(|place| *place += before);
        self.hits.append(first, next.hits);
        hits::append(&mut self.best, next.best);
        hits::append(&mut self.others, next.others);
        hits::append(&mut self.of_others, next.of_others);
    }

    /// What was extended of a pair but the best: numbers among all others.
    fn others(&self, pair: &Pair) -> Range<usize> {
        let before = |end: usize| self.others.partition_point(|&place| place < end);
        before(pair.hits.start)..before(pair.hits.end)
    }

    /// The ungapped alignments of a pair, the best first, with what gaps make of them if they were
    /// extended.
    pub(crate) fn of_pair(
        &self,
        number: usize,
    ) -> impl Iterator<Item = (&UngappedHit, Option<&Gapped>)> {
        let pair = &self.hits.pairs()[number];
        let mut others = self.others(pair).peekable();
        pair.hits.clone().map(move |place| {
            let gapped = if place == pair.hits.start {
                self.best[number].as_ref()
            } else {
                let other = others.next_if(|&other| self.others[other] == place);
                other.and_then(|other| self.of_others[other].as_ref())
            };
            (&self.hits.all()[place].hit, gapped)
        })
    }

    /// The rank of a pair, whose chunk is all of a subject.
    ///
    /// It is that of its best alignment if no other scores as much: nothing replaces that, and what was
    /// not extended lies within it.
    pub(crate) fn rank(&self, search: &Search<'_>, number: usize, subject: usize) -> Known {
        let pair = &self.hits.pairs()[number];
        let others = self.others(pair);
        let rest = self.others[others.clone()].iter().copied().zip(&self.of_others[others]);
        let all = std::iter::once((pair.hits.start, &self.best[number])).chain(rest);
        let made = |(place, gapped): (usize, &Option<Gapped>)| {
            gapped.as_ref().map(|gapped| search.gapped_hsp(&self.hits.all()[place].hit, gapped))
        };
        let Some(made) = all.map(made).collect::<Option<Vec<Hsp>>>() else { return Known::Open };
        if !made.iter().any(|hsp| search.is_enough(hsp)) {
            return Known::Nothing;
        }
        let e_value = |hsp: &Hsp| search.batch.e_value(hsp.context, hsp.score);
        let (best, rest) = (&made[0], &made[1..]);
        let rank = Rank { e_value: e_value(best), score: best.score, subject };
        let is_less = |hsp: &Hsp| hsp.score < rank.score && e_value(hsp) >= rank.e_value;
        let is_kept = search.is_enough(best) && rank.e_value <= search.options.e_value;
        if is_kept && rest.iter().all(is_less) { Known::Rank(rank) } else { Known::Open }
    }

    /// Subjects of each query with preliminary alignments, in order: if `most` are wanted, all that may be
    /// among the best. `origins` is what each chunk of the database is.
    pub(crate) fn subjects(
        &self,
        search: &Search<'_>,
        database: &Database,
        origins: &[Origin],
        most: Option<usize>,
    ) -> Vec<Vec<Hit>> {
        let pairs = self.hits.pairs();
        let known = |number: usize| {
            let Pair { chunk, query, .. } = pairs[number];
            let Origin { subject, is_all, .. } = origins[chunk];
            let known = self.rank(search, number, subject);
            (query, if is_all || matches!(known, Known::Nothing) { known } else { Known::Open })
        };
        let chosen: Vec<usize> = match most {
            Some(most) => {
                let known: Vec<_> = (0..pairs.len()).into_par_iter().map(known).collect();
                ranking::candidates(&known, search.batch.queries(), most)
            }
            None => (0..pairs.len()).collect(),
        };
        let of_pair = |&number: &usize| {
            let Pair { chunk, query, .. } = pairs[number];
            let Origin { subject, ref range, .. } = origins[chunk];
            let of_subject = database.subject(subject);
            let hsps = search.ready(&of_subject, range, self.of_pair(number));
            Aligned { place: (subject, query), start: range.start, hsps }
        };
        let mut aligned: Vec<Aligned> = chosen.par_iter().map(of_pair).collect();
        // Chunks of a subject stay in their order.
        aligned.par_sort_by_key(|part| part.place);
        let of_subject = |parts: &mut [Aligned]| {
            let (subject, query) = parts[0].place;
            let parts = parts.iter_mut().map(|part| (part.start, take(&mut part.hsps)));
            (query, Hit { subject, hsps: search.merged(parts) })
        };
        let of_subjects: Vec<(usize, Hit)> = aligned
            .par_chunk_by_mut(|one, other| one.place == other.place)
            .map(of_subject)
            .filter(|(_, hit)| !hit.hsps.is_empty())
            .collect();
        let mut hits: Vec<Vec<Hit>> = vec![Vec::new(); search.batch.queries()];
        for (query, hit) in of_subjects {
            hits[query].push(hit);
        }
        hits
    }
}

/// Alignments of a query and a part of a subject.
struct Aligned {
    /// Subject and query.
    place: (usize, usize),
    /// Where the part begins.
    start: usize,
    hsps: Vec<Hsp>,
}
