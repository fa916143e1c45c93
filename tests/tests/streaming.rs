//! The streaming runtime's device code, run on the CPU, yields what the topology means.
#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../../aligner-core/tests/common/mod.rs"]
mod common;

use aligner_core::stream::{
    Capacity, CudaExecutor, Kernels, OutputScheme, Outputs, Policy, RunError, Settings, Topology,
    oracle,
};
use common::random::case;
use common::tokens::Token;
use gpualign_tests::ShimBackend;

fn settings(rng: &mut fastrand::Rng, widths: &[u32]) -> Settings {
    Settings {
        width: *rng.choice(widths).unwrap(),
        blocks: *rng.choice(&[1, 2, 3, 7]).unwrap(),
        policy: *rng.choice(&[Policy::Naive, Policy::Lazy]).unwrap(),
        capacity: *rng
            .choice(&[Capacity::Minimum, Capacity::Ensembles(1), Capacity::Ensembles(4)])
            .unwrap(),
        output_slots: *rng.choice(&[1, 50, 1 << 14]).unwrap(),
        outputs: *rng
            .choice(&[OutputScheme::Regions, OutputScheme::Atomics, OutputScheme::CountThenWrite])
            .unwrap(),
        shared_queues: *rng.choice(&[0, 2048, 1 << 16]).unwrap(),
        slice: *rng.choice(&[0, 0, 1, 7]).unwrap(),
        share_rest: rng.bool(),
        metrics: rng.bool(),
    }
}

fn sorted(mut items: Vec<Token>) -> Vec<Token> {
    items.sort_unstable();
    items
}

/// Runs random topologies by `run`, and compares with what they mean.
fn check(
    cases: std::ops::Range<u64>,
    widths: &[u32],
    run: impl Fn(u64, &Topology<'_, ()>, &Settings, &[Token]) -> Result<Outputs, RunError>,
) {
    for seed in cases {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let case = case(rng, true);
        let settings = settings(rng, widths);
        let context = format!("seed {seed}, {} inputs, {settings:?}\n{}", case.inputs.len(), case.text);
        let mut outputs = run(seed, &case.topology, &settings, &case.inputs)
            .unwrap_or_else(|error| panic!("{error}\n{context}"));
        let mut expected = oracle::interpret(&case.topology, &case.inputs).expect("it is legal");
        for (index, &sink) in case.sinks.iter().enumerate() {
            let (found, expected) = (sorted(outputs.take(sink)), sorted(expected.take(sink)));
            assert_eq!(found.len(), expected.len(), "sink {index}\n{context}");
            assert!(found == expected, "sink {index}\n{context}");
        }
    }
}

#[test]
fn random_topologies_yield_what_they_mean() {
    check(0..60, &[32, 32, 64, 128, 256], |seed, topology, settings, inputs| {
        let module = gpualign_tests::kernels("tests", "tokens").expect("the build made it");
        let backend = ShimBackend::new(module, seed);
        CudaExecutor::with_backend(backend, topology, settings, "tokens", &())?.run(inputs)
    });
}

#[test]
#[ignore = "needs a GPU"]
fn random_topologies_yield_what_they_mean_on_a_gpu() {
    let gpu = aligner_core::gpu::Gpu::open(0).expect("a GPU");
    let kernels = Kernels { name: "tokens", fatbin: include_bytes!("../cuda/tokens.fatbin") };
    let cases = std::env::var("STREAM_CASES").map_or(300, |cases| cases.parse().unwrap());
    check(0..cases, &[32, 64, 128, 256, 512, 1024], |_, topology, settings, inputs| {
        CudaExecutor::new(&gpu, topology, settings, &kernels, &())?.run(inputs)
    });
}
