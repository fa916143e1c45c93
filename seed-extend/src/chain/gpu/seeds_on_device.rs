//! The queries of a batch on a device, and their seeds.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, CudaExecutor, DeviceItems, Settings};

use super::engine::{ApplicationTiming, ChainEngine, THREADS, WARPS, failed};
use super::parameters::{
    FindCodesParameters, FindCountsParameters, FindPlacesParameters, FindTallyParameters,
};
use crate::read::device_queries::DeviceQueries;
use crate::read::queries::{PackedQueries, Queries};
use crate::seed::application;
use crate::seed::context::{SeedContext, SeedParameters};
use crate::seed::seeds::Seed;

/// The queries of a batch on a device, and their seeds.
pub(super) struct SeedsOnDevice<B> {
    /// The packed queries, which the chains are compared with as a whole.
    pub(super) queries: DeviceQueries<B>,
    /// Codes of all queries, a byte each.
    pub(super) codes: B,
    /// Seeds, query after query.
    pub(super) seeds: B,
    /// Number of seeds before each query, and of all seeds, as `u64`.
    pub(super) seed_starts: B,
    /// Number of anchors before each query, and of all anchors, as `u64`.
    pub(super) anchor_starts: B,
    /// Number of all anchors, as `u64`.
    anchor_count: B,
    /// Bases of each read that lie in seeds too frequent to be located completely, as `u32`.
    pub(super) repeat_bases: B,
    /// Timing of the application that found them.
    pub(super) timing: ApplicationTiming,
}

impl<B: Backend + Clone> ChainEngine<B> {
    /// Number of anchors that the seeds have.
    pub(super) fn anchor_count(
        &self,
        seeds: &SeedsOnDevice<B::Buffer>,
    ) -> Result<u64, DeviceError> {
        Ok(self.read(&seeds.anchor_count, 1)?[0])
    }

    /// Finds the seeds of all queries, and counts their anchors.
    pub(super) fn find_seeds(
        &self,
        queries: &Queries,
        base: &Settings,
    ) -> Result<SeedsOnDevice<B::Buffer>, DeviceError> {
        let backend = &self.backend;
        let (bases, count) = (queries.all_bases(), queries.len() as u32);
        let on_device = DeviceQueries::new(backend, queries)?;
        let packed = on_device.packed(backend);
        let codes = self.uninitialized::<u8>(bases)?;
        let parameters = FindCodesParameters {
            queries: packed,
            codes: self.address(&codes),
            count: count.into(),
        };
        self.launch("find_codes", (count.div_ceil(WARPS), THREADS), &parameters)?;
        let (found, timing) = self.run_application((queries, packed), base)?;
        let (seeds, seed_starts) = self.group_by_query(&found, count)?;
        let anchors = self.uninitialized::<u32>(count as usize)?;
        let repeat_bases = self.uninitialized::<u32>(count as usize / 2)?;
        let parameters = FindCountsParameters {
            seeds: self.address(&seeds),
            seed_starts: self.address(&seed_starts),
            anchors: self.address(&anchors),
            repeat_bases: self.address(&repeat_bases),
            reads: count / 2,
            max_occurrences: self.inputs.options.max_occurrences,
        };
        self.launch("find_counts", ((count / 2).div_ceil(THREADS), THREADS), &parameters)?;
        let (anchor_starts, anchor_count) = self.sums(&anchors, count)?;
        Ok(SeedsOnDevice {
            queries: on_device,
            codes,
            seeds,
            seed_starts,
            anchor_starts,
            anchor_count,
            repeat_bases,
            timing,
        })
    }

    /// Runs the application that finds seeds, for queries that are on the device as `packed`. Seeds come in any order.
    fn run_application(
        &self,
        (queries, packed): (&Queries, PackedQueries),
        base: &Settings,
    ) -> Result<(DeviceItems<B>, ApplicationTiming), DeviceError> {
        let (index, options) = (self.inputs.index.clone(), self.inputs.options.seeds);
        let parameters = SeedParameters { index: self.index, queries: packed, options };
        let context = SeedContext { index, queries: Arc::default(), options };
        let (app, sinks) = application::topology(&context);
        let settings = application::settings(queries.all_bases() as u64, base);
        let loaded = &self.applications.seeds;
        let executor = CudaExecutor::loaded(loaded, &app, &settings, &parameters);
        let executor = executor.map_err(failed)?;
        let searches = application::searches(0..queries.len() as u32);
        let mut outputs = executor.run_in_place(&searches).map_err(failed)?;
        let found = outputs.take([sinks.first, sinks.again])?;
        let seconds = outputs.device_seconds;
        Ok((found, ApplicationTiming { seconds, metrics: outputs.metrics }))
    }

    /// Groups seeds by query. Returns them and the number of seeds before each of `queries` queries, and of all.
    fn group_by_query(
        &self,
        found: &DeviceItems<B>,
        queries: u32,
    ) -> Result<(B::Buffer, B::Buffer), DeviceError> {
        let seed_counts = self.backend.zeros(queries as usize * size_of::<u32>())?;
        let blocks = ((found.count as u32).div_ceil(THREADS), THREADS);
        let count = found.count as u64;
        let parameters = FindTallyParameters {
            found: self.address(&found.items),
            seed_counts: self.address(&seed_counts),
            count,
        };
        self.launch("find_tally", blocks, &parameters)?;
        let (starts, _) = self.sums(&seed_counts, queries)?;
        let seeds = self.uninitialized::<Seed>(found.count)?;
        let parameters = FindPlacesParameters {
            found: self.address(&found.items),
            seed_starts: self.address(&starts),
            seed_counts: self.address(&seed_counts),
            seeds: self.address(&seeds),
            count,
        };
        self.launch("find_places", blocks, &parameters)?;
        Ok((seeds, starts))
    }
}
