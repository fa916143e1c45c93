//! The cost model: what a run with metrics tells about runs with other settings.
//!
//! ```text
//!   cost = sum over module types of (firings x overhead + ensembles x work) / blocks
//! ```
//!
//! - *overhead*: cycles of the scheduler in the counted run, divided by its firings.
//! - *work*: cycles of gathering, running and scattering of the module type, divided by its ensembles. On a GPU an
//!   ensemble of any width takes the time of its slowest warp, so the work of an ensemble stays as it is. On a CPU one
//!   thread does the work of all lanes, so it grows with the width.
//! - *ensembles* are as many fewer as they are wider, since occupancy depends on the application and the policy.
//! - *firings*: a firing takes what waits, which is in proportion to the slots of queues: width times capacity. But it takes
//!   at least one ensemble, or what an ensemble holds at the occupancy that was counted.
//! - *blocks* that run side by side: on a GPU in inverse proportion to their width, unless the settings give a number.
//!
//! The unit are cycles of the counted run; only comparisons of costs mean anything.

use crate::stream::{Capacity, Metrics, Settings};

/// The threads that do the work of the lanes of an ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LanesOf {
    /// A thread of a GPU for each lane.
    OneEach,
    /// One thread of the CPU for all of them.
    OneThread,
}

/// A run with metrics.
#[derive(Debug)]
pub(super) struct Counted {
    metrics: Metrics,
    settings: Settings,
    /// Blocks that ran side by side.
    blocks: u32,
    lanes: LanesOf,
}

/// Slots of a queue behind channels of gamma 1.
fn slots(settings: &Settings) -> f64 {
    match settings.capacity {
        Capacity::Ensembles(ensembles) => f64::from(ensembles) * f64::from(settings.width),
        Capacity::Minimum => 1.0,
    }
}

impl Counted {
    /// The metrics of a run with these settings.
    pub(super) fn new(metrics: Metrics, settings: Settings, blocks: u32, lanes: LanesOf) -> Self {
        Self { metrics, settings, blocks, lanes }
    }

    /// Cost of a run with other settings.
    pub(super) fn cost(&self, settings: &Settings) -> f64 {
        let modules = &self.metrics.modules;
        let all_firings = modules.iter().map(|module| module.firings).sum::<u64>().max(1);
        let overhead = self.metrics.scheduler_cycles as f64 / all_firings as f64;
        let wider = f64::from(settings.width) / f64::from(self.settings.width);
        let larger = slots(settings) / slots(&self.settings);
        let mut cycles = 0.0;
        for module in modules {
            let counted = module.ensembles as f64;
            let ensembles = counted / wider;
            let firings =
                (module.firings as f64 / larger).min(ensembles.max(module.firings as f64));
            let work = module.gather_cycles + module.run_cycles + module.scatter_cycles;
            let mut work = work as f64 / counted.max(1.0);
            if self.lanes == LanesOf::OneThread {
                work *= wider;
            }
            cycles += firings * overhead + ensembles.max(firings) * work;
        }
        cycles / self.blocks_beside(settings, wider)
    }

    /// Blocks that run side by side with other settings.
    fn blocks_beside(&self, settings: &Settings, wider: f64) -> f64 {
        let counted = f64::from(self.blocks);
        match (self.lanes, settings.blocks) {
            (LanesOf::OneEach, 0) if self.settings.blocks == 0 => counted / wider,
            (LanesOf::OneEach, blocks) if blocks > 0 => f64::from(blocks),
            (LanesOf::OneThread, blocks) if blocks > 0 => f64::from(blocks).min(counted),
            _ => counted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::ModuleMetrics;

    /// A run of 100 firings of four ensembles each, with 10 cycles of scheduling for a firing and 50 for an ensemble.
    fn counted(lanes: LanesOf) -> Counted {
        let module = ModuleMetrics {
            firings: 100,
            ensembles: 400,
            gather_cycles: 2_000,
            run_cycles: 16_000,
            scatter_cycles: 2_000,
            ..ModuleMetrics::default()
        };
        let metrics =
            Metrics { modules: vec![module], scheduler_cycles: 1_000, ..Metrics::default() };
        Counted::new(metrics, Settings::default(), 8, lanes)
    }

    fn cost(lanes: LanesOf, settings: &Settings) -> f64 {
        counted(lanes).cost(settings)
    }

    #[test]
    fn the_counted_settings_have_the_counted_cost() {
        for lanes in [LanesOf::OneEach, LanesOf::OneThread] {
            let expected = (100.0 * 10.0 + 400.0 * 50.0) / 8.0;
            assert!((cost(lanes, &Settings::default()) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn larger_queues_save_scheduling_and_smaller_ones_cost_it() {
        let of = |capacity| cost(LanesOf::OneEach, &Settings { capacity, ..Settings::default() });
        assert!((of(Capacity::Ensembles(8)) - (50.0 * 10.0 + 400.0 * 50.0) / 8.0).abs() < 1e-9);
        assert!(of(Capacity::Ensembles(1)) > of(Capacity::Ensembles(2)));
        assert!(of(Capacity::Minimum).is_finite());
    }

    #[test]
    fn width_costs_blocks_on_a_gpu_and_time_on_a_cpu() {
        let wide = Settings { width: 256, ..Settings::default() };
        // Half as many ensembles and firings, by half as many blocks.
        let base = Settings::default();
        assert!((cost(LanesOf::OneEach, &wide) - cost(LanesOf::OneEach, &base)).abs() < 1e-9);
        // Fewer firings, and the same work.
        assert!(
            (cost(LanesOf::OneThread, &wide) - (50.0 * 10.0 + 400.0 * 50.0) / 8.0).abs() < 1e-9
        );
    }

    #[test]
    fn blocks_divide_the_cost_as_far_as_threads_go() {
        let of = |lanes, blocks| cost(lanes, &Settings { blocks, ..Settings::default() });
        assert!((of(LanesOf::OneEach, 4) / of(LanesOf::OneEach, 8) - 2.0).abs() < 1e-9);
        assert!((of(LanesOf::OneThread, 64) / of(LanesOf::OneThread, 8) - 1.0).abs() < 1e-9);
    }
}
