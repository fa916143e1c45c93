//! The streaming runtime's device code, run on the CPU, yields the items that the oracle yields.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::stream::{CudaExecutor, Kernels, Outputs, RunError, Settings, Topology, oracle};
use gpualign_tests::ShimBackend;

use crate::stream_common::random::{StageTypes, random_case};
use crate::stream_common::settings::settings;
use crate::stream_common::tokens::Token;

fn sorted(mut items: Vec<Token>) -> Vec<Token> {
    items.sort_unstable();
    items
}

/// The seeds to try: `STREAM_CASES` of them, from `STREAM_SEED` on.
fn cases(count: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let first = number("STREAM_SEED").unwrap_or(0);
    first..first + number("STREAM_CASES").unwrap_or(count)
}

/// Runs random topologies by `run`, and compares their outputs with the oracle's.
fn check(
    cases: std::ops::Range<u64>,
    widths: &[u32],
    run: impl Fn(u64, &Topology<'_, ()>, &Settings, &[Token]) -> Result<Outputs, RunError>,
) {
    for seed in cases {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let case = random_case(rng, StageTypes::All);
        let settings = settings(rng, widths);
        let context =
            format!("seed {seed}, {} inputs, {settings:?}\n{}", case.inputs.len(), case.text);
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
    check(cases(60), &[32, 32, 64, 128, 256], |seed, topology, settings, inputs| {
        let module = gpualign_tests::kernels("tests", "tokens").expect("the build made it");
        let backend = ShimBackend::new(module, seed);
        CudaExecutor::with_backend(backend, topology, settings, "tokens", &())?.run(inputs)
    });
}

#[test]
#[ignore = "needs a GPU"]
fn random_topologies_yield_what_they_mean_on_a_gpu() {
    let gpu = aligner_core::gpu::Gpu::open(0).expect("a GPU");
    let kernels =
        Kernels { name: "tokens", fatbin: include_bytes!("../../../tests/cuda/tokens.fatbin") };
    check(cases(300), &[32, 64, 128, 256, 512, 1024], |_, topology, settings, inputs| {
        CudaExecutor::new(&gpu, topology, settings, &kernels, &())?.run(inputs)
    });
}
