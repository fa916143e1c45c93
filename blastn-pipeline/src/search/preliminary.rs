//! The first stages of a search: from a subject's words to gapped alignments by score alone.
//!
//! A long subject is searched in chunks that overlap; alignments across a seam are joined.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::database::Subject;
use crate::database::chunks::{OVERLAP, chunks};
use crate::search::speculative;
use crate::gapped::{self, Gapped};
use crate::hsp::containment::Kept;
use crate::hsp::{self, Hsp};
use crate::options::Options;
use crate::query::batch::Batch;
use crate::seed::lookup::{Lookup, LookupHit};
use crate::seed::word_hits::{self, WordHit};
use crate::sequence::packed;
use crate::ungapped::hits;
use crate::ungapped::diagonals::{Diagonals, Extender};
use crate::ungapped::extension::{Chunk, Fours};
use crate::ungapped::hits::UngappedHit;

/// Bases of the subject that are scanned at a time: their hits fit into the cache.
const BLOCK: usize = 1 << 15;

/// Bases from a seed to the end of its ungapped alignment from which on the seed is moved on into
/// the first byte whose bases all match.
const INTO_BYTE: u32 = 8;

/// What all searches of a batch share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) batch: &'a Batch,
    pub(crate) lookup: &'a Lookup,
    pub(crate) options: &'a Options,
    pub(crate) fours: &'a Fours,
}

/// Memory of a thread, to be used again.
#[derive(Debug, Default)]
pub(crate) struct Work {
    bases: Vec<u8>,
    hits: Vec<LookupHit>,
    words: Vec<WordHit>,
    ungapped: Vec<UngappedHit>,
    diagonals: Diagonals,
    gapped: gapped::Work,
    /// Of each query; 0 before and after.
    counts: Vec<u64>,
}

/// What was found in a subject.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Of each query that something was found of, in order; by score.
    pub(crate) of_queries: Vec<(usize, Vec<Hsp>)>,
    /// Of queries, how many ungapped alignments were extended with gaps.
    pub(crate) extensions: Vec<(usize, u64)>,
}

impl Search<'_> {
    /// Searches a subject.
    pub(crate) fn subject(&self, subject: &Subject<'_>, work: &mut Work) -> Found {
        let chunks = chunks(subject.length);
        let parts: Vec<Found> = if let [all] = &chunks[..] {
            vec![self.chunk(subject, all.clone(), work)]
        } else {
            let chunks = chunks.par_iter().cloned();
            chunks.map_init(Work::default, |work, chunk| self.chunk(subject, chunk, work)).collect()
        };
        let extensions = parts.iter().flat_map(|part| &part.extensions).copied().collect();
        let mut of_queries: BTreeMap<usize, Vec<(usize, Vec<Hsp>)>> = BTreeMap::new();
        for (part, chunk) in parts.into_iter().zip(&chunks) {
            for (query, hsps) in part.of_queries {
                of_queries.entry(query).or_default().push((chunk.start, hsps));
            }
        }
        let merge = |(query, parts)| (query, self.merged(parts));
        let mut of_queries: Vec<(usize, Vec<Hsp>)> = if chunks.len() == 1 {
            of_queries.into_iter().map(merge).collect()
        } else {
            of_queries.into_par_iter().map(merge).collect()
        };
        of_queries.retain(|(_, hsps)| !hsps.is_empty());
        Found { of_queries, extensions }
    }

    /// Alignments of a query and a subject, of those with its chunks, which begin at some places.
    pub(crate) fn merged(&self, parts: impl IntoIterator<Item = (usize, Vec<Hsp>)>) -> Vec<Hsp> {
        let mut all = Vec::new();
        for (start, hsps) in parts {
            let overlap = if start == 0 { 0 } else { OVERLAP as i32 };
            hsp::merge(&mut all, hsps, start as i32, overlap);
        }
        for hsp in &mut all {
            hsp.e_value = self.batch.e_value(hsp.context, hsp.score);
        }
        all.retain(|hsp| hsp.e_value <= self.options.e_value);
        all
    }

    fn chunk(&self, subject: &Subject<'_>, range: Range<usize>, work: &mut Work) -> Found {
        let packed = &subject.packed[range.start / packed::BASES..];
        let mut bases = std::mem::take(&mut work.bases);
        packed::unpack(packed, range.len(), &mut bases);
        work.ungapped.clear();
        self.ungapped(Chunk { packed, bases: &bases }, work);
        work.ungapped.sort_unstable_by(hits::order);
        let hsps = self.gapped(&bases, work);
        work.bases = bases;
        let mut of_queries: BTreeMap<usize, Vec<Hsp>> = BTreeMap::new();
        for hsp in hsps {
            of_queries.entry(self.batch.contexts[hsp.context].query).or_default().push(hsp);
        }
        let found = of_queries.into_iter().map(|(query, hsps)| (query, finish(hsps, range.start)));
        Found { of_queries: found.collect(), extensions: self.extensions(work) }
    }

    /// How many ungapped alignments there are of each query that has any.
    fn extensions(&self, work: &mut Work) -> Vec<(usize, u64)> {
        work.counts.resize(self.batch.queries(), 0);
        let mut queries = Vec::new();
        for hit in &work.ungapped {
            let query = self.batch.contexts[self.batch.context_at(hit.seed_query as usize)].query;
            if work.counts[query] == 0 {
                queries.push(query);
            }
            work.counts[query] += 1;
        }
        queries.into_iter().map(|query| (query, std::mem::take(&mut work.counts[query]))).collect()
    }

    /// Alignments of a query and a part of a subject, of ungapped ones, the best first, with what a device
    /// made of them. What it did not make, and is not within others, is made here.
    pub(crate) fn ready<'a>(
        &self,
        subject: &Subject<'_>,
        range: &Range<usize>,
        hits: impl Iterator<Item = (&'a UngappedHit, Option<&'a Gapped>)>,
    ) -> Vec<Hsp> {
        let bases = OnceCell::new();
        let unpack = || {
            let mut bases = Vec::new();
            packed::unpack(&subject.packed[range.start / packed::BASES..], range.len(), &mut bases);
            bases
        };
        let mut work = gapped::Work::default();
        let hsps = ahead::keep(
            hits,
            &mut Kept::new(self.options.diagonal_separation()),
            |(hit, _)| self.ungapped_hsp(hit),
            |(hit, gapped)| match gapped {
                Some(gapped) => self.gapped_hsp(hit, gapped),
                None => self.gapped_from(hit, bases.get_or_init(unpack), &mut work),
            },
            |hsp| self.is_enough(hsp),
        );
        finish(hsps, range.start)
    }

    pub(crate) fn is_enough(&self, hsp: &Hsp) -> bool {
        hsp.score >= self.batch.statistics(hsp.context).cutoff
    }

    /// Seeds and extends without gaps; adds what is found to `work.ungapped`.
    fn ungapped(&self, chunk: Chunk<'_>, work: &mut Work) {
        let Self { batch, lookup, options, fours } = *self;
        let mut extender = Extender::new(batch, fours, chunk, &mut work.diagonals);
        let places = (chunk.bases.len() + 1).saturating_sub(lookup.width());
        let block = BLOCK.next_multiple_of(lookup.stride());
        for start in (0..places).step_by(block) {
            work.hits.clear();
            work.words.clear();
            lookup.find(chunk.packed, start..places.min(start + block), &mut work.hits);
            words::extend(batch, lookup, options.word, chunk.bases, &work.hits, &mut work.words);
            extender.extend(&work.words, &mut work.ungapped);
        }
    }

    /// Extends with gaps what is not within an alignment already; places are within the chunk.
    fn gapped(&self, bases: &[u8], work: &mut Work) -> Vec<Hsp> {
        ahead::extend(
            &work.ungapped,
            &mut Kept::new(self.options.diagonal_separation()),
            &mut work.gapped,
            gapped::Work::default,
            |hit| self.ungapped_hsp(hit),
            |hit, work| self.gapped_from(hit, bases, work),
            |hsp| self.is_enough(hsp),
        )
    }

    pub(crate) fn ungapped_hsp(&self, hit: &UngappedHit) -> Hsp {
        let context = self.batch.context_at(hit.seed_query as usize);
        let begin = hit.query as i32 - self.batch.contexts[context].first as i32;
        let (subject, length) = (hit.subject as i32, hit.length as i32);
        Hsp {
            context,
            score: hit.score,
            query: (begin, begin + length),
            subject: (subject, subject + length),
            ..Hsp::default()
        }
    }

    /// Where a hit is extended from, within its strand and chunk.
    pub(crate) fn seed(&self, hit: &UngappedHit) -> (usize, usize) {
        let context = self.batch.context_at(hit.seed_query as usize);
        let first = self.batch.contexts[context].first as u32;
        if self.options.is_greedy() {
            let middle = hit.length / 2;
            return ((hit.query - first + middle) as usize, (hit.subject + middle) as usize);
        }
        let far = hit.subject + hit.length >= hit.seed_subject + INTO_BYTE;
        let moved = if far { 3 } else { 0 };
        ((hit.seed_query - first + moved) as usize, (hit.seed_subject + moved) as usize)
    }

    /// How far the score of a hit's extension may drop.
    pub(crate) fn x_drop(&self, hit: &UngappedHit) -> i32 {
        if self.options.is_greedy() {
            return self.batch.manner.x_drop;
        }
        self.batch.manner.x_drop.min(hit.score)
    }

    fn gapped_from(&self, hit: &UngappedHit, bases: &[u8], work: &mut gapped::Work) -> Hsp {
        let Self { batch, options, .. } = *self;
        let context = batch.context_at(hit.seed_query as usize);
        let sequences = (batch.strand(context), bases);
        let (seed, scoring) = (self.seed(hit), &options.scoring);
        let gapped = if options.is_greedy() {
            gapped::greedy_score(batch, scoring, sequences, seed, work)
        } else {
            gapped::affine_score(batch, scoring, sequences, seed, self.x_drop(hit), work)
        };
        self.gapped_hsp(hit, &gapped)
    }

    pub(crate) fn gapped_hsp(&self, hit: &UngappedHit, gapped: &Gapped) -> Hsp {
        let &Gapped { score, query, subject, seed, .. } = gapped;
        let context = self.batch.context_at(hit.seed_query as usize);
        Hsp { context, score, query, subject, seed, ..Hsp::default() }
    }
}

/// Alignments of a query and a chunk by score, with places within the subject.
fn finish(mut hsps: Vec<Hsp>, start: usize) -> Vec<Hsp> {
    let start = start as i32;
    hsp::purge_common_ends(&mut hsps);
    hsps.sort_by(Hsp::by_score);
    for hsp in &mut hsps {
        hsp.subject = (hsp.subject.0 + start, hsp.subject.1 + start);
        hsp.seed.1 += start;
    }
    hsps
}
