//! The device memory of one run, without the sinks.

use bytemuck::Zeroable;

use super::backend::Backend;
use super::layout::RunLayout;
use super::moving::MovingMemory;
use super::tables::{
    CycleCounters, Donation, Fault, ModuleCounters, RunParameters, SavedBlock, SavedQueue,
    SavedWalk, ShareParameters,
};
use crate::DeviceError;
use crate::gpu::DeviceAddress;

/// The buffers of a run, and the kernel's parameter, which has their addresses.
pub(super) struct RunMemory<B: Backend> {
    pub parameters: RunParameters,
    /// Packets in which work moves, if it does.
    pub moving: Option<MovingMemory<B>>,
    cursor: B::Buffer,
    blocks: B::Buffer,
    walks: B::Buffer,
    outputs: B::Buffer,
    module_counters: B::Buffer,
    counters: B::Buffer,
    fault: B::Buffer,
    /// Buffers that only the kernel uses, kept alive for it.
    _kept: Vec<B::Buffer>,
}

/// The inputs of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunInput<'a> {
    pub location: InputLocation<'a>,
    pub count: usize,
}

/// The memory that holds the inputs.
#[derive(Debug, Clone, Copy)]
pub(super) enum InputLocation<'a> {
    /// Bytes of the inputs in the host's memory.
    Host(&'a [u8]),
    /// Address of the inputs in device memory.
    Device(DeviceAddress<u8>),
}

/// Properties of a run that are the same in all its launches; see [`RunParameters`].
pub(super) struct RunConstants<'a> {
    pub input: RunInput<'a>,
    pub global: &'a [u8],
    pub blocks: u32,
    pub sinks: usize,
    pub root: usize,
    pub chunk: u32,
    pub flags: u32,
    pub slice: u32,
    pub scratch_bytes: u32,
}

impl<B: Backend> RunMemory<B> {
    /// Allocates the buffers of a run and uploads tables, parameters and inputs. The address of the sinks is still
    /// null.
    pub(super) fn new(
        backend: &B,
        layout: &mut RunLayout,
        constants: &RunConstants<'_>,
    ) -> Result<Self, DeviceError> {
        let blocks = constants.blocks as usize;
        let nodes = layout.nodes.len();
        let mut kept = Vec::new();
        let mut keep = |buffer: B::Buffer| {
            let address = backend.address(&buffer);
            kept.push(buffer);
            address
        };
        let parameters = DeviceAddress::new(keep(backend.upload(&layout.parameters)?));
        let rest = DeviceAddress::new(keep(backend.uninitialized(layout.rest_bytes)?));
        let rest_ready = DeviceAddress::new(keep(backend.zeros(layout.rest_slots * 4)?));
        layout.place(parameters, rest, rest_ready);
        let mut rest_counters = vec![0_u32; 2 * layout.pools.count() as usize * nodes];
        rest_counters.extend(layout.pools.users());
        let saved: Vec<SavedBlock> = (0..constants.blocks)
            .map(|block| SavedBlock {
                next_chunk: u64::from(block),
                flags: layout.pools.of(block) << SavedBlock::POOL,
                ..SavedBlock::zeroed()
            })
            .collect();
        let moving = MovingMemory::new(backend, constants.blocks, layout.packet_bytes)?;
        let cursor = backend.zeros(8)?;
        let saved = backend.upload(bytemuck::cast_slice(&saved))?;
        let walks = backend.zeros(blocks * layout.walks.len() * size_of::<SavedWalk>())?;
        let walks_address = if layout.walks.is_empty() {
            DeviceAddress::NULL
        } else {
            backend.device_address(&walks)
        };
        let outputs = backend.zeros(blocks * constants.sinks * 4)?;
        let module_counters = backend.zeros(layout.modules.len() * size_of::<ModuleCounters>())?;
        let counters = backend.zeros(size_of::<CycleCounters>())?;
        let fault = backend.zeros(size_of::<Fault>())?;
        let mut parameters = RunParameters {
            nodes: DeviceAddress::new(keep(backend.upload(bytemuck::cast_slice(&layout.nodes))?)),
            edges: DeviceAddress::new(keep(backend.upload(bytemuck::cast_slice(&layout.edges))?)),
            modules: DeviceAddress::new(keep(
                backend.upload(bytemuck::cast_slice(&layout.modules))?,
            )),
            sinks: DeviceAddress::NULL,
            input: match constants.input.location {
                InputLocation::Host(bytes) => DeviceAddress::new(keep(backend.upload(bytes)?)),
                InputLocation::Device(address) => address,
            },
            inputs: constants.input.count as u64,
            cursor: backend.device_address(&cursor),
            global: DeviceAddress::new(keep(backend.upload(constants.global)?)),
            rings: DeviceAddress::new(keep(backend.uninitialized(layout.ring_stride * blocks)?)),
            ring_stride: layout.ring_stride as u64,
            blocks: backend.device_address(&saved),
            queues: DeviceAddress::new(keep(
                backend.zeros(blocks * nodes * size_of::<SavedQueue>())?,
            )),
            walk_rows: if layout.walks.is_empty() {
                DeviceAddress::NULL
            } else {
                DeviceAddress::new(keep(backend.upload(bytemuck::cast_slice(&layout.walks))?))
            },
            walks: walks_address,
            outputs: backend.device_address(&outputs),
            rest_counters: DeviceAddress::new(keep(
                backend.upload(bytemuck::cast_slice(&rest_counters))?,
            )),
            moving: DeviceAddress::NULL,
            packet_rows: DeviceAddress::NULL,
            packets: DeviceAddress::NULL,
            module_counters: backend.device_address(&module_counters),
            counters: backend.device_address(&counters),
            fault: backend.device_address(&fault),
            node_count: nodes as u32,
            edge_count: layout.edges.len() as u32,
            module_count: layout.modules.len() as u32,
            sink_count: constants.sinks as u32,
            root: constants.root as u32,
            chunk: constants.chunk,
            flags: constants.flags,
            slice: constants.slice,
            scratch_bytes: constants.scratch_bytes,
            block_count: constants.blocks,
            rest_pools: layout.pools.count(),
            packet_bytes: 0,
        };
        if let Some(moving) = &moving {
            moving.place(backend, &mut parameters);
        }
        Ok(Self {
            parameters,
            moving,
            cursor,
            blocks: saved,
            walks,
            outputs,
            module_counters,
            counters,
            fault,
            _kept: kept,
        })
    }

    /// Number of inputs that blocks have claimed.
    pub(super) fn claimed(&self, backend: &B) -> Result<u64, DeviceError> {
        let cursor = backend.read(&self.cursor, 8)?;
        Ok(bytemuck::pod_read_unaligned::<u64>(&cursor).min(self.parameters.inputs))
    }

    /// State of each block after the last launch.
    pub(super) fn saved_blocks(&self, backend: &B) -> Result<Vec<SavedBlock>, DeviceError> {
        let len = self.parameters.block_count as usize * size_of::<SavedBlock>();
        Ok(bytemuck::pod_collect_to_vec(&backend.read(&self.blocks, len)?))
    }

    /// For each block, the walk of each node after the last launch; nothing if no node walks.
    pub(super) fn walks(&self, backend: &B) -> Result<Vec<SavedWalk>, DeviceError> {
        if self.parameters.walks.get() == 0 {
            return Ok(Vec::new());
        }
        let count = (self.parameters.block_count * self.parameters.node_count) as usize;
        let bytes = backend.read(&self.walks, count * size_of::<SavedWalk>())?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    /// The parameter of the kernel that makes these donations.
    pub(super) fn share_parameters(&self, donations: DeviceAddress<Donation>) -> ShareParameters {
        let RunParameters { rings, ring_stride, blocks, walk_rows, walks, node_count, .. } =
            self.parameters;
        let padding = 0;
        ShareParameters {
            rings,
            ring_stride,
            blocks,
            walk_rows,
            walks,
            donations,
            node_count,
            padding,
        }
    }

    /// Number of items in the regions of sinks after the last launch: `[block][sink]`.
    pub(super) fn outputs(&self, backend: &B) -> Result<Vec<u32>, DeviceError> {
        let len = (self.parameters.block_count * self.parameters.sink_count) as usize * 4;
        Ok(bytemuck::pod_collect_to_vec(&backend.read(&self.outputs, len)?))
    }

    /// The first fault of the last launch, if there was one.
    pub(super) fn fault(&self, backend: &B) -> Result<Option<Fault>, DeviceError> {
        let bytes = backend.read(&self.fault, size_of::<Fault>())?;
        let fault: Fault = bytemuck::pod_read_unaligned(&bytes);
        Ok((fault.set != 0).then_some(fault))
    }

    /// Counters of each module type, and cycles of all blocks.
    pub(super) fn counters(
        &self,
        backend: &B,
    ) -> Result<(Vec<ModuleCounters>, CycleCounters), DeviceError> {
        let len = self.parameters.module_count as usize * size_of::<ModuleCounters>();
        let modules = bytemuck::pod_collect_to_vec(&backend.read(&self.module_counters, len)?);
        let counters = backend.read(&self.counters, size_of::<CycleCounters>())?;
        Ok((modules, bytemuck::pod_read_unaligned(&counters)))
    }
}
