//! Channels: the typed outputs of a module type.

use std::marker::PhantomData;

use super::item::{Item, ItemType};

/// A typed output of a module type. `gamma` is the most items that one input yields on it.
///
/// ```
/// use aligner_core::stream::Channel;
/// const ACCEPT: Channel<u32> = Channel::new(0, "accept", 4);
/// ```
#[derive(Debug)]
pub struct Channel<T> {
    index: usize,
    name: &'static str,
    gamma: u32,
    item: PhantomData<fn(T)>,
}

impl<T> Clone for Channel<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Channel<T> {}

impl<T: Item> Channel<T> {
    /// The channel at `index` of [`Stage::channels`].
    pub const fn new(index: usize, name: &'static str, gamma: u32) -> Self {
        Self { index, name, gamma, item: PhantomData }
    }

    /// The channel as topologies see it.
    pub fn describe(self) -> ChannelType {
        ChannelType { name: self.name, item: ItemType::of::<T>(), gamma: self.gamma }
    }

    pub(crate) fn index(self) -> usize {
        self.index
    }
}

/// A channel, its type known at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelType {
    /// Its name, for edges.
    pub name: &'static str,
    /// What it carries.
    pub item: ItemType,
    /// The most items that one input yields on it.
    pub gamma: u32,
}
