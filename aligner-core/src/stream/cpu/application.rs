//! An application as the CPU's blocks run it: the topology's code with the plan's numbers.

use super::queue::{Queue, Weighing};
use crate::stream::graph::topology::Topology;
use crate::stream::plan::Plan;
use crate::stream::run::error::RunError;
use crate::stream::run::settings::Settings;
use crate::stream::stages::erased::{ErasedStage, StageParameters};
use crate::stream::stages::stage::Mapping;
use crate::stream::stages::walking::ErasedWalk;

/// A topology, planned for some settings.
pub(super) struct CpuApplication<'t, 'g, G: Sync + ?Sized> {
    pub(super) topology: &'t Topology<'g, G>,
    pub(super) plan: Plan,
    /// Bytes of each node's parameters, by module type and tag.
    parameters: Vec<Vec<&'t [u8]>>,
    /// Number of items of each sink that a block can hold.
    pub(super) regions: Vec<u64>,
    /// Number of elements that fill an ensemble of each module type.
    pub(super) ensembles: Vec<u64>,
}

impl<'t, 'g, G: Sync + ?Sized> CpuApplication<'t, 'g, G> {
    /// Plans a topology for some settings.
    pub(super) fn new(
        topology: &'t Topology<'g, G>,
        settings: &Settings,
    ) -> Result<Self, RunError> {
        let plan = Plan::new(topology, settings)?;
        let parameters = plan
            .modules
            .iter()
            .map(|module| {
                let declared = module.nodes.clone().map(|node| plan.nodes[node].declared);
                declared.map(|node| topology.nodes[node].parameters.as_slice()).collect()
            })
            .collect();
        let regions = plan.regions(|_| settings.output_slots).into_iter().map(u64::from).collect();
        let ensemble = |mapping: Mapping| u64::from(mapping.ensemble(plan.width));
        let ensembles = topology.modules.iter().map(|module| ensemble(module.mapping)).collect();
        Ok(Self { topology, plan, parameters, regions, ensembles })
    }

    /// Number of inputs that a block claims at a time, of `inputs` in all.
    pub(super) fn chunk(&self, inputs: usize, blocks: usize) -> usize {
        let root = self.plan.nodes[self.plan.root].module;
        self.plan.chunk(inputs, blocks, self.ensembles[root] as usize)
    }

    /// Code of a module type.
    pub(super) fn code(&self, module: usize) -> &'t dyn ErasedStage<G> {
        self.topology.modules[module].code.as_ref()
    }

    /// Whether a module type walks.
    pub(super) fn walks(&self, module: usize) -> bool {
        self.topology.modules[module].walk.is_some()
    }

    /// Code of a module type that walks.
    pub(super) fn walk_code(&self, module: usize) -> Option<&'t dyn ErasedWalk<G>> {
        self.topology.modules[module].walk.as_ref().map(|walk| walk.code.as_ref())
    }

    /// Parameters of a module type's nodes and of the application.
    pub(super) fn parameters(&self, module: usize) -> StageParameters<'_, G> {
        StageParameters { nodes: &self.parameters[module], global: self.topology.global }
    }

    /// Name of a node.
    pub(super) fn name(&self, node: usize) -> &str {
        &self.topology.nodes[self.plan.nodes[node].declared].name
    }

    /// Number of elements of an item that arrives at a node.
    pub(super) fn elements(&self, node: usize, item: &[u8]) -> u32 {
        let node = &self.plan.nodes[node];
        if !self.plan.modules[node.module].explodes {
            return 1;
        }
        self.code(node.module).size(item, node.tag, &self.parameters(node.module))
    }

    /// The error of a node that has pushed more than gamma items for one input.
    pub(super) fn too_many(&self, module: usize, tag: u8, channel: usize) -> RunError {
        let node = self.plan.modules[module].nodes.start + usize::from(tag);
        self.topology.too_many(self.plan.nodes[node].declared, channel)
    }

    /// Makes a queue of `capacity` slots for items of a node.
    pub(super) fn queue(&self, node: usize, capacity: usize) -> Queue {
        let node = &self.plan.nodes[node];
        let weighing = Weighing::from(self.topology.modules[node.module].mapping);
        Queue::new(weighing, node.slot_bytes, capacity)
    }
}
