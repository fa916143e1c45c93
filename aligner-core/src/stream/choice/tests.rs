#![allow(clippy::unwrap_used)]
//! Calibrations on the CPU, by times that are known.

use std::cell::RefCell;

use bytemuck::{Pod, Zeroable};

use super::*;
use crate::stream::{
    Capacity, Channel, ChannelType, Fused, Mapping, Policy, Push, SinkId, Site, Stage, oracle,
};

const ODD: Channel<u32> = Channel::new(0, "odd", 1);
const NEXT: Channel<u32> = Channel::new(0, "next", 2);

/// Stage that drops even numbers, with ITEMS items for a thread.
#[derive(Clone, Copy)]
#[repr(C)]
struct Odd<const ITEMS: u32>;

#[allow(unsafe_code)]
// SAFETY: has no fields.
unsafe impl<const ITEMS: u32> Zeroable for Odd<ITEMS> {}
#[allow(unsafe_code)]
// SAFETY: has no fields, so no padding and no invalid values.
unsafe impl<const ITEMS: u32> Pod for Odd<ITEMS> {}

impl<const ITEMS: u32> Stage for Odd<ITEMS> {
    type In = u32;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Odd";
    const MAPPING: Mapping = Mapping::Each { items: ITEMS, threads: 1 };

    fn channels() -> Vec<ChannelType> {
        vec![ODD.describe()]
    }

    fn run(&self, item: &u32, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        if !item.is_multiple_of(2) {
            push.to(ODD, *item);
        }
    }
}

/// Stage that sends a number and the next one on.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Twice;

impl Stage for Twice {
    type In = u32;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Twice";

    fn channels() -> Vec<ChannelType> {
        vec![NEXT.describe()]
    }

    fn run(&self, item: &u32, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
        push.to(NEXT, *item);
        push.to(NEXT, item + 1);
    }
}

fn split<const ITEMS: u32>() -> (Topology<'static>, SinkId<u32>) {
    let mut app = Topology::new("split", &());
    let (odd, twice) = (app.stage(Odd::<ITEMS>), app.stage(Twice));
    let (first, second) = (app.node("first", odd, ()), app.node("second", twice, ()));
    app.source::<u32>(first);
    app.edge(first, "odd", second);
    let out = app.sink::<u32>("out", second, "next");
    (app, out)
}

fn fused() -> (Topology<'static>, SinkId<u32>) {
    type Both = Fused<Odd<1>, Twice, 0>;
    let mut app = Topology::new("fused", &());
    let module = app.stage(Both::zeroed());
    let node = app.node("both", module, Zeroable::zeroed());
    app.source::<u32>(node);
    let out = app.sink::<u32>("out", node, "next");
    (app, out)
}

const NONE: Kernels = Kernels { name: "", fatbin: &[] };

/// Settings of few lanes, so that samples are small.
fn base() -> Settings {
    Settings { width: 32, blocks: 2, ..Settings::default() }
}

fn grid() -> SettingsGrid {
    SettingsGrid {
        widths: vec![32, 64, 96],
        blocks: vec![1, 2, 5],
        policies: vec![Policy::Lazy, Policy::Naive],
        capacities: vec![Capacity::Minimum, Capacity::Ensembles(2)],
        share_rest: vec![false, true],
        move_work: vec![false, true],
        ..SettingsGrid::of(&base())
    }
}

fn sorted(mut items: Vec<u32>) -> Vec<u32> {
    items.sort_unstable();
    items
}

#[test]
fn outputs_do_not_depend_on_the_choice() {
    let apps = [split::<1>(), split::<4>(), fused()];
    let variants: Vec<Variant<'_, '_>> = ["split", "four", "fused"]
        .iter()
        .zip(&apps)
        .map(|(name, (app, _))| Variant::new(name, app, NONE))
        .collect();
    let inputs: Vec<u32> = (0..3_000).collect();
    let expected = sorted(oracle::interpret(&apps[0].0, &inputs).unwrap().take(apps[0].1));
    for wanted in 0..3 {
        for width in [32, 64, 96] {
            for (policy, share_rest, move_work) in [
                (Policy::Lazy, false, false),
                (Policy::Lazy, true, false),
                (Policy::Lazy, false, true),
                (Policy::Naive, false, true),
            ] {
                // The times favour these settings.
                let times = |name: &str, settings: &Settings, _: f64| {
                    let wrong = [
                        name != variants[wanted].name,
                        settings.width != width,
                        settings.policy != policy,
                        settings.share_rest != share_rest,
                        settings.move_work != move_work,
                    ];
                    1.0 + wrong.map(|wrong| if wrong { 0.1 } else { 0.0 }).iter().sum::<f64>()
                };
                let calibration = Calibration::new(&variants, grid()).with_times(&times);
                let choice = calibration.choose(&Device::Cpu, &(), &inputs).unwrap();
                assert!(
                    choice.runs > 0 && choice.runs <= search::MOST_RUNS + 2 && !choice.was_kept
                );
                let settings = &choice.settings;
                assert_eq!(settings.width, width);
                assert_eq!((settings.policy, settings.share_rest), (policy, share_rest));
                assert_eq!(settings.move_work, move_work);
                let mut outputs = choice.run(&Device::Cpu, &(), &inputs).unwrap();
                // The sink of any variant.
                assert!(sorted(outputs.take(apps[2].1)) == expected, "{settings:?}");
            }
        }
    }
}

#[test]
fn a_choice_is_kept_for_its_key_alone() {
    let (apps, folder) = ([split::<1>(), fused()], tempfile::tempdir().unwrap());
    let cache = ChoiceCache::in_folder(folder.path());
    let split = Variant::new("split", &apps[0].0, NONE);
    let variants = [split, Variant::new("fused", &apps[1].0, NONE)];
    let inputs: Vec<u32> = (0..3_000).collect();
    let seen = RefCell::new(Vec::new());
    let times = |name: &str, settings: &Settings, _: f64| {
        seen.borrow_mut().push(name.to_owned());
        if settings.width == 64 { 1.0 } else { 2.0 }
    };
    let choose = |variants: &[Variant<'_, '_>], grid: SettingsGrid, workload: &str| {
        let calibration =
            Calibration::new(variants, grid).keep(&cache, workload).with_times(&times);
        let choice = calibration.choose(&Device::Cpu, &(), &inputs).unwrap();
        assert_eq!(choice.settings.width, 64);
        assert_eq!(choice.was_kept, choice.runs == 0);
        choice.was_kept
    };
    assert!(!choose(&variants, grid(), "all"));
    let runs = seen.borrow().len();
    assert!(choose(&variants, grid(), "all"));
    assert_eq!(seen.borrow().len(), runs);
    assert!(!choose(&variants, grid(), "others"));
    assert!(!choose(&variants[..1], grid(), "all"));
    let narrower = SettingsGrid { widths: vec![32, 64], ..grid() };
    assert!(!choose(&variants, narrower, "all"));
    let recompiled = Kernels { name: "", fatbin: &[1] };
    let recompiled =
        [Variant::new("split", &apps[0].0, NONE), Variant::new("fused", &apps[1].0, recompiled)];
    assert!(!choose(&recompiled, grid(), "all"));
    assert!(choose(&variants, grid(), "all"));
}

#[test]
fn little_input_gets_the_settings_of_the_grid() {
    let (app, out) = split::<1>();
    let variants = [Variant::new("split", &app, NONE)];
    let times = |_: &str, _: &Settings, _: f64| -> f64 { panic!("nothing is tried") };
    let inputs: Vec<u32> = (0..63).collect();
    let calibration = Calibration::new(&variants, grid()).with_times(&times);
    // Two blocks have 64 lanes.
    let choice = calibration.choose(&Device::Cpu, &(), &inputs).unwrap();
    assert_eq!((choice.runs, choice.settings.width, choice.settings.blocks), (0, 32, 2));
    let mut outputs = choice.run(&Device::Cpu, &(), &inputs).unwrap();
    assert_eq!(outputs.take(out).len(), 2 * 31);
}

#[test]
fn variants_with_other_ends_and_empty_grids_are_refused() {
    let (app, _) = split::<1>();
    let mut other = Topology::new("other", &());
    let module = other.stage(Odd::<1>);
    let node = other.node("odd", module, ());
    other.source::<u32>(node);
    other.sink::<u32>("end", node, "odd");
    let variants = [Variant::new("one", &app, NONE), Variant::new("two", &other, NONE)];
    let refused = |variants: &[Variant<'_, '_>], grid: SettingsGrid| {
        let choice = Calibration::new(variants, grid).choose(&Device::Cpu, &(), &[0_u32; 3_000]);
        choice.err().unwrap().to_string()
    };
    let message =
        "variants one and two of an application differ: sinks [out of u32] and [end of u32]";
    assert_eq!(refused(&variants, grid()), message);
    assert!(refused(&[], grid()).contains("needs a variant"));
    let empty = SettingsGrid { widths: Vec::new(), ..grid() };
    assert!(refused(&variants[..1], empty).contains("at least one value"));
    let narrow = SettingsGrid { widths: vec![7], ..SettingsGrid::of(&base()) };
    assert!(refused(&variants[..1], narrow).contains("no settings"));
}

#[test]
fn measured_times_choose_something_that_runs() {
    let apps = [split::<1>(), fused()];
    let variants =
        [Variant::new("split", &apps[0].0, NONE), Variant::new("fused", &apps[1].0, NONE)];
    let inputs: Vec<u32> = (0..3_000).collect();
    let choice = Calibration::new(&variants, grid()).choose(&Device::Cpu, &(), &inputs).unwrap();
    let mut outputs = choice.run(&Device::Cpu, &(), &inputs).unwrap();
    assert_eq!(outputs.take(apps[0].1).len(), 3_000);
    assert!(choice.runs <= search::MOST_RUNS + 4 + 2, "{}", choice.runs);
}
