//! Pods in the streaming runtime's device code, run on the CPU, against plain Rust.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fmt::Debug;

use aligner_core::gpu::Gpu;
use aligner_core::stream::{
    Channel, ChannelType, CudaExecutor, Item, Kernels, Mapping, Outputs, Push, RunError, Settings,
    Site, Stage, Topology, oracle,
};
use gpualign_tests::ShimBackend;

use crate::stream_common::pods::{Sieve, halves, odd_parts, pods};
use crate::stream_common::settings::settings;
use crate::stream_common::tickets::{Tickets, tickets};
use crate::stream_common::tokens::mix;

/// Runs applications: on the shim, in an order of threads that the seed gives, or on a GPU.
enum Runner {
    Shim(u64),
    Gpu(Gpu),
}

impl Runner {
    fn run<T: Item, G: Item>(
        &self,
        app: &'static str,
        topology: &Topology<'_, G>,
        settings: &Settings,
        global: &G,
        inputs: &[T],
    ) -> Result<Outputs, RunError> {
        match self {
            Self::Shim(seed) => {
                let module = gpualign_tests::kernels("tests", "pods_test").expect("it was built");
                let backend = ShimBackend::new(module, *seed);
                CudaExecutor::with_backend(backend, topology, settings, app, global)?.run(inputs)
            }
            Self::Gpu(gpu) => {
                let fatbin = include_bytes!("../../../tests/cuda/pods_test.fatbin");
                let kernels = Kernels { name: app, fatbin };
                CudaExecutor::new(gpu, topology, settings, &kernels, global)?.run(inputs)
            }
        }
    }
}

/// Fails unless both are equal. The message names the case, since values may be long.
fn same<T: PartialEq>(
    run: Result<Outputs, RunError>,
    read: impl FnOnce(&mut Outputs) -> T,
    expected: &T,
    case: &dyn Debug,
) {
    let mut outputs = run.unwrap_or_else(|error| panic!("{error}\n{case:?}"));
    assert!(read(&mut outputs) == *expected, "other items: {case:?}");
}

fn check_sieve(runner: &Runner, rng: &mut fastrand::Rng, widths: &[u32], most: u32) {
    let (settings, count) = (settings(rng, widths), rng.u32(0..=most));
    let case = ("sieve", count, &settings);
    let pods = pods(rng.u64(..), count);
    let sieve = Sieve::new();
    let run = runner.run("sieve", &sieve.topology, &settings, &(), &pods);
    same(run, |outputs| sieve.found(outputs), &Sieve::expected(&pods), &case);
}

fn check_halves(runner: &Runner, rng: &mut fastrand::Rng, widths: &[u32], most: u32) {
    let (settings, count) = (settings(rng, widths), rng.u32(0..=most));
    let case = ("halves", count, &settings);
    let pods = pods(rng.u64(..), count);
    let (topology, sink) = halves();
    let run = runner.run("halves", &topology, &settings, &(), &pods);
    let read = |outputs: &mut Outputs| {
        let mut found = outputs.take(sink);
        found.sort_unstable();
        found
    };
    same(run, read, &odd_parts(&pods), &case);
}

fn check_tickets(runner: &Runner, rng: &mut fastrand::Rng, widths: &[u32], most: u32) {
    let (settings, count) = (settings(rng, widths), rng.u32(0..=most));
    let case = ("tickets", count, &settings);
    let inputs = tickets(rng, count);
    let app = Tickets::new();
    let mut expected = oracle::interpret(&app.topology, &inputs).expect("it is legal");
    let run = runner.run("tickets", &app.topology, &settings, &(), &inputs);
    same(run, |outputs| app.found(outputs), &app.found(&mut expected), &case);
}

/// Explodes a number into as many elements as the number and the application's parameter determine.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Portion;

const PORTIONS: Channel<u32> = Channel::new(0, "portions", 1);

impl Stage for Portion {
    type In = u32;
    type Node = ();
    type Global = u32;
    const NAME: &'static str = "Portion";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![PORTIONS.describe()]
    }

    fn size(&self, item: &u32, site: &Site<'_, (), u32>) -> u32 {
        item % site.global
    }

    fn run(&self, item: &u32, site: &Site<'_, (), u32>, push: &mut Push<'_>) {
        push.to(PORTIONS, mix(item ^ site.element));
    }
}

/// Sizes that come from the application's parameters, at the root and behind it.
fn check_portions(runner: &Runner, rng: &mut fastrand::Rng, widths: &[u32], most: u32) {
    let (settings, count, parts) = (settings(rng, widths), rng.u32(0..=most), rng.u32(1..9));
    let case = ("portions", count, parts, &settings);
    let inputs: Vec<u32> = (0..count).map(|_| rng.u32(..)).collect();
    let mut topology = Topology::new("portions", &parts);
    let module = topology.stage(Portion);
    let [first, second] = ["first", "second"].map(|name| topology.node(name, module, ()));
    topology.source::<u32>(first);
    topology.edge(first, "portions", second);
    let sink = topology.sink::<u32>("end", second, "portions");
    let portions = |item: u32| (0..item % parts).map(move |element| mix(item ^ element));
    let mut expected: Vec<u32> =
        inputs.iter().flat_map(|&item| portions(item)).flat_map(portions).collect();
    expected.sort_unstable();
    let run = runner.run("portions", &topology, &settings, &parts, &inputs);
    let read = |outputs: &mut Outputs| {
        let mut found = outputs.take(sink);
        found.sort_unstable();
        found
    };
    same(run, read, &expected, &case);
}

type Check = fn(&Runner, &mut fastrand::Rng, &[u32], u32);

/// Prints the seed of a case that fails.
fn check_seeds(check: Check, seeds: std::ops::Range<u64>, gpu: Option<&Gpu>, most: u32) {
    for seed in seeds {
        println!("seed {seed}");
        let rng = &mut fastrand::Rng::with_seed(seed);
        let runner = gpu.map_or(Runner::Shim(seed), |gpu| Runner::Gpu(gpu.clone()));
        check(&runner, rng, &[32, 32, 64, 128, 256], most);
    }
}

#[test]
fn collected_and_reduced_pods_are_those_of_a_plain_loop() {
    check_seeds(check_sieve, 0..25, None, 100);
}

#[test]
fn pods_loop_at_the_root() {
    check_seeds(check_halves, 0..30, None, 60);
}

#[test]
fn pods_come_from_and_go_to_ordinary_stages() {
    check_seeds(check_tickets, 0..24, None, 40);
}

#[test]
fn sizes_of_items_may_come_from_the_application_s_parameters() {
    check_seeds(check_portions, 0..12, None, 100);
}

#[test]
#[ignore = "needs a GPU"]
fn pods_are_those_of_a_plain_loop_on_a_gpu() {
    let gpu = Gpu::open(0).expect("a GPU");
    for check in [check_sieve, check_halves, check_tickets, check_portions] as [Check; 4] {
        check_seeds(check, 0..60, Some(&gpu), 400);
    }
}
