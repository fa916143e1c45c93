//! How many blocks run, how much input they claim at a time, and how much room outputs get.

use super::CudaExecutor;
use super::backend::Backend;
use super::layout::Layout;
use crate::stream::RunError;

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
        self.topology.modules[module].mapping.ensemble(self.plan.width)
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

    /// Inputs that a block claims at a time.
    pub(super) fn chunk(&self, inputs: usize, blocks: u32) -> u32 {
        self.plan.chunk(inputs, blocks as usize, self.root_ensemble() as usize) as u32
    }

    /// Items of a region of each sink: twice what is likely, as blocks differ; or what the settings say, but no more
    /// than a few for each input; and at least the outputs of one input.
    pub(super) fn region_slots(&self, inputs: usize, blocks: u32) -> Vec<u32> {
        let share = |outputs: u64| outputs / u64::from(blocks) + 4 * u64::from(self.plan.width);
        let unknown = share(4 * inputs as u64).min(self.settings.output_slots.into());
        let likely = |sink: usize| self.settings.likely_outputs.get(sink).map(|&it| share(2 * it));
        let slots = |sink| likely(sink).unwrap_or(unknown).clamp(1, u32::MAX.into()) as u32;
        self.plan.regions(slots)
    }
}
