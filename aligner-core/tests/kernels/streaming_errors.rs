//! Errors of the streaming runtime's device code, run on the CPU: stages that push too much. The CPU
//! executor and the oracle report the same.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::stream::{
    AnyPod, Channel, ChannelType, Collect, CpuExecutor, CudaExecutor, Item, Keep, Mapping, Outputs,
    Pod, Policy, Push, Reduce, RunError, Settings, Site, Stage, Topology, oracle,
};
use bytemuck::Zeroable;
use gpualign_tests::ShimBackend;

/// Runs a topology on the shim.
fn run<T: Item>(
    app: &'static str,
    topology: &Topology<'_>,
    settings: &Settings,
    inputs: &[T],
) -> Result<Outputs, RunError> {
    let module = gpualign_tests::kernels("tests", "faulty_stages").expect("the build made it");
    let backend = ShimBackend::new(module, 1);
    CudaExecutor::with_backend(backend, topology, settings, app, &())?.run(inputs)
}

/// Fails unless all executors refuse to go on, with the same error.
fn refused<T: Item>(app: &'static str, topology: &Topology<'_>, inputs: &[T], expected: &RunError) {
    assert_eq!(oracle::interpret(topology, inputs).err().as_ref(), Some(expected), "{app}");
    for policy in [Policy::Lazy, Policy::Naive] {
        let settings = Settings { width: 64, blocks: 2, policy, ..Settings::default() };
        let cpu = CpuExecutor::new(topology, &settings).unwrap().run(inputs);
        assert_eq!(cpu.err().as_ref(), Some(expected), "{app}, {policy:?}");
        let device = run(app, topology, &settings, inputs);
        assert_eq!(device.err().as_ref(), Some(expected), "{app}, {policy:?}");
    }
}

/// Fails unless all executors run to the end.
fn accepted<T: Item>(app: &'static str, topology: &Topology<'_>, inputs: &[T]) {
    let settings = Settings { width: 64, blocks: 2, ..Settings::default() };
    oracle::interpret(topology, inputs).expect("it is legal");
    CpuExecutor::new(topology, &settings).unwrap().run(inputs).expect("it is legal");
    run(app, topology, &settings, inputs).expect("it is legal");
}

fn too_many(node: &str, channel: &str, gamma: u32) -> RunError {
    RunError::TooMany { node: node.to_owned(), channel: channel.to_owned(), gamma }
}

macro_rules! stages {
    ($($name:ident)*) => {$(
        #[derive(Debug, Clone, Copy, bytemuck::Pod, Zeroable)]
        #[repr(C)]
        struct $name;
    )*};
}

stages! { Boasting Crowd Leaking Doubling }

const SAME: Channel<u32> = Channel::new(0, "same", 1);
const MORE: Channel<u32> = Channel::new(1, "more", 2);

/// Pushes items below the node's parameter three times on a channel of gamma 2.
impl Stage for Boasting {
    type In = u32;
    type Node = u32;
    type Global = ();
    const NAME: &'static str = "Boasting";

    fn channels() -> Vec<ChannelType> {
        vec![SAME.describe(), MORE.describe()]
    }

    fn run(&self, item: &u32, site: &Site<'_, u32, ()>, push: &mut Push<'_>) {
        push.to(SAME, *item);
        for _ in 0..2 + u32::from(item < site.node) {
            push.to(MORE, *item);
        }
    }
}

#[test]
fn the_error_names_node_and_channel() {
    let application = |limit| {
        let mut topology = Topology::new("boasting", &());
        let module = topology.stage(Boasting);
        // The node that pushes too much is neither the first declared one nor the root.
        let honest = topology.node("honest", module, 0);
        let boaster = topology.node("boaster", module, limit);
        topology.source::<u32>(honest);
        topology.edge(honest, "more", boaster);
        topology.sink::<u32>("one", honest, "same");
        topology.sink::<u32>("two", boaster, "same");
        topology.sink::<u32>("three", boaster, "more");
        topology
    };
    let inputs: Vec<u32> = (10..500).collect();
    accepted("boasting", &application(10), &inputs);
    refused("boasting", &application(11), &inputs, &too_many("boaster", "more", 2));
}

const SOME: Channel<u32> = Channel::new(0, "some", 2);

/// Of the four threads of an item, as many push as the remainder of the item by the node's parameter.
impl Stage for Crowd {
    type In = u32;
    type Node = u32;
    type Global = ();
    const NAME: &'static str = "Crowd";
    const MAPPING: Mapping = Mapping::Each { items: 1, threads: 4 };

    fn channels() -> Vec<ChannelType> {
        vec![SOME.describe()]
    }

    fn run(&self, item: &u32, site: &Site<'_, u32, ()>, push: &mut Push<'_>) {
        if site.lane < item % site.node {
            push.to(SOME, *item);
        }
    }
}

#[test]
fn threads_that_share_an_item_share_its_gamma() {
    let application = |modulus| {
        let mut topology = Topology::new("crowd", &());
        let module = topology.stage(Crowd);
        let node = topology.node("crowd", module, modulus);
        topology.source::<u32>(node);
        topology.sink::<u32>("some", node, "some");
        topology
    };
    let inputs: Vec<u32> = (0..300).collect();
    accepted("crowd", &application(3), &inputs);
    refused("crowd", &application(4), &inputs, &too_many("crowd", "some", 2));
}

type Pair = Pod<u32, u32, 2>;

const OUT: Channel<u32> = Channel::new(0, "out", 1);
const OUT_AFTER_PODS: Channel<u32> = Channel::new(1, "out", 1);

/// Keeps every number, and pushes numbers below the node's parameter twice on a channel of gamma 1.
impl Collect for Leaking {
    type In = Pair;
    type Out = Pair;
    type Node = u32;
    type Global = ();
    const NAME: &'static str = "Leaking";

    fn channels() -> Vec<ChannelType> {
        vec![OUT.describe()]
    }

    fn run(
        &self,
        _: &u32,
        item: &u32,
        site: &Site<'_, u32, ()>,
        keep: &mut Keep<u32>,
        push: &mut Push<'_>,
    ) {
        keep.in_pod(0, *item);
        for _ in 0..=u32::from(item < site.node) {
            push.to(OUT_AFTER_PODS, *item);
        }
    }

    fn header(&self, header: &u32, _: u32, _: &Site<'_, u32, ()>) -> u32 {
        *header
    }
}

/// Emits sums below the node's parameter twice on a channel of gamma 1.
impl Reduce for Doubling {
    type In = Pair;
    type Value = u32;
    type Node = u32;
    type Global = ();
    const NAME: &'static str = "Doubling";

    fn channels() -> Vec<ChannelType> {
        vec![OUT.describe()]
    }

    fn value(&self, _: &u32, item: &u32, _: &Site<'_, u32, ()>) -> u32 {
        *item
    }

    fn combine(&self, left: u32, right: u32) -> u32 {
        left + right
    }

    fn finish(&self, _: &u32, sum: &u32, site: &Site<'_, u32, ()>, push: &mut Push<'_>) {
        for _ in 0..=u32::from(sum < site.node) {
            push.to(OUT, *sum);
        }
    }
}

#[test]
fn stages_over_pods_push_no_more_than_they_may() {
    let pods: Vec<Pair> = (0..200).map(|n| Pair::new(n, &[n + 5, n + 6])).collect();
    let leaking = |limit| {
        let mut topology = Topology::new("leaking", &());
        let module = topology.collect(Leaking);
        let node = topology.node("leak", module, limit);
        topology.source::<Pair>(node);
        topology.sink::<Pair>("pods", node, "collected");
        topology.sink::<u32>("out", node, "out");
        topology
    };
    accepted("leaking", &leaking(5), &pods);
    refused("leaking", &leaking(6), &pods, &too_many("leak", "out", 1));
    let doubling = |limit| {
        let mut topology = Topology::new("doubling", &());
        let module = topology.reduce(Doubling);
        let node = topology.node("double", module, limit);
        topology.source::<Pair>(node);
        topology.sink::<u32>("out", node, "out");
        topology
    };
    accepted("doubling", &doubling(11), &pods);
    refused("doubling", &doubling(12), &pods, &too_many("double", "out", 1));
}
