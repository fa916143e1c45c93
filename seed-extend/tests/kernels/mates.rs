//! The kernel that searches windows for mates, run on the CPU, chooses the diagonals that the CPU does.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use fm_index::gpu::IndexView;
use gpualign_tests::{ShimBackend, kernels};
use seed_extend::pair::gpu::MateEngine;
use seed_extend::pair::mate_window::ChosenDiagonals;

use crate::mates_common::MateCase;

/// The diagonals that the kernel chooses. The shim fills the room for it with other numbers before.
fn found(case: &MateCase, seed: u64) -> ChosenDiagonals {
    let backend = ShimBackend::new(kernels("seed-extend", "mates").expect("it is built"), seed);
    let engine = MateEngine::new(backend, IndexView::of_host(&case.index));
    engine.choose_diagonals(&case.queries, &case.windows, case.choice).expect("it runs")
}

#[test]
fn random_windows_have_the_same_diagonals() {
    let (mut chosen, mut several) = (0, 0);
    for seed in 0..500 {
        let mut random = fastrand::Rng::with_seed(seed);
        let windows = random.usize(..60);
        let case = MateCase::random(&mut random, windows);
        let expected = case.expected(&format!("seed {seed}"));
        assert_eq!(found(&case, seed), expected, "seed {seed}");
        for window in 0..case.windows.len() {
            let count = expected.of(window).count();
            chosen += usize::from(count > 0);
            several += usize::from(count > 1);
        }
    }
    assert!(
        chosen > 1000 && several > 400,
        "{chosen} windows with a diagonal, {several} with more"
    );
}

#[test]
fn no_windows_and_no_diagonals_are_searched() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut case = MateCase::random(&mut random, 0);
    assert_eq!(found(&case, 1), ChosenDiagonals::default());
    case.windows = MateCase::random(&mut random, 9).windows;
    for window in &mut case.windows {
        window.count = 0;
    }
    assert_eq!(found(&case, 1), ChosenDiagonals::default());
}
