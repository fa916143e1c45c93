//! The use that the stages of an application made of their lanes and of time.

use aligner_core::stream::Metrics;
use serde::Serialize;

/// The use of one stage in a run with metrics.
#[derive(Debug, Clone, Serialize)]
pub struct StageUse {
    /// The stage's name in the application.
    pub name: String,
    /// Items that the stage took from its queue.
    pub items: u64,
    /// Share of the lanes of its firings that had an item, 0 to 1.
    pub occupancy: f64,
    /// Times that the stage was fired.
    pub firings: u64,
    /// Shares of a block's time, 0 to 1, that its gathering, running and scattering took.
    pub shares: [f64; 3],
}

impl StageUse {
    /// The use of every stage, in the order of the application.
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

    /// The stages that had items, with their occupancies in percent, as one line of a table.
    pub fn line(stages: &[Self]) -> String {
        let stages = stages.iter().filter(|stage| stage.items > 0);
        let stages: Vec<String> = stages
            .map(|stage| format!("{} {} of {}", stage.name, percent(stage.occupancy), stage.items))
            .collect();
        stages.join(", ")
    }
}

/// Shares of gathering, running, scattering and scheduling as percentages between slashes.
pub fn shares(shares: [f64; 4]) -> String {
    shares.map(percent).join("/")
}

fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}
