//! The last step of mapping: from the match starts of a read to its reported alignments.
//!
//! A resolver maps one read after the other in the same memory. The alignments of a read are still in the cache when
//! they are written out, and the alignments of a batch are never in memory together.

use std::ops::Range;
use std::sync::atomic::Ordering;

use fm_index::FmIndex;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::alignment::mapping::Mapping;
use crate::alignment::traceback::{LocusAligner, OrientedQuery};
use crate::alignment::ungapped::PackedQuery;
use crate::error::MapError;
use crate::locus::loci::{Locus, LocusBuilder};
use crate::locus::mapq::mapq;
use crate::locus::match_starts::{MatchStarts, StartBuffer};
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
    starts: StartBuffer,
    /// Loci of the read on both strands.
    loci: Vec<Locus>,
    /// Every match of the read on both strands, if all are to be reported.
    matches: Vec<Locus>,
    packed: [PackedQuery; 2],
    mapping: Mapping,
    /// Number of loci (or matches) of all reads so far.
    total: u64,
}

/// The loci of a read that are to be reported.
#[derive(Debug)]
pub struct ReadLoci {
    /// As [`Mapping::total`].
    pub total: u64,
    /// As [`Mapping::mapq`].
    pub mapq: u8,
    /// The primary locus first, then all others by contig, start and strand. Empty for an unaligned read.
    pub loci: Vec<Locus>,
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
            starts: StartBuffer::default(),
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
        let primary = self.find(found, read, name);
        if let Some(primary) = primary {
            self.align_loci(found, read, &[primary])?;
            let others = std::mem::take(self.reported());
            self.align_loci(found, read, &others)?;
            *self.reported() = others;
        }
        Ok(&self.mapping)
    }

    /// As [`mapping`](Self::mapping), but puts the mapping into `to`, whose memory the resolver uses from then on: so the
    /// mappings of two reads are known at the same time.
    ///
    /// # Errors
    /// As [`mapping`](Self::mapping).
    ///
    /// # Panics
    /// As [`mapping`](Self::mapping).
    pub fn map_into(
        &mut self,
        found: &MatchStarts,
        read: usize,
        name: &[u8],
        to: &mut Mapping,
    ) -> Result<(), MapError> {
        self.mapping(found, read, name)?;
        std::mem::swap(&mut self.mapping, to);
        Ok(())
    }

    /// The loci of read number `read` that are to be reported, the primary one first, for a read that has too many to
    /// align at all of them at once.
    ///
    /// # Panics
    /// As [`mapping`](Self::mapping).
    pub fn loci(&mut self, found: &MatchStarts, read: usize, name: &[u8]) -> ReadLoci {
        let primary = self.find(found, read, name);
        let mut loci = Vec::new();
        if let Some(primary) = primary {
            loci.reserve_exact(self.reported().len() + 1);
            loci.push(primary);
            loci.append(self.reported());
        }
        let Mapping { total, mapq, .. } = self.mapping;
        ReadLoci { total, mapq, loci }
    }

    /// The part of the mapping of a read that has the loci of this range.
    ///
    /// # Errors
    /// [`MapError::InconsistentIndex`].
    ///
    /// # Panics
    /// If the loci are not those of the read, or the range is not in them.
    pub fn part(
        &mut self,
        found: &MatchStarts,
        read: usize,
        of: &ReadLoci,
        range: Range<usize>,
    ) -> Result<&Mapping, MapError> {
        self.mapping.clear(found.queries.codes(2 * read).len() as u32);
        (self.mapping.total, self.mapping.mapq) = (of.total, of.mapq);
        self.pack(found, read);
        self.align_loci(found, read, &of.loci[range])?;
        Ok(&self.mapping)
    }

    /// Finds the loci of a read. Returns the primary one; [`reported`](Self::reported) has the others to report.
    fn find(&mut self, found: &MatchStarts, read: usize, name: &[u8]) -> Option<Locus> {
        self.loci.clear();
        self.matches.clear();
        for query in [2 * read, 2 * read + 1] {
            if self.params.is_scanned(found.queries.codes(query).len()) {
                self.scan(found.queries.codes(query), Strand::of_query(query));
            } else {
                self.verify(found, query);
            }
        }
        self.mapping.clear(found.queries.codes(2 * read).len() as u32);
        let primary = self.choose(name)?;
        self.total += self.mapping.total;
        self.pack(found, read);
        Some(primary)
    }

    /// Adds the loci of a query, from the match starts that the searches found.
    fn verify(&mut self, found: &MatchStarts, query: usize) {
        let (codes, strand) = (found.queries.codes(query), Strand::of_query(query));
        let length = self.index.reference().indexed_len();
        let k = usize::from(self.params.k);
        let all = self.params.report == Report::AllStarts;
        let mut loci = LocusBuilder::new(k, strand, &mut self.loci);
        let (verifier, matches) = (&mut self.verifier, &mut self.matches);
        // Contigs have the same order in the indexed text, so the starts within each descend, as the builder expects.
        found.descending(query, length, &mut self.starts, |position, distance| {
            if let Some(found) = verifier.verify(position, distance, codes, k) {
                loci.push(found);
                if all {
                    matches.push(Locus { best: found, strand });
                }
            }
        });
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

    /// Chooses the primary locus, and removes it from the loci to report.
    fn choose(&mut self, name: &[u8]) -> Option<Locus> {
        let params = self.params;
        // The loci of each strand are already in order, which makes a stable sort fast.
        self.loci.sort_by_key(Locus::order);
        let distances = || self.loci.iter().map(|locus| locus.best.distance);
        let least = distances().min()?;
        self.mapping.mapq = mapq(distances(), params.k);
        let ties = distances().filter(|&distance| distance == least).count();
        let choice = xxh3_64_with_seed(name, params.seed) % ties as u64;
        let mut tied = self.loci.iter().filter(|locus| locus.best.distance == least);
        // Always present, since the choice is less than the number of ties.
        let &primary = tied.nth(choice as usize)?;
        let reported = self.reported();
        reported.sort_by_key(Locus::order);
        let total = reported.len() as u64;
        if params.report == Report::Best {
            reported.clear();
        } else {
            reported.retain(|&locus| locus != primary);
        }
        self.mapping.total = total;
        Some(primary)
    }

    /// The loci, or matches, that are to be reported.
    fn reported(&mut self) -> &mut Vec<Locus> {
        if self.params.report == Report::AllStarts { &mut self.matches } else { &mut self.loci }
    }

    /// Packs the queries of a read, which [`align_loci`](Self::align_loci) then uses.
    fn pack(&mut self, found: &MatchStarts, read: usize) {
        let codes = [2 * read, 2 * read + 1].map(|query| found.queries.codes(query));
        self.packed.iter_mut().zip(codes).for_each(|(packed, codes)| packed.set(codes));
    }

    /// Aligns a read at loci, and adds the alignments to the mapping.
    fn align_loci(
        &mut self,
        found: &MatchStarts,
        read: usize,
        loci: &[Locus],
    ) -> Result<(), MapError> {
        let codes = [2 * read, 2 * read + 1].map(|query| found.queries.codes(query));
        let [forward, reverse] = &self.packed;
        let queries = [
            OrientedQuery { codes: codes[0], packed: forward },
            OrientedQuery { codes: codes[1], packed: reverse },
        ];
        self.aligner.align(&queries, loci, &mut self.mapping)
    }
}

impl Drop for Resolver<'_> {
    fn drop(&mut self) {
        self.counters.loci.fetch_add(self.total, Ordering::Relaxed);
    }
}
