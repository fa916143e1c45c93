//! Calibration of work: the time that a round of pricing takes on a device.
//!
//! The papers state the work of a node in microseconds an ensemble, measured on an input of one
//! item a thread (Cole 2017, section 3.4.2): every block then has one ensemble, which passes every
//! node once, all blocks at the same time.

use aligner_core::stream::OutputScheme;
use serde::Serialize;

use super::apps::App;
use super::case::{Case, Firing, WorkLevel};
use super::quote::{STAGES, inputs};
use super::runner::{CaseTiming, Runner};
use crate::error::BenchError;

/// Most rounds of pricing in a node: on the fastest device they take far longer than any level of an experiment.
const MOST_ROUNDS: u32 = 1 << 20;

/// The time that work takes on a device.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Calibration {
    /// Threads of a block.
    pub width: u32,
    /// Blocks of the device that run at once.
    pub blocks: u32,
    /// Microseconds that a node without work takes for one ensemble: the overhead.
    pub empty_microseconds: f64,
    /// Microseconds that a round of pricing adds for one ensemble.
    pub microseconds_per_round: f64,
}

impl Calibration {
    /// Measures the overhead and a round at an ensemble width.
    pub(crate) fn measure(runner: &Runner<'_>, width: u32) -> Result<Self, BenchError> {
        let time = |items: u32, rounds: u32| -> Result<CaseTiming, BenchError> {
            let level = WorkLevel { microseconds: 0.0, rounds };
            let case = Case {
                app: App::DiffType,
                policy: Firing::Lazy,
                filter_rate: 0.0,
                level,
                width,
                scheme: OutputScheme::Regions,
            };
            // There is one case, so there is one point.
            Ok(runner.compare(&[case], &inputs(items))?.remove(0))
        };
        // A device starts no more blocks than get an ensemble, so this input is for all of them.
        let blocks = time(1 << 20, 0)?.metrics.blocks;
        let items = width * blocks;
        let per_node = |seconds: f64| seconds * 1e6 / f64::from(STAGES);
        let empty = time(items, 0)?.seconds;
        // Adds rounds until the overhead and its noise are small beside them.
        let (mut rounds, mut seconds) = (64, time(items, 64)?.seconds);
        while seconds < 20.0 * empty && rounds < MOST_ROUNDS {
            rounds *= 4;
            seconds = time(items, rounds)?.seconds;
        }
        Ok(Self {
            width,
            blocks,
            empty_microseconds: per_node(empty),
            microseconds_per_round: per_node(seconds - empty).max(0.0) / f64::from(rounds),
        })
    }

    /// The level with the rounds that take nearly `microseconds`; at least one round, unless they are 0.
    pub fn level(&self, microseconds: f64) -> WorkLevel {
        if microseconds <= 0.0 {
            return WorkLevel { microseconds, rounds: 0 };
        }
        let rounds = (microseconds / self.microseconds_per_round).round() as u32;
        WorkLevel { microseconds, rounds: rounds.clamp(1, MOST_ROUNDS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_the_nearest_numbers_of_rounds() {
        let calibration = Calibration {
            width: 128,
            blocks: 8,
            empty_microseconds: 1.0,
            microseconds_per_round: 0.4,
        };
        let rounds = |microseconds| calibration.level(microseconds).rounds;
        assert_eq!([0.0, 0.01, 1.0, 40.0].map(rounds), [0, 1, 3, 100]);
    }
}
