//! The last step of mapping: from the match starts of a read to its reported alignments.
//!
//! A resolver maps one read after the other in the same memory. The alignments of a read are still in the cache when
//! they are written out, and the alignments of a batch are never in memory together.

use std::sync::atomic::Ordering;

use fm_index::FmIndex;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::alignment::mapping::Mapping;
use crate::alignment::traceback::{LocusAligner, OrientedQuery};
use crate::alignment::ungapped::PackedQuery;
use crate::error::MapError;
use crate::locus::loci::{Locus, LocusBuilder};
use crate::locus::mapq::mapq;
use crate::locus::match_starts::{MatchStart, MatchStarts};
use crate::locus::matches::MatchVerifier;
use crate::params::{Params, Report};
use crate::read::Strand;
use crate::scan;
use crate::stats::Counters;

/// Resolves the reads of one mapper, one after the other. See [`Mapper::resolver`](crate::Mapper::resolver).
#[derive(Debug)]
pub struct Resolver<'m> {
    index: &'m FmIndex,
    params: &'m Params,
    counters: &'m Counters,
    verifier: MatchVerifier<'m>,
    aligner: LocusAligner<'m>,
    /// Match starts of one query.
    starts: Vec<MatchStart>,
    /// Loci of the read on both strands.
    loci: Vec<Locus>,
    /// Every match of the read on both strands, if all are to be reported.
    matches: Vec<Locus>,
    packed: [PackedQuery; 2],
    mapping: Mapping,
    /// Number of loci (or matches) of all reads so far.
    total: u64,
}

impl<'m> Resolver<'m> {
    pub(crate) fn new(index: &'m FmIndex, params: &'m Params, counters: &'m Counters) -> Self {
        let reference = index.reference();
        Self {
            index,
            params,
            counters,
            verifier: MatchVerifier::new(reference),
            aligner: LocusAligner::new(reference),
            starts: Vec::new(),
            loci: Vec::new(),
            matches: Vec::new(),
            packed: Default::default(),
            mapping: Mapping::default(),
            total: 0,
        }
    }

    /// The mapping of read number `read` of the batch, whose name is `name`.
    ///
    /// # Errors
    /// [`MapError::InconsistentIndex`].
    ///
    /// # Panics
    /// If the batch has no such read.
    pub fn mapping(
        &mut self,
        found: &MatchStarts,
        read: usize,
        name: &[u8],
    ) -> Result<&Mapping, MapError> {
        self.loci.clear();
        self.matches.clear();
        for query in [2 * read, 2 * read + 1] {
            if self.params.is_scanned(found.queries.codes(query).len()) {
                self.scan(found.queries.codes(query), Strand::of_query(query));
            } else {
                self.verify(found, query);
            }
        }
        self.report(found, read, name)?;
        self.total += self.mapping.total;
        Ok(&self.mapping)
    }

    /// Adds the loci of a query, from the match starts that the searches found.
    fn verify(&mut self, found: &MatchStarts, query: usize) {
        found.of_query(query, &mut self.starts);
        let (codes, strand) = (found.queries.codes(query), Strand::of_query(query));
        let k = usize::from(self.params.k);
        let all = self.params.report == Report::AllStarts;
        let mut loci = LocusBuilder::new(k, strand, &mut self.loci);
        // Contigs have the same order in the indexed text, so the starts within each descend, as the builder expects.
        for start in self.starts.iter().rev() {
            let verified = self.verifier.verify(start.position(), start.distance(), codes, k);
            if let Some(found) = verified {
                loci.push(found);
                if all {
                    self.matches.push(Locus { best: found, strand });
                }
            }
        }
        loci.finish();
    }

    /// Adds the loci of a query by scanning the reference.
    fn scan(&mut self, codes: &[u8], strand: Strand) {
        if codes.is_empty() {
            return;
        }
        let k = usize::from(self.params.k);
        let all = self.params.report == Report::AllStarts;
        let mut loci = LocusBuilder::new(k, strand, &mut self.loci);
        scan::search(self.index.reference(), codes, k, |found| {
            loci.push(found);
            if all {
                self.matches.push(Locus { best: found, strand });
            }
        });
        loci.finish();
    }

    /// Chooses the primary locus and aligns the read at all loci to report.
    fn report(&mut self, found: &MatchStarts, read: usize, name: &[u8]) -> Result<(), MapError> {
        let params = self.params;
        let codes = [2 * read, 2 * read + 1].map(|query| found.queries.codes(query));
        self.mapping.clear(codes[0].len() as u32);
        // The loci of each strand are already in order, which makes a stable sort fast.
        self.loci.sort_by_key(Locus::order);
        let distances = || self.loci.iter().map(|locus| locus.best.distance);
        let Some(least) = distances().min() else { return Ok(()) };
        self.mapping.mapq = mapq(distances(), params.k);
        let ties = distances().filter(|&distance| distance == least).count();
        let choice = xxh3_64_with_seed(name, params.seed) % ties as u64;
        let mut tied = self.loci.iter().filter(|locus| locus.best.distance == least);
        // Always present, since the choice is less than the number of ties.
        let Some(&primary) = tied.nth(choice as usize) else { return Ok(()) };
        let reported = if params.report == Report::AllStarts {
            self.matches.sort_by_key(Locus::order);
            &mut self.matches
        } else {
            &mut self.loci
        };
        self.mapping.total = reported.len() as u64;
        self.packed.iter_mut().zip(codes).for_each(|(packed, codes)| packed.set(codes));
        let [forward, reverse] = &self.packed;
        let queries = [
            OrientedQuery { codes: codes[0], packed: forward },
            OrientedQuery { codes: codes[1], packed: reverse },
        ];
        self.aligner.align(&queries, &[primary], &mut self.mapping)?;
        if params.report != Report::Best {
            reported.retain(|&locus| locus != primary);
            self.aligner.align(&queries, reported, &mut self.mapping)?;
        }
        Ok(())
    }
}

impl Drop for Resolver<'_> {
    fn drop(&mut self) {
        self.counters.loci.fetch_add(self.total, Ordering::Relaxed);
    }
}
