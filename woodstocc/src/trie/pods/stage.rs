//! The stage that walks down the trie, and the graph of its application. The GPU's version is `cuda/pods.cu`.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{
    Channel, ChannelType, Children, Item, Push, SinkId, Site, Topology, Walk, WalkLimits,
};
use bytemuck::{Pod, Zeroable};
use fm_index::gpu::IndexView;
use fm_index::{FmIndex, Interval};

use crate::read::Queries;
use crate::trie::bound::SuffixBound;
use crate::trie::hit::TrieHit;
use crate::trie::row::{Profiles, RowBand, RowWord};
use crate::trie::walk::{LiveQuery, WalkBatch};

/// The most children of a node.
pub(super) const FAN: u32 = 4;

const HITS: Channel<TrieHit> = Channel::new(0, "hits", 1);

device_struct! {
    /// A unit of work: queries that walk together down the subtrie below a word.
    #[derive(PartialEq, Eq)]
    #[repr(align(16))]
    pub struct TrieUnit {
        /// First query, as an index in [`TrieContext`].
        pub first: u32,
        /// Number of queries.
        pub queries: u32,
        /// Codes of the word, two bits each, the first one in the highest bits.
        pub word: u32,
        /// Number of codes of the word.
        pub length: u32,
    }
}

device_struct! {
    /// A node of the trie.
    #[repr(align(16))]
    pub struct TrieNode {
        /// The node's interval of the index.
        pub interval: Interval,
        /// Depth of the node, shifted by 2 bits, and its last base.
        pub depth_and_code: u32,
    }
}

device_struct! {
    /// A query to search for, in device memory.
    #[repr(align(16))]
    pub(crate) struct TrieQuery {
        /// Number of the query in its batch.
        pub number: u32,
        /// Number of bases, more than `K`.
        pub length: u32,
        /// First 128-bit word of the query's profile.
        pub profile: u32,
        /// Padding of the struct, always 0.
        pub padding: u32,
        /// Lower bounds of the query's suffixes, written by `pods_prepare_K`.
        pub bound: SuffixBound,
    }
}

device_struct! {
    /// [`TrieContext`] in device memory.
    pub(crate) struct TrieDeviceContext {
        /// The FM-index of the reference.
        pub index: IndexView,
        /// The queries to search for, by length.
        pub queries: DeviceAddress<TrieQuery>,
        /// Profiles of the queries, in words of 128 bits.
        pub profiles: DeviceAddress<u32>,
    }
}

/// The data that a search needs: the index, and the queries to search for.
#[derive(Debug)]
pub struct TrieContext {
    index: FmIndex,
    numbers: Vec<u32>,
    lengths: Vec<u32>,
    bounds: Vec<SuffixBound>,
    profiles: Profiles,
    k: usize,
}

impl TrieContext {
    /// The data for a search on the CPU. The wanted queries have more than `k` bases each.
    pub fn new(
        index: &FmIndex,
        queries: &Queries,
        wanted: &[u32],
        k: usize,
        is_pruned: bool,
    ) -> Self {
        let codes = |query: &u32| queries.codes(*query as usize);
        let longest = wanted.iter().map(|query| codes(query).len()).max().unwrap_or(0);
        let bound = |query| {
            if is_pruned {
                SuffixBound::new(index, codes(query), k)
            } else {
                SuffixBound::default()
            }
        };
        let mut profiles = Profiles::new(longest);
        for query in wanted {
            profiles.push(codes(query));
        }
        Self {
            index: index.clone(),
            numbers: wanted.to_vec(),
            lengths: wanted.iter().map(|query| codes(query).len() as u32).collect(),
            bounds: wanted.iter().map(bound).collect(),
            profiles,
            k,
        }
    }

    /// The data for a search on a device, whose kernels read [`TrieDeviceContext`].
    pub(super) fn of_device(index: &FmIndex, k: usize) -> Self {
        let (numbers, lengths, bounds) = (Vec::new(), Vec::new(), Vec::new());
        Self { index: index.clone(), numbers, lengths, bounds, profiles: Profiles::new(0), k }
    }

    fn batch(&self) -> WalkBatch<'_> {
        let Self { numbers, lengths, bounds, profiles, k, .. } = self;
        WalkBatch { numbers, lengths, bounds, profiles, k: *k }
    }
}

/// A matrix row that can be an item of the application, with the query and its wanted distance.
pub trait LiveRow: RowWord {
    /// The type of the items: the row in words of 32 bits, then the index of the query, shifted by 4 bits, with the
    /// distance below which hits are reported.
    type Words: Item;

    /// Makes an item.
    fn to_words(live: &LiveQuery<Self>) -> Self::Words;

    /// Reads an item.
    fn from_words(words: &Self::Words) -> LiveQuery<Self>;
}

fn tag<W>(live: &LiveQuery<W>) -> u32 {
    live.query << 4 | u32::from(live.wanted)
}

impl LiveRow for u64 {
    type Words = [u32; 3];

    fn to_words(live: &LiveQuery<Self>) -> [u32; 3] {
        [live.row as u32, (live.row >> 32) as u32, tag(live)]
    }

    fn from_words(&[low, high, tag]: &[u32; 3]) -> LiveQuery<Self> {
        let row = Self::from(high) << 32 | Self::from(low);
        LiveQuery { row, query: tag >> 4, wanted: (tag & 15) as u8 }
    }
}

impl LiveRow for u128 {
    type Words = [u32; 5];

    fn to_words(live: &LiveQuery<Self>) -> [u32; 5] {
        let word = |w: u32| (live.row >> (32 * w)) as u32;
        [word(0), word(1), word(2), word(3), tag(live)]
    }

    fn from_words(&[a, b, c, d, tag]: &[u32; 5]) -> LiveQuery<Self> {
        let row = [d, c, b, a].iter().fold(0, |row, &word| row << 32 | Self::from(word));
        LiveQuery { row, query: tag >> 4, wanted: (tag & 15) as u8 }
    }
}

/// Walks down the trie, with rows of type `W` for up to `K` differences.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct TrieWalk<W, const K: usize>(std::marker::PhantomData<W>);

#[allow(unsafe_code)]
// SAFETY: it has no bytes.
unsafe impl<W, const K: usize> Zeroable for TrieWalk<W, K> {}
#[allow(unsafe_code)]
// SAFETY: it has no bytes.
unsafe impl<W: Copy + 'static, const K: usize> Pod for TrieWalk<W, K> {}

impl<W: LiveRow + Send + Sync + 'static, const K: usize> Walk for TrieWalk<W, K> {
    type In = TrieUnit;
    type Header = TrieNode;
    type Element = W::Words;
    type Node = ();
    type Global = TrieContext;
    const NAME: &'static str = [
        "TrieWalk<0>",
        "TrieWalk<1>",
        "TrieWalk<2>",
        "TrieWalk<3>",
        "TrieWalk<4>",
        "TrieWalk<5>",
        "TrieWalk<6>",
        "TrieWalk<7>",
    ][K];
    const FAN: u32 = FAN;

    fn channels() -> Vec<ChannelType> {
        vec![HITS.describe()]
    }

    fn enter(&self, unit: &TrieUnit, site: &Site<'_, (), TrieContext>) -> (TrieNode, u32) {
        let transforms = site.global.index.transforms();
        let mut interval = site.global.index.root();
        for i in (0..unit.length).rev() {
            if interval.is_empty() {
                break;
            }
            interval = transforms.extend_right(interval)[unit.word as usize >> (2 * i) & 3];
        }
        let queries = if interval.is_empty() { 0 } else { unit.queries };
        (TrieNode { interval, depth_and_code: unit.length << 2 }, queries)
    }

    /// No query has a hit at the node of the word or above, since words are shorter than all queries by more than `K`.
    fn element(&self, unit: &TrieUnit, site: &Site<'_, (), TrieContext>) -> Option<W::Words> {
        let batch = site.global.batch();
        let band = RowBand::<W>::new(K);
        let query = unit.first + site.element;
        let (length, bound) =
            (batch.lengths[query as usize] as usize, &batch.bounds[query as usize]);
        let wanted = K as u8 + 1;
        let mut row = band.root(length);
        let mut lives = band.reaches(row, 0, wanted, bound);
        for depth in 1..=unit.length {
            if !lives {
                break;
            }
            let code = unit.word as usize >> (2 * (unit.length - depth)) & 3;
            let depth = depth as usize;
            let equal = batch.profiles.equal(query as usize, code, depth, K);
            row = band.step(row, equal, length + K - depth);
            lives = band.reaches(row, depth, wanted, bound);
        }
        lives.then(|| W::to_words(&LiveQuery { row, query, wanted }))
    }

    fn children(
        &self,
        node: &TrieNode,
        site: &Site<'_, (), TrieContext>,
        children: &mut Children<TrieNode>,
    ) {
        let found = site.global.index.transforms().extend_right(node.interval);
        for (code, interval) in (0..).zip(found).filter(|(_, interval)| !interval.is_empty()) {
            let depth_and_code = ((node.depth_and_code >> 2) + 1) << 2 | code;
            children.add(TrieNode { interval, depth_and_code });
        }
    }

    fn visit(
        &self,
        child: &TrieNode,
        live: W::Words,
        site: &Site<'_, (), TrieContext>,
        push: &mut Push<'_>,
    ) -> Option<W::Words> {
        let (depth, code) = (child.depth_and_code >> 2, child.depth_and_code & 3);
        let (depth, code) = (depth as usize, code as usize);
        let mut hits = Vec::new();
        let (band, parent) = (RowBand::<W>::new(K), W::from_words(&live));
        let (live, lives) =
            site.global.batch().visit(&band, &parent, child.interval, depth, code, &mut hits);
        for hit in hits {
            push.to(HITS, hit);
        }
        lives.then(|| W::to_words(&live))
    }
}

/// The names of the applications for each `K`, as `STREAM_APP` has them.
pub(super) const APPS: [&str; 8] =
    ["pods_0", "pods_1", "pods_2", "pods_3", "pods_4", "pods_5", "pods_6", "pods_7"];

/// The graph of the application, and the sink of hits, for queries of at most `longest` bases, at most `group` of them
/// together.
pub fn topology<W: LiveRow + Send + Sync + 'static, const K: usize>(
    context: &TrieContext,
    longest: u32,
    group: u32,
) -> (Topology<'_, TrieContext>, SinkId<TrieHit>) {
    let mut app = Topology::new(APPS[K], context);
    let walk = app.walk(TrieWalk::<W, K>(std::marker::PhantomData));
    // Below this depth, no prefix of a query is within K of the string of a node.
    let limits = WalkLimits { depth: longest + K as u32, elements: group };
    let walk = app.walk_node("walk", walk, (), limits);
    app.source::<TrieUnit>(walk);
    let hits = app.sink("hits", walk, "hits");
    (app, hits)
}
