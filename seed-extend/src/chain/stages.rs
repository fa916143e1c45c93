//! The stages of the application that finds chains; `cuda/chains.cu` has the same stages for a GPU.

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};

use super::context::{ChainContext, FinderInputs, ReadChains};
use super::items::{ChainCounts, RankedChain, SelectedChains};
use crate::chain::anchors;
use crate::chain::chains;

const LOCATED: Channel<u32> = Channel::new(0, "located", 1);
const JOINED: Channel<ChainCounts> = Channel::new(0, "joined", 1);
const CHOSEN: Channel<SelectedChains> = Channel::new(0, "chosen", 1);
const KEPT: Channel<RankedChain> = Channel::new(0, "kept", 1);

/// Mapping of a stage that gives each item a warp.
const BY_WARP: Mapping = Mapping::Each { items: 1, threads: 32 };

/// Stage that locates the anchors of reads.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct LocateSeeds;

/// Stage that chains the anchors of a read.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct ChainAnchors;

/// Stage that orders the chains of a read and drops those that cannot matter.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct SelectChains;

/// Stage that outputs the chains that are kept.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct EmitChains;

impl Stage for LocateSeeds {
    type In = u32;
    type Node = ();
    type Global = ChainContext;
    const NAME: &'static str = "LocateSeeds";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![LOCATED.describe()]
    }

    /// One element for all anchors of a read: a thread of the CPU locates them together, to overlap memory accesses.
    fn size(&self, &read: &u32, site: &Site<'_, (), ChainContext>) -> u32 {
        u32::from(!site.global.read(read).seeds.is_empty())
    }

    fn run(&self, &read: &u32, site: &Site<'_, (), ChainContext>, push: &mut Push<'_>) {
        let ChainContext { inputs, seeds, .. } = site.global;
        let ReadChains { seeds: own, anchors, .. } = &mut *site.global.read(read);
        anchors::locate(
            &inputs.index,
            &seeds[own.clone()],
            inputs.options.max_occurrences,
            anchors,
        );
        push.to(LOCATED, read);
    }
}

impl Stage for ChainAnchors {
    type In = u32;
    type Node = ();
    type Global = ChainContext;
    const NAME: &'static str = "ChainAnchors";
    const MAPPING: Mapping = BY_WARP;

    fn channels() -> Vec<ChannelType> {
        vec![JOINED.describe()]
    }

    fn run(&self, &read: &u32, site: &Site<'_, (), ChainContext>, push: &mut Push<'_>) {
        if site.lane > 0 {
            return;
        }
        let FinderInputs { segments, options, .. } = &*site.global.inputs;
        let length = site.global.queries.bases(read);
        let ReadChains { anchors, chains, .. } = &mut *site.global.read(read);
        anchors.sort_unstable();
        let mut counts = [0; 2];
        for of_query in anchors.chunk_by(|one, next| one.query == next.query) {
            let before = chains.len();
            chains::chain(of_query, length, segments, &options.chains, chains);
            counts[(of_query[0].query % 2) as usize] = (chains.len() - before) as u32;
        }
        let [forward, reverse] = counts;
        push.to(JOINED, ChainCounts { read, forward, reverse, padding: 0 });
    }
}

impl Stage for SelectChains {
    type In = ChainCounts;
    type Node = ();
    type Global = ChainContext;
    const NAME: &'static str = "SelectChains";
    const MAPPING: Mapping = BY_WARP;

    fn channels() -> Vec<ChannelType> {
        vec![CHOSEN.describe()]
    }

    fn run(&self, joined: &ChainCounts, site: &Site<'_, (), ChainContext>, push: &mut Push<'_>) {
        if site.lane > 0 {
            return;
        }
        let ChainContext { inputs, queries, .. } = site.global;
        let read = joined.read;
        let chains = &mut site.global.read(read).chains;
        chains::keep_best(chains, queries.bases(read), &inputs.options.chains);
        push.to(CHOSEN, SelectedChains { read, count: chains.len() as u32 });
    }
}

impl Stage for EmitChains {
    type In = SelectedChains;
    type Node = ();
    type Global = ChainContext;
    const NAME: &'static str = "EmitChains";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![KEPT.describe()]
    }

    fn size(&self, chosen: &SelectedChains, _: &Site<'_, (), ChainContext>) -> u32 {
        chosen.count
    }

    fn run(&self, chosen: &SelectedChains, site: &Site<'_, (), ChainContext>, push: &mut Push<'_>) {
        let chain = site.global.read(chosen.read).chains[site.element as usize];
        push.to(KEPT, RankedChain { chain, rank: site.element, padding: 0 });
    }
}
