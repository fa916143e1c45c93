//! An application on a device: its topology, plan and kernels, and how many blocks, how much input at a time and how
//! much room for outputs a run of it gets.

use super::backend::Backend;
use super::describe::KernelDescription;
use super::layout::RunLayout;
use crate::DeviceError;
use crate::stream::plan::Plan;
use crate::stream::{RunError, Settings, Topology};

/// A topology whose kernels are loaded on a device, planned for some settings.
pub(super) struct CudaApplication<'t, 'g, G: Sync + ?Sized, B: Backend> {
    pub topology: &'t Topology<'g, G>,
    pub plan: Plan,
    pub settings: Settings,
    pub backend: B,
    /// Name that was given to `STREAM_APP`.
    pub app: &'static str,
    pub description: KernelDescription,
    /// Bytes of the application's parameters, as the device sees them.
    pub global: Vec<u8>,
}

impl<'t, 'g, G: Sync + ?Sized, B: Backend> CudaApplication<'t, 'g, G, B> {
    /// Plans the queues, and checks that the kernels are those of the topology.
    ///
    /// # Errors
    /// If the topology or the settings are refused, or the kernels were built for other modules or limits.
    pub(super) fn new(
        backend: B,
        description: KernelDescription,
        topology: &'t Topology<'g, G>,
        settings: &Settings,
        app: &'static str,
        global: Vec<u8>,
    ) -> Result<Self, RunError> {
        let plan = Plan::new(topology, settings)?;
        description.compare(topology, global.len())?;
        let refused = |what: &str, have: usize, most: u32| {
            if have <= most as usize {
                return Ok(());
            }
            let name = topology.name;
            Err(RunError::Settings(format!(
                "{name}: {have} {what}; its kernel is built for {most}"
            )))
        };
        refused("nodes and sinks", plan.nodes.len() + plan.sinks.len(), description.max_targets)?;
        refused("edges", plan.edges.len(), description.max_edges)?;
        refused("items in an ensemble", plan.width as usize, description.max_width)?;
        let settings = settings.clone();
        Ok(Self { topology, plan, settings, backend, app, description, global })
    }
}

impl<G: Sync + ?Sized, B: Backend> CudaApplication<'_, '_, G, B> {
    /// Name of the kernel: the one that measures, if the settings ask for metrics.
    pub(super) fn kernel(&self) -> String {
        let suffix = if self.settings.metrics { "_metrics" } else { "" };
        format!("{}{suffix}", self.app)
    }

    /// Dynamic shared memory of a block without queues, in bytes: for the state of walks, and for firings.
    pub(super) fn scratch_bytes(&self, layout: &RunLayout) -> u32 {
        layout.walk_shared.states + self.description.scratch_bytes.max(layout.walk_shared.firing)
    }

    /// Dynamic shared memory of a block, in bytes.
    pub(super) fn shared_bytes(&self, layout: &RunLayout) -> u32 {
        self.scratch_bytes(layout) + layout.shared_bytes
    }

    /// Number of inputs, or elements, that fill an ensemble of the root.
    pub(super) fn root_ensemble(&self) -> u32 {
        let module = self.plan.nodes[self.plan.root].module;
        self.topology.modules[module].mapping.ensemble(self.plan.width)
    }

    /// Whether one input may be work for a whole block: whether the module type that takes the input explodes it, or walks.
    pub(super) fn root_multiplies(&self) -> bool {
        let root = &self.plan.nodes[self.plan.root];
        self.plan.modules[root.module].explodes || root.walk.is_some()
    }

    /// Number of blocks, which are copies of the application: as many as are resident at a time, but no more than
    /// have an ensemble of inputs each, unless work moves or others share their walks; or the number in the settings. In any case, no
    /// more than there is memory for.
    pub(super) fn blocks(&self, inputs: usize) -> Result<u32, RunError> {
        let each = if self.root_multiplies() { 1 } else { self.root_ensemble() as usize };
        let most = inputs.div_ceil(each).clamp(1, 1 << 20) as u32;
        // Where work moves, it also moves to blocks without inputs.
        let moves = self.settings.move_work || self.shares_walks();
        let most = if moves && inputs > 0 { u32::MAX } else { most };
        let layout = RunLayout::new(self.topology, &self.plan, &self.settings, 1);
        let fitting = match self.settings.queue_bytes {
            0 => u32::MAX,
            bytes => bytes
                .checked_div(layout.ring_stride as u64)
                .unwrap_or(u64::MAX)
                .min(u32::MAX.into()) as u32,
        };
        if fitting == 0 {
            return Err(DeviceError::OutOfMemory(Some(layout.ring_stride as u64)).into());
        }
        if self.settings.blocks > 0 {
            return Ok(self.settings.blocks.min(fitting));
        }
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
        Ok(resident.min(most).min(fitting))
    }

    /// Number of inputs that a block claims at a time.
    pub(super) fn chunk(&self, inputs: usize, blocks: u32) -> u32 {
        self.plan.chunk(inputs, blocks as usize, self.root_ensemble() as usize) as u32
    }

    /// Items of each sink that the region of one block holds. Where [`Settings::likely_outputs`] has a number, a block
    /// gets twice its share, as blocks differ; else [`Settings::output_slots`], but no more than a few for each input,
    /// unless inputs become many items by walks.
    /// In any case there is room for the outputs of one input.
    pub(super) fn region_slots(&self, inputs: usize, blocks: u32) -> Vec<u32> {
        let share_of_a_block =
            |outputs: u64| outputs / u64::from(blocks) + 4 * u64::from(self.plan.width);
        let has_walks = self.plan.nodes.iter().any(|node| node.walk.is_some());
        let few = if has_walks { u64::MAX } else { share_of_a_block(4 * inputs as u64) };
        let unknown = few.min(self.settings.output_slots.into());
        let likely = |sink: usize| {
            self.settings.likely_outputs.get(sink).map(|&it| share_of_a_block(2 * it))
        };
        let slots = |sink| likely(sink).unwrap_or(unknown).clamp(1, u32::MAX.into()) as u32;
        self.plan.regions(slots)
    }
}
