//! The device memory of one run, without the sinks.

use bytemuck::Zeroable;

use super::backend::Backend;
use super::layout::RunLayout;
use super::moving::MovingMemory;
use super::parts::{Part, Parts, Places, address};
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
    /// Tables: first those of [`LaunchState`], then the counters, then those that only the kernel uses.
    tables: B::Buffer,
    parts: StateParts,
    /// The walks, in front, and other parts that are 0 at first.
    zeroed: B::Buffer,
    /// Buffers that only the kernel uses, kept alive for it.
    _kept: Vec<B::Buffer>,
}

/// Where the tables that the host reads lie.
struct StateParts {
    cursor: Part,
    fault: Part,
    outputs: Part,
    blocks: Part,
    module_counters: Part,
    counters: Part,
}

/// The state that a launch has left behind.
pub(super) struct LaunchState {
    /// Number of inputs that blocks have claimed.
    pub claimed: u64,
    /// The first fault, if there was one.
    pub fault: Option<Fault>,
    /// Number of items in the regions of sinks: `[block][sink]`.
    pub outputs: Vec<u32>,
    pub blocks: Vec<SavedBlock>,
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
        let mut rest_counters = vec![0_u32; 2 * layout.pools.count() as usize * nodes];
        rest_counters.extend(layout.pools.users());
        let saved: Vec<SavedBlock> = (0..constants.blocks)
            .map(|block| SavedBlock {
                next_chunk: u64::from(block),
                flags: layout.pools.of(block) << SavedBlock::POOL,
                ..SavedBlock::zeroed()
            })
            .collect();

        let mut tables = Parts::default();
        let parts = StateParts {
            cursor: tables.zeros(8),
            fault: tables.zeros(size_of::<Fault>()),
            outputs: tables.zeros(blocks * constants.sinks * 4),
            blocks: tables.add(bytemuck::cast_slice(&saved)),
            module_counters: tables.zeros(layout.modules.len() * size_of::<ModuleCounters>()),
            counters: tables.zeros(size_of::<CycleCounters>()),
        };
        let own = tables.add(&layout.parameters);
        let global = tables.add(constants.global);
        let edges = tables.add(bytemuck::cast_slice(&layout.edges));
        let walk_rows = tables.add(bytemuck::cast_slice(&layout.walks));
        let rest_counters = tables.add(bytemuck::cast_slice(&rest_counters));
        // These have addresses of others.
        let node_rows = tables.zeros(size_of_val(&layout.nodes[..]));
        let modules = tables.zeros(size_of_val(&layout.modules[..]));

        let mut places = Places::default();
        let walks = places.add(blocks * layout.walks.len() * size_of::<SavedWalk>());
        let queues = places.add(blocks * nodes * size_of::<SavedQueue>());
        let rest_ready = places.add(layout.rest_slots * 4);
        let zeroed = backend.zeros(places.bytes())?;

        let mut buffer = backend.uninitialized(tables.bytes().len())?;
        let rest = DeviceAddress::new(keep(backend.uninitialized(layout.rest_bytes)?));
        layout.place(address(backend, &buffer, &own), rest, address(backend, &zeroed, &rest_ready));
        tables.set(&node_rows, bytemuck::cast_slice(&layout.nodes));
        tables.set(&modules, bytemuck::cast_slice(&layout.modules));
        backend.write(&mut buffer, tables.bytes())?;
        let moving = MovingMemory::new(backend, constants.blocks, layout.packet_bytes)?;
        let has_walks = !layout.walks.is_empty();
        let mut parameters = RunParameters {
            nodes: address(backend, &buffer, &node_rows),
            edges: address(backend, &buffer, &edges),
            modules: address(backend, &buffer, &modules),
            sinks: DeviceAddress::NULL,
            input: match constants.input.location {
                InputLocation::Host(bytes) => DeviceAddress::new(keep(backend.upload(bytes)?)),
                InputLocation::Device(address) => address,
            },
            inputs: constants.input.count as u64,
            cursor: address(backend, &buffer, &parts.cursor),
            global: address(backend, &buffer, &global),
            rings: DeviceAddress::new(keep(backend.uninitialized(layout.ring_stride * blocks)?)),
            ring_stride: layout.ring_stride as u64,
            blocks: address(backend, &buffer, &parts.blocks),
            queues: address(backend, &zeroed, &queues),
            walk_rows: if has_walks {
                address(backend, &buffer, &walk_rows)
            } else {
                DeviceAddress::NULL
            },
            walks: if has_walks { address(backend, &zeroed, &walks) } else { DeviceAddress::NULL },
            outputs: address(backend, &buffer, &parts.outputs),
            rest_counters: address(backend, &buffer, &rest_counters),
            moving: DeviceAddress::NULL,
            packet_rows: DeviceAddress::NULL,
            packets: DeviceAddress::NULL,
            module_counters: address(backend, &buffer, &parts.module_counters),
            counters: address(backend, &buffer, &parts.counters),
            fault: address(backend, &buffer, &parts.fault),
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
        Ok(Self { parameters, moving, tables: buffer, parts, zeroed, _kept: kept })
    }

    /// The state that the last launch has left behind.
    pub(super) fn state(&self, backend: &B) -> Result<LaunchState, DeviceError> {
        let StateParts { cursor, fault, outputs, blocks, .. } = &self.parts;
        let bytes = backend.read(&self.tables, blocks.end)?;
        let claimed: u64 = bytemuck::pod_read_unaligned(&bytes[cursor.clone()]);
        let fault: Fault = bytemuck::pod_read_unaligned(&bytes[fault.clone()]);
        Ok(LaunchState {
            claimed: claimed.min(self.parameters.inputs),
            fault: (fault.set != 0).then_some(fault),
            outputs: bytemuck::pod_collect_to_vec(&bytes[outputs.clone()]),
            blocks: bytemuck::pod_collect_to_vec(&bytes[blocks.clone()]),
        })
    }

    /// For each block, the walk of each node after the last launch; nothing if no node walks.
    pub(super) fn walks(&self, backend: &B) -> Result<Vec<SavedWalk>, DeviceError> {
        if self.parameters.walks.get() == 0 {
            return Ok(Vec::new());
        }
        let count = (self.parameters.block_count * self.parameters.node_count) as usize;
        let bytes = backend.read(&self.zeroed, count * size_of::<SavedWalk>())?;
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

    /// Counters of each module type, and cycles of all blocks.
    pub(super) fn counters(
        &self,
        backend: &B,
    ) -> Result<(Vec<ModuleCounters>, CycleCounters), DeviceError> {
        let StateParts { module_counters, counters, .. } = &self.parts;
        let bytes = backend.read(&self.tables, counters.end)?;
        let modules = bytemuck::pod_collect_to_vec(&bytes[module_counters.clone()]);
        Ok((modules, bytemuck::pod_read_unaligned(&bytes[counters.clone()])))
    }
}
