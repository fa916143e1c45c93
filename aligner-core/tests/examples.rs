//! The examples compute what plain Rust computes, under all policies and on all devices.
// A test's helpers may panic as the test itself may. Each example includes the module of the command line.
#![allow(clippy::expect_used, clippy::duplicate_mod)]

use aligner_core::stream::{AnyPod, Capacity, Policy, Settings};
use aligner_core::{Device, DeviceRequest};

// Their `main` and command line are for cargo's `--example`.
#[allow(dead_code)]
#[path = "../examples/explore.rs"]
mod explore;
#[allow(dead_code)]
#[path = "../examples/linear_pipe.rs"]
mod linear_pipe;
#[allow(dead_code)]
#[path = "../examples/pods.rs"]
mod pods;
#[allow(dead_code)]
#[path = "../examples/self_loop.rs"]
mod self_loop;
#[allow(dead_code)]
#[path = "../examples/tree.rs"]
mod tree;

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items = Vec::from_iter(items);
    items.sort_unstable();
    items
}

fn check_linear_pipe(device: &Device, settings: &Settings) {
    for (scale, state, threshold) in [(1, 0, 4), (3, 5, 100), (3, 6, 100)] {
        let quadruple = |n: i32| (n..n + 4).collect::<Vec<_>>();
        let accepts = state < 6;
        let first = (0..128).flat_map(|n| quadruple(if accepts { n * scale } else { n }));
        let (mut expected, second) = ([vec![], vec![], vec![]], first.clone());
        if accepts {
            for n in second {
                expected[if n < threshold { 2 } else { 1 }].extend([n; 4]);
            }
        } else {
            expected[0].extend(first);
        }
        let parameters = (scale, state, threshold);
        let (sinks, _) = linear_pipe::run(device, settings, parameters).expect("it runs");
        assert_eq!(sinks.map(sorted), expected.map(sorted), "{parameters:?}, {settings:?}");
    }
}

fn check_tree(device: &Device, settings: &Settings) {
    use tree::{Line, Point};
    let points: Vec<_> = (0..500).map(|i| Point { x: i * 7 % 40, y: i * 11 % 50 }).collect();
    let centre = Point { x: 13, y: 30 };
    let lines = [(1, 1, 60), (-1, 1, 30), (1, 0, 5), (2, -1, 30)].map(|(a, b, c)| Line { a, b, c });
    let expected = [(true, true), (true, false), (false, false), (false, true)].map(|quadrant| {
        points.iter().copied().filter(move |p| (p.y >= centre.y, p.x >= centre.x) == quadrant)
    });
    let mut lines_left = lines.iter();
    let expected = expected.map(|points| {
        let line = lines_left.next().expect("there are four");
        sorted(points.filter(|p| line.a * p.x + line.b * p.y > line.c))
    });
    assert!(expected.iter().all(|points| !points.is_empty()), "a branch drops all");
    let (sinks, _) = tree::run(device, settings, &points, centre, lines).expect("it runs");
    assert_eq!(sinks.map(sorted), expected, "{settings:?}");
}

fn check_self_loop(device: &Device, settings: &Settings) {
    let (orbits, metrics) = self_loop::run(device, settings, 1000).expect("it runs");
    let passes: u64 = orbits.iter().map(|orbit| u64::from(orbit.steps) + 1).sum();
    let steps: Vec<_> =
        orbits.iter().map(|orbit| (orbit.start, orbit.value, orbit.steps)).collect();
    let expected: Vec<_> = (1..=1000)
        .map(|start| {
            let next = |&n: &u32| match n {
                1 => None,
                n => Some(if n % 2 == 0 { n / 2 } else { 3 * n + 1 }),
            };
            let orbit = std::iter::successors(Some(start), next);
            (start, 1, orbit.count() as u32 - 1)
        })
        .collect();
    assert_eq!(steps, expected, "{settings:?}");
    if settings.metrics {
        assert_eq!(metrics.modules[0].lanes, passes, "each pass has a lane, {settings:?}");
    }
}

fn check_explore(device: &Device, settings: &Settings) {
    use explore::{Forest, TreeNode};
    let forest = Forest { depth: 6, rarity: 20 };
    let (mut expected, mut nodes) = (Vec::new(), 0);
    let mut waiting: Vec<TreeNode> = (0..200).map(TreeNode::root).collect();
    while let Some(node) = waiting.pop() {
        nodes += 1;
        waiting.extend(node.children(&forest));
        expected.extend((node.hash % forest.rarity == 0).then_some(node));
    }
    expected.sort_unstable();
    assert!(nodes > 2000 && expected.iter().any(|goal| goal.depth == 6), "{nodes} nodes");
    let (goals, metrics) = explore::run(device, settings, (200, &forest)).expect("it runs");
    assert_eq!(goals, expected, "{settings:?}");
    if settings.metrics {
        assert_eq!(metrics.modules[0].lanes, nodes, "each node has a lane, {settings:?}");
    }
}

fn check_pods(device: &Device, settings: &Settings) {
    let rows = pods::rows(300);
    let expected: Vec<_> = rows
        .iter()
        .filter_map(|pod| {
            let left = pod.items().iter().filter(|&n| [2, 3, 5].iter().all(|by| n % by != 0));
            let total =
                pods::Total { row: pod.header, left: left.clone().count() as u32, sum: left.sum() };
            (total.left > 0).then_some(total)
        })
        .collect();
    assert!(expected.len() < rows.len(), "no row drops out");
    let (totals, _) = pods::run(device, settings, &rows).expect("it runs");
    assert_eq!(totals, expected, "{settings:?}");
}

fn check_all(device: &Device) {
    for policy in [Policy::Naive, Policy::Lazy] {
        for (width, capacity) in
            [(32, Capacity::Minimum), (128, Capacity::Ensembles(4)), (256, Capacity::Ensembles(1))]
        {
            for blocks in [1, 3] {
                let metrics = blocks == 3;
                let settings =
                    Settings { width, blocks, policy, capacity, metrics, ..Settings::default() };
                check_linear_pipe(device, &settings);
                check_tree(device, &settings);
                check_self_loop(device, &settings);
                check_explore(device, &settings);
                check_pods(device, &settings);
            }
        }
    }
}

#[test]
fn on_the_cpu() {
    check_all(&Device::Cpu);
}

#[test]
#[ignore = "needs a GPU"]
fn on_the_gpu() {
    let opened = Device::open(DeviceRequest::Cuda(0)).expect("there is a GPU");
    check_all(&opened.device);
}

/// Number of lines that are neither blank nor comment.
fn code_lines(source: &str) -> usize {
    let code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    source.lines().filter(code).count()
}

/// The example has fewer lines than the manual's program, and its documentation gives the right number.
#[test]
fn linear_pipe_is_shorter_than_the_manual_s() {
    let host = include_str!("../examples/linear_pipe.rs");
    let lines = code_lines(host) + code_lines(include_str!("../examples/linear_pipe.cu"));
    assert!(lines < 18 + 29 + 51, "it has {lines} lines");
    assert!(host.contains(&format!("one has {lines} here")), "it has {lines} lines");
}
