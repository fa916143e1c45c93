//! Pods on the CPU executor: collected into one or three pods each, and reduced, against plain Rust.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod common;

use aligner_core::stream::{Capacity, CpuExecutor, Policy, Settings, oracle};
use common::pods::{Sieve, halves, odd_parts, pods};
use common::settings::settings;
use common::tickets::Tickets;

#[test]
fn collected_and_reduced_pods_are_those_of_a_plain_loop() {
    let sieve = Sieve::new();
    for count in [0, 1, 700] {
        let pods = pods(5, count);
        let expected = Sieve::expected(&pods);
        let mut outputs = oracle::interpret(&sieve.topology, &pods).unwrap();
        assert!(sieve.found(&mut outputs) == expected, "oracle");
        for policy in [Policy::Naive, Policy::Lazy] {
            for capacity in [Capacity::Minimum, Capacity::Ensembles(1), Capacity::Ensembles(4)] {
                for (blocks, output_slots, slice, width) in
                    [(1, 1, 1, 32), (3, 1, 7, 128), (8, 100, 0, 32), (2, 1 << 14, 0, 1024)]
                {
                    for share_rest in [false, true] {
                        let settings = Settings {
                            width,
                            blocks,
                            policy,
                            capacity,
                            output_slots,
                            slice,
                            share_rest,
                            metrics: true,
                            ..Settings::default()
                        };
                        let executor = CpuExecutor::new(&sieve.topology, &settings).unwrap();
                        let mut outputs = executor.run(&pods).unwrap();
                        for module in &outputs.metrics.modules {
                            assert!(module.lanes <= module.ensembles * u64::from(module.ensemble));
                        }
                        assert!(sieve.found(&mut outputs) == expected, "{settings:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn pods_loop_at_the_root() {
    let (topology, sink) = halves();
    let pods = pods(6, 500);
    let expected = odd_parts(&pods);
    for capacity in [Capacity::Minimum, Capacity::Ensembles(1)] {
        for (blocks, output_slots, share_rest) in [(1, 1, true), (3, 100, true), (4, 1, false)] {
            let settings = Settings {
                capacity,
                blocks,
                output_slots,
                share_rest,
                width: 32,
                ..Settings::default()
            };
            let executor = CpuExecutor::new(&topology, &settings).unwrap();
            let mut found = executor.run(&pods).unwrap().take(sink);
            found.sort_unstable();
            assert!(found == expected, "{settings:?}");
        }
    }
}

#[test]
fn pods_come_from_and_go_to_ordinary_stages() {
    let tickets = Tickets::new();
    for seed in 0..40 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let (settings, count) = (settings(rng, &[32, 64, 256]), rng.u32(0..300));
        let inputs = common::tickets::tickets(rng, count);
        let what = format!("seed {seed}, {count} tickets, {settings:?}");
        let mut expected = oracle::interpret(&tickets.topology, &inputs).unwrap();
        let executor = CpuExecutor::new(&tickets.topology, &settings).unwrap();
        let mut outputs = executor.run(&inputs).unwrap_or_else(|error| panic!("{error}\n{what}"));
        assert!(tickets.found(&mut outputs) == tickets.found(&mut expected), "{what}");
    }
}
