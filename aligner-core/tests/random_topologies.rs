//! The CPU executor yields the same items as the oracle, for random topologies and all settings.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;

use aligner_core::stream::{Capacity, CpuExecutor, Outputs, Policy, RunError, Settings, oracle};

use common::random::{Case, KINDS, Kind, StageTypes, random_case};
use common::tokens::Token;

/// Number of rounds after which a run counts as endless. Every firing takes at least one item, and generated cases
/// process far fewer items in all.
const ROUNDS: u32 = 1_000_000;

/// A slice so long that no generated case takes twenty of them.
const LONG: u32 = 100_000;

fn pick<T: Copy>(rng: &mut fastrand::Rng, of: &[T]) -> T {
    *rng.choice(of).unwrap()
}

fn settings(rng: &mut fastrand::Rng, policy: Policy) -> Settings {
    let capacities = [Capacity::Minimum, Capacity::Ensembles(1), Capacity::Ensembles(4)];
    let share_rest = rng.bool();
    Settings {
        width: pick(rng, &[32, 128, 1024]),
        blocks: pick(rng, &[1, 3, 8]),
        policy,
        capacity: pick(rng, &capacities),
        output_slots: pick(rng, &[1, 7, 1 << 14]),
        slice: pick(rng, &[0, 1, 7]),
        share_rest,
        move_work: !share_rest && rng.bool(),
        metrics: rng.bool(),
        ..Settings::default()
    }
}

/// The items of each sink, sorted.
fn sorted(case: &Case, mut outputs: Outputs) -> Vec<Vec<Token>> {
    let mut sinks: Vec<Vec<Token>> = case.sinks.iter().map(|sink| outputs.take(*sink)).collect();
    for items in &mut sinks {
        items.sort_unstable();
    }
    sinks
}

fn bounded(case: &Case, settings: &Settings) -> Result<Outputs, RunError> {
    let most = if settings.slice == LONG { 20 + ROUNDS / settings.output_slots } else { ROUNDS };
    let mut rounds = 0;
    CpuExecutor::new(&case.topology, settings)?.run_with(&case.inputs, &mut |_| {
        rounds += 1;
        if rounds > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

/// Runs the cases of these seeds, and returns the number of items that they yielded.
fn compare(seeds: std::ops::Range<u64>, policy: Policy) -> usize {
    let mut items = 0;
    for seed in seeds {
        let mut rng = fastrand::Rng::with_seed(seed);
        let types = if rng.bool() { StageTypes::All } else { StageTypes::Some };
        let case = random_case(&mut rng, types);
        let settings = settings(&mut rng, policy);
        let what = || format!("seed {seed}, {policy:?}\n{settings:?}\n{}", case.text);
        let expected = oracle::interpret(&case.topology, &case.inputs)
            .unwrap_or_else(|error| panic!("{error}: {}", what()));
        let expected = sorted(&case, expected);
        items += expected.iter().map(Vec::len).sum::<usize>();
        let check = |outputs: Result<Outputs, RunError>| {
            let outputs = outputs.unwrap_or_else(|error| panic!("{error}: {}", what()));
            assert!(sorted(&case, outputs) == expected, "other items: {}", what());
        };
        if settings.slice == 0 {
            // An endless run without slices could not be stopped, so the case runs with long slices first.
            check(bounded(&case, &Settings { slice: LONG, ..settings.clone() }));
        }
        check(bounded(&case, &settings));
    }
    items
}

#[test]
fn lazy_firing_yields_what_the_topology_means() {
    assert!(compare(0..1000, Policy::Lazy) > 10_000);
}

#[test]
fn naive_firing_yields_what_the_topology_means() {
    assert!(compare(0..1000, Policy::Naive) > 10_000);
}

#[test]
fn generated_topologies_are_varied() {
    let random = |seed| {
        let types = if seed % 2 == 0 { StageTypes::All } else { StageTypes::Some };
        random_case(&mut fastrand::Rng::with_seed(seed), types)
    };
    let cases: Vec<Case> = (0..400).map(random).collect();
    let count = |of: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| of(case)).count();
    let looped = |of: &dyn Fn(usize, usize) -> bool| {
        count(&|case| case.loops.iter().any(|&(tail, head)| of(tail, head)))
    };
    assert!(looped(&|tail, head| tail == head) > 50, "self-loops");
    assert!(looped(&|tail, head| tail != head) > 20, "longer loops");
    assert!(looped(&|_, head| head == 0) > 20, "loops at the root");
    let touching = |case: &Case| {
        case.loops.iter().any(|(tail, head)| {
            case.loops.iter().any(|(other, next)| next == tail && (other, next) != (tail, head))
        })
    };
    assert!(count(&touching) > 3, "heads that are tails");
    let merging = |of: &dyn Fn(&Case, &[usize]) -> bool| {
        count(&|case| case.above.iter().any(|above| above.len() > 1 && of(case, above)))
    };
    assert!(merging(&|_, above| above.len() > 2) > 20, "three ways");
    let same = |of: &dyn Fn(usize, usize) -> bool, above: &[usize]| {
        above.iter().enumerate().any(|(at, &one)| above[..at].iter().any(|&two| of(one, two)))
    };
    assert!(merging(&|_, above| same(&|one, two| one == two, above)) > 20, "twice from a node");
    let of_a_module = |case: &Case, above: &[usize]| {
        same(&|one, two| one != two && case.kinds[one] == case.kinds[two], above)
    };
    assert!(merging(&of_a_module) > 20, "twice from a module");
    let entered = |case: &Case| case.loops.iter().any(|(_, head)| case.above[*head].len() > 1);
    assert!(count(&entered) > 20, "loops with several ways in");
    let several = |kind: Kind| count(&|case| case.kinds.iter().filter(|&k| *k == kind).count() > 1);
    for kind in KINDS {
        assert!(several(kind) > 10, "several {kind:?}");
    }
    assert!(count(&|case| case.kinds.len() == 1) > 3, "single nodes");
    assert!(count(&|case| case.kinds.len() > 10) > 50, "large ones");
    assert!(count(&|case| case.sinks.len() > 3) > 20, "several sinks");
    let complete = |case: &&Case| KINDS.iter().all(|kind| case.kinds.contains(kind));
    assert!(cases.iter().step_by(2).all(|case| complete(&case)), "every type if asked for");
}
