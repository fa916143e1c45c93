//! The kernels of the applications, on the SIMT shim and on a GPU.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::gpu::Gpu;
use aligner_core::stream::{CudaExecutor, OutputScheme, Policy, Settings};
use gpualign_benches::App;
use gpualign_benches::runtime::quote::{Model, inputs};
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
