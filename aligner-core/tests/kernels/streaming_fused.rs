//! Fused stages in the streaming runtime's device code, run on the CPU: they yield the same items as the two stages
//! with a queue between them, and the same error if they push too much.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::stream::{
    Both, Channel, ChannelType, CpuExecutor, CudaExecutor, Fused, Item, Mapping, Outputs, Push,
    RunError, Settings, SinkId, Site, Stage, Topology, oracle,
};
use gpualign_tests::ShimBackend;

const LOW: Channel<u8> = Channel::new(0, "low", 1);
const COPIES: Channel<u32> = Channel::new(1, "copies", 3);
const HIGH: Channel<u8> = Channel::new(2, "high", 1);
const SUMS: Channel<u64> = Channel::new(0, "sums", 2);

/// Pushes the low byte, as many copies of the item as its last digit, and the high byte, twice if it is large.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Copying;

impl Stage for Copying {
    type In = u32;
    type Node = u32;
    type Global = u64;
    const NAME: &'static str = "Copying";

    fn channels() -> Vec<ChannelType> {
        vec![LOW.describe(), COPIES.describe(), HIGH.describe()]
    }

    fn run(&self, item: &u32, site: &Site<'_, u32, u64>, push: &mut Push<'_>) {
        push.to(LOW, *item as u8);
        for _ in 0..item % 10 {
            push.to(COPIES, item.wrapping_add(*site.node));
        }
        for _ in 0..=(item >> 31) {
            push.to(HIGH, (item >> 24) as u8);
        }
    }
}

/// Adds the parameters of the stage, the node and the application to an item, and pushes the sum `times` times.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
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
        let sum = u64::from(*item) + u64::from(self.own) + site.global + u64::from(site.node[1]);
        for time in 0..u64::from(self.times) {
            push.to(SUMS, sum + time);
        }
    }
}

const SPREAD: Channel<u32> = Channel::new(0, "spread", 3);

/// Pushes some of an item's elements.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Spreading;

impl Stage for Spreading {
    type In = u32;
    type Node = u32;
    type Global = u64;
    const NAME: &'static str = "Spreading";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![SPREAD.describe()]
    }

    fn size(&self, item: &u32, site: &Site<'_, u32, u64>) -> u32 {
        item % 10 + (site.node & 1)
    }

    fn run(&self, item: &u32, site: &Site<'_, u32, u64>, push: &mut Push<'_>) {
        if site.element.is_multiple_of(2) {
            push.to(SPREAD, item.wrapping_add(site.element));
        }
        if site.element.is_multiple_of(3) {
            push.to(SPREAD, item.wrapping_add(*site.node).wrapping_add(site.element));
        }
    }
}

/// Items of the sinks: low bytes, high bytes and sums, sorted.
type Sums = (Vec<u8>, Vec<u8>, Vec<u64>);

const GLOBAL: u64 = 1 << 40;
const ADDING: Adding = Adding { own: 10_000, times: 2 };

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items
}

/// Runs both stages as one on the shim; the oracle must agree.
fn fused(times: u32, inputs: &[u32]) -> Result<Sums, RunError> {
    let mut topology = Topology::new("fused", &GLOBAL);
    let stage = Fused::<Copying, Adding, 1>::new(Copying, Adding { times, ..ADDING });
    let module = topology.stage(stage);
    let node = topology.node("node", module, Both::new(1000, [7, 500]));
    topology.source::<u32>(node);
    let low = topology.sink::<u8>("low", node, "low");
    let high = topology.sink::<u8>("high", node, "high");
    let sums = topology.sink::<u64>("sums", node, "sums");
    let kernels = gpualign_tests::kernels("tests", "faulty_stages").expect("the build made it");
    let settings = Settings { width: 64, blocks: 2, ..Settings::default() };
    let app = "fused";
    let backend = ShimBackend::new(kernels, 1);
    let run = CudaExecutor::with_backend(backend, &topology, &settings, app, &GLOBAL)
        .expect("the same stages")
        .run(inputs);
    let read = |mut outputs: Outputs| {
        (sorted(outputs.take(low)), sorted(outputs.take(high)), sorted(outputs.take(sums)))
    };
    let found = run.map(read);
    assert_eq!(found, oracle::interpret(&topology, inputs).map(read), "{inputs:?}");
    found
}

/// Runs both stages with a queue between them, by the oracle.
fn split(inputs: &[u32]) -> Sums {
    let mut topology = Topology::new("split", &GLOBAL);
    let (copying, adding) = (topology.stage(Copying), topology.stage(ADDING));
    let copy = topology.node("copy", copying, 1000);
    let add = topology.node("add", adding, [7, 500]);
    topology.source::<u32>(copy);
    topology.edge(copy, "copies", add);
    let low = topology.sink::<u8>("low", copy, "low");
    let high = topology.sink::<u8>("high", copy, "high");
    let sums = topology.sink::<u64>("sums", add, "sums");
    let mut outputs = oracle::interpret(&topology, inputs).expect("it is legal");
    (sorted(outputs.take(low)), sorted(outputs.take(high)), sorted(outputs.take(sums)))
}

#[test]
fn fused_stages_yield_what_split_ones_do() {
    let rng = &mut fastrand::Rng::with_seed(3);
    let inputs: Vec<u32> = (0..2000).map(|_| rng.u32(..1 << 27) * 10 + rng.u32(0..4)).collect();
    assert!(fused(2, &inputs).expect("it is legal") == split(&inputs));
}

#[test]
fn fused_stages_push_no_more_than_they_may_as_a_whole() {
    // 3 copies, each of them 2 sums, are allowed: 6.
    assert_eq!(fused(2, &[3]).unwrap().2.len(), 6);
    let too_many = |channel: &str, gamma| RunError::TooMany {
        node: "node".to_owned(),
        channel: channel.to_owned(),
        gamma,
    };
    assert_eq!(fused(3, &[3]), Err(too_many("sums", 6)));
    // Items from the first stage to the second have no limit of their own.
    assert_eq!(fused(1, &[6]).unwrap().2.len(), 6);
    assert_eq!(fused(1, &[7]), Err(too_many("sums", 6)));
    assert_eq!(fused(1, &[0x8000_0002]), Err(too_many("high", 1)));
}

/// Items of a sink on the CPU and on the shim; the oracle must agree.
fn everywhere<T: Item + Ord + std::fmt::Debug>(
    topology: &Topology<'_, u64>,
    app: &'static str,
    sink: SinkId<T>,
    inputs: &[u32],
) -> Vec<T> {
    let kernels = gpualign_tests::kernels("tests", "spreading").expect("the build made it");
    let settings = Settings { width: 64, blocks: 2, ..Settings::default() };
    let backend = ShimBackend::new(kernels, 1);
    let executor = CudaExecutor::with_backend(backend, topology, &settings, app, &GLOBAL)
        .expect("the same stages");
    let found = sorted(executor.run(inputs).expect("it is legal").take(sink));
    let on_cpu = CpuExecutor::new(topology, &settings).expect("it is legal").run(inputs);
    assert_eq!(found, sorted(on_cpu.expect("it is legal").take(sink)));
    let expected = oracle::interpret(topology, inputs).expect("it is legal").take(sink);
    assert_eq!(found, sorted(expected));
    found
}

#[test]
fn an_exploding_stage_is_fused_with_the_next() {
    let rng = &mut fastrand::Rng::with_seed(4);
    let inputs: Vec<u32> = (0..2000).map(|_| rng.u32(..)).collect();
    for node in [6, 7] {
        let mut topology = Topology::new("spreading", &GLOBAL);
        let spreading = topology.stage(Spreading);
        let spread = topology.node("node", spreading, node);
        topology.source::<u32>(spread);
        let sink = topology.sink::<u32>("elements", spread, "spread");
        let spread = everywhere(&topology, "spreading", sink, &inputs);
        assert!(spread.len() > inputs.len() * 3);

        let mut topology = Topology::new("fused elements", &GLOBAL);
        let module = topology.stage(Fused::<_, _, 0>::new(Spreading, ADDING));
        let fused = topology.node("fused", module, Both::new(node, [7, 500]));
        topology.source::<u32>(fused);
        let sink = topology.sink::<u64>("sums", fused, "sums");
        let sums = everywhere(&topology, "fused_elements", sink, &inputs);
        let expected = spread.iter().flat_map(|&item| {
            let sum = u64::from(item) + u64::from(ADDING.own) + GLOBAL + 500;
            [sum, sum + 1]
        });
        assert_eq!(sums, sorted(expected.collect()));
    }
}
