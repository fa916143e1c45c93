//! Random settings for runs of an application.

use aligner_core::stream::{Capacity, OutputScheme, Policy, Settings, WalkSettings};

/// Random settings, with one of these widths.
pub fn settings(rng: &mut fastrand::Rng, widths: &[u32]) -> Settings {
    let share_rest = rng.bool();
    Settings {
        width: *rng.choice(widths).unwrap(),
        blocks: *rng.choice(&[1, 2, 3, 7]).unwrap(),
        policy: *rng.choice(&[Policy::Naive, Policy::Lazy]).unwrap(),
        capacity: *rng
            .choice(&[Capacity::Minimum, Capacity::Ensembles(1), Capacity::Ensembles(4)])
            .unwrap(),
        output_slots: *rng.choice(&[1, 50, 1 << 14]).unwrap(),
        likely_outputs: (0..rng.usize(..4))
            .map(|_| *rng.choice(&[0, 300, 1 << 14]).unwrap())
            .collect(),
        outputs: *rng
            .choice(&[OutputScheme::Regions, OutputScheme::Atomics, OutputScheme::CountThenWrite])
            .unwrap(),
        shared_queues: *rng.choice(&[0, 2048, 1 << 16]).unwrap(),
        slice: *rng.choice(&[0, 0, 1, 7]).unwrap(),
        share_rest,
        move_work: !share_rest && rng.bool(),
        walk: WalkSettings {
            pods_at_once: *rng.choice(&[1, 5, 128]).unwrap(),
            items_at_once: *rng.choice(&[1, 7, 64, 512]).unwrap(),
            steps: *rng.choice(&[1, 3, 16]).unwrap(),
            slack: *rng.choice(&[1, 8]).unwrap(),
            shares: rng.bool(),
        },
        queue_bytes: 0,
        metrics: rng.bool(),
    }
}
