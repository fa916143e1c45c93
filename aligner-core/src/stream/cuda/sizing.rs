//! How many blocks run, how much input they claim at a time, and how much room outputs get.

use super::CudaExecutor;
use super::backend::Backend;
use super::layout::{Layout, ensemble};
use crate::stream::RunError;
use crate::stream::topology::Target;

impl<G: Sync + ?Sized, B: Backend> CudaExecutor<'_, '_, G, B> {
    pub(super) fn kernel(&self) -> String {
        let suffix = if self.settings.metrics { "_metrics" } else { "" };
        format!("{}{suffix}", self.app)
    }

    pub(super) fn shared_bytes(&self, layout: &Layout) -> u32 {
        self.description.scratch_bytes + layout.shared_bytes
    }

    /// Inputs that fill a block at the root.
    pub(super) fn root_ensemble(&self) -> u32 {
        let module = self.plan.nodes[self.plan.root].module;
        ensemble(self.topology.modules[module].mapping, self.plan.width)
    }

    pub(super) fn explodes_first(&self) -> bool {
        self.plan.modules[self.plan.nodes[self.plan.root].module].explodes
    }

    /// Copies of the application: no more than have an ensemble of inputs each.
    pub(super) fn blocks(&self, inputs: usize) -> Result<u32, RunError> {
        let each = if self.explodes_first() { 1 } else { self.root_ensemble() as usize };
        let most = inputs.div_ceil(each).clamp(1, 1 << 20) as u32;
        if self.settings.blocks > 0 {
            return Ok(self.settings.blocks);
        }
        let layout = Layout::new(self.topology, &self.plan, &self.settings, 1);
        let shared = self.shared_bytes(&layout);
        let resident = self.backend.resident_blocks(&self.kernel(), self.plan.width, shared)?;
        if resident == 0 {
            let width = self.plan.width;
            return Err(RunError::Settings(format!(
                "{}: a block of {width} threads with {shared} bytes of shared memory does not fit \
                 the device",
                self.topology.name
            )));
        }
        Ok(resident.min(most))
    }

    /// Inputs that a block claims at a time: an ensemble, or several if blocks get many.
    pub(super) fn chunk(&self, inputs: usize, blocks: u32) -> u32 {
        let each = self.root_ensemble();
        if self.explodes_first() {
            return (inputs / (4 * blocks as usize)).clamp(1, each as usize) as u32;
        }
        let per_block = inputs / (blocks as usize * each as usize);
        each * (per_block / 16).clamp(1, 4) as u32
    }

    /// Items of a region of each sink: what the settings say, but no more than the input makes
    /// likely, and at least the outputs of one input.
    pub(super) fn region_slots(&self, inputs: usize, blocks: u32) -> Vec<u32> {
        let likely = 4 * inputs / blocks as usize + 4 * self.plan.width as usize;
        let likely = likely.min(self.settings.output_slots as usize) as u32;
        let mut slots = vec![likely.max(1); self.plan.sinks.len()];
        for node in &self.plan.nodes {
            let module = &self.plan.modules[node.module];
            let channels = self.topology.modules[node.module].channels.len();
            for edge in &self.plan.edges[node.first_edge..node.first_edge + channels] {
                if let Target::Sink(sink) = edge.to {
                    let inputs = if edge.per_item { module.indivisible } else { 1 };
                    slots[sink] = slots[sink].max(edge.gamma * inputs);
                }
            }
        }
        slots
    }
}
