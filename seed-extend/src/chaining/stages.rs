//! What the nodes do; `cuda/chains.cu` is the same for a GPU.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};
use fm_index::gpu::View;
use fm_index::{FmIndex, Segments};

use crate::anchors::{self, Anchor};
use crate::chains::{self, Chain, ChainOptions};
use crate::options::Options;
use crate::queries::Queries;
use crate::seeds::Seed;
use crate::spares::locked;

/// A read whose queries have so many chains.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Joined {
    read: u32,
    forward: u32,
    reverse: u32,
    padding: u32,
}

/// A read of which so many chains are kept.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Chosen {
    read: u32,
    count: u32,
}

/// A chain that is kept.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Kept {
    /// The chain.
    pub chain: Chain,
    /// How many chains of the same read are better.
    pub rank: u32,
    padding: u32,
}

/// What is the same for all reads.
#[derive(Debug)]
pub struct Known {
    /// The index.
    pub index: FmIndex,
    /// The segments of its text.
    pub segments: Arc<Segments>,
    /// Which seeds, occurrences and chains are wanted.
    pub options: Options,
}

/// What all nodes know.
#[derive(Debug)]
pub struct Context {
    known: Arc<Known>,
    queries: Arc<Queries>,
    /// The first of the reads.
    first: u32,
    /// Their seeds, in order.
    seeds: Vec<Seed>,
    /// What there is of each read.
    reads: Vec<Mutex<Read>>,
}

/// What one node leaves for the next one.
#[derive(Debug, Default)]
struct Read {
    seeds: Range<usize>,
    anchors: Vec<Anchor>,
    chains: Vec<Chain>,
}

impl Context {
    /// For some of the reads of these queries; they have these seeds, in order.
    pub fn new(
        known: &Arc<Known>,
        queries: &Arc<Queries>,
        reads: Range<u32>,
        seeds: Vec<Seed>,
    ) -> Self {
        let (known, queries, first) = (Arc::clone(known), Arc::clone(queries), reads.start);
        let mut end = 0;
        let of_read = |read: u32| {
            let start = end;
            end += seeds[start..].partition_point(|seed| seed.query / 2 <= read);
            Mutex::new(Read { seeds: start..end, ..Read::default() })
        };
        let reads = reads.map(of_read).collect();
        Self { known, queries, first, seeds, reads }
    }

    /// For a device, which knows the reads by itself.
    pub fn of_device(known: &Arc<Known>) -> Self {
        Self::new(known, &Arc::default(), 0..0, Vec::new())
    }

    fn read(&self, read: u32) -> MutexGuard<'_, Read> {
        locked(&self.reads[(read - self.first) as usize])
    }
}

/// What is wanted: `find::Numbers` of `chains.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Numbers {
    occurrences: u32,
    width: u32,
    overlap: f32,
    drop_ratio: f32,
    drop_weight: u32,
    most: u32,
}

impl From<&Options> for Numbers {
    fn from(options: &Options) -> Self {
        let Options { chains, occurrences, .. } = options;
        let &ChainOptions { width, overlap, drop_ratio, drop_weight, most } = chains;
        let most = most as u32;
        Self { occurrences: *occurrences, width, overlap, drop_ratio, drop_weight, most }
    }
}

/// What a device is told: addresses in its memory, and numbers.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct DeviceContext {
    /// The index.
    pub index: View,
    /// Which occurrences and chains are wanted.
    pub numbers: Numbers,
    /// Seeds, query after query.
    pub seeds: u64,
    /// Seeds before each query, and all.
    pub seed_starts: u64,
    /// Anchors before each query, and all.
    pub starts: u64,
    /// Bases before each query, and all.
    pub offsets: u64,
    /// Ends of the text's segments.
    pub ends: u64,
    /// Anchors before the first of the reads.
    pub base: u64,
    /// Room for a key of each anchor of the reads,
    pub keys: u64,
    /// a chain,
    pub chains: u64,
    /// and its number.
    pub kept: u64,
    /// Room for how many chains of each read are kept. Reads without anchors do not set theirs.
    pub counts: u64,
    /// Segments of the text.
    pub segments: u32,
    /// The first of the reads.
    pub first_read: u32,
}

const LOCATED: Channel<u32> = Channel::new(0, "located", 1);
const JOINED: Channel<Joined> = Channel::new(0, "joined", 1);
const CHOSEN: Channel<Chosen> = Channel::new(0, "chosen", 1);
const KEPT: Channel<Kept> = Channel::new(0, "kept", 1);

/// A warp an item.
const BY_WARP: Mapping = Mapping::Each { items: 1, threads: 32 };

/// Finds the anchors of reads.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Locate;

/// Makes chains of them.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Join;

/// Drops chains that cannot matter.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Choose;

/// Hands over the others.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Give;

impl Stage for Locate {
    type In = u32;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Locate";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![LOCATED.describe()]
    }

    /// All anchors of a read are one element here: a thread finds them together, and waits less for memory.
    fn size(&self, &read: &u32, site: &Site<'_, (), Context>) -> u32 {
        u32::from(!site.global.read(read).seeds.is_empty())
    }

    fn run(&self, &read: &u32, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let Context { known, seeds, .. } = site.global;
        let Read { seeds: own, anchors, .. } = &mut *site.global.read(read);
        anchors::locate(&known.index, &seeds[own.clone()], known.options.occurrences, anchors);
        push.to(LOCATED, read);
    }
}

impl Stage for Join {
    type In = u32;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Join";
    const MAPPING: Mapping = BY_WARP;

    fn channels() -> Vec<ChannelType> {
        vec![JOINED.describe()]
    }

    fn run(&self, &read: &u32, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        if site.lane > 0 {
            return;
        }
        let Known { segments, options, .. } = &*site.global.known;
        let length = site.global.queries.bases(read);
        let Read { anchors, chains, .. } = &mut *site.global.read(read);
        anchors.sort_unstable();
        let mut counts = [0; 2];
        for of_query in anchors.chunk_by(|one, next| one.query == next.query) {
            let before = chains.len();
            chains::chain(of_query, length, segments, &options.chains, chains);
            counts[(of_query[0].query % 2) as usize] = (chains.len() - before) as u32;
        }
        let [forward, reverse] = counts;
        push.to(JOINED, Joined { read, forward, reverse, padding: 0 });
    }
}

impl Stage for Choose {
    type In = Joined;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Choose";
    const MAPPING: Mapping = BY_WARP;

    fn channels() -> Vec<ChannelType> {
        vec![CHOSEN.describe()]
    }

    fn run(&self, joined: &Joined, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        if site.lane > 0 {
            return;
        }
        let Context { known, queries, .. } = site.global;
        let read = joined.read;
        let chains = &mut site.global.read(read).chains;
        chains::keep_best(chains, queries.bases(read), &known.options.chains);
        push.to(CHOSEN, Chosen { read, count: chains.len() as u32 });
    }
}

impl Stage for Give {
    type In = Chosen;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Give";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![KEPT.describe()]
    }

    fn size(&self, chosen: &Chosen, _: &Site<'_, (), Context>) -> u32 {
        chosen.count
    }

    fn run(&self, chosen: &Chosen, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let chain = site.global.read(chosen.read).chains[site.element as usize];
        push.to(KEPT, Kept { chain, rank: site.element, padding: 0 });
    }
}
