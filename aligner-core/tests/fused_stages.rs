//! Fused stages yield the same items as the two stages with a queue between them.
#![allow(clippy::expect_used)]

use aligner_core::stream::{
    Both, Channel, ChannelType, CpuExecutor, Fused, Push, RunError, Settings, Site, Stage,
    Topology, oracle,
};
use bytemuck::Zeroable;

const LOW: Channel<u8> = Channel::new(0, "low", 1);
const COPIES: Channel<u32> = Channel::new(1, "copies", 3);
const SUMS: Channel<u64> = Channel::new(0, "sums", 2);

/// Pushes the item's low byte, and the item itself as many times as its value.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
struct Copying;

impl Stage for Copying {
    type In = u32;
    type Node = u32;
    type Global = u64;
    const NAME: &'static str = "Copying";

    fn channels() -> Vec<ChannelType> {
        vec![LOW.describe(), COPIES.describe()]
    }

    fn run(&self, item: &u32, site: &Site<'_, u32, u64>, push: &mut Push<'_>) {
        push.to(LOW, *item as u8);
        for _ in 0..item % 10 {
            push.to(COPIES, item + site.node);
        }
    }
}

/// Adds the parameters of the stage, the node and the application to an item, and pushes the sum `times` times.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
struct Adding {
    own: u32,
    times: u32,
}

impl Stage for Adding {
    type In = u32;
    type Node = [u16; 2];
    type Global = u64;
    const NAME: &'static str = "Adding";

    fn channels() -> Vec<ChannelType> {
        vec![SUMS.describe()]
    }

    fn run(&self, item: &u32, site: &Site<'_, [u16; 2], u64>, push: &mut Push<'_>) {
        let sum = u64::from(*item) + u64::from(self.own) + site.global;
        for _ in 0..self.times {
            push.to(SUMS, sum + u64::from(site.node[1]));
        }
    }
}

type Copied = Fused<Copying, Adding, 1>;

fn run(times: u32, inputs: &[u32]) -> Result<(Vec<u8>, Vec<u64>), RunError> {
    let mut topology = Topology::new("fused", &100_000);
    let module = topology.stage(Copied::new(Copying, Adding { own: 10_000, times }));
    let node = topology.node("node", module, Both::new(1000, [7, 500]));
    topology.source::<u32>(node);
    let low = topology.sink::<u8>("low", node, "low");
    let sums = topology.sink::<u64>("sums", node, "sums");
    let mut outputs = oracle::interpret(&topology, inputs)?;
    Ok((outputs.take(low), outputs.take(sums)))
}

#[test]
fn channels_are_those_of_both_but_the_one_between() {
    let described: Vec<_> = Copied::channels()
        .iter()
        .map(|channel| (channel.name, channel.item.size(), channel.gamma))
        .collect();
    assert_eq!(described, [("low", 1, 1), ("sums", 8, 6)]);
}

#[test]
fn each_part_gets_its_parameters() {
    let (low, sums) = run(2, &[260, 10, 1]).expect("legal");
    assert_eq!(low, [4, 10, 1]);
    // 1 + 1000 + 10,000 + 100,000 + 500
    assert_eq!(sums, [111_501, 111_501]);
}

#[test]
fn the_gamma_of_the_whole_is_kept_to() {
    let excess =
        RunError::TooMany { node: "node".to_owned(), channel: "sums".to_owned(), gamma: 6 };
    assert_eq!(run(2, &[3]).expect("6 are allowed").1.len(), 6);
    assert_eq!(run(3, &[3]), Err(excess));
}

#[test]
fn stages_of_different_types_are_refused() {
    let refused = std::panic::catch_unwind(Fused::<Copying, Adding, 0>::channels);
    let message = *refused.expect_err("u8 is not u32").downcast::<String>().expect("text");
    assert_eq!(message, "Copying.low carries u8 and Adding takes u32");
}

const NEXT: Channel<u32> = Channel::new(0, "next", 1);

/// Halves even numbers, and drops the others.
#[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
#[repr(C)]
struct Half;

impl Stage for Half {
    type In = u32;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Half";

    fn channels() -> Vec<ChannelType> {
        vec![NEXT.describe()]
    }

    fn run(&self, item: &u32, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        if item.is_multiple_of(2) {
            push.to(NEXT, item / 2);
        }
    }
}

#[test]
fn fused_stages_can_be_fused() {
    let mut topology = Topology::new("eighth", &());
    let module = topology.stage(Fused::<Fused<Half, Half, 0>, Half, 0>::zeroed());
    let node = topology.node("node", module, Zeroable::zeroed());
    topology.source::<u32>(node);
    let sink = topology.sink::<u32>("sink", node, "next");
    let inputs: Vec<u32> = (0..33).collect();
    let mut outputs = oracle::interpret(&topology, &inputs).expect("legal");
    assert_eq!(outputs.take(sink), [0, 1, 2, 3, 4]);
    let executor = CpuExecutor::new(&topology, &Settings::default()).expect("legal");
    let mut outputs = executor.run(&inputs).expect("run");
    let mut items = outputs.take(sink);
    items.sort_unstable();
    assert_eq!(items, [0, 1, 2, 3, 4]);
}
