//! Module types: the code of an application.
//!
//! A [`Stage`] is one function that receives an item and pushes any number of items, up to a stated
//! maximum, to its channels. The value of a stage is the module's parameters; every node adds
//! parameters of its own, and the application has global ones (Cole 2017, A.1.2). Stages over
//! pods are in [`super::pod`].

use super::channel::{Channel, ChannelType};
use super::item::Item;
use super::staged_outputs::StagedOutputs;

/// How items are dealt to threads. A CPU has no lanes, but runs a stage as often as a GPU does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// `items` items a thread, or `threads` threads an item; one of the two is 1.
    Each {
        /// Items that one thread takes, one after the other.
        items: u32,
        /// Threads that share an item; each runs the stage with its own [`Site::lane`].
        threads: u32,
    },
    /// A thread for each of the [`Stage::size`] elements of an item.
    Explode,
    /// A thread for each item of a pod; survivors are packed into new pods.
    Collect {
        /// New pods that one pod gives at most.
        fan: u32,
    },
    /// A thread for each item of a pod; their values are reduced to one.
    Reduce,
}

impl Mapping {
    /// One item a thread.
    pub const ONE_TO_ONE: Self = Self::Each { items: 1, threads: 1 };

    /// Inputs, or elements of them, that keep `width` threads busy.
    pub(crate) fn ensemble(self, width: u32) -> u32 {
        match self {
            Self::Each { items, threads } => width * items / threads,
            Self::Explode | Self::Collect { .. } | Self::Reduce => width,
        }
    }
}

/// Where a stage runs: at which node, and as which of the threads that share an item.
#[derive(Debug)]
pub struct Site<'a, N, G: ?Sized> {
    /// The node's parameters.
    pub node: &'a N,
    /// The application's parameters.
    pub global: &'a G,
    /// Which of the item's threads this is, from 0.
    pub lane: u32,
    /// Threads that share the item.
    pub lanes: u32,
    /// Which element of an exploded item, or which item of a pod, this is, from 0.
    pub element: u32,
}

/// A module type that maps items one by one ([`Mapping::Each`]) or explodes them
/// ([`Mapping::Explode`]).
pub trait Stage: Item {
    /// What it receives.
    type In: Item;
    /// StageParameters of each node; `()` for none.
    type Node: Item;
    /// StageParameters of the application; `()` for none.
    type Global: Sync + ?Sized;

    /// Its name, the same as that of the device's struct.
    const NAME: &'static str;
    /// Items to threads.
    const MAPPING: Mapping = Mapping::ONE_TO_ONE;

    /// Its outputs, each at the index that its [`Channel`] says.
    fn channels() -> Vec<ChannelType>;

    /// Elements of an item; asked only of stages that explode. 0 drops the item.
    fn size(&self, item: &Self::In, site: &Site<'_, Self::Node, Self::Global>) -> u32 {
        let _ = (item, site);
        1
    }

    /// Processes one item, or one element of it.
    fn run(&self, item: &Self::In, site: &Site<'_, Self::Node, Self::Global>, push: &mut Push<'_>);
}

/// Takes what a stage emits.
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
