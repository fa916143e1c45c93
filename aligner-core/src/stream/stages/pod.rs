//! Pods: groups of items handled as one (Cole 2017, 5.2.7).
//!
//! A pod lies in one queue slot: a header and up to `C` items. Pods are *exploded* when their items
//! are dealt to threads, one each, and either *collected* (the items that a stage keeps are packed
//! into new pods, and empty pods drop) or *reduced by key* (one value a pod).

use super::channel::ChannelType;
use super::item::Item;
use super::stage::{Push, Site};

/// A header and up to `C` items. `C` is at most the ensemble width.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Pod<H, T, const C: usize> {
    /// What the items have in common.
    pub header: H,
    len: u32,
    items: [T; C],
}

/// A [`Pod`] of any size.
pub trait AnyPod: Item {
    /// Its header.
    type Header: Item;
    /// Its items.
    type Element: Item;
    /// The most items it holds.
    const CAPACITY: usize;

    /// A pod of these items.
    ///
    /// # Panics
    /// If they are more than it holds.
    fn new(header: Self::Header, items: &[Self::Element]) -> Self;
    /// Its header.
    fn header(&self) -> &Self::Header;
    /// Its items.
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

/// A module type that runs on every item of a pod and packs those it keeps into new pods.
///
/// Its first channel (index 0) carries the new pods; gammas of the others are per item.
pub trait Collect: Item {
    /// The pods it receives.
    type In: AnyPod;
    /// The pods it makes.
    type Out: AnyPod;
    /// StageParameters of each node; `()` for none.
    type Node: Item;
    /// StageParameters of the application; `()` for none.
    type Global: Sync + ?Sized;

    /// Its name, the same as that of the device's struct.
    const NAME: &'static str;
    /// New pods that one pod gives at most: the keys are `0..FAN`.
    const FAN: u32 = 1;
    /// The name of the first channel.
    const COLLECTED: &'static str = "collected";

    /// The channels from index 1 on.
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

    /// The header of the new pod of this key; asked once for each pod that has an item.
    fn header(
        &self,
        header: &<Self::In as AnyPod>::Header,
        key: u32,
        site: &Site<'_, Self::Node, Self::Global>,
    ) -> <Self::Out as AnyPod>::Header;
}

/// Takes the items that a [`Collect`] stage keeps: at most one a key.
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
    /// The pods it receives.
    type In: AnyPod;
    /// What items are reduced to. On devices its size is a multiple of 4 bytes.
    type Value: Item;
    /// StageParameters of each node; `()` for none.
    type Node: Item;
    /// StageParameters of the application; `()` for none.
    type Global: Sync + ?Sized;

    /// Its name, the same as that of the device's struct.
    const NAME: &'static str;

    /// Its outputs; their gammas are per pod.
    fn channels() -> Vec<ChannelType>;

    /// The value of one item.
    fn value(
        &self,
        header: &<Self::In as AnyPod>::Header,
        item: &<Self::In as AnyPod>::Element,
        site: &Site<'_, Self::Node, Self::Global>,
    ) -> Self::Value;

    /// Two neighbouring values as one; must be associative.
    fn combine(&self, left: Self::Value, right: Self::Value) -> Self::Value;

    /// Emits what is to be emitted for a pod.
    fn finish(
        &self,
        header: &<Self::In as AnyPod>::Header,
        value: &Self::Value,
        site: &Site<'_, Self::Node, Self::Global>,
        push: &mut Push<'_>,
    );
}
