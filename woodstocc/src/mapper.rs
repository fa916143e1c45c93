//! The mapper: batches of reads in, mappings out.
//!
//! ```text
//!   prepare            search                                   resolve
//!   reads -> queries -> trie   -> hits -> segments -> locate --> matches -> loci -> alignments
//!                       filter -> windows ----------------------^ verify
//!                       scheme ---^
//! ```
//!
//! The steps can be taken apart, so that several batches are on their way at a time.
//!
//! Trie, filter, scheme and locate run on the device; everything else, and so every decision, is the same
//! code for all of them. Reads that nearly everything matches are scanned for on the CPU instead.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use aligner_core::stream::Items;
use aligner_core::{Device, DeviceError};
use fm_index::FmIndex;
use rayon::prelude::*;

use crate::alignment::Mapping;
use crate::cost::{self, Choice, Rates};
use crate::error::MapError;
use crate::filter::{self, Filtered, band::Window};
use crate::found::{Located, Searched};
use crate::gpu::GpuEngine;
use crate::hits::{self, Hit, Segment};
use crate::params::{MAX_BATCH_BASES, MAX_K, MAX_READ, MAX_TRIE_K, Params, Strategy};
use crate::pods;
use crate::query::{Queries, Query};
use crate::resolver::Resolver;
use crate::scheme;
use crate::stats::{Counters, FilterStats, SchemeStats, Stats};
use crate::trie;

/// Queries that are not split further for the sake of balance.
const WALK_TOGETHER: usize = 4096;

/// Reads ready to be searched for.
#[derive(Debug)]
pub struct Batch {
    queries: Arc<Queries>,
    /// Queries that the trie is walked for.
    trie: Vec<u32>,
    /// Queries that are filtered for.
    filter: Vec<u32>,
    /// Queries that schemes are searched by.
    scheme: Vec<u32>,
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
    /// Of each class of reads met so far, for [`Strategy::Auto`].
    choices: Mutex<BTreeMap<usize, Choice>>,
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
        let (failure, choices) = (OnceLock::new(), Mutex::default());
        Ok(Self { index, params, gpu, failure, counters, choices })
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

    /// What [`Strategy::Auto`] has chosen so far, by length.
    pub fn choices(&self) -> Vec<Choice> {
        self.chosen().values().copied().collect()
    }

    fn chosen(&self) -> MutexGuard<'_, BTreeMap<usize, Choice>> {
        self.choices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why mapping went on without the GPU, if the GPU failed. The results are the same.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.get()
    }

    /// Maps a batch on the current rayon pool and the device. One mapping a read, in their order;
    /// it does not depend on device, threads or batch.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare) and [`search`](Self::search).
    pub fn map(&self, reads: &[Query<'_>]) -> Result<Vec<Mapping>, MapError> {
        let found = self.search(&self.prepare(reads)?)?.by_query();
        let resolve = |resolver: &mut Resolver<'_>, (read, query): (usize, &Query<'_>)| {
            resolver.mapping(&found, read, query.name).clone()
        };
        Ok(reads.par_iter().enumerate().map_init(|| self.resolver(), resolve).collect())
    }

    /// The first step of [`map`](Self::map): makes a batch of reads.
    ///
    /// # Errors
    /// If a read is longer than [`MAX_READ`], or all together than [`MAX_BATCH_BASES`].
    pub fn prepare(&self, reads: &[Query<'_>]) -> Result<Batch, MapError> {
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
            if self.is_scanned(length) {
                // When it is resolved.
                continue;
            }
            let class = cost::class(length, usize::from(self.params.k));
            match choices.get(&class).map_or(self.params.strategy, |choice| choice.strategy) {
                Strategy::Trie => trie.push(query),
                Strategy::Scheme => scheme.push(query),
                // The last two cannot be: the class was chosen for, and scanning told above.
                Strategy::Filter | Strategy::Auto | Strategy::Scan => filter.push(query),
            }
        }
        Ok(Batch { queries, trie, filter, scheme })
    }

    /// The second step: searches for a batch, on the device if there is one. For a GPU, one thread at a
    /// time does this.
    ///
    /// # Errors
    /// If the streaming runtime fails on the CPU.
    pub fn search(&self, batch: &Batch) -> Result<Searched, MapError> {
        let hits = self.walk(&batch.queries, &batch.trie);
        let located = Located::new(&batch.queries, &hits, |segments| self.locate(segments));
        self.counters.located(located.rows());
        let mut windows = self.filter(&batch.queries, &batch.filter)?;
        windows.append(self.scheme(&batch.queries, &batch.scheme)?);
        Ok(Searched { queries: Arc::clone(&batch.queries), located, windows })
    }

    /// The last step, for each read of a batch that was brought [by query](Searched::by_query).
    pub fn resolver(&self) -> Resolver<'_> {
        Resolver::new(self)
    }

    pub(crate) fn params(&self) -> &Params {
        &self.params
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Whether queries of this length are scanned for, as nearly everything matches them.
    pub(crate) fn is_scanned(&self, length: usize) -> bool {
        let k = usize::from(self.params.k);
        match self.params.strategy {
            Strategy::Scan => true,
            Strategy::Auto => length <= 3 * k,
            Strategy::Trie | Strategy::Filter | Strategy::Scheme => length <= k,
        }
    }

    /// Chooses strategies for classes of reads that were not met before, and gives all that were chosen.
    fn choose(&self, queries: &Arc<Queries>) -> BTreeMap<usize, Choice> {
        let mut chosen = self.chosen().clone();
        if self.params.strategy == Strategy::Auto {
            let k = usize::from(self.params.k);
            let mut new: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
            for read in 0..queries.len() as u32 / 2 {
                let length = queries.codes(2 * read as usize).len();
                let class = cost::class(length, k);
                if !self.is_scanned(length) && !chosen.contains_key(&class) {
                    new.entry(class).or_default().push(read);
                }
            }
            let rates = if self.gpu.is_some() { &Rates::GPU } else { &Rates::CPU };
            for (class, reads) in new {
                let choice = cost::choose(&self.index, queries, &cost::sample(&reads), k, rates);
                // What was chosen first is kept, if two do this at a time.
                chosen.insert(class, *self.chosen().entry(class).or_insert(choice));
            }
        }
        chosen
    }

    /// The windows of all queries that are filtered for.
    fn filter(&self, queries: &Arc<Queries>, wanted: &[u32]) -> Result<Items<Window>, MapError> {
        if wanted.is_empty() {
            return Ok(Items::default());
        }
        let k = usize::from(self.params.k);
        let index = &self.index;
        let settings = filter::settings(self.params.metrics);
        let start = Instant::now();
        let done = match self.on_gpu(|gpu| gpu.filter(index, queries, wanted, k, &settings)) {
            Some(done) => done,
            None => filter::on_cpu(index, queries, wanted, k, &settings)?,
        };
        let (windows, stats) = counted(done, wanted, start);
        self.counters.filtered(&stats);
        Ok(windows)
    }

    /// The windows of all queries that schemes are searched by.
    fn scheme(&self, queries: &Arc<Queries>, wanted: &[u32]) -> Result<Items<Window>, MapError> {
        if wanted.is_empty() {
            return Ok(Items::default());
        }
        let context =
            scheme::context(&self.index, queries, usize::from(self.params.k), scheme::FEW);
        let settings = filter::settings(self.params.metrics);
        let start = Instant::now();
        let done = match self.on_gpu(|gpu| gpu.scheme(&context, wanted, &settings)) {
            Some(done) => done,
            None => scheme::on_cpu(&context, wanted, &settings)?,
        };
        let (windows, run) = counted(done.found, wanted, start);
        self.counters.scheme(&SchemeStats { run, nodes: done.nodes, lines: done.lines });
        Ok(windows)
    }

    /// The sorted hits of all queries that the trie is walked for.
    fn walk(&self, queries: &Queries, wanted: &[u32]) -> Vec<Hit> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let k = usize::from(self.params.k);
        let settings = pods::Settings::default();
        let mut hits = match self.on_gpu(|gpu| gpu.search(queries, wanted, k, &settings)) {
            Some((hits, measured)) => {
                self.counters.searched(measured.effort);
                hits
            }
            None => self.walk_on_cpu(queries, wanted, k),
        };
        hits.par_sort_unstable_by_key(hits::order);
        hits
    }

    fn walk_on_cpu(&self, queries: &Queries, wanted: &[u32], k: usize) -> Vec<Hit> {
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
                    let mut rows: Vec<u32> = (segment.lo..segment.lo + segment.size).collect();
                    self.index.locate_all(&mut rows);
                    rows
                })
                .collect()
        })
    }

    /// Does something on the GPU. `None` if there is none, or it failed now or before.
    fn on_gpu<T>(&self, work: impl FnOnce(&GpuEngine) -> Result<T, DeviceError>) -> Option<T> {
        let gpu = self.gpu.as_ref().filter(|_| self.failure.get().is_none())?;
        work(gpu).map_err(|error| self.failure.set(error)).ok()
    }
}

/// What a search since `start` for these queries found, and what is counted of it.
fn counted(done: Filtered, queries: &[u32], start: Instant) -> (Items<Window>, FilterStats) {
    let Filtered { windows, device_seconds, metrics } = done;
    let stats = FilterStats {
        queries: queries.len() as u64,
        windows: windows.len() as u64,
        seconds: start.elapsed().as_secs_f64(),
        device_seconds,
        metrics,
    };
    (windows, stats)
}
