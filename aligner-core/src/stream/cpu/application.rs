//! An application as blocks run it: the topology's code with the plan's numbers.

use super::super::code::{Code, Parameters};
use super::super::error::RunError;
use super::super::item::ItemType;
use super::super::plan::Plan;
use super::super::settings::Settings;
use super::super::stage::Mapping;
use super::super::topology::{Target, Topology};
use super::queue::{Queue, Weighing};
use super::schedule::edges;

pub(super) struct Application<'t, 'g, G: Sync + ?Sized> {
    pub(super) topology: &'t Topology<'g, G>,
    pub(super) plan: Plan,
    /// The bytes of each node's parameters, by module and tag.
    parameters: Vec<Vec<&'t [u8]>>,
    /// Items of each sink that a block can hold.
    pub(super) regions: Vec<u64>,
    /// Elements that fill an ensemble of each module.
    pub(super) ensembles: Vec<u64>,
}

impl<'t, 'g, G: Sync + ?Sized> Application<'t, 'g, G> {
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
        let regions = regions(&plan, u64::from(settings.output_slots));
        let ensembles =
            topology.modules.iter().map(|module| ensemble(module.mapping, plan.width)).collect();
        Ok(Self { topology, plan, parameters, regions, ensembles })
    }

    /// Inputs that a block claims at a time when all of them are `inputs`: several ensembles if
    /// blocks get many; fewer inputs if these explode.
    pub(super) fn chunk(&self, inputs: usize, blocks: usize) -> usize {
        let module = self.plan.nodes[self.plan.root].module;
        let each = self.ensembles[module] as usize;
        if self.plan.modules[module].explodes {
            (inputs / (4 * blocks)).clamp(1, each)
        } else {
            each * (inputs / (16 * blocks * each)).clamp(1, 4)
        }
    }

    pub(super) fn code(&self, module: usize) -> &'t dyn Code<G> {
        self.topology.modules[module].code.as_ref()
    }

    pub(super) fn parameters(&self, module: usize) -> Parameters<'_, G> {
        Parameters { nodes: &self.parameters[module], global: self.topology.global }
    }

    pub(super) fn name(&self, node: usize) -> &str {
        &self.topology.nodes[self.plan.nodes[node].declared].name
    }

    /// Elements of an item that arrives at a node.
    pub(super) fn elements(&self, node: usize, item: &[u8]) -> u32 {
        let node = &self.plan.nodes[node];
        if !self.plan.modules[node.module].explodes {
            return 1;
        }
        self.code(node.module).size(item, node.tag, &self.parameters(node.module))
    }

    /// Refuses inputs of another type than the source's.
    pub(super) fn expects(&self, found: ItemType) -> Result<(), RunError> {
        let (_, expected) = self.topology.sources[0];
        if expected == found { Ok(()) } else { Err(RunError::WrongInput { expected, found }) }
    }

    /// The error of a node that has emitted more than gamma items for one input.
    pub(super) fn too_many(&self, module: usize, tag: u8, channel: usize) -> RunError {
        let node = self.plan.modules[module].nodes.start + usize::from(tag);
        let channel = &self.topology.modules[module].channels[channel];
        RunError::TooMany {
            node: self.name(node).to_owned(),
            channel: channel.name.to_owned(),
            gamma: channel.gamma,
        }
    }

    /// A queue of `capacity` slots for items that go to a node.
    pub(super) fn queue(&self, node: usize, capacity: usize) -> Queue {
        let node = &self.plan.nodes[node];
        let weighing = Weighing::from(self.topology.modules[node.module].mapping);
        Queue::new(weighing, node.slot_bytes, capacity)
    }
}

/// Elements that keep `width` threads busy.
fn ensemble(mapping: Mapping, width: u32) -> u64 {
    u64::from(match mapping {
        Mapping::Each { items, threads } => width * items / threads,
        Mapping::Explode | Mapping::Collect { .. } | Mapping::Reduce => width,
    })
}

/// Slots of each sink: those asked for, or else as many as one input, or pod, can fill.
fn regions(plan: &Plan, asked: u64) -> Vec<u64> {
    let mut regions = vec![asked; plan.sinks.len()];
    for (index, node) in plan.nodes.iter().enumerate() {
        let indivisible = u64::from(plan.modules[node.module].indivisible);
        for edge in edges(plan, index) {
            if let Target::Sink(sink) = edge.to {
                let inputs = if edge.per_item { indivisible } else { 1 };
                regions[sink] = regions[sink].max(inputs * u64::from(edge.gamma));
            }
        }
    }
    regions
}
