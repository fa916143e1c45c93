//! From what was found for a read to its mapping.
//!
//! A resolver maps read after read in the same memory, and looks at each of its places once: the
//! alignments of one read are in the cache when they are written out, and a batch's are never held
//! together.

use std::sync::atomic::Ordering;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::alignment::{Mapping, Strand};
use crate::found::{Found, Start};
use crate::loci::{Builder, Locus};
use crate::mapper::Mapper;
use crate::mapq::mapq;
use crate::matches::Verifier;
use crate::params::Report;
use crate::query;
use crate::scan;
use crate::traceback::{Aligner, Oriented};
use crate::ungapped::Packed;

/// Resolves reads of one mapper, one after the other. See [`Mapper::resolver`].
#[derive(Debug)]
pub struct Resolver<'m> {
    mapper: &'m Mapper,
    verifier: Verifier<'m>,
    aligner: Aligner<'m>,
    hits: Vec<Start>,
    loci: Vec<Locus>,
    /// Every match of either strand, if all are to be reported.
    starts: Vec<Locus>,
    packed: [Packed; 2],
    mapping: Mapping,
    /// Loci, or starts, of all reads so far.
    total: u64,
}

impl<'m> Resolver<'m> {
    pub(crate) fn new(mapper: &'m Mapper) -> Self {
        let reference = mapper.index().reference();
        Self {
            mapper,
            verifier: Verifier::new(reference),
            aligner: Aligner::new(reference),
            hits: Vec::new(),
            loci: Vec::new(),
            starts: Vec::new(),
            packed: Default::default(),
            mapping: Mapping::default(),
            total: 0,
        }
    }

    /// The mapping of a read of the batch, which is called `name`.
    ///
    /// # Panics
    /// If the batch has no such read.
    pub fn mapping(&mut self, found: &Found, read: usize, name: &[u8]) -> &Mapping {
        self.loci.clear();
        self.starts.clear();
        for query in [2 * read, 2 * read + 1] {
            if self.mapper.is_scanned(found.queries.codes(query).len()) {
                self.scan(found.queries.codes(query), query::strand(query));
            } else {
                self.matches(found, query);
            }
        }
        self.report(found, read, name);
        self.total += self.mapping.total;
        &self.mapping
    }

    /// Matches of a query from what the index found.
    fn matches(&mut self, found: &Found, query: usize) {
        found.starts(query, &mut self.hits);
        let (codes, strand) = (found.queries.codes(query), query::strand(query));
        let k = usize::from(self.mapper.params().k);
        let all = self.mapper.params().report == Report::AllStarts;
        let mut loci = Builder::new(k, strand, &mut self.loci);
        // The indexed text has the contigs' order, so these come as the builder wants them.
        for hit in self.hits.iter().rev() {
            let verified = self.verifier.verify(hit.position(), hit.distance(), codes, k);
            if let Some(found) = verified {
                loci.push(found);
                if all {
                    self.starts.push(Locus { best: found, strand });
                }
            }
        }
        loci.finish();
    }

    /// Matches of a query by scanning.
    fn scan(&mut self, codes: &[u8], strand: Strand) {
        if codes.is_empty() {
            return;
        }
        let k = usize::from(self.mapper.params().k);
        let all = self.mapper.params().report == Report::AllStarts;
        let mut loci = Builder::new(k, strand, &mut self.loci);
        scan::search(self.mapper.index().reference(), codes, k, |found| {
            loci.push(found);
            if all {
                self.starts.push(Locus { best: found, strand });
            }
        });
        loci.finish();
    }

    /// Chooses the primary locus and aligns what is asked for.
    fn report(&mut self, found: &Found, read: usize, name: &[u8]) {
        let params = self.mapper.params();
        let codes = [2 * read, 2 * read + 1].map(|query| found.queries.codes(query));
        self.mapping.clear(codes[0].len() as u32);
        // Each strand's come in one piece and in order, of which a stable sort makes use.
        self.loci.sort_by_key(Locus::order);
        let distances = || self.loci.iter().map(|locus| locus.best.distance);
        let Some(least) = distances().min() else { return };
        self.mapping.mapq = mapq(distances(), params.k);
        let ties = distances().filter(|&distance| distance == least).count();
        let choice = xxh3_64_with_seed(name, params.seed) % ties as u64;
        let mut tied = self.loci.iter().filter(|locus| locus.best.distance == least);
        // There is one, as the choice is less than the ties.
        let Some(&primary) = tied.nth(choice as usize) else { return };
        let places = if params.report == Report::AllStarts {
            self.starts.sort_by_key(Locus::order);
            &mut self.starts
        } else {
            &mut self.loci
        };
        self.mapping.total = places.len() as u64;
        self.packed.iter_mut().zip(codes).for_each(|(packed, codes)| packed.set(codes));
        let [forward, reverse] = &self.packed;
        let queries = [
            Oriented { codes: codes[0], packed: forward },
            Oriented { codes: codes[1], packed: reverse },
        ];
        self.aligner.align(&queries, &[primary], &mut self.mapping);
        if params.report != Report::Best {
            places.retain(|&place| place != primary);
            self.aligner.align(&queries, places, &mut self.mapping);
        }
    }
}

impl Drop for Resolver<'_> {
    fn drop(&mut self) {
        self.mapper.counters().loci.fetch_add(self.total, Ordering::Relaxed);
    }
}
