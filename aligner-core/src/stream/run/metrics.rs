//! Metrics: the firings, occupancy and time of a run, by module type.

use serde::Serialize;

/// Firings and occupancy of one module type, over all blocks.
///
/// A firing takes one or more ensembles; it is full if all of them are.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ModuleMetrics {
    /// Name of the module type.
    pub module: String,
    /// Inputs, or elements, that fill an ensemble.
    pub ensemble: u32,
    /// Number of firings, full or not.
    pub firings: u64,
    /// Number of firings whose ensembles were all full.
    pub full_firings: u64,
    /// Number of ensembles processed.
    pub ensembles: u64,
    /// Number of inputs, or elements, in all ensembles.
    pub lanes: u64,
    /// Number of inputs taken; on a GPU, of elements if the module type explodes. For walks, the number of pods taken.
    pub items_in: u64,
    /// Number of items pushed to queues and sinks.
    pub items_out: u64,
    /// Cycles of block time in finding and reading inputs.
    pub gather_cycles: u64,
    /// Cycles of block time in the stage's own code.
    pub run_cycles: u64,
    /// Cycles of block time in writing outputs to their queues.
    pub scatter_cycles: u64,
}

/// Work of a node that walks. It is counted in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WalkMetrics {
    /// Pods whose children were looked up; a pod that is taken in parts counts for each.
    pub pods: u64,
    /// Items visited at children.
    pub visits: u64,
    /// Lanes of the ensembles that looked up children, busy or idle.
    pub pod_lanes: u64,
    /// Lanes of the ensembles that visited items, busy or idle.
    pub visit_lanes: u64,
    /// Number of times that a block was given half of another block's pods.
    pub shared: u64,
    /// Steps of each block.
    pub steps: Vec<u32>,
}

/// Metrics of a run. Without [`Settings::metrics`](crate::stream::Settings::metrics), a GPU counts only the launches and
/// the work of walks.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Number of items in an ensemble.
    pub width: u32,
    /// Number of blocks, which are copies of the application.
    pub blocks: u32,
    /// Number of launches: 1, and one more for each time that the host had to take outputs away or a slice
    /// ended.
    pub launches: u32,
    /// Number of packets in which items moved between blocks ([`Settings::move_work`](crate::stream::Settings::move_work)).
    pub packets: u64,
    /// Metrics of each module type, in the order of declaration.
    pub modules: Vec<ModuleMetrics>,
    /// Work of the nodes that walk, in the order of declaration.
    pub walks: Vec<WalkMetrics>,
    /// Cycles of block time in choosing what to fire.
    pub scheduler_cycles: u64,
    /// Cycles of block time in total.
    pub total_cycles: u64,
}

impl ModuleMetrics {
    /// Mean share of an ensemble that was filled, 0 to 1; 0 if the module type never fired.
    pub fn occupancy(&self) -> f64 {
        ratio(self.lanes, self.ensembles * u64::from(self.ensemble))
    }
}

impl Metrics {
    /// Adds the metrics of another run, or block, of the same application.
    pub fn add(&mut self, other: &Self) {
        (self.width, self.blocks) = (other.width, self.blocks.max(other.blocks));
        self.launches += other.launches;
        self.packets += other.packets;
        self.scheduler_cycles += other.scheduler_cycles;
        self.total_cycles += other.total_cycles;
        self.add_walks(&other.walks);
        if self.modules.is_empty() {
            self.modules.clone_from(&other.modules);
            return;
        }
        for (sum, module) in self.modules.iter_mut().zip(&other.modules) {
            sum.firings += module.firings;
            sum.full_firings += module.full_firings;
            sum.ensembles += module.ensembles;
            sum.lanes += module.lanes;
            sum.items_in += module.items_in;
            sum.items_out += module.items_out;
            sum.gather_cycles += module.gather_cycles;
            sum.run_cycles += module.run_cycles;
            sum.scatter_cycles += module.scatter_cycles;
        }
    }

    fn add_walks(&mut self, others: &[WalkMetrics]) {
        self.walks.resize_with(self.walks.len().max(others.len()), WalkMetrics::default);
        for (sum, walk) in self.walks.iter_mut().zip(others) {
            sum.pods += walk.pods;
            sum.visits += walk.visits;
            sum.pod_lanes += walk.pod_lanes;
            sum.visit_lanes += walk.visit_lanes;
            sum.shared += walk.shared;
            sum.steps.extend(&walk.steps);
        }
    }

    /// Share of the firings that were full, 0 to 1.
    pub fn full_firings(&self) -> f64 {
        let sum = |of: fn(&ModuleMetrics) -> u64| self.modules.iter().map(of).sum();
        ratio(sum(|module| module.full_firings), sum(|module| module.firings))
    }

    /// Shares of all cycles in gathering, running, scattering and scheduling, each 0 to 1.
    pub fn shares(&self) -> [f64; 4] {
        let sum = |of: fn(&ModuleMetrics) -> u64| self.modules.iter().map(of).sum();
        let parts: [u64; 4] = [
            sum(|module| module.gather_cycles),
            sum(|module| module.run_cycles),
            sum(|module| module.scatter_cycles),
            self.scheduler_cycles,
        ];
        parts.map(|cycles| ratio(cycles, self.total_cycles))
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
