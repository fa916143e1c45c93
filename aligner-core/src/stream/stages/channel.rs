//! Channels: the typed outputs of a module type.

use std::marker::PhantomData;

use super::item::{Item, ItemType};

/// A typed output of a module type. Its gamma is the most items that one input yields on it.
///
/// ```
/// use aligner_core::stream::Channel;
/// const ACCEPT: Channel<u32> = Channel::new(0, "accept", 4); // gamma 4
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
    /// The channel at `index` of [`Stage::channels`](crate::stream::Stage::channels).
    pub const fn new(index: usize, name: &'static str, gamma: u32) -> Self {
        Self { index, name, gamma, item: PhantomData }
    }

    /// The channel without its type, for [`Stage::channels`](crate::stream::Stage::channels).
    pub fn describe(self) -> ChannelType {
        ChannelType { name: self.name, item: ItemType::of::<T>(), gamma: self.gamma }
    }

    /// Index of the channel among those of its stage.
    pub(crate) fn index(self) -> usize {
        self.index
    }
}

/// A channel whose type is a value at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelType {
    /// Name, by which edges refer to the channel.
    pub name: &'static str,
    /// Type of its items.
    pub item: ItemType,
    /// The most items that one input yields on it.
    pub gamma: u32,
}
