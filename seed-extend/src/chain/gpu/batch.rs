//! The chains of a batch of reads on a device: seeds first, then anchors and chains, in slices of reads whose anchors
//! fit into memory.

use std::ops::Range;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, CudaExecutor, Settings};

use super::device_chains::{ChainSlice, DeviceChains};
use super::engine::{ApplicationTiming, ChainEngine, THREADS, WARPS, failed};
use super::parameters::{FindOrderParameters, FindOutscoredParameters, FindWholeMatchesParameters};
use super::plan;
use super::seeds_on_device::SeedsOnDevice;
use crate::chain::anchors::covered_fraction;
use crate::chain::application;
use crate::chain::chains::Chain;
use crate::chain::chains_of_reads::ChainsOfReads;
use crate::chain::context::{ChainContext, ChainParameters, ChainThresholds};
use crate::chain::outscored::OutscoringRules;
use crate::read::queries::Queries;

/// The chains of a batch of reads, found on a device.
#[derive(Debug)]
pub struct FoundChains<T> {
    /// The chains of all reads, where they were found.
    pub chains: DeviceChains<T>,
    /// Timings of the applications for seeds and for chains.
    pub timings: [ApplicationTiming; 2],
}

/// Settings of the runtime for seeds and chains. No queue is in shared memory, which serves as cache for the index instead:
/// on an H100 seeds take 2% less time so, and chains 7%.
pub fn runtime_settings() -> Settings {
    Settings { shared_queues: 0, ..Settings::default() }
}

impl<B: Backend + Clone> ChainEngine<B> {
    /// Finds the chains of reads, but gives up when there are more than `most`.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn find_few(
        &self,
        queries: &Queries,
        most: usize,
    ) -> Result<Option<FoundChains<B::Buffer>>, DeviceError> {
        self.find_with(queries, &runtime_settings(), most)
    }

    /// Finds the chains of reads as [`find_few`](Self::find_few) does, by other settings of the runtime than
    /// [`runtime_settings`], for example with metrics. Their width must be the same.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn find_with(
        &self,
        queries: &Queries,
        base: &Settings,
        most: usize,
    ) -> Result<Option<FoundChains<B::Buffer>>, DeviceError> {
        let reads = (queries.len() / 2) as u32;
        let seeds = self.find_seeds(queries, base)?;
        let anchor_count = self.anchor_count(&seeds)?;
        let parts = if anchor_count <= self.anchor_capacity {
            vec![(0..reads, 0..anchor_count)]
        } else {
            let starts: Vec<u64> = self.read(&seeds.anchor_starts, queries.len() + 1)?;
            let before = |read: u32| starts[2 * read as usize];
            let parts = plan::slices(&starts, self.anchor_capacity).into_iter();
            parts.map(|reads| (reads.clone(), before(reads.start)..before(reads.end))).collect()
        };
        let (mut slices, mut count) = (Vec::new(), 0);
        let mut timing = ApplicationTiming::default();
        for (reads, anchors) in parts {
            let (slice, measured) = self.chain_slice(reads, &anchors, &seeds, base)?;
            timing.seconds += measured.seconds;
            timing.metrics.add(&measured.metrics);
            count += slice.count as usize;
            if count > most {
                return Ok(None);
            }
            slices.push(slice);
        }
        let repeat_bases: Vec<u32> = self.read(&seeds.repeat_bases, reads as usize)?;
        let fraction = |(read, covered)| covered_fraction(covered, queries.bases(read));
        let repeat_fractions = (0..).zip(repeat_bases).map(fraction).collect();
        let (offsets, codes) = (seeds.queries.offsets, seeds.codes);
        let chains = DeviceChains { offsets, codes, slices, repeat_fractions };
        Ok(Some(FoundChains { chains, timings: [seeds.timing, timing] }))
    }

    /// Copies chains to the host.
    ///
    /// # Errors
    /// If the device fails.
    pub fn download(&self, found: &FoundChains<B::Buffer>) -> Result<ChainsOfReads, DeviceError> {
        let mut chains = ChainsOfReads::default();
        for slice in &found.chains.slices {
            let starts: Vec<u64> = self.read(&slice.starts, slice.reads.len() + 1)?;
            let counts: Vec<u32> =
                starts.windows(2).map(|pair| (pair[1] - pair[0]) as u32).collect();
            let count = slice.count as usize;
            let places: Vec<u32> = self.read(&slice.places, count)?;
            chains.add(self.read::<Chain>(&slice.chains, count)?, places, &counts);
        }
        chains.repeat_fractions.clone_from(&found.chains.repeat_fractions);
        Ok(chains)
    }

    /// The chains of consecutive reads, which have these anchors.
    fn chain_slice(
        &self,
        reads: Range<u32>,
        anchors: &Range<u64>,
        seeds: &SeedsOnDevice<B::Buffer>,
        base: &Settings,
    ) -> Result<(ChainSlice<B::Buffer>, ApplicationTiming), DeviceError> {
        let count = reads.len();
        let anchor_count = (anchors.end - anchors.start) as usize;
        let queries = seeds.queries.packed(&self.backend);
        let keys = self.uninitialized::<u64>(anchor_count)?;
        let chains = self.uninitialized::<Chain>(anchor_count)?;
        let kept_numbers = self.uninitialized::<u32>(anchor_count)?;
        let counts = self.backend.zeros(count * size_of::<u32>())?;
        let parameters = ChainParameters {
            index: self.index,
            thresholds: ChainThresholds::from(&self.inputs.options),
            seeds: self.address(&seeds.seeds),
            seed_starts: self.address(&seeds.seed_starts),
            anchor_starts: self.address(&seeds.anchor_starts),
            offsets: queries.offsets,
            segment_ends: self.address(&self.segment_ends),
            first_anchor: anchors.start,
            keys: self.address(&keys),
            chains: self.address(&chains),
            kept: self.address(&kept_numbers),
            counts: self.address(&counts),
            segment_count: self.segment_count,
            first_read: reads.start,
        };
        let context = ChainContext::of_device(&self.inputs);
        let (app, sink) = application::topology(&context);
        let settings = application::settings(count, base);
        let loaded = &self.applications.chains;
        let executor = CudaExecutor::loaded(loaded, &app, &settings, &parameters);
        let input: Vec<u32> = reads.clone().collect();
        let executor = executor.map_err(failed)?;
        let mut outputs = executor.run_in_place(&input).map_err(failed)?;
        let kept = outputs.take([sink])?;
        let (chain_starts, _) = self.sums(&counts, count as u32)?;
        let ordered = self.uninitialized::<Chain>(kept.count)?;
        let parameters = FindOrderParameters {
            kept: self.address(&kept.items),
            chain_starts: self.address(&chain_starts),
            chains: self.address(&ordered),
            count: kept.count as u32,
            first_read: reads.start,
        };
        let blocks = (kept.count as u32).div_ceil(THREADS);
        self.launch("find_order", (blocks, THREADS), &parameters)?;
        let at_least = self.uninitialized::<i32>(kept.count)?;
        let is_outscored = self.uninitialized::<u8>(kept.count)?;
        let of_reads = || self.backend.zeros(count * size_of::<u64>());
        let (best, best_outscored) = (of_reads()?, of_reads()?);
        let rules = OutscoringRules::from(&self.inputs.options);
        let parameters = FindOutscoredParameters {
            index: self.index,
            queries,
            chain_starts: self.address(&chain_starts),
            chains: self.address(&ordered),
            at_least: self.address(&at_least),
            best: self.address(&best),
            best_outscored: self.address(&best_outscored),
            is_outscored: self.address(&is_outscored),
            counts: self.address(&counts),
            rules,
            count: kept.count as u32,
            first_read: reads.start,
            padding: 0,
        };
        self.launch("find_best", (blocks, THREADS), &parameters)?;
        self.launch("find_outscored", (blocks, THREADS), &parameters)?;
        let (kept_starts, total) = self.sums(&counts, count as u32)?;
        // Most chains were outscored, and those that are left stay on the device until their regions are made.
        let count_left = self.read::<u64>(&total, 1)?[0] as u32;
        let compact = self.uninitialized::<Chain>(count_left as usize)?;
        let places = self.uninitialized::<u32>(count_left as usize)?;
        let parameters = FindWholeMatchesParameters {
            index: self.index,
            queries,
            chain_starts: self.address(&chain_starts),
            kept_starts: self.address(&kept_starts),
            chains: self.address(&ordered),
            is_outscored: self.address(&is_outscored),
            best_outscored: self.address(&best_outscored),
            kept: self.address(&compact),
            places: self.address(&places),
            rules,
            reads: count as u32,
        };
        let warps = ((count as u32).div_ceil(WARPS), THREADS);
        self.launch("find_whole_matches", warps, &parameters)?;
        // Another stream goes on with what the kernels write.
        self.backend.wait()?;
        let (count, starts) = (count_left, kept_starts);
        let slice = ChainSlice { reads, count, chains: compact, places, starts };
        let timing =
            ApplicationTiming { seconds: outputs.device_seconds, metrics: outputs.metrics };
        Ok((slice, timing))
    }
}
