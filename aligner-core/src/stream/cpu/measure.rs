//! Measuring blocks: a CPU's cycles are nanoseconds.

use std::time::Instant;

use super::super::metrics::{Metrics, ModuleMetrics};
use super::application::Application;

/// Measures nanoseconds, or nothing.
pub(super) struct Clock(Option<Instant>);

impl Clock {
    pub(super) fn new(measures: bool) -> Self {
        Self(measures.then(Instant::now))
    }

    /// Nanoseconds since the last call.
    pub(super) fn lap(&mut self) -> u64 {
        let Some(last) = &mut self.0 else { return 0 };
        let now = Instant::now();
        let elapsed = now.duration_since(*last).as_nanos() as u64;
        *last = now;
        elapsed
    }
}

/// Metrics without firings.
pub(super) fn unfired<G: Sync + ?Sized>(application: &Application<'_, '_, G>) -> Metrics {
    let modules = application.topology.modules.iter().zip(&application.ensembles);
    let unfired = modules.map(|(module, &ensemble)| ModuleMetrics {
        module: module.name.to_owned(),
        ensemble: ensemble as u32,
        ..ModuleMetrics::default()
    });
    Metrics { modules: unfired.collect(), ..Metrics::default() }
}

/// Adds what one block measured.
pub(super) fn add(total: &mut Metrics, block: &Metrics) {
    total.scheduler_cycles += block.scheduler_cycles;
    total.total_cycles += block.total_cycles;
    for (total, block) in total.modules.iter_mut().zip(&block.modules) {
        total.firings += block.firings;
        total.full_firings += block.full_firings;
        total.ensembles += block.ensembles;
        total.lanes += block.lanes;
        total.items_in += block.items_in;
        total.items_out += block.items_out;
        total.gather_cycles += block.gather_cycles;
        total.run_cycles += block.run_cycles;
        total.scatter_cycles += block.scatter_cycles;
    }
}
