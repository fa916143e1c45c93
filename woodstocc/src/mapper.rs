//! The mapper: batches of reads in, mappings out.
//!
//! ```text
//!   prepare            search                                         resolve
//!   reads -> queries -> trie   -> hits -> segments -> locate --> match starts -> matches -> loci -> alignments
//!                       filter -> windows ----------------------^
//!                       scheme ---^
//! ```
//!
//! The three steps can be called one by one, so that several batches are in work at a time.
//!
//! Trie, filter, scheme and locate run on the device. Everything else, and so every decision, is the same code for all
//! devices. Reads so short that nearly all of the reference matches them are scanned for on the CPU, in the last step.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use aligner_core::stream::{Items, RunError};
use aligner_core::{Device, DeviceError};
use fm_index::FmIndex;
use rayon::prelude::*;

use crate::alignment::mapping::Mapping;
use crate::cost::{self, CostRates, StrategyChoice};
use crate::error::MapError;
use crate::filter;
use crate::gpu::GpuEngine;
use crate::locus::match_starts::{DenseStarts, LocatedSegments, MatchStarts, SearchResults};
use crate::params::{MAX_BATCH_BASES, MAX_K, MAX_READ, MAX_TRIE_K, Params, Strategy};
use crate::read::{Queries, Read};
use crate::resolver::Resolver;
use crate::scheme;
use crate::stats::{Counters, FilterStats, SchemeStats, Stats};
use crate::trie::hit::{self, RowSegment, TrieHit};
use crate::trie::pods::PodSettings;
use crate::trie::walk;
use crate::verify::window::settings;
use crate::verify::{FoundWindows, Window};

/// Memory for the results of a bounded search, in bytes.
const MAX_RESULT_BYTES: usize = 1 << 28;

/// Queries that walk the trie together on the CPU are split no further for the sake of balance between threads.
const WALK_TOGETHER: usize = 4096;

/// A batch of reads, encoded, with the strategy for each.
#[derive(Debug)]
pub struct ReadBatch {
    queries: Arc<Queries>,
    /// Numbers of the queries to search for in the trie.
    trie: Vec<u32>,
    /// Numbers of the queries to search for with the filter.
    filter: Vec<u32>,
    /// Numbers of the queries to search for with search schemes.
    scheme: Vec<u32>,
}

/// Maps reads to one reference, finding all their loci within `k` differences.
///
/// [`map`](Self::map) does it in one call. A pipeline calls [`prepare`](Self::prepare), [`search`](Self::search),
/// [`SearchResults::by_query`] and [`Resolver::mapping`] from different threads.
#[derive(Debug)]
pub struct Mapper {
    index: Arc<FmIndex>,
    params: Params,
    gpu: Option<GpuEngine>,
    /// The error for which the GPU was given up, if any.
    failure: OnceLock<DeviceError>,
    /// Counters that the mappers on all devices share.
    counters: Arc<Counters>,
    /// The strategy for each class of reads met so far, for [`Strategy::Auto`]. Devices differ in what is fast.
    choices: Mutex<BTreeMap<usize, StrategyChoice>>,
}

impl Mapper {
    /// Makes a mapper. If the device is a GPU, uploads the index to it.
    ///
    /// # Errors
    /// If the parameters are out of range, or the index does not fit into device memory.
    pub fn new(index: Arc<FmIndex>, params: Params, device: Device) -> Result<Self, MapError> {
        if params.k > MAX_K {
            return Err(MapError::KTooLarge(params.k));
        }
        if params.k > MAX_TRIE_K && params.strategy == Strategy::Trie {
            return Err(MapError::KTooLargeForTrie(params.k));
        }
        Self::with_shared(index, params, Arc::default(), device)
    }

    /// A mapper on another device, which shares the index, the parameters and the statistics with this one. Any of them
    /// may take the next step of a batch.
    ///
    /// # Errors
    /// If the index does not fit into device memory.
    pub fn on_device(&self, device: Device) -> Result<Self, MapError> {
        let Self { index, counters, .. } = self;
        Self::with_shared(Arc::clone(index), self.params, Arc::clone(counters), device)
    }

    /// A mapper on a device, of parts that mappers on several devices share.
    fn with_shared(
        index: Arc<FmIndex>,
        params: Params,
        counters: Arc<Counters>,
        device: Device,
    ) -> Result<Self, MapError> {
        let gpu = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(GpuEngine::new(gpu, &index)?),
        };
        let (failure, choices) = (OnceLock::new(), Mutex::default());
        Ok(Self { index, params, gpu, failure, counters, choices })
    }

    /// The index that reads are mapped to.
    pub fn index(&self) -> &FmIndex {
        &self.index
    }

    /// Work done so far, on all devices.
    pub fn stats(&self) -> Stats {
        self.counters.snapshot()
    }

    /// Work of the filter so far, on all devices.
    pub fn filter_stats(&self) -> FilterStats {
        self.counters.filter_snapshot()
    }

    /// Work of search schemes so far, on all devices.
    pub fn scheme_stats(&self) -> SchemeStats {
        self.counters.scheme_snapshot()
    }

    /// The choices of [`Strategy::Auto`] for this device so far, by class of read lengths.
    pub fn choices(&self) -> Vec<StrategyChoice> {
        self.chosen().values().copied().collect()
    }

    fn chosen(&self) -> MutexGuard<'_, BTreeMap<usize, StrategyChoice>> {
        self.choices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error after which mapping went on without the GPU, if there was one. Results do not change by that.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.get()
    }

    /// Maps a batch of reads on the device and the current rayon pool. Returns one mapping for each read, in their
    /// order. A mapping does not depend on device, threads or the other reads of the batch.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare), [`search`](Self::search) and [`Resolver::mapping`].
    pub fn map(&self, reads: &[Read<'_>]) -> Result<Vec<Mapping>, MapError> {
        let found = self.search(&self.prepare(reads)?)?.by_query();
        let resolve = |resolver: &mut Resolver<'_>, (read, query): (usize, &Read<'_>)| {
            resolver.mapping(&found, read, query.name).cloned()
        };
        reads.par_iter().enumerate().map_init(|| self.resolver(), resolve).collect()
    }

    /// The first step of [`map`](Self::map): encodes reads and chooses a strategy for each.
    ///
    /// # Errors
    /// If a read is longer than [`MAX_READ`], or all together than [`MAX_BATCH_BASES`].
    pub fn prepare(&self, reads: &[Read<'_>]) -> Result<ReadBatch, MapError> {
        if let Some(read) = reads.iter().find(|read| read.sequence.len() > MAX_READ) {
            return Err(MapError::ReadTooLong(read.sequence.len()));
        }
        let bases = reads.iter().map(|read| read.sequence.len() as u64).sum();
        if bases > MAX_BATCH_BASES {
            return Err(MapError::BatchTooLarge(bases));
        }
        let queries = Arc::new(Queries::new(reads));
        let choices = self.choose(&queries);
        let [mut trie, mut filter, mut scheme] = [const { Vec::new() }; 3];
        for query in 0..queries.len() as u32 {
            let length = queries.codes(query as usize).len();
            if self.params.is_scanned(length) {
                // The resolver does that.
                continue;
            }
            let class = cost::length_class(length, usize::from(self.params.k));
            match choices.get(&class).map_or(self.params.strategy, |choice| choice.strategy) {
                Strategy::Trie => trie.push(query),
                Strategy::Scheme => scheme.push(query),
                // The last two cannot occur: a strategy was chosen for the class, and scanned reads are left out above.
                Strategy::Filter | Strategy::Auto | Strategy::Scan => filter.push(query),
            }
        }
        Ok(ReadBatch { queries, trie, filter, scheme })
    }

    /// The second step of [`map`](Self::map): searches for the reads of a batch, on the GPU if there is one. Only one
    /// thread may do this at a time on one GPU.
    ///
    /// # Errors
    /// If the streaming runtime fails on the CPU.
    pub fn search(&self, batch: &ReadBatch) -> Result<SearchResults, MapError> {
        let found = self.search_within(batch, ResultLimits::NONE)?;
        // Nothing exceeds these limits.
        found.ok_or(MapError::Stream(RunError::Cancelled))
    }

    /// Searches as [`search`](Self::search) does, but holds no more than about 256 MiB of results: `None` if there would
    /// be more, and the caller has to search for fewer reads at a time. For one read there are always results: if it
    /// has too many match starts for a list, they take two bytes for each base of the reference.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_bounded(&self, batch: &ReadBatch) -> Result<Option<SearchResults>, MapError> {
        let found = self.search_within(batch, ResultLimits::new(self.params.k))?;
        if found.is_none() && batch.queries.len() == 2 {
            return Ok(Some(self.search_alone(&batch.queries)));
        }
        Ok(found)
    }

    /// Searches for the reads of a batch; `None` if there are more results than the limits allow.
    fn search_within(
        &self,
        batch: &ReadBatch,
        limits: ResultLimits,
    ) -> Result<Option<SearchResults>, MapError> {
        let queries = &batch.queries;
        let Some(hits) = self.walk(queries, &batch.trie, limits) else { return Ok(None) };
        let locate = |segments: &[RowSegment]| self.locate(segments);
        let Some(located) = LocatedSegments::new(queries, &hits, limits.rows, locate) else {
            return Ok(None);
        };
        self.counters.add_located(located.rows());
        let Some(mut windows) = self.filter(queries, &batch.filter, limits.windows) else {
            return Ok(None);
        };
        let left = limits.windows.saturating_sub(windows.len() as u64);
        let Some(others) = self.scheme(queries, &batch.scheme, left)? else { return Ok(None) };
        windows.append(others);
        let (queries, alone) = (Arc::clone(queries), Vec::new());
        Ok(Some(SearchResults { queries, alone, located, windows }))
    }

    /// Searches for one read with very many match starts, by the filter, whatever strategy the read has: they find the
    /// same.
    fn search_alone(&self, queries: &Arc<Queries>) -> SearchResults {
        let length = self.index.reference().indexed_len();
        let mut alone = vec![DenseStarts::none(length), DenseStarts::none(length)];
        filter::in_slices(&self.index, queries, &[0, 1], usize::from(self.params.k), |windows| {
            for window in windows {
                let starts = &mut alone[window.query as usize];
                window.matches().for_each(|start| starts.add(start));
            }
        });
        let (located, windows) = (LocatedSegments::default(), Items::default());
        SearchResults { queries: Arc::clone(queries), alone, located, windows }
    }

    /// The greatest number of loci, or matches, that a read of a batch can have.
    pub fn most_loci(&self, found: &MatchStarts, read: usize) -> usize {
        let of_query = |query: usize| {
            if self.params.is_scanned(found.queries.codes(query).len()) {
                self.index.reference().indexed_len() as usize
            } else {
                found.count(query)
            }
        };
        of_query(2 * read) + of_query(2 * read + 1)
    }

    /// A resolver, which does the last step of [`map`](Self::map) for each read of a batch whose results are sorted
    /// [by query](SearchResults::by_query). Each thread uses its own.
    pub fn resolver(&self) -> Resolver<'_> {
        Resolver::new(&self.index, &self.params, &self.counters)
    }

    /// Chooses strategies for classes of reads that were not met before, and returns all choices.
    fn choose(&self, queries: &Arc<Queries>) -> BTreeMap<usize, StrategyChoice> {
        let mut chosen = self.chosen().clone();
        if self.params.strategy == Strategy::Auto {
            let k = usize::from(self.params.k);
            let mut new: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
            for read in 0..queries.len() as u32 / 2 {
                let length = queries.codes(2 * read as usize).len();
                let class = cost::length_class(length, k);
                if !self.params.is_scanned(length) && !chosen.contains_key(&class) {
                    new.entry(class).or_default().push(read);
                }
            }
            let rates = if self.gpu.is_some() { &CostRates::GPU } else { &CostRates::CPU };
            for (class, reads) in new {
                let choice = cost::choose(&self.index, queries, &cost::sample(&reads), k, rates);
                // If two threads choose for a class at a time, the first choice is kept.
                chosen.insert(class, *self.chosen().entry(class).or_insert(choice));
            }
        }
        chosen
    }

    /// Windows of the wanted queries by the filter; `None` if there are more than `most`.
    fn filter(&self, queries: &Arc<Queries>, wanted: &[u32], most: u64) -> Option<Items<Window>> {
        if wanted.is_empty() {
            return Some(Items::default());
        }
        let k = usize::from(self.params.k);
        let index = &self.index;
        let settings = settings(self.params.metrics);
        let start = Instant::now();
        let limits = (&settings, most);
        let done = match self.on_gpu(|gpu| gpu.filter(index, queries, wanted, k, limits)) {
            Some(done) => done,
            None => filter::on_cpu(index, queries, wanted, k, most),
        };
        let (windows, stats) = counted(done?, wanted, start);
        self.counters.add_filter(&stats);
        Some(windows)
    }

    /// Windows of the wanted queries by search schemes; `None` if there are more than `most`.
    fn scheme(
        &self,
        queries: &Arc<Queries>,
        wanted: &[u32],
        most: u64,
    ) -> Result<Option<Items<Window>>, MapError> {
        if wanted.is_empty() {
            return Ok(Some(Items::default()));
        }
        let context =
            scheme::context(&self.index, queries, usize::from(self.params.k), scheme::RARE_LIMIT);
        let settings = settings(self.params.metrics);
        let start = Instant::now();
        let limits = (&settings, most);
        let done = match self.on_gpu(|gpu| gpu.scheme(&context, wanted, limits)) {
            Some(done) => done,
            None => unless_cancelled(scheme::on_cpu(&context, wanted, limits))?,
        };
        let Some(done) = done else { return Ok(None) };
        let (windows, run) = counted(done.found, wanted, start);
        let scheme::stages::SchemeCounts { nodes, lines } = done.counts;
        self.counters.add_scheme(&SchemeStats { run, nodes, lines });
        Ok(Some(windows))
    }

    /// Hits in the trie of the wanted queries, sorted by [`hit::order`]; `None` if there are more than the limit.
    fn walk(
        &self,
        queries: &Queries,
        wanted: &[u32],
        limits: ResultLimits,
    ) -> Option<Vec<TrieHit>> {
        if wanted.is_empty() {
            return Some(Vec::new());
        }
        let k = usize::from(self.params.k);
        let settings = PodSettings::default();
        let mut hits =
            match self.on_gpu(|gpu| gpu.search(&self.index, queries, wanted, k, &settings)) {
                Some((hits, metrics)) => {
                    self.counters.add_trie(metrics.effort);
                    hits
                }
                None => self.walk_on_cpu(queries, wanted, k, limits.hits)?,
            };
        if hits.len() > limits.hits {
            return None;
        }
        hits.par_sort_unstable_by_key(hit::order);
        Some(hits)
    }

    /// Hits in the trie; `None` if some thread finds more than `most`.
    fn walk_on_cpu(
        &self,
        queries: &Queries,
        wanted: &[u32],
        k: usize,
        most: usize,
    ) -> Option<Vec<TrieHit>> {
        // The more queries walk the trie together, the more of them share a node. But every thread gets a share, and
        // of a large batch several shares, since some take longer.
        let threads = rayon::current_num_threads();
        let share = wanted.len().div_ceil(4 * threads);
        let share = share.max(wanted.len().div_ceil(threads).min(WALK_TOGETHER)).max(1);
        let hits = wanted.par_chunks(share).map(|chunk| {
            let mut hits = Vec::new();
            let (effort, is_done) =
                walk::search_up_to(&self.index, queries, chunk, k, (&mut hits, most));
            self.counters.add_trie(effort);
            is_done.then_some(hits)
        });
        Some(hits.collect::<Option<Vec<Vec<TrieHit>>>>()?.concat())
    }

    /// The text position of every suffix-array row of the segments, in their order.
    fn locate(&self, segments: &[RowSegment]) -> Vec<u32> {
        self.on_gpu(|gpu| gpu.locate(segments)).unwrap_or_else(|| {
            segments
                .par_iter()
                .flat_map_iter(|segment| {
                    let mut rows: Vec<u32> = (segment.lo..segment.lo + segment.size).collect();
                    self.index.locate_all(&mut rows);
                    rows
                })
                .collect()
        })
    }

    /// Calls `work` with the GPU. `None` if there is no GPU, or if it failed, now or before.
    fn on_gpu<T>(&self, work: impl FnOnce(&GpuEngine) -> Result<T, DeviceError>) -> Option<T> {
        let gpu = self.gpu.as_ref().filter(|_| self.failure.get().is_none())?;
        work(gpu).map_err(|error| self.failure.set(error)).ok()
    }
}

/// Limits on the results of a search that are in memory at a time.
#[derive(Debug, Clone, Copy)]
struct ResultLimits {
    /// Windows of filter and search schemes.
    windows: u64,
    /// Hits in the trie.
    hits: usize,
    /// Rows of the suffix array to locate.
    rows: u64,
}

impl ResultLimits {
    /// No limits.
    const NONE: Self = Self { windows: u64::MAX, hits: usize::MAX, rows: u64::MAX };

    /// Limits of [`MAX_RESULT_BYTES`], for searches with up to `k` differences.
    fn new(k: u8) -> Self {
        // A window, and its match starts once they are sorted by query.
        let window = size_of::<Window>() + (2 * usize::from(k) + 1) * size_of::<u64>();
        Self {
            windows: (MAX_RESULT_BYTES / window) as u64,
            hits: MAX_RESULT_BYTES / 4 / size_of::<TrieHit>(),
            rows: (MAX_RESULT_BYTES / size_of::<u32>()) as u64,
        }
    }
}

/// A result, or `None` if the run was cancelled.
fn unless_cancelled<T>(done: Result<T, RunError>) -> Result<Option<T>, RunError> {
    match done {
        Err(RunError::Cancelled) => Ok(None),
        done => done.map(Some),
    }
}

/// The windows of a search for these queries that began at `start`, and its counters.
fn counted(done: FoundWindows, queries: &[u32], start: Instant) -> (Items<Window>, FilterStats) {
    let FoundWindows { windows, device_seconds, metrics } = done;
    let stats = FilterStats {
        queries: queries.len() as u64,
        windows: windows.len() as u64,
        seconds: start.elapsed().as_secs_f64(),
        device_seconds,
        metrics,
    };
    (windows, stats)
}
