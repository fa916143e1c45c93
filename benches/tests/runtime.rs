//! All experiments from end to end, on the CPU.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::Device;
use gpualign_benches::runtime::quote::{Model, STAGES, inputs};
use gpualign_benches::{
    App, CaseTiming, Experiment, ExperimentResult, RuntimeOptions, RuntimeReport, TreeTiming,
    runtime,
};

const ITEMS: u32 = 2_000;

fn report(experiments: &[Experiment]) -> RuntimeReport {
    let options = RuntimeOptions { items: ITEMS, quick: true, experiments: experiments.to_vec() };
    runtime(&Device::Cpu, &options, &mut |_| ()).expect("the applications run")
}

#[test]
fn every_experiment_runs_and_yields_what_a_plain_loop_yields() {
    let mut experiments = Experiment::ALL.to_vec();
    // These need a GPU.
    let of_gpus = [Experiment::Overflow, Experiment::Prefetch];
    experiments.retain(|experiment| !of_gpus.contains(experiment));
    let report = report(&experiments);
    assert_eq!(report.experiments.len(), Experiment::ALL.len() - of_gpus.len());
    let mut met = Vec::new();
    for measured in &report.experiments {
        assert!(
            !measured.points.is_empty()
                || !measured.trees.is_empty()
                || !measured.choices.is_empty()
        );
        for point in &measured.points {
            let model = Model::new(0, point.filter_rate);
            let passes_all =
                |id: u32| (0..STAGES).fold(true, |passes, stage| passes & model.keeps(id, stage));
            let expected = (0..ITEMS).filter(|&id| passes_all(id)).count();
            assert_eq!((point.inputs, point.outputs), (ITEMS as usize, expected));
            assert!(point.seconds > 0.0 && point.runs.len() == 3);
            let modules = &point.metrics.modules;
            let received: u64 = modules.iter().map(|module| module.items_in).sum();
            assert!(received >= u64::from(ITEMS), "{point:?}");
            met.push(point.app);
        }
    }
    assert!(App::ALL.iter().all(|app| met.contains(app)), "an application is in no experiment");

    let figures = report.figures().expect("figures are drawn");
    let names: Vec<&str> = figures.iter().map(|figure| figure.name).collect();
    assert_eq!(
        names,
        [
            "fig-3-12-filtering",
            "fig-3-13-pipelines",
            "fig-3-14-occupancy",
            "fig-4-9-firings",
            "fig-4-12-parts",
            "fig-4-13-parts-per-firing",
            "loops",
            "joins",
            "mappings",
            "widths",
            "shares",
            "outputs",
            "trees",
            "choices",
        ]
    );
    let series: [&[&str]; 14] = [
        &["filter rate 0", "filter rate 0.5", "filter rate 1"],
        &["Same", "Diff", "Staged"],
        &["Staged naive", "Staged lazy", "Diff naive", "Diff lazy"],
        &["naive, all", "naive, full", "lazy, all", "lazy, full", "SelfLoop"],
        &["gather", "run", "scatter", "scheduler", "Merged lazy"],
        &["gather", "run", "scatter", "scheduler", "DiffType naive"],
        &["SelfLoop", "SameType", "DiffType"],
        &["Staged", "Rejoined"],
        &["SameType", "OneToMany", "ManyToOne"],
        &["DiffType", "Merged", "1024"],
        &["gather", "run", "scatter", "scheduler", "40 us"],
        &["regions", "atomics", "count then write"],
        &["depth first", "moving", "alone"],
        &["chosen", "default"],
    ];
    for (figure, series) in figures.iter().zip(series) {
        assert!(figure.svg.starts_with("<svg ") && figure.svg.ends_with("</svg>\n"));
        assert_eq!(figure.svg.matches("<text").count(), figure.svg.matches("</text>").count());
        for name in series {
            assert!(figure.svg.contains(&format!("\n{name}\n")), "{}: {name}", figure.name);
        }
    }

    let lines = |measured: &ExperimentResult| {
        measured.points.len() + measured.trees.len() + 4 * measured.choices.len()
    };
    let points: usize = report.experiments.iter().map(lines).sum();
    let trees = report.experiments.iter().flat_map(|measured| &measured.trees);
    for [depth_first, _, alone] in trees.collect::<Vec<_>>().as_chunks().0 {
        let lanes = |tree: &TreeTiming| tree.metrics.modules[0].lanes;
        assert_eq!((lanes(depth_first), lanes(alone)), (depth_first.nodes, u64::from(ITEMS)));
        assert!(depth_first.nodes > u64::from(ITEMS) && depth_first.seconds > 0.0);
    }
    assert_eq!(report.table().lines().count(), 1 + points);
    let json = serde_json::to_value(&report).expect("it is plain data");
    assert_eq!(json["experiments"][3]["experiment"], "firings");
    assert_eq!(json["experiments"][3]["points"][1]["policy"], "lazy");
    assert!(json["experiments"][3]["points"][1]["metrics"]["modules"][0]["firings"].is_u64());
}

#[test]
fn lazy_firing_needs_fewer_ensembles_and_fires_full_ones() {
    let report = report(&[Experiment::Firings]);
    let points = &report.experiments[0].points;
    for app in [App::DiffType, App::SelfLoop, App::SameType] {
        let find = |policy: &str| {
            points
                .iter()
                .find(|point| point.app == app && point.policy == policy)
                .expect("is there")
        };
        let (naive, lazy) = (find("naive"), find("shared"));
        let ensembles = |point: &CaseTiming| -> u64 {
            point.metrics.modules.iter().map(|module| module.ensembles).sum()
        };
        // The aim of the lazy policy (Cole 2017, section 4.5.1).
        assert!(ensembles(lazy) < ensembles(naive), "{app:?}");
        assert!(lazy.metrics.full_firings() > naive.metrics.full_firings(), "{app:?}");
    }
}

#[test]
fn inputs_are_the_same_every_time() {
    assert_eq!(inputs(100), inputs(200)[..100]);
}
