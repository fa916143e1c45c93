//! Clocks and metrics of blocks. The "cycles" of a CPU are nanoseconds.

use std::time::Instant;

use super::application::CpuApplication;
use crate::stream::run::metrics::{Metrics, ModuleMetrics};

/// A clock that measures nanoseconds, or does nothing if metrics are off.
pub(super) struct Clock(Option<Instant>);

impl Clock {
    pub(super) fn new(measures: bool) -> Self {
        Self(measures.then(Instant::now))
    }

    /// Nanoseconds since the last call, or since the clock was made.
    pub(super) fn lap(&mut self) -> u64 {
        let Some(last) = &mut self.0 else { return 0 };
        let now = Instant::now();
        let elapsed = now.duration_since(*last).as_nanos() as u64;
        *last = now;
        elapsed
    }
}

/// Metrics of an application that has not fired yet.
pub(super) fn unfired<G: Sync + ?Sized>(application: &CpuApplication<'_, '_, G>) -> Metrics {
    let modules = application.topology.modules.iter().zip(&application.ensembles);
    let unfired = modules.map(|(module, &ensemble)| ModuleMetrics {
        module: module.name.to_owned(),
        ensemble: ensemble as u32,
        ..ModuleMetrics::default()
    });
    Metrics { modules: unfired.collect(), ..Metrics::default() }
}
