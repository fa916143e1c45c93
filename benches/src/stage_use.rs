//! What a stage did in a run that was measured.

use aligner_core::stream::Metrics;
use serde::Serialize;

/// A stage in a run that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct StageUse {
    /// Its name.
    pub name: String,
    /// Items that it took.
    pub items: u64,
    /// Lanes at work, of those of its firings.
    pub occupancy: f64,
    /// Its firings.
    pub firings: u64,
    /// Of a block's time: its gathering, running, scattering.
    pub shares: [f64; 3],
}

impl StageUse {
    /// Those of all stages.
    pub fn all(metrics: &Metrics) -> Vec<Self> {
        let total = metrics.total_cycles.max(1) as f64;
        let of = metrics.modules.iter().map(|module| {
            let cycles = [module.gather_cycles, module.run_cycles, module.scatter_cycles];
            Self {
                name: module.module.clone(),
                items: module.items_in,
                occupancy: module.occupancy(),
                firings: module.firings,
                shares: cycles.map(|cycles| cycles as f64 / total),
            }
        });
        of.collect()
    }

    /// Those that had something to do, in a line.
    pub fn line(stages: &[Self]) -> String {
        let stages = stages.iter().filter(|stage| stage.items > 0);
        let stages: Vec<String> = stages
            .map(|stage| format!("{} {} of {}", stage.name, percent(stage.occupancy), stage.items))
            .collect();
        stages.join(", ")
    }
}

/// Shares of gathering, running, scattering and scheduling, in a word.
pub fn shares(shares: [f64; 4]) -> String {
    shares.map(percent).join("/")
}

fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}
