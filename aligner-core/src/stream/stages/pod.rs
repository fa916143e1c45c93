//! Pods: groups of items that stay together (Cole 2017, 5.2.7).
//!
//! A pod is a header and up to `C` items in one slot of a queue. A firing *explodes* pods: each item gets a thread.
//! Then it either *collects*, which packs the items that a stage keeps into new pods and drops empty pods, or
//! *reduces*, which yields one value for each pod.
//!
//! ```text
//!   pods      [h0: a b c]  [h1: d e]         [h2: f g h]
//!   threads     0 1 2        3 4               5 6 7
//!   kept        a   c                            g h
//!   new pods  [h0: a c]                      [h2: g h]       the pod of h1 is empty and drops
//! ```

use super::channel::ChannelType;
use super::item::Item;
use super::stage::{Push, Site};

/// A pod: a header and up to `C` items. `C` is at most the ensemble width.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Pod<H, T, const C: usize> {
    /// Data that the items have in common.
    pub header: H,
    len: u32,
    items: [T; C],
}

/// A [`Pod`] of any types and capacity.
pub trait AnyPod: Item {
    /// Type of the header.
    type Header: Item;
    /// Type of the items.
    type Element: Item;
    /// The most items that the pod holds.
    const CAPACITY: usize;

    /// Makes a pod of these items.
    ///
    /// # Panics
    /// If there are more than [`AnyPod::CAPACITY`].
    fn new(header: Self::Header, items: &[Self::Element]) -> Self;
    /// Header of the pod.
    fn header(&self) -> &Self::Header;
    /// Items of the pod, in order.
    fn items(&self) -> &[Self::Element];
}

impl<H: Item, T: Item, const C: usize> Pod<H, T, C> {
    const NO_PADDING: () = assert!(
        size_of::<Self>() == size_of::<H>() + 4 + C * size_of::<T>(),
        "header and items of a pod must leave no gaps around a 4-byte length"
    );
}

#[allow(unsafe_code)]
// SAFETY: all fields are valid as zeros.
unsafe impl<H: Item, T: Item, const C: usize> bytemuck::Zeroable for Pod<H, T, C> {}
#[allow(unsafe_code)]
// SAFETY: `repr(C)`, every field is plain data, and `NO_PADDING`, evaluated by every constructor
// and reader, refuses types with gaps at compile time.
unsafe impl<H: Item, T: Item, const C: usize> bytemuck::Pod for Pod<H, T, C> {}

impl<H: Item, T: Item, const C: usize> AnyPod for Pod<H, T, C> {
    type Header = H;
    type Element = T;
    const CAPACITY: usize = C;

    fn new(header: H, items: &[T]) -> Self {
        let () = Self::NO_PADDING;
        let mut pod = Self { header, len: items.len() as u32, items: [T::zeroed(); C] };
        pod.items[..items.len()].copy_from_slice(items);
        pod
    }

    fn header(&self) -> &H {
        &self.header
    }

    fn items(&self) -> &[T] {
        let () = Self::NO_PADDING;
        &self.items[..self.len as usize]
    }
}

/// A module type that runs on every item of a pod and packs the items that it keeps into new pods.
///
/// Channel 0 carries the new pods; the gammas of the other channels count for each item.
pub trait Collect: Item {
    /// Type of the pods that it receives.
    type In: AnyPod;
    /// Type of the pods that it makes.
    type Out: AnyPod;
    /// Parameters of each node; `()` for none.
    type Node: Item;
    /// Parameters of the application; `()` for none.
    type Global: Sync + ?Sized;

    /// Name, the same as that of the struct in CUDA.
    const NAME: &'static str;
    /// The most new pods that one pod yields. The keys of new pods are `0..FAN`.
    const FAN: u32 = 1;
    /// Name of channel 0.
    const COLLECTED: &'static str = "collected";

    /// Channels from index 1 on.
    fn channels() -> Vec<ChannelType> {
        Vec::new()
    }

    /// Processes one item of a pod.
    fn run(
        &self,
        header: &<Self::In as AnyPod>::Header,
        item: &<Self::In as AnyPod>::Element,
        site: &Site<'_, Self::Node, Self::Global>,
        keep: &mut Keep<<Self::Out as AnyPod>::Element>,
        push: &mut Push<'_>,
    );

    /// Header of the new pod of this key; called once for each new pod that has an item.
    fn header(
        &self,
        header: &<Self::In as AnyPod>::Header,
        key: u32,
        site: &Site<'_, Self::Node, Self::Global>,
    ) -> <Self::Out as AnyPod>::Header;
}

/// The object through which a [`Collect`] stage keeps an item: at most once for each key.
#[derive(Debug)]
pub struct Keep<T> {
    pub(crate) kept: Vec<Option<T>>,
}

impl<T: Copy> Keep<T> {
    /// Puts `item` into the new pod of this key.
    ///
    /// # Panics
    /// If the key is not below [`Collect::FAN`].
    pub fn in_pod(&mut self, key: u32, item: T) {
        self.kept[key as usize] = Some(item);
    }
}

/// A module type that reduces the items of a pod to one value.
pub trait Reduce: Item {
    /// Type of the pods that it receives.
    type In: AnyPod;
    /// Type of the values. On a GPU, its size must be a multiple of 4 bytes.
    type Value: Item;
    /// Parameters of each node; `()` for none.
    type Node: Item;
    /// Parameters of the application; `()` for none.
    type Global: Sync + ?Sized;

    /// Name, the same as that of the struct in CUDA.
    const NAME: &'static str;

    /// Outputs, whose gammas count for each pod.
    fn channels() -> Vec<ChannelType>;

    /// Value of one item.
    fn value(
        &self,
        header: &<Self::In as AnyPod>::Header,
        item: &<Self::In as AnyPod>::Element,
        site: &Site<'_, Self::Node, Self::Global>,
    ) -> Self::Value;

    /// Combines the values of two neighbouring items or runs of items; must be associative.
    fn combine(&self, left: Self::Value, right: Self::Value) -> Self::Value;

    /// Emits the outputs of a pod, of whose items `value` is the combined value.
    fn finish(
        &self,
        header: &<Self::In as AnyPod>::Header,
        value: &Self::Value,
        site: &Site<'_, Self::Node, Self::Global>,
        push: &mut Push<'_>,
    );
}
