//! Two stages as one, without a queue between them (Cole 2017, 5.1.2).
//!
//! The second stage takes each item that the first pushes to one of its channels at once, in the same thread. The
//! thread of an input that the first stage drops idles until its neighbours are done; queues avoid that. Where few
//! inputs are dropped, or stages do little, fusing is faster all the same.
//!
//! ```
//! use aligner_core::stream::{
//!     Channel, ChannelType, CpuExecutor, Fused, Push, Settings, Site, Stage, Topology,
//! };
//! use bytemuck::{Pod, Zeroable};
//!
//! const KEPT: Channel<u32> = Channel::new(0, "kept", 1);
//!
//! /// Keeps multiples of `of`.
//! #[derive(Clone, Copy, Pod, Zeroable)]
//! #[repr(C)]
//! struct Multiples {
//!     of: u32,
//! }
//!
//! impl Stage for Multiples {
//!     type In = u32;
//!     type Node = ();
//!     type Global = ();
//!     const NAME: &'static str = "Multiples";
//!
//!     fn channels() -> Vec<ChannelType> {
//!         vec![KEPT.describe()]
//!     }
//!
//!     fn run(&self, item: &u32, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
//!         if item % self.of == 0 {
//!             push.to(KEPT, *item);
//!         }
//!     }
//! }
//!
//! let both = Fused::<_, _, 0>::new(Multiples { of: 2 }, Multiples { of: 3 });
//! let mut topology = Topology::new("sixths", &());
//! let module = topology.stage(both);
//! let node = topology.node("both", module, bytemuck::Zeroable::zeroed());
//! topology.source::<u32>(node);
//! let kept = topology.sink::<u32>("kept", node, "kept");
//! let mut outputs =
//!     CpuExecutor::new(&topology, &Settings::default())?.run(&[1u32, 2, 3, 6, 12])?;
//! let mut kept = outputs.take(kept);
//! kept.sort_unstable();
//! assert_eq!(kept, [6, 12]);
//! # Ok::<(), aligner_core::stream::RunError>(())
//! ```

use bytemuck::Zeroable;

use super::channel::ChannelType;
use super::erased::read;
use super::item::{Item, ItemType};
use super::stage::{Mapping, Push, Site, Stage};
use super::staged_outputs::StagedOutputs;

/// Two values one after the other, without padding.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Both<A, B> {
    first: A,
    second: B,
}

impl<A: Item, B: Item> Both<A, B> {
    const NO_PADDING: () = assert!(
        size_of::<Self>() == size_of::<A>() + size_of::<B>(),
        "fused stages, and the parameters of their nodes, must leave no gap one after the other"
    );

    /// Puts two values together.
    pub fn new(first: A, second: B) -> Self {
        let () = Self::NO_PADDING;
        Self { first, second }
    }
}

#[allow(unsafe_code)]
// SAFETY: both fields are valid as zeros.
unsafe impl<A: Item, B: Item> Zeroable for Both<A, B> {
    fn zeroed() -> Self {
        Self::new(A::zeroed(), B::zeroed())
    }
}
#[allow(unsafe_code)]
// SAFETY: `repr(C)`, both fields are plain data, and `NO_PADDING`, evaluated by both constructors
// and by every stage that has such parameters, refuses types with gaps at compile time.
unsafe impl<A: Item, B: Item> bytemuck::Pod for Both<A, B> {}

/// Stage `A`, and stage `B` on what `A` pushes to its channel of index `CHANNEL`. Both map items
/// one by one, or `A` explodes them.
///
/// Its channels are those of `A` but `CHANNEL`, in order, then those of `B`, whose gammas are
/// multiplied by that of `CHANNEL`; their names must differ. All gammas are for an input of `A`, and
/// they are kept to as a whole: what goes from `A` to `B` is not counted by itself, but on a device,
/// where it is `stream::Fused<A, CHANNEL, B>`.
///
/// # Panics
/// [`Stage::channels`], and so [`Topology::stage`](crate::stream::Topology::stage), if `A` has no channel
/// of this index or the channel carries another type than `B` takes.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Fused<A, B, const CHANNEL: usize>(Both<A, B>);

impl<A: Item, B: Item, const CHANNEL: usize> Fused<A, B, CHANNEL> {
    /// Fuses two stages into one.
    pub fn new(first: A, second: B) -> Self {
        Self(Both::new(first, second))
    }
}

#[allow(unsafe_code)]
// SAFETY: a transparent wrapper of a type that is valid as zeros.
unsafe impl<A: Item, B: Item, const CHANNEL: usize> Zeroable for Fused<A, B, CHANNEL> {
    fn zeroed() -> Self {
        Self(Both::zeroed())
    }
}
#[allow(unsafe_code)]
// SAFETY: a transparent wrapper of plain data.
unsafe impl<A: Item, B: Item, const CHANNEL: usize> bytemuck::Pod for Fused<A, B, CHANNEL> {}

impl<A, B, const CHANNEL: usize> Stage for Fused<A, B, CHANNEL>
where
    A: Stage,
    B: Stage<Global = A::Global>,
{
    type In = A::In;
    type Node = Both<A::Node, B::Node>;
    type Global = A::Global;

    const NAME: &'static str = "Fused";
    const MAPPING: Mapping = {
        assert!(
            matches!(A::MAPPING, Mapping::ONE_TO_ONE | Mapping::Explode)
                && matches!(B::MAPPING, Mapping::ONE_TO_ONE),
            "only stages that map one item, or element, to one thread can be fused"
        );
        let () = Both::<A, B>::NO_PADDING;
        let () = Both::<A::Node, B::Node>::NO_PADDING;
        A::MAPPING
    };

    fn channels() -> Vec<ChannelType> {
        let mut channels = A::channels();
        assert!(CHANNEL < channels.len(), "{} has no channel of index {CHANNEL}", A::NAME);
        let between = channels.remove(CHANNEL);
        let takes = ItemType::of::<B::In>();
        assert!(
            between.item == takes,
            "{}.{} carries {} and {} takes {takes}",
            A::NAME,
            between.name,
            between.item,
            B::NAME
        );
        channels.extend(B::channels().into_iter().map(|channel| ChannelType {
            gamma: channel.gamma.saturating_mul(between.gamma),
            ..channel
        }));
        channels
    }

    fn size(&self, item: &Self::In, site: &Site<'_, Self::Node, Self::Global>) -> u32 {
        self.0.first.size(item, &part(&site.node.first, site))
    }

    fn run(&self, item: &Self::In, site: &Site<'_, Self::Node, Self::Global>, push: &mut Push<'_>) {
        let Both { first: a, second: b } = &self.0;
        let outer = &mut *push.staged;
        let parts = || {
            Box::new([
                StagedOutputs::unbounded(A::channels()),
                StagedOutputs::unbounded(B::channels()),
            ])
        };
        let mut parts = outer.parts.take().unwrap_or_else(parts);
        let [from_a, from_b] = &mut *parts;
        a.run(item, &part(&site.node.first, site), &mut Push { staged: from_a });
        let site_b = part(&site.node.second, site);
        let between = &from_a.channels[CHANNEL];
        for input in 0..between.tags.len() {
            let input = read::<B::In>(&between.bytes, input);
            b.run(&input, &site_b, &mut Push { staged: from_b });
        }
        let kept = from_a.channels.iter().enumerate().filter(|(channel, _)| *channel != CHANNEL);
        let kept = kept.map(|(_, staged)| staged);
        for (channel, staged) in kept.chain(&from_b.channels).enumerate() {
            let size = staged.bytes.len().checked_div(staged.tags.len()).unwrap_or(0);
            for index in 0..staged.tags.len() {
                outer.push(channel, &staged.bytes[index * size..][..size]);
            }
        }
        from_a.clear();
        from_b.clear();
        outer.parts = Some(parts);
    }
}

/// The site of one of the two stages, whose node has the parameters `node`.
fn part<'a, M, N, G: ?Sized>(node: &'a N, site: &Site<'a, M, G>) -> Site<'a, N, G> {
    Site { node, global: site.global, lane: 0, lanes: 1, element: site.element }
}
