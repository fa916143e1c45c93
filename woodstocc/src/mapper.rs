//! The mapper: batches of reads in, mappings out.
//!
//! ```text
//!   reads -> queries -> trie   -> hits -> segments -> locate -> matches -> loci -> alignments
//!                       filter -> windows ----------------------^ verify
//!                       scheme ---^
//! ```
//!
//! Trie, filter, scheme and locate run on the device; everything else, and so every decision, is the same
//! code for all of them. Reads that nearly everything matches are scanned for on the CPU instead.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use aligner_core::{Device, DeviceError};
use fm_index::FmIndex;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::alignment::{Alignment, Mapping, Strand};
use crate::error::MapError;
use crate::filter::{self, band::Window};
use crate::found::{Found, Located, Windows};
use crate::gpu::GpuEngine;
use crate::hits::{self, Hit, Segment};
use crate::loci::{Builder, Locus};
use crate::mapq::mapq;
use crate::matches::{self, Match, Scratch};
use crate::params::{MAX_BATCH_BASES, MAX_K, MAX_READ, MAX_TRIE_K, Params, Report, Strategy};
use crate::query::{self, Queries, Query};
use crate::stats::{Counters, FilterStats, SchemeStats, Stats};
use crate::{scan, scheme, traceback, trie};

/// Queries that are not split further for the sake of balance.
const WALK_TOGETHER: usize = 4096;

/// A piece of a query that occurs this often by chance is still rare.
const MOST_BY_CHANCE: f64 = 16.0;

/// How a query is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Scan,
    Trie,
    Filter,
    Scheme,
}

/// Maps reads to one reference.
#[derive(Debug)]
pub struct Mapper {
    index: Arc<FmIndex>,
    params: Params,
    gpu: Option<GpuEngine>,
    /// Why the GPU was given up, if it was.
    failure: OnceLock<DeviceError>,
    counters: Counters,
}

impl Mapper {
    /// Makes a mapper and, for a GPU, puts the index on it.
    ///
    /// # Errors
    /// If the parameters are out of range, or the index does not fit on the device.
    pub fn new(index: Arc<FmIndex>, params: Params, device: Device) -> Result<Self, MapError> {
        if params.k > MAX_K {
            return Err(MapError::KTooLarge(params.k));
        }
        if params.k > MAX_TRIE_K && params.strategy == Strategy::Trie {
            return Err(MapError::KTooLargeForTrie(params.k));
        }
        let gpu = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(GpuEngine::new(gpu, &index)?),
        };
        let counters = Counters::default();
        Ok(Self { index, params, gpu, failure: OnceLock::new(), counters })
    }

    /// The index that reads are mapped to.
    pub fn index(&self) -> &FmIndex {
        &self.index
    }

    /// What has been done so far.
    pub fn stats(&self) -> Stats {
        self.counters.snapshot()
    }

    /// What the filter has done so far.
    pub fn filter_stats(&self) -> FilterStats {
        self.counters.filter_snapshot()
    }

    /// What search schemes have done so far.
    pub fn scheme_stats(&self) -> SchemeStats {
        self.counters.scheme_snapshot()
    }

    /// Why mapping went on without the GPU, if the GPU failed. The results are the same.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.get()
    }

    /// Maps a batch on the current rayon pool and the device. One mapping a read, in their order;
    /// it does not depend on device, threads or batch.
    ///
    /// # Errors
    /// If a read is longer than [`MAX_READ`], or all together than [`MAX_BATCH_BASES`].
    pub fn map(&self, reads: &[Query<'_>]) -> Result<Vec<Mapping>, MapError> {
        if let Some(read) = reads.iter().find(|read| read.sequence.len() > MAX_READ) {
            return Err(MapError::ReadTooLong(read.sequence.len()));
        }
        let bases = reads.iter().map(|read| read.sequence.len() as u64).sum();
        if bases > MAX_BATCH_BASES {
            return Err(MapError::BatchTooLarge(bases));
        }
        let queries = Arc::new(Queries::new(reads));
        let hits = self.search(&queries);
        let located = Located::new(&queries, &hits, |segments| self.locate(segments));
        let mut windows = self.filter(&queries)?;
        windows.append(&mut self.scheme(&queries)?);
        let found = Found { located, windows: Windows::new(&queries, windows) };
        let mappings: Vec<Mapping> = reads
            .par_iter()
            .enumerate()
            .map(|(read, Query { name, .. })| {
                let strands = [2 * read, 2 * read + 1].map(|query| {
                    if self.way(queries.codes(query).len()) == Way::Scan {
                        self.scan(&queries, query)
                    } else {
                        self.matches(&queries, &found, query)
                    }
                });
                self.report(name, &queries, read, strands)
            })
            .collect();
        self.counters.finished(found.located.rows(), &mappings);
        Ok(mappings)
    }

    /// How queries of this length are searched for.
    fn way(&self, length: usize) -> Way {
        let k = usize::from(self.params.k);
        let wanted = match self.params.strategy {
            Strategy::Scan => Way::Scan,
            Strategy::Trie => Way::Trie,
            Strategy::Filter => Way::Filter,
            Strategy::Scheme => Way::Scheme,
            Strategy::Auto => self.cheapest(length),
        };
        if length <= k { Way::Scan } else { wanted }
    }

    fn cheapest(&self, length: usize) -> Way {
        let k = usize::from(self.params.k);
        if length <= 3 * k {
            Way::Scan
        } else if k > usize::from(MAX_TRIE_K) || self.pieces_are_rare(length) {
            Way::Filter
        } else {
            Way::Trie
        }
    }

    /// Whether a piece of a query of this length occurs a few times at most by chance.
    fn pieces_are_rare(&self, length: usize) -> bool {
        let piece = length / (usize::from(self.params.k) + 1);
        4_f64.powi(piece as i32) * MOST_BY_CHANCE >= f64::from(self.index.rows())
    }

    /// The queries that are searched for in one way.
    fn wanted(&self, queries: &Queries, way: Way) -> Vec<u32> {
        (0..queries.len() as u32)
            .filter(|&query| {
                let length = queries.codes(query as usize).len();
                length > 0 && self.way(length) == way
            })
            .collect()
    }

    /// The windows of all queries that are filtered for.
    fn filter(&self, queries: &Arc<Queries>) -> Result<Vec<Window>, MapError> {
        let wanted = self.wanted(queries, Way::Filter);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let k = usize::from(self.params.k);
        let context = filter::context(&self.index, queries, k);
        let settings = filter::settings(self.params.metrics);
        let start = Instant::now();
        let done = match self.on_gpu(|gpu| gpu.filter(&context, &wanted, &settings)) {
            Some(done) => done,
            None => filter::on_cpu(context, &wanted, &settings)?,
        };
        self.counters.filtered(&FilterStats {
            queries: wanted.len() as u64,
            windows: done.windows.len() as u64,
            seconds: start.elapsed().as_secs_f64(),
            device_seconds: done.device_seconds,
            metrics: done.metrics,
        });
        Ok(done.windows)
    }

    /// The windows of all queries that schemes are searched by.
    fn scheme(&self, queries: &Arc<Queries>) -> Result<Vec<Window>, MapError> {
        let wanted = self.wanted(queries, Way::Scheme);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let context =
            scheme::context(&self.index, queries, usize::from(self.params.k), scheme::FEW);
        let settings = filter::settings(self.params.metrics);
        let start = Instant::now();
        let done = match self.on_gpu(|gpu| gpu.scheme(&context, &wanted, &settings)) {
            Some(done) => done,
            None => scheme::on_cpu(&context, &wanted, &settings)?,
        };
        let run = FilterStats {
            queries: wanted.len() as u64,
            windows: done.windows.len() as u64,
            seconds: start.elapsed().as_secs_f64(),
            device_seconds: done.device_seconds,
            metrics: done.metrics,
        };
        self.counters.scheme(&SchemeStats { run, nodes: done.nodes, lines: done.lines });
        Ok(done.windows)
    }

    /// The sorted hits of all queries that the trie is walked for.
    fn search(&self, queries: &Queries) -> Vec<Hit> {
        let k = usize::from(self.params.k);
        let wanted = self.wanted(queries, Way::Trie);
        if wanted.is_empty() {
            return Vec::new();
        }
        let on_gpu = self.on_gpu(|gpu| gpu.search(queries, &wanted, k, &self.counters));
        let mut hits = on_gpu.unwrap_or_else(|| self.search_on_cpu(queries, &wanted, k));
        hits.par_sort_unstable_by_key(hits::order);
        hits
    }

    fn search_on_cpu(&self, queries: &Queries, wanted: &[u32], k: usize) -> Vec<Hit> {
        // The more queries walk the trie together, the fewer nodes each pays for; but every thread
        // gets a share, and of a large batch several, since some take longer.
        let threads = rayon::current_num_threads();
        let share = wanted.len().div_ceil(4 * threads);
        let share = share.max(wanted.len().div_ceil(threads).min(WALK_TOGETHER)).max(1);
        wanted
            .par_chunks(share)
            .flat_map_iter(|chunk| {
                let mut hits = Vec::new();
                self.counters.searched(trie::search(&self.index, queries, chunk, k, &mut hits));
                hits
            })
            .collect()
    }

    /// The text position of every row of the segments, in their order.
    fn locate(&self, segments: &[Segment]) -> Vec<u32> {
        self.on_gpu(|gpu| gpu.locate(segments)).unwrap_or_else(|| {
            segments
                .par_iter()
                .flat_map_iter(|segment| {
                    (segment.lo..segment.lo + segment.size).map(|row| self.index.locate(row))
                })
                .collect()
        })
    }

    /// Does something on the GPU. `None` if there is none, or it failed now or before.
    fn on_gpu<T>(&self, work: impl FnOnce(&GpuEngine) -> Result<T, DeviceError>) -> Option<T> {
        let gpu = self.gpu.as_ref().filter(|_| self.failure.get().is_none())?;
        work(gpu).map_err(|error| self.failure.set(error)).ok()
    }

    /// Matches of a query from what the index found, by contig and start.
    fn matches(&self, queries: &Queries, found: &Found, query: usize) -> Strandwise {
        let codes = queries.codes(query);
        let k = usize::from(self.params.k);
        let mut scratch = Scratch::default();
        let mut all: Vec<Match> = found
            .positions(query)
            .filter_map(|(position, distance)| {
                matches::verify(&self.index, position, distance, codes, k, &mut scratch)
            })
            .collect();
        all.sort_unstable();
        let mut loci = Builder::new(k, query::strand(query));
        all.iter().rev().for_each(|&found| loci.push(found));
        Strandwise { loci: loci.finish(), all }
    }

    /// Matches of a query by scanning.
    fn scan(&self, queries: &Queries, query: usize) -> Strandwise {
        let k = usize::from(self.params.k);
        let mut loci = Builder::new(k, query::strand(query));
        let mut all = Vec::new();
        let codes = queries.codes(query);
        if !codes.is_empty() {
            scan::search(self.index.reference(), codes, k, |found| {
                loci.push(found);
                if self.params.report == Report::AllStarts {
                    all.push(found);
                }
            });
        }
        Strandwise { loci: loci.finish(), all }
    }

    /// Chooses the primary locus and aligns what is asked for.
    fn report(
        &self,
        name: &[u8],
        queries: &Queries,
        read: usize,
        [forward, reverse]: [Strandwise; 2],
    ) -> Mapping {
        let by_place = |l: &Locus| (l.best.contig, l.best.start, l.strand);
        let mut loci = [forward.loci, reverse.loci].concat();
        loci.sort_unstable_by_key(by_place);
        let Some(least) = loci.iter().map(|locus| locus.best.distance).min() else {
            return Mapping::default();
        };
        let quality = mapq(loci.iter().map(|locus| locus.best.distance), self.params.k);
        let ties: Vec<Locus> =
            loci.iter().filter(|locus| locus.best.distance == least).copied().collect();
        let choice = xxh3_64_with_seed(name, self.params.seed) % ties.len() as u64;
        let primary = ties[choice as usize];
        let mut places = match self.params.report {
            Report::Best | Report::All => loci,
            Report::AllStarts => {
                let on = |strand| move |best| Locus { best, strand };
                let forward = forward.all.into_iter().map(on(Strand::Forward));
                let reverse = reverse.all.into_iter().map(on(Strand::Reverse));
                forward.chain(reverse).collect()
            }
        };
        let total = places.len() as u64;
        if self.params.report == Report::Best {
            places = vec![primary];
        } else {
            places.retain(|place| *place != primary);
            places.sort_unstable_by_key(by_place);
            places.insert(0, primary);
        }
        let mut text = Vec::new();
        let alignments =
            places.iter().map(|place| self.align(queries, read, place, &mut text)).collect();
        Mapping { alignments, total, mapq: quality }
    }

    fn align(
        &self,
        queries: &Queries,
        read: usize,
        place: &Locus,
        text: &mut Vec<u8>,
    ) -> Alignment {
        let found = place.best;
        let codes = queries.codes(2 * read + usize::from(place.strand == Strand::Reverse));
        let reach = codes.len() + usize::from(found.distance);
        matches::reference_window(self.index.reference(), found, reach, text);
        Alignment {
            contig: found.contig,
            start: found.start,
            strand: place.strand,
            distance: found.distance,
            cigar: traceback::align(codes, text, found.distance),
        }
    }
}

/// What one orientation of a read matches.
struct Strandwise {
    loci: Vec<Locus>,
    /// Every match; not filled by a scan unless every start is to be reported.
    all: Vec<Match>,
}
