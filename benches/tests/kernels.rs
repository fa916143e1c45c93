//! The kernels of the applications, on the SIMT shim and on a GPU.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::gpu::Gpu;
use aligner_core::stream::oracle::interpret;
use aligner_core::stream::{CudaExecutor, OutputScheme, Policy, Settings};
use gpualign_benches::App;
use gpualign_benches::runtime::WorkLevel;
use gpualign_benches::runtime::overflow::measure_level;
use gpualign_benches::runtime::quote::{Model, inputs};
use gpualign_benches::runtime::trees::{Forest, TreeApp, TreeNode};
use gpualign_tests::ShimBackend;

/// The kernel file of an application.
fn file(app: App) -> &'static str {
    match app {
        App::DiffType | App::SameType | App::SelfLoop | App::Merged => "single",
        App::Same | App::Diff | App::Staged | App::Rejoined => "pipelines",
        App::OneToMany | App::ManyToOne => "mappings",
    }
}

#[test]
fn every_application_yields_its_quotes_on_the_shim() {
    let quotes = inputs(700);
    for (seed, app) in (0..).zip(App::ALL) {
        for (width, policy, filter_rate) in
            [(32, Policy::Naive, 0.5), (64, Policy::Lazy, 0.25), (128, Policy::Lazy, 0.0)]
        {
            let model = Model::new(3, filter_rate);
            let built = app.build(&model);
            let settings =
                Settings { width, policy, metrics: width == 64, blocks: 2, ..Settings::default() };
            let module = gpualign_tests::kernels("benches", file(app)).expect("the build made it");
            let backend = ShimBackend::new(module, seed);
            let name = app.kernels().name;
            let mut outputs =
                CudaExecutor::with_backend(backend, &built.topology, &settings, name, &model)
                    .expect("the kernel is that of the topology")
                    .run(&quotes)
                    .expect("it runs");
            let (wrong, expected) = built.check(model, &quotes, &mut outputs);
            assert_eq!(wrong, 0, "{app:?} at width {width}: of {expected}");
            assert!(expected > 0);
        }
    }
}

#[test]
fn outputs_that_overflow_all_arrive_on_the_shim() {
    let quotes = inputs(2_000);
    let module = gpualign_tests::kernels("benches", "single").expect("the build made it");
    let level = WorkLevel { microseconds: 1.0, rounds: 2 };
    let timings = measure_level(&ShimBackend::new(module, 5), 1, &quotes, level, 32)
        .expect("it runs and yields its quotes");
    assert_eq!(timings.len(), 3 * 8);
    for [regions, atomics, counting] in timings.as_chunks().0 {
        assert_eq!(
            [regions, atomics, counting].map(|timing| timing.scheme),
            ["regions", "atomics", "count then write"]
        );
        let overflows = regions.asked_share > 0.0;
        // Blocks take inputs unevenly, so that some regions overflow more than the mean, even where there is room for all outputs.
        assert!(regions.launches > 1 || !overflows, "{regions:?}");
        assert_eq!(regions.launches > 1, regions.later_share > 0.0, "{regions:?}");
        assert_eq!(atomics.launches, 1 + u32::from(overflows), "{atomics:?}");
        assert_eq!(counting.launches, 2);
        assert!(regions.later_share >= regions.asked_share - 0.01, "{regions:?}");
        assert!(timings.iter().all(|timing| timing.seconds > 0.0));
    }
}

#[test]
fn trees_are_explored_on_the_shim() {
    for (seed, depth) in [(1, 0), (2, 1), (3, 7)] {
        let forest = Forest { depth, rarity: 50 };
        let roots: Vec<TreeNode> = (0..150).map(TreeNode::root).collect();
        let mut found = Vec::new();
        for app in TreeApp::ALL {
            let (topology, sink) = app.build(&forest);
            let settings = Settings { width: 64, blocks: 2, ..Settings::default() };
            let module = gpualign_tests::kernels("benches", "trees").expect("the build made it");
            let backend = ShimBackend::new(module, seed);
            let name = app.kernels().name;
            let shim =
                CudaExecutor::with_backend(backend, &topology, &settings, name, &forest).unwrap();
            let mut goals = shim.run(&roots).expect("it runs").take(sink);
            let mut expected = interpret(&topology, &roots).expect("it is legal").take(sink);
            goals.sort_unstable();
            expected.sort_unstable();
            assert_eq!(goals, expected, "{app:?}, depth {depth}");
            found.push(goals);
        }
        assert!(!found[0].is_empty() && found[0] == found[1], "depth {depth}");
    }
}

#[test]
#[ignore = "needs a GPU"]
fn every_application_yields_its_quotes_on_a_gpu() {
    let gpu = Gpu::open(0).expect("a GPU");
    let quotes = inputs(100_000);
    for app in App::ALL {
        for policy in [Policy::Naive, Policy::Lazy] {
            for outputs in
                [OutputScheme::Regions, OutputScheme::Atomics, OutputScheme::CountThenWrite]
            {
                let model = Model::new(3, 0.25);
                let built = app.build(&model);
                let settings =
                    Settings { policy, outputs, output_slots: 64, ..Settings::default() };
                let executor =
                    CudaExecutor::new(&gpu, &built.topology, &settings, &app.kernels(), &model);
                let executor = executor.expect("the kernel is that of the topology");
                let mut outputs = executor.run(&quotes).expect("it runs");
                let (wrong, expected) = built.check(model, &quotes, &mut outputs);
                assert_eq!(wrong, 0, "{app:?}, {settings:?}: of {expected}");
            }
        }
    }
}
