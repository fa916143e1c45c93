//! Context of the stages that find chains: the data that all of them share.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use fm_index::gpu::IndexView;
use fm_index::{FmIndex, Segments};

use crate::chain::anchors::Anchor;
use crate::chain::chains::{Chain, ChainOptions};
use crate::options::Options;
use crate::read::queries::Queries;
use crate::seed::seeds::Seed;
use aligner_core::buffer_pool::lock;

/// Index and options of a [`Finder`](crate::chain::Finder), the same for all reads.
#[derive(Debug)]
pub struct FinderInputs {
    /// The index of the text.
    pub index: FmIndex,
    /// The segments of the text.
    pub segments: Arc<Segments>,
    /// All options. Those of alignments, pairs and reports tell which chains are outscored.
    pub options: Options,
}

/// Data that the stages share on the CPU: consecutive reads with their seeds.
#[derive(Debug)]
pub struct ChainContext {
    pub(super) inputs: Arc<FinderInputs>,
    pub(super) queries: Arc<Queries>,
    /// Number of the first read.
    first: u32,
    /// Seeds of the reads, sorted.
    pub(super) seeds: Vec<Seed>,
    /// State of each read between stages.
    reads: Vec<Mutex<ReadChains>>,
}

/// Seeds, anchors and chains of one read, as far as the stages have come.
#[derive(Debug, Default)]
pub(super) struct ReadChains {
    /// Range of the read's seeds in [`ChainContext::seeds`].
    pub(super) seeds: Range<usize>,
    /// Anchors of both of the read's queries.
    pub(super) anchors: Vec<Anchor>,
    /// Chains of both of the read's queries.
    pub(super) chains: Vec<Chain>,
}

impl ChainContext {
    /// A context for some of the reads of these queries. `seeds` are the seeds of these reads, sorted.
    pub fn new(
        inputs: &Arc<FinderInputs>,
        queries: &Arc<Queries>,
        reads: Range<u32>,
        seeds: Vec<Seed>,
    ) -> Self {
        let (inputs, queries, first) = (Arc::clone(inputs), Arc::clone(queries), reads.start);
        let mut end = 0;
        let of_read = |read: u32| {
            let start = end;
            end += seeds[start..].partition_point(|seed| seed.query / 2 <= read);
            Mutex::new(ReadChains { seeds: start..end, ..ReadChains::default() })
        };
        let reads = reads.map(of_read).collect();
        Self { inputs, queries, first, seeds, reads }
    }

    /// A context without reads, for stages that run on a device, which has its own.
    pub fn of_device(inputs: &Arc<FinderInputs>) -> Self {
        Self::new(inputs, &Arc::default(), 0..0, Vec::new())
    }

    /// The state of a read.
    pub(super) fn read(&self, read: u32) -> MutexGuard<'_, ReadChains> {
        lock(&self.reads[(read - self.first) as usize])
    }
}

device_struct! {
    /// Options of occurrences and chains ([`Options::max_occurrences`], [`ChainOptions`]), for a device.
    pub struct ChainThresholds {
        max_occurrences: u32,
        band_width: u32,
        min_overlap: f32,
        drop_ratio: f32,
        drop_weight: u32,
        max_chains: u32,
    }
}

impl From<&Options> for ChainThresholds {
    fn from(options: &Options) -> Self {
        let &Options { chains, max_occurrences, .. } = options;
        let ChainOptions { band_width, min_overlap, drop_ratio, drop_weight, max_chains } = chains;
        let max_chains = max_chains as u32;
        Self { max_occurrences, band_width, min_overlap, drop_ratio, drop_weight, max_chains }
    }
}

device_struct! {
    /// Data that the stages share on a device: all reads of a batch with their seeds, and room for the anchors and
    /// chains of the consecutive reads that are chained in one run.
    pub struct ChainParameters {
        /// The index of the text.
        pub index: IndexView,
        /// Options of occurrences and chains.
        pub thresholds: ChainThresholds,
        /// Seeds of the batch, query after query.
        pub seeds: DeviceAddress<Seed>,
        /// Number of seeds before each query, and of all seeds.
        pub seed_starts: DeviceAddress<u64>,
        /// Number of anchors before each query, and of all anchors.
        pub anchor_starts: DeviceAddress<u64>,
        /// Number of bases before each query, and of all bases.
        pub offsets: DeviceAddress<u32>,
        /// Ends of the segments of the text.
        pub segment_ends: DeviceAddress<u32>,
        /// Number of anchors before the first read of the run.
        pub first_anchor: u64,
        /// Room for a sort key of each anchor of the run.
        pub keys: DeviceAddress<u64>,
        /// Room for a chain for each anchor of the run.
        pub chains: DeviceAddress<Chain>,
        /// Room for the number of a chain for each anchor of the run.
        pub kept: DeviceAddress<u32>,
        /// Room for the number of chains that are kept of each read of the run. It must be 0 before, since reads
        /// without anchors do not write it.
        pub counts: DeviceAddress<u32>,
        /// Number of segments of the text.
        pub segment_count: u32,
        /// Number of the first read of the run.
        pub first_read: u32,
    }
}
