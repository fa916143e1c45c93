//! Pods on the CPU executor: collected into one or three pods each, and reduced, against plain Rust.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::BTreeMap;

use aligner_core::stream::{
    AnyPod, Capacity, Channel, ChannelType, Collect, CpuExecutor, Keep, Outputs, Pod, Policy, Push,
    Reduce, Settings, Site, Topology, oracle,
};

/// Up to 24 numbers, and what they belong to.
type Numbers = Pod<u32, u32, 24>;

/// Keeps multiples of the node's parameter; emits the others.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Multiples;

const OTHERS: Channel<u32> = Channel::new(0, "others", 1);
/// As channel of the module, whose first channel carries the pods.
const OTHERS_AFTER_PODS: Channel<u32> = Channel::new(1, "others", 1);

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
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Thirds;

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

/// The header, and the sum of the numbers.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Sum;

const SUMS: Channel<[u32; 2]> = Channel::new(0, "sums", 1);

impl Reduce for Sum {
    type In = Numbers;
    type Value = u32;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Sum";

    fn channels() -> Vec<ChannelType> {
        vec![SUMS.describe()]
    }

    fn value(&self, _: &u32, item: &u32, _: &Site<'_, (), ()>) -> u32 {
        *item
    }

    fn combine(&self, left: u32, right: u32) -> u32 {
        left + right
    }

    fn finish(&self, header: &u32, value: &u32, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        push.to(SUMS, [*header, *value]);
    }
}

/// Pods of 0 to 24 numbers; more than half of them small.
fn pods(count: u32) -> Vec<Numbers> {
    let mut rng = fastrand::Rng::with_seed(5);
    (0..count)
        .map(|header| {
            let len = if rng.bool() { rng.usize(0..4) } else { rng.usize(0..=24) };
            let items: Vec<u32> = (0..len).map(|_| rng.u32(0..10_000)).collect();
            Numbers::new(header, &items)
        })
        .collect()
}

/// The sums of the pods' multiples of 2 and 5, by header and remainder of 3; and the numbers that
/// are no such multiples.
fn expected(pods: &[Numbers]) -> (Vec<[u32; 2]>, Vec<u32>) {
    let (mut sums, mut others) = (BTreeMap::new(), Vec::new());
    for pod in pods {
        for &item in pod.items() {
            if item % 2 != 0 || item % 5 != 0 {
                others.push(item);
            } else {
                *sums.entry(pod.header() * 3 + item % 3).or_insert(0) += item;
            }
        }
    }
    others.sort_unstable();
    (sums.into_iter().map(|(header, sum)| [header, sum]).collect(), others)
}

#[test]
fn collected_and_reduced_pods_are_those_of_a_plain_loop() {
    let mut topology = Topology::new("pods", &());
    let (multiples, thirds, sum) =
        (topology.collect(Multiples), topology.collect(Thirds), topology.reduce(Sum));
    let even = topology.node("even", multiples, 2);
    let fives = topology.node("fives", multiples, 5);
    let split = topology.node("split", thirds, ());
    let add = topology.node("add", sum, ());
    topology.source::<Numbers>(even);
    topology.edge(even, "collected", fives);
    topology.edge(fives, "collected", split);
    topology.edge(split, "thirds", add);
    let sums = topology.sink::<[u32; 2]>("sums", add, "sums");
    let odd = topology.sink::<u32>("odd", even, "others");
    let no_fives = topology.sink::<u32>("no fives", fives, "others");

    for count in [0, 1, 700] {
        let pods = pods(count);
        let expected = expected(&pods);
        let check = |mut outputs: Outputs, what: &str| {
            let mut found = outputs.take(sums);
            found.sort_unstable();
            let mut others = [outputs.take(odd), outputs.take(no_fives)].concat();
            others.sort_unstable();
            assert!((found, others) == expected, "{what}");
        };
        check(oracle::interpret(&topology, &pods).unwrap(), "oracle");
        for policy in [Policy::Naive, Policy::Lazy] {
            for capacity in [Capacity::Minimum, Capacity::Ensembles(1), Capacity::Ensembles(4)] {
                for (blocks, output_slots, slice, width) in
                    [(1, 1, 1, 32), (3, 1, 7, 128), (8, 100, 0, 32), (2, 1 << 14, 0, 1024)]
                {
                    for share_rest in [false, true] {
                        let settings = Settings {
                            width,
                            blocks,
                            policy,
                            capacity,
                            output_slots,
                            slice,
                            share_rest,
                            metrics: true,
                            ..Settings::default()
                        };
                        let executor = CpuExecutor::new(&topology, &settings).unwrap();
                        let outputs = executor.run(&pods).unwrap();
                        for module in &outputs.metrics.modules {
                            assert!(module.lanes <= module.ensembles * u64::from(module.ensemble));
                        }
                        check(outputs, &format!("{settings:?}"));
                    }
                }
            }
        }
    }
}

/// Pods that stay in a loop until their numbers are used up: halves the even ones.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Halve;

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

#[test]
fn pods_loop_at_the_root() {
    let mut topology = Topology::new("halve", &());
    let halve = topology.collect(Halve);
    let node = topology.node("halve", halve, ());
    topology.source::<Numbers>(node);
    topology.edge(node, "collected", node);
    let sink = topology.sink::<u32>("odd", node, "others");
    let pods = pods(500);
    let odd_part = |item: &u32| if *item == 0 { 0 } else { item >> item.trailing_zeros() };
    let mut expected: Vec<u32> = pods.iter().flat_map(AnyPod::items).map(odd_part).collect();
    expected.sort_unstable();
    for capacity in [Capacity::Minimum, Capacity::Ensembles(1)] {
        for (blocks, output_slots, share_rest) in [(1, 1, true), (3, 100, true), (4, 1, false)] {
            let settings = Settings {
                capacity,
                blocks,
                output_slots,
                share_rest,
                width: 32,
                ..Settings::default()
            };
            let executor = CpuExecutor::new(&topology, &settings).unwrap();
            let mut found = executor.run(&pods).unwrap().take(sink);
            found.sort_unstable();
            assert!(found == expected, "{settings:?}");
        }
    }
}
