//! The preliminary search of a subject: from its words to gapped alignments without columns.
//!
//! A long subject is searched in overlapping chunks; alignments across the seam of two chunks are joined. This is the
//! search on the CPU; with a GPU, the methods here that join, check and complete alignments are applied to the GPU's
//! results.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use aligner_core::buffer_pool::BufferPool;
use rayon::prelude::*;

use crate::database::Subject;
use crate::database::chunks::{OVERLAP, chunks};
use crate::gapped::{self, GappedAlignment};
use crate::hsp::containment::KeptHsps;
use crate::hsp::{self, CloseDiagonals, Hsp, best_hit, linking};
use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::search::handover::Handover;
use crate::search::{long_chunk, speculative, ungapped_hsps};
use crate::seed::lookup::{Lookup, LookupHit};
use crate::seed::word_hits::{self, WordHit, WordWidener};
use crate::sequence::packed;
use crate::ungapped::diagonals::{ChunkExtender, ExploredDiagonals};
use crate::ungapped::extension::{ByteScoreTable, ChunkBases, UngappedExtender};
use crate::ungapped::hits;
use crate::ungapped::hits::UngappedHit;
use crate::ungapped::two_hits::{TwoHitDiagonals, TwoHitExtender};

/// Number of subject bases that are scanned at a time, so few that their hits fit into the cache.
pub(crate) const BLOCK: usize = 1 << 15;

/// Least number of bases from a seed to the end of its ungapped alignment for the seed to be moved by three bases,
/// into a byte of the packed subject whose bases all match.
const INTO_BYTE: u32 = 8;

/// The context of a preliminary search: everything that is the same for all subjects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PreliminarySearch<'a> {
    pub(crate) batch: &'a QueryBatch,
    pub(crate) lookup: &'a Lookup,
    pub(crate) options: &'a SearchOptions,
    pub(crate) byte_scores: &'a ByteScoreTable,
    /// Says when a GPU takes over, if one may.
    pub(crate) handover: Option<&'a Handover<'a>>,
}

/// Buffers for a chunk, which are used again for each.
#[derive(Debug, Default)]
pub(crate) struct PreliminaryBuffers {
    bases: Vec<u8>,
    hits: Vec<LookupHit>,
    words: Vec<WordHit>,
    ungapped: Vec<UngappedHit>,
    diagonals: ExploredDiagonals,
    /// Diagonals where two word hits start an extension.
    two_hits: TwoHitDiagonals,
    /// Diagonals of pieces of the queries, where threads share a chunk.
    piece_diagonals: Vec<ExploredDiagonals>,
    gapped: gapped::GappedBuffers,
    /// Number of ungapped alignments of each query; all 0 between subjects.
    counts: Vec<u64>,
}

/// Preliminary alignments of all queries with a subject, or with a chunk of one.
#[derive(Debug, Default)]
pub(crate) struct PreliminaryHits {
    /// Alignments of each query that has any, by query; those of a query by score.
    pub(crate) by_query: Vec<(usize, Vec<Hsp>)>,
    /// Number of ungapped alignments that score at least the gap trigger, of each query that has any.
    pub(crate) ungapped_counts: Vec<(usize, u64)>,
}

impl PreliminarySearch<'_> {
    /// Searches all queries in a subject, in buffers of the pool.
    pub(crate) fn subject(
        &self,
        subject: &Subject<'_>,
        pool: &BufferPool<PreliminaryBuffers>,
    ) -> PreliminaryHits {
        let chunks = chunks(subject.length);
        let search = |chunk: &Range<usize>| {
            let mut buffers = pool.take();
            let found = self.chunk(subject, chunk.clone(), &mut buffers);
            pool.give_back(buffers);
            found
        };
        let of_chunks: Vec<PreliminaryHits> = if let [all] = &chunks[..] {
            vec![search(all)]
        } else {
            chunks.par_iter().map(search).collect()
        };
        let ungapped_counts =
            of_chunks.iter().flat_map(|hits| &hits.ungapped_counts).copied().collect();
        let mut by_query: BTreeMap<usize, Vec<(usize, Vec<Hsp>)>> = BTreeMap::new();
        for (hits, chunk) in of_chunks.into_iter().zip(&chunks) {
            for (query, hsps) in hits.by_query {
                by_query.entry(query).or_default().push((chunk.start, hsps));
            }
        }
        let merge = |(query, of_chunks)| {
            let mut hsps = self.merged(of_chunks, subject.length);
            if self.options.is_ungapped {
                ungapped_hsps::finish(self, subject, &mut hsps);
            }
            (query, hsps)
        };
        let mut by_query: Vec<(usize, Vec<Hsp>)> = if chunks.len() == 1 {
            by_query.into_iter().map(merge).collect()
        } else {
            by_query.into_par_iter().map(merge).collect()
        };
        by_query.retain(|(_, hsps)| !hsps.is_empty());
        PreliminaryHits { by_query, ungapped_counts }
    }

    /// Alignments of a query and a subject, joined from those with its chunks: for each chunk, in order, its
    /// position in the subject and the alignments found there. `length` is that of the subject.
    pub(crate) fn merged(
        &self,
        of_chunks: impl IntoIterator<Item = (usize, Vec<Hsp>)>,
        length: usize,
    ) -> Vec<Hsp> {
        let is_ungapped = self.options.is_ungapped;
        let close = if is_ungapped { CloseDiagonals::Same } else { CloseDiagonals::Near };
        let mut all = Vec::new();
        for (start, hsps) in of_chunks {
            let overlap = if start == 0 { 0 } else { OVERLAP as i32 };
            hsp::merge(&mut all, hsps, (start as i32, overlap), close);
            if self.options.is_subject_best_hit {
                best_hit::keep_best_of_subject(&mut all, self.batch);
            }
        }
        self.keep_significant(&mut all, length);
        all
    }

    /// Computes the E-values of alignments of a query and a subject of some length, and drops those beyond the greatest.
    pub(crate) fn keep_significant(&self, hsps: &mut Vec<Hsp>, length: usize) {
        if self.options.has_sum_statistics {
            linking::link(self.batch, hsps, length, self.batch.parameters.near_cutoff);
        } else {
            for hsp in hsps.iter_mut() {
                hsp.e_value = self.batch.e_value(hsp.context, hsp.score);
            }
        }
        hsps.retain(|hsp| hsp.e_value <= self.options.e_value);
    }

    /// Searches all queries in a chunk of a subject.
    fn chunk(
        &self,
        subject: &Subject<'_>,
        range: Range<usize>,
        buffers: &mut PreliminaryBuffers,
    ) -> PreliminaryHits {
        if self.handover.is_some_and(Handover::is_due) {
            return PreliminaryHits::default();
        }
        let packed = &subject.packed[range.start / packed::BASES..];
        let mut bases = std::mem::take(&mut buffers.bases);
        packed::unpack(packed, range.len(), &mut bases);
        buffers.ungapped.clear();
        let chunk = ChunkBases { packed, bases: &bases };
        // Where two word hits start an extension, those of one context may depend on those of its neighbour.
        if self.options.window == 0 && long_chunk::is_shared(bases.len()) {
            let PreliminaryBuffers { piece_diagonals, ungapped, .. } = buffers;
            long_chunk::ungapped(self, chunk, piece_diagonals, ungapped);
        } else {
            self.ungapped(chunk, buffers);
        }
        if self.handover.is_some_and(Handover::is_done) {
            buffers.bases = bases;
            return PreliminaryHits::default();
        }
        let ungapped_counts = self.ungapped_counts(buffers);
        if !self.batch.wants_all() {
            buffers.ungapped.retain(|hit| self.batch.wants(self.query_of(hit)));
        }
        buffers.ungapped.sort_unstable_by(hits::extension_order);
        let hsps = if self.options.is_ungapped {
            buffers.ungapped.iter().map(|hit| self.ungapped_hsp(hit)).collect()
        } else {
            self.gapped(&bases, buffers)
        };
        buffers.bases = bases;
        if let Some(handover) = self.handover {
            handover.add(range.len());
        }
        let mut by_query: BTreeMap<usize, Vec<Hsp>> = BTreeMap::new();
        for hsp in hsps {
            by_query.entry(self.batch.contexts[hsp.context].query).or_default().push(hsp);
        }
        let found =
            by_query.into_iter().map(|(query, hsps)| (query, self.finish(hsps, range.start)));
        PreliminaryHits { by_query: found.collect(), ungapped_counts }
    }

    /// The query of an ungapped alignment.
    fn query_of(&self, hit: &UngappedHit) -> usize {
        self.batch.contexts[self.batch.context_at(hit.seed_query as usize)].query
    }

    /// The number of ungapped alignments in `buffers` of each query that has any.
    ///
    /// These counts decide the sizes of later portions of queries, and so their batch parameters
    /// ([`crate::query::batch_plan`]), as in NCBI's program. A new stage must therefore drop ungapped alignments only
    /// after they are counted; dropped before, results of later batches change.
    fn ungapped_counts(&self, buffers: &mut PreliminaryBuffers) -> Vec<(usize, u64)> {
        buffers.counts.resize(self.batch.queries(), 0);
        let mut queries = Vec::new();
        for hit in &buffers.ungapped {
            let query = self.query_of(hit);
            if buffers.counts[query] == 0 {
                queries.push(query);
            }
            buffers.counts[query] += 1;
        }
        queries
            .into_iter()
            .map(|query| (query, std::mem::take(&mut buffers.counts[query])))
            .collect()
    }

    /// Preliminary alignments of a query and a chunk (`range`) of a subject, from ungapped ones, the best first, each
    /// with the gapped alignment that a device made of it. Alignments that the device did not make are made here,
    /// unless a better one contains them.
    pub(crate) fn complete<'a>(
        &self,
        subject: &Subject<'_>,
        range: &Range<usize>,
        hits: impl Iterator<Item = (&'a UngappedHit, Option<&'a GappedAlignment>)>,
    ) -> Vec<Hsp> {
        let bases = OnceCell::new();
        let unpack = || {
            let mut bases = Vec::new();
            packed::unpack(&subject.packed[range.start / packed::BASES..], range.len(), &mut bases);
            bases
        };
        let mut work = gapped::GappedBuffers::default();
        let hsps = speculative::keep(
            hits,
            &mut KeptHsps::new(self.options.diagonal_separation()),
            |(hit, _)| self.ungapped_hsp(hit),
            |(hit, gapped)| match gapped {
                Some(gapped) => self.gapped_hsp(hit, gapped),
                None => self.extend_gapped(hit, bases.get_or_init(unpack), &mut work),
            },
            |hsp| self.reaches_cutoff(hsp),
        );
        self.finish(hsps, range.start)
    }

    /// Whether an alignment scores at least the cutoff of its context.
    pub(crate) fn reaches_cutoff(&self, hsp: &Hsp) -> bool {
        hsp.score >= self.batch.cutoff(hsp.context)
    }

    /// The blocks of a chunk: ranges of positions whose words are looked up together.
    pub(crate) fn blocks(
        &self,
        chunk: ChunkBases<'_>,
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        let word_starts = (chunk.bases.len() + 1).saturating_sub(self.lookup.width());
        let block = BLOCK.next_multiple_of(self.lookup.stride());
        (0..word_starts).step_by(block).map(move |start| start..word_starts.min(start + block))
    }

    /// Replaces `words` by the word hits of a block of a chunk; `hits` is memory for its lookup hits.
    pub(crate) fn words_of_block(
        &self,
        chunk: ChunkBases<'_>,
        block: Range<usize>,
        hits: &mut Vec<LookupHit>,
        words: &mut Vec<WordHit>,
    ) {
        let Self { batch, lookup, .. } = *self;
        hits.clear();
        words.clear();
        lookup.find(chunk.packed, block, hits);
        if self.options.off_diagonal_range > 0 && lookup.is_wide() {
            // Hits of one word then depend on each other, and NCBI's wide tables have the last one first.
            hits.chunk_by_mut(|one, other| one.subject == other.subject).for_each(<[_]>::reverse);
        }
        word_hits::widen(batch, lookup, lookup.word_length(), chunk.bases, hits, words);
    }

    /// Finds the ungapped alignments with a chunk and adds them to `buffers.ungapped`.
    fn ungapped(&self, chunk: ChunkBases<'_>, buffers: &mut PreliminaryBuffers) {
        let PreliminaryBuffers { hits, words, ungapped, diagonals, two_hits, .. } = buffers;
        if self.options.window > 0 {
            let Self { batch, lookup, options, byte_scores, .. } = *self;
            let extension = UngappedExtender { batch, byte_scores, chunk };
            let (word_size, bases) = (lookup.word_length(), chunk.bases);
            let widener = WordWidener { batch, lookup, word_size, bases };
            let mut extender = TwoHitExtender::new(options, extension, widener, two_hits);
            for block in self.blocks(chunk) {
                self.words_of_block(chunk, block, hits, words);
                extender.extend(words, ungapped);
            }
            return;
        }
        let mut extender = ChunkExtender::new(self.batch, self.byte_scores, chunk, diagonals);
        for block in self.blocks(chunk) {
            self.words_of_block(chunk, block, hits, words);
            extender.extend(words, ungapped);
        }
    }

    /// Extends the ungapped alignments with gaps, best first, unless they lie within a gapped one already. Positions
    /// are within the chunk.
    fn gapped(&self, bases: &[u8], buffers: &mut PreliminaryBuffers) -> Vec<Hsp> {
        speculative::align(
            &buffers.ungapped,
            &mut KeptHsps::new(self.options.diagonal_separation()),
            &mut buffers.gapped,
            gapped::GappedBuffers::default,
            |hit| self.ungapped_hsp(hit),
            |hit, work| self.extend_gapped(hit, bases, work),
            |hsp| self.reaches_cutoff(hsp),
        )
    }

    /// An ungapped alignment as an HSP, with positions within its context and chunk.
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

    /// The pair of positions in context and chunk that an ungapped alignment is extended with gaps from: for greedy
    /// extension its middle, else its seed word.
    pub(crate) fn seed(&self, hit: &UngappedHit) -> (usize, usize) {
        let context = self.batch.context_at(hit.seed_query as usize);
        let first = self.batch.contexts[context].first as u32;
        if self.options.is_greedy {
            let middle = hit.length / 2;
            return ((hit.query - first + middle) as usize, (hit.subject + middle) as usize);
        }
        let far = hit.subject + hit.length >= hit.seed_subject + INTO_BYTE;
        let moved = if far { 3 } else { 0 };
        ((hit.seed_query - first + moved) as usize, (hit.seed_subject + moved) as usize)
    }

    /// The X-drop of the preliminary gapped extension of an ungapped alignment, in score units.
    pub(crate) fn x_drop(&self, hit: &UngappedHit) -> i32 {
        if self.options.is_greedy {
            return self.batch.parameters.gapped_x_drop;
        }
        self.batch.parameters.gapped_x_drop.min(hit.score)
    }

    /// Extends an ungapped alignment with gaps. `bases` are those of its chunk.
    fn extend_gapped(
        &self,
        hit: &UngappedHit,
        bases: &[u8],
        work: &mut gapped::GappedBuffers,
    ) -> Hsp {
        let Self { batch, options, .. } = *self;
        let context = batch.context_at(hit.seed_query as usize);
        let sequences = (batch.strand(context), bases);
        let (seed, scoring) = (self.seed(hit), &options.scoring);
        let gapped = if options.is_greedy {
            gapped::greedy_score(batch, scoring, sequences, seed, work)
        } else {
            gapped::affine_score(batch, scoring, sequences, seed, self.x_drop(hit), work)
        };
        self.gapped_hsp(hit, &gapped)
    }

    /// A gapped alignment of an ungapped one as an HSP.
    pub(crate) fn gapped_hsp(&self, hit: &UngappedHit, gapped: &GappedAlignment) -> Hsp {
        let &GappedAlignment { score, query, subject, seed, .. } = gapped;
        let context = self.batch.context_at(hit.seed_query as usize);
        Hsp { context, score, query, subject, seed, ..Hsp::default() }
    }

    /// Sorts the alignments of a query and a chunk by score, drops those with common ends if they have gaps, and moves their
    /// positions from the chunk, which begins at `start`, to the subject.
    fn finish(&self, mut hsps: Vec<Hsp>, start: usize) -> Vec<Hsp> {
        let start = start as i32;
        if !self.options.is_ungapped {
            hsp::purge_common_ends(&mut hsps);
        }
        hsps.sort_by(Hsp::by_score);
        for hsp in &mut hsps {
            hsp.subject = (hsp.subject.0 + start, hsp.subject.1 + start);
            hsp.seed.1 += start;
        }
        hsps
    }
}
