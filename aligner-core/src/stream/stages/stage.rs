//! Stages: the code of module types.
//!
//! A [`Stage`] is one function that receives an item and pushes items to its channels, for each channel up to a stated
//! maximum. Parameters have three levels (Cole 2017, A.1.2): the value of the stage belongs to the module type, each
//! node has a [`Stage::Node`], and the application has one [`Stage::Global`]. Stages over pods are in [`super::pod`].

use super::channel::{Channel, ChannelType};
use super::item::Item;
use super::staged_outputs::StagedOutputs;

/// The mapping of items to threads. A CPU has no lanes, but calls a stage as often as a GPU does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// A thread takes `items` items, or `threads` threads share an item; one of the two is 1.
    Each {
        /// Number of items that one thread takes, one after the other; 1 to 8.
        items: u32,
        /// Number of threads that share an item, a power of two up to 32; each runs the stage with its own
        /// [`Site::lane`].
        threads: u32,
    },
    /// A thread takes one item, of those that wait the latest. Items may multiply on a channel that leads back to the
    /// node itself ([`Topology::descent`](crate::stream::Topology::descent)).
    DepthFirst,
    /// Each of the [`Stage::size`] elements of an item has a thread.
    Explode,
    /// Each item of a pod has a thread; the items kept are packed into new pods.
    Collect {
        /// The most new pods that one pod yields.
        fan: u32,
    },
    /// Each item of a pod has a thread; the values of the items are reduced to one.
    Reduce,
    /// Each item has a thread at each child of the node of a tree where it is live ([`Walk`](crate::stream::Walk)).
    Walk {
        /// The most children of a node of the tree.
        fan: u32,
    },
}

impl Mapping {
    /// A thread takes one item.
    pub const ONE_TO_ONE: Self = Self::Each { items: 1, threads: 1 };

    /// Number of inputs, or elements, that give `width` threads work.
    pub(crate) fn ensemble(self, width: u32) -> u32 {
        match self {
            Self::Each { items, threads } => width * items / threads,
            Self::DepthFirst
            | Self::Explode
            | Self::Collect { .. }
            | Self::Reduce
            | Self::Walk { .. } => width,
        }
    }
}

/// The place where a stage runs: its node, and its thread among the threads that share an item.
#[derive(Debug)]
pub struct Site<'a, N, G: ?Sized> {
    /// Parameters of the node.
    pub node: &'a N,
    /// Parameters of the application.
    pub global: &'a G,
    /// Number of this thread among the threads that share the item, from 0.
    pub lane: u32,
    /// Number of threads that share the item.
    pub lanes: u32,
    /// Number of this element of an exploded item, or of this item of a pod, from 0.
    pub element: u32,
}

/// A module type that takes items one by one ([`Mapping::Each`]) or explodes them
/// ([`Mapping::Explode`]).
pub trait Stage: Item {
    /// Type of the items that it receives.
    type In: Item;
    /// Parameters of each node; `()` for none.
    type Node: Item;
    /// Parameters of the application; `()` for none.
    type Global: Sync + ?Sized;

    /// Name, the same as that of the struct in CUDA.
    const NAME: &'static str;
    /// Mapping of items to threads.
    const MAPPING: Mapping = Mapping::ONE_TO_ONE;

    /// Outputs, each at the index that its [`Channel`] was made with.
    fn channels() -> Vec<ChannelType>;

    /// Number of elements of an item, for stages that explode; 0 drops the item.
    fn size(&self, item: &Self::In, site: &Site<'_, Self::Node, Self::Global>) -> u32 {
        let _ = (item, site);
        1
    }

    /// Processes one item, or one element of it.
    fn run(&self, item: &Self::In, site: &Site<'_, Self::Node, Self::Global>, push: &mut Push<'_>);
}

/// The object through which a stage pushes items.
#[derive(Debug)]
pub struct Push<'a> {
    pub(crate) staged: &'a mut StagedOutputs,
}

impl Push<'_> {
    /// Emits `item` on `channel`. More than the channel's gamma for one input ends the run with an
    /// error that names node and channel.
    #[inline]
    pub fn to<T: Item>(&mut self, channel: Channel<T>, item: T) {
        self.staged.push(channel.index(), bytemuck::bytes_of(&item));
    }
}
