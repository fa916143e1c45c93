//! The engine for processors finds what the oracle does.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

mod common;

use common::{Case, add_random, scored, scorings, sequence};
use fastrand::Rng;
use seed_extend::extend::{ReferenceText, Scoring, TaskBatch, cpu};

/// Compares the engine with the oracle.
fn check(name: &str, scoring: Scoring, case: &Case) {
    let expected = case.expected(scoring);
    let found = cpu::score(scoring, case.tasks());
    let traced = cpu::align(scoring, case.tasks());
    assert_eq!(found.len(), expected.len(), "{name}");
    assert_eq!(traced.spans.len(), expected.len(), "{name}");
    for (number, (ends, expected)) in scored(&expected).into_iter().zip(&expected).enumerate() {
        let task = case.tasks[number];
        let told = || {
            let all = case.tasks();
            format!("{name}, {scoring:?}, {task:?} {:?} {:?}", all.query(task), all.window(task))
        };
        assert_eq!(found[number], ends, "{}", told());
        assert_eq!(traced.get(number), *expected, "{}", told());
    }
}

#[test]
fn random_tasks_of_all_scorings() {
    for seed in 0..38 {
        let mut random = Rng::with_seed(seed);
        for scoring in scorings() {
            let longest = [6, 40, 150, 300][random.usize(..4)];
            let letters = [2, 4, 4, 5][random.usize(..4)];
            let mut case = Case::default();
            for _ in 0..random.usize(..90) {
                add_random(&mut random, &mut case, longest, letters);
            }
            check(&format!("seed {seed}"), scoring, &case);
        }
    }
}

#[test]
fn the_shortest_and_the_longest() {
    let mut random = Rng::with_seed(1);
    let long = sequence(&mut random, 3000, 4);
    for scoring in scorings() {
        let mut case = Case::default();
        check("no task", scoring, &case);
        for (query, window) in [(0, 0), (0, 5), (5, 0), (1, 1), (1, 7), (7, 1)] {
            for (low, high) in [(0, 0), (-9, 9), (i32::MIN, i32::MAX), (1, 0)] {
                case.add(&vec![2; query], &vec![2; window], low, high);
            }
        }
        case.add(&vec![1; 250], &vec![1; 250], -300, 300);
        case.add(&vec![1; 240], &vec![1; 300], -3, 3);
        case.add(&long, &long, -20, 20);
        case.add(&long[7..2500], &long, -5, 20);
        check("few", scoring, &case);
    }
    // More cells than are computed side by side.
    let scoring = Scoring::default();
    let mut case = Case::default();
    case.add(&long[100..1500], &long, i32::MIN, i32::MAX);
    case.add(&long[100..250], &long, 0, 200);
    check("many cells", scoring, &case);
}

#[test]
fn packed_texts_give_the_same() {
    let mut random = Rng::with_seed(2);
    let mut case = Case::default();
    (0..200).for_each(|_| add_random(&mut random, &mut case, 150, 4));
    let words = case.packed();
    let packed = TaskBatch { text: ReferenceText::Packed(&words), ..case.tasks() };
    let scoring = Scoring::default();
    assert_eq!(cpu::score(scoring, packed), cpu::score(scoring, case.tasks()));
    assert_eq!(cpu::align(scoring, packed), cpu::align(scoring, case.tasks()));
}

#[test]
fn threads_and_batches_do_not_matter() {
    let mut random = Rng::with_seed(3);
    let mut case = Case::default();
    (0..1500).for_each(|_| add_random(&mut random, &mut case, 60, 5));
    let scoring = Scoring::default();
    let expected = case.expected(scoring);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let found = pool.install(|| cpu::align(scoring, case.tasks()));
        for (number, expected) in expected.iter().enumerate() {
            assert_eq!(found.get(number), *expected, "{threads} threads, task {number}");
        }
    }
    for (number, tasks) in case.tasks.chunks(7).enumerate() {
        let found = cpu::score(scoring, TaskBatch { tasks, ..case.tasks() });
        assert_eq!(found, scored(&expected[7 * number..][..tasks.len()]), "batch {number}");
    }
}
