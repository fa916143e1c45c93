//! Stages over pods of numbers, in arithmetic that is the same in CUDA C++.

use aligner_core::stream::{
    AnyPod, Channel, ChannelType, Collect, Keep, Outputs, Pod, Push, Reduce, SinkId, Site, Topology,
};
use bytemuck::Zeroable;

use super::tokens::mix;

/// A pod of up to 24 numbers; the header is its number.
pub type Numbers = Pod<u32, u32, 24>;

/// Channel for numbers that leave their pods.
const OTHERS: Channel<u32> = Channel::new(0, "others", 1);
/// The same channel behind the channel of the pods.
const OTHERS_AFTER_PODS: Channel<u32> = Channel::new(1, "others", 1);

/// Keeps multiples of the node's parameter; emits the others.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
pub struct Multiples;

impl Collect for Multiples {
    type In = Numbers;
    type Out = Numbers;
    type Node = u32;
    type Global = ();
    const NAME: &'static str = "Multiples";

    fn channels() -> Vec<ChannelType> {
        vec![OTHERS.describe()]
    }

    fn run(
        &self,
        _: &u32,
        item: &u32,
        site: &Site<'_, u32, ()>,
        keep: &mut Keep<u32>,
        push: &mut Push<'_>,
    ) {
        if item.is_multiple_of(*site.node) {
            keep.in_pod(0, *item);
        } else {
            push.to(OTHERS_AFTER_PODS, *item);
        }
    }

    fn header(&self, header: &u32, _: u32, _: &Site<'_, u32, ()>) -> u32 {
        *header
    }
}

/// Sorts numbers into pods by their remainder of 3.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
pub struct Thirds;

impl Collect for Thirds {
    type In = Numbers;
    type Out = Numbers;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Thirds";
    const FAN: u32 = 3;
    const COLLECTED: &'static str = "thirds";

    fn run(
        &self,
        _: &u32,
        item: &u32,
        _: &Site<'_, (), ()>,
        keep: &mut Keep<u32>,
        _: &mut Push<'_>,
    ) {
        keep.in_pod(item % 3, *item);
    }

    fn header(&self, header: &u32, key: u32, _: &Site<'_, (), ()>) -> u32 {
        header * 3 + key
    }
}

/// A map `x -> scale * x + offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, Zeroable)]
#[repr(C)]
pub struct Affine {
    /// Factor of the map.
    pub scale: u32,
    /// Summand of the map.
    pub offset: u32,
}

impl Affine {
    /// A map of numbers, which an item of a pod stands for.
    pub fn of(item: u32, element: u32) -> Self {
        Self { scale: mix(item) | 1, offset: mix(item ^ (element << 16)) }
    }

    /// This map followed by the other. The operation is associative, but not commutative.
    pub fn then(self, next: Self) -> Self {
        Self {
            scale: self.scale.wrapping_mul(next.scale),
            offset: self.offset.wrapping_mul(next.scale).wrapping_add(next.offset),
        }
    }
}

/// The maps of a pod's items, one after the other.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
pub struct Chain;

/// A pod's header, and the scale and offset of its items' maps in order.
pub type Chained = [u32; 3];

const CHAINED: Channel<Chained> = Channel::new(0, "chained", 1);

impl Reduce for Chain {
    type In = Numbers;
    type Value = Affine;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Chain";

    fn channels() -> Vec<ChannelType> {
        vec![CHAINED.describe()]
    }

    fn value(&self, _: &u32, item: &u32, site: &Site<'_, (), ()>) -> Affine {
        Affine::of(*item, site.element)
    }

    fn combine(&self, left: Affine, right: Affine) -> Affine {
        left.then(right)
    }

    fn finish(&self, header: &u32, all: &Affine, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        push.to(CHAINED, [*header, all.scale, all.offset]);
    }
}

/// Halves the even numbers, which stay in their pod.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
pub struct Halve;

impl Collect for Halve {
    type In = Numbers;
    type Out = Numbers;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Halve";

    fn channels() -> Vec<ChannelType> {
        vec![OTHERS.describe()]
    }

    fn run(
        &self,
        _: &u32,
        item: &u32,
        _: &Site<'_, (), ()>,
        keep: &mut Keep<u32>,
        push: &mut Push<'_>,
    ) {
        if *item > 0 && item.is_multiple_of(2) {
            keep.in_pod(0, item / 2);
        } else {
            push.to(OTHERS_AFTER_PODS, *item);
        }
    }

    fn header(&self, header: &u32, _: u32, _: &Site<'_, (), ()>) -> u32 {
        *header
    }
}

/// Pods of 0 to 24 numbers, a third of them with one, a third full; most numbers are round.
pub fn pods(seed: u64, count: u32) -> Vec<Numbers> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..count)
        .map(|header| {
            let len = match rng.u8(0..3) {
                0 => 1,
                1 => 24,
                _ => rng.usize(0..=24),
            };
            let items: Vec<u32> =
                (0..len).map(|_| rng.u32(0..300) * [1, 10, 30, 30][rng.usize(0..4)]).collect();
            Numbers::new(header, &items)
        })
        .collect()
}

/// An application that keeps multiples of 2 and of 5, splits them by their remainder of 3, and combines their maps.
///
/// ```text
///   pods --> even --> fives --> split ==3==> chain --> chained
///              `-others  `-others
/// ```
pub struct Sieve {
    /// Topology of the application.
    pub topology: Topology<'static>,
    /// Sink of the reduced values.
    pub chained: SinkId<Chained>,
    /// The numbers that are no multiples.
    pub others: [SinkId<u32>; 2],
}

impl Sieve {
    /// Declares the application, whose source takes pods.
    pub fn new() -> Self {
        let mut topology = Topology::new("sieve", &());
        let (multiples, thirds, chain) =
            (topology.collect(Multiples), topology.collect(Thirds), topology.reduce(Chain));
        let even = topology.node("even", multiples, 2);
        let fives = topology.node("fives", multiples, 5);
        let split = topology.node("split", thirds, ());
        let all = topology.node("chain", chain, ());
        topology.source::<Numbers>(even);
        topology.edge(even, "collected", fives);
        topology.edge(fives, "collected", split);
        topology.edge(split, "thirds", all);
        let chained = topology.sink("chained", all, "chained");
        let others = [("odd", even), ("no fives", fives)]
            .map(|(name, node)| topology.sink(name, node, "others"));
        Self { topology, chained, others }
    }

    /// Outputs of a run, each sorted: the maps of the pods, and the numbers that are no multiples.
    pub fn found(&self, outputs: &mut Outputs) -> (Vec<Chained>, Vec<u32>) {
        let mut chained = outputs.take(self.chained);
        chained.sort_unstable();
        let mut others = self.others.map(|sink| outputs.take(sink)).concat();
        others.sort_unstable();
        (chained, others)
    }

    /// Outputs of a plain loop.
    pub fn expected(pods: &[Numbers]) -> (Vec<Chained>, Vec<u32>) {
        use aligner_core::stream::AnyPod;
        let (mut chained, mut others) = (Vec::new(), Vec::new());
        for pod in pods {
            let mut thirds = [const { Vec::new() }; 3];
            for &item in pod.items() {
                if item % 10 == 0 {
                    thirds[item as usize % 3].push(item);
                } else {
                    others.push(item);
                }
            }
            for (key, items) in (0..).zip(&thirds) {
                let maps = (0..).zip(items).map(|(element, &item)| Affine::of(item, element));
                if let Some(Affine { scale, offset }) = maps.reduce(Affine::then) {
                    chained.push([pod.header * 3 + key, scale, offset]);
                }
            }
        }
        chained.sort_unstable();
        others.sort_unstable();
        (chained, others)
    }
}

/// An application with a loop at the root, in which pods stay until all their numbers are odd or 0.
pub fn halves() -> (Topology<'static>, SinkId<u32>) {
    let mut topology = Topology::new("halves", &());
    let halve = topology.collect(Halve);
    let node = topology.node("halve", halve, ());
    topology.source::<Numbers>(node);
    topology.edge(node, "collected", node);
    let sink = topology.sink("odd", node, "others");
    (topology, sink)
}

/// The odd parts of all numbers, sorted.
pub fn odd_parts(pods: &[Numbers]) -> Vec<u32> {
    let odd_part = |item: &u32| if *item == 0 { 0 } else { item >> item.trailing_zeros() };
    let mut parts: Vec<u32> = pods.iter().flat_map(AnyPod::items).map(odd_part).collect();
    parts.sort_unstable();
    parts
}
