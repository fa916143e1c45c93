//! The first stages of a search: from a subject's words to gapped alignments by score alone.
//!
//! A long subject is searched in chunks that overlap; alignments across a seam are joined.

use std::ops::Range;

use rayon::prelude::*;

use crate::ahead;
use crate::contained::Kept;
use crate::database::Subject;
use crate::gapped;
use crate::hsp::{self, Hsp};
use crate::lookup::{Lookup, LookupHit};
use crate::options::Options;
use crate::packed;
use crate::queries::Batch;
use crate::ungapped::{Chunk, Diagonals, Extender, Fours, UngappedHit};
use crate::words::{self, WordHit};

/// Bases of a chunk, and how many it shares with the next.
const CHUNK: usize = 5_000_000;
const OVERLAP: usize = 100;

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
}

/// What was found in a subject.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// By score.
    pub(crate) hsps: Vec<Hsp>,
    /// How many ungapped alignments were extended with gaps.
    pub(crate) extensions: u64,
}

impl Search<'_> {
    /// Searches a subject.
    ///
    /// `seeded` are the ungapped alignments of its [`chunks`], if they are known.
    pub(crate) fn subject(
        &self,
        subject: &Subject<'_>,
        seeded: Option<&[Vec<UngappedHit>]>,
        work: &mut Work,
    ) -> Found {
        let chunks = chunks(subject.length);
        let of = |number: usize| seeded.map(|seeded| seeded[number].as_slice());
        let mut found = if let [whole] = chunks.as_slice() {
            self.chunk(subject, whole.clone(), of(0), work)
        } else {
            let parts: Vec<Found> = chunks
                .par_iter()
                .enumerate()
                .map_init(Work::default, |work, (number, chunk)| {
                    self.chunk(subject, chunk.clone(), of(number), work)
                })
                .collect();
            let mut all = Found::default();
            for (part, chunk) in parts.into_iter().zip(&chunks) {
                all.extensions += part.extensions;
                let overlap = if chunk.start == 0 { 0 } else { OVERLAP };
                hsp::merge(&mut all.hsps, part.hsps, chunk.start as i32, overlap as i32);
            }
            all
        };
        for hsp in &mut found.hsps {
            hsp.e_value = self.batch.e_value(hsp.context, hsp.score);
        }
        found.hsps.retain(|hsp| hsp.e_value <= self.options.e_value);
        found
    }

    fn chunk(
        &self,
        subject: &Subject<'_>,
        range: Range<usize>,
        seeded: Option<&[UngappedHit]>,
        work: &mut Work,
    ) -> Found {
        if seeded.is_some_and(<[_]>::is_empty) {
            return Found::default();
        }
        let packed = &subject.packed[range.start / packed::BASES..];
        let mut bases = std::mem::take(&mut work.bases);
        packed::unpack(packed, range.len(), &mut bases);
        work.ungapped.clear();
        match seeded {
            Some(seeded) => work.ungapped.extend_from_slice(seeded),
            None => self.ungapped(Chunk { packed, bases: &bases }, work),
        }
        best_first(&mut work.ungapped);
        let mut hsps = self.gapped(&bases, work);
        for hsp in &mut hsps {
            let start = range.start as i32;
            hsp.subject = (hsp.subject.0 + start, hsp.subject.1 + start);
            hsp.seed.1 += start;
        }
        work.bases = bases;
        Found { hsps, extensions: work.ungapped.len() as u64 }
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

    /// Extends with gaps what is not within an alignment already; returns alignments by score, with
    /// places within the chunk.
    fn gapped(&self, bases: &[u8], work: &mut Work) -> Vec<Hsp> {
        let mut kept = Kept::new(self.options.diagonal_separation());
        let mut hsps = ahead::extend(
            &work.ungapped,
            &mut kept,
            &mut work.gapped,
            gapped::Work::default,
            |hit| self.ungapped_hsp(hit),
            |hit, work| self.gapped_from(hit, bases, work),
            |hsp| hsp.score >= self.batch.statistics(hsp.context).cutoff,
        );
        hsp::purge_common_ends(&mut hsps);
        hsps.sort_by(Hsp::by_score);
        hsps
    }

    fn ungapped_hsp(&self, hit: &UngappedHit) -> Hsp {
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

    fn gapped_from(&self, hit: &UngappedHit, bases: &[u8], work: &mut gapped::Work) -> Hsp {
        let Self { batch, options, .. } = *self;
        let context = batch.context_at(hit.seed_query as usize);
        let first = batch.contexts[context].first as u32;
        let sequences = (batch.strand(context), bases);
        let gapped = if options.is_greedy() {
            let middle = hit.length / 2;
            let seed = ((hit.query - first + middle) as usize, (hit.subject + middle) as usize);
            gapped::greedy_score(batch, &options.scoring, sequences, seed, work)
        } else {
            let far = hit.subject + hit.length >= hit.seed_subject + INTO_BYTE;
            let moved = if far { 3 } else { 0 };
            let seed =
                ((hit.seed_query - first + moved) as usize, (hit.seed_subject + moved) as usize);
            let x_drop = batch.x_drop.min(hit.score);
            gapped::affine_score(batch, &options.scoring, sequences, seed, x_drop, work)
        };
        Hsp {
            context,
            score: gapped.score,
            query: gapped.query,
            subject: gapped.subject,
            seed: gapped.seed,
            ..Hsp::default()
        }
    }
}

/// Puts ungapped alignments into the order in which they are extended with gaps.
fn best_first(hits: &mut [UngappedHit]) {
    hits.sort_unstable_by(|one, other| {
        other
            .score
            .cmp(&one.score)
            .then(one.subject.cmp(&other.subject))
            .then(other.length.cmp(&one.length))
            .then(one.query.cmp(&other.query))
    });
}

/// The chunks of a subject. Each begins with a byte of it.
pub(crate) fn chunks(length: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    while start + CHUNK < length {
        chunks.push(start..start + CHUNK);
        start += CHUNK - OVERLAP;
        start -= start % packed::BASES;
    }
    chunks.push(start..length);
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_overlap_and_cover() {
        for length in [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK, 64_444_167] {
            let chunks = chunks(length);
            assert_eq!((chunks[0].start, chunks[chunks.len() - 1].end), (0, length));
            for two in chunks.windows(2) {
                assert!(two[1].start.is_multiple_of(packed::BASES));
                assert!(two[0].end - two[1].start >= OVERLAP && two[1].end > two[0].end);
            }
        }
    }
}
