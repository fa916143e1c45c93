//! The device memory of one run.

use bytemuck::Zeroable;

use super::backend::Backend;
use super::layout::Layout;
use super::tables::{Counters, Fault, ModuleCounters, Run, SavedBlock, SavedQueue};
use crate::DeviceError;

/// Buffers of a run, and the struct that tells their addresses to the kernel.
pub(super) struct Memory<B: Backend> {
    pub run: Run,
    cursor: B::Buffer,
    blocks: B::Buffer,
    outputs: B::Buffer,
    module_counters: B::Buffer,
    counters: B::Buffer,
    fault: B::Buffer,
    /// The struct itself, on the device.
    run_buffer: B::Buffer,
    /// Kept alive for their addresses.
    _kept: Vec<B::Buffer>,
}

/// Inputs, and where they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    pub place: Place<'a>,
    pub count: usize,
}

/// Where inputs are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    /// Their bytes, on the host.
    Host(&'a [u8]),
    /// Their address, on the device.
    Device(u64),
}

/// What does not change between the launches of a run.
pub(super) struct Shape<'a> {
    pub input: Input<'a>,
    pub global: &'a [u8],
    pub blocks: u32,
    pub sinks: usize,
    pub root: usize,
    pub chunk: u32,
    pub flags: u32,
    pub slice: u32,
    pub scratch_bytes: u32,
}

impl<B: Backend> Memory<B> {
    pub(super) fn new(
        backend: &B,
        layout: &mut Layout,
        shape: &Shape<'_>,
    ) -> Result<Self, DeviceError> {
        let blocks = shape.blocks as usize;
        let nodes = layout.nodes.len();
        let mut kept = Vec::new();
        let mut keep = |buffer: B::Buffer| {
            let address = backend.address(&buffer);
            kept.push(buffer);
            address
        };
        let parameters = keep(backend.upload(&layout.parameters)?);
        let rest = keep(backend.uninitialized(layout.rest_bytes)?);
        let rest_ready = keep(backend.zeros(layout.rest_slots * 4)?);
        layout.place(parameters, rest, rest_ready);
        let mut rest_counters = vec![0_u32; 2 * layout.pools.count() as usize * nodes];
        rest_counters.extend(layout.pools.users());
        let saved: Vec<SavedBlock> = (0..shape.blocks)
            .map(|block| SavedBlock {
                next_chunk: u64::from(block),
                flags: layout.pools.of(block) << SavedBlock::POOL,
                ..SavedBlock::zeroed()
            })
            .collect();
        let cursor = backend.zeros(8)?;
        let saved = backend.upload(bytemuck::cast_slice(&saved))?;
        let outputs = backend.zeros(blocks * shape.sinks * 4)?;
        let module_counters = backend.zeros(layout.modules.len() * size_of::<ModuleCounters>())?;
        let counters = backend.zeros(size_of::<Counters>())?;
        let fault = backend.zeros(size_of::<Fault>())?;
        let run = Run {
            nodes: keep(backend.upload(bytemuck::cast_slice(&layout.nodes))?),
            edges: keep(backend.upload(bytemuck::cast_slice(&layout.edges))?),
            modules: keep(backend.upload(bytemuck::cast_slice(&layout.modules))?),
            sinks: 0,
            input: match shape.input.place {
                Place::Host(bytes) => keep(backend.upload(bytes)?),
                Place::Device(address) => address,
            },
            inputs: shape.input.count as u64,
            cursor: backend.address(&cursor),
            global: keep(backend.upload(shape.global)?),
            rings: keep(backend.uninitialized(layout.ring_stride * blocks)?),
            ring_stride: layout.ring_stride as u64,
            blocks: backend.address(&saved),
            queues: keep(backend.zeros(blocks * nodes * size_of::<SavedQueue>())?),
            outputs: backend.address(&outputs),
            rest_counters: keep(backend.upload(bytemuck::cast_slice(&rest_counters))?),
            module_counters: backend.address(&module_counters),
            counters: backend.address(&counters),
            fault: backend.address(&fault),
            node_count: nodes as u32,
            edge_count: layout.edges.len() as u32,
            module_count: layout.modules.len() as u32,
            sink_count: shape.sinks as u32,
            root: shape.root as u32,
            chunk: shape.chunk,
            flags: shape.flags,
            slice: shape.slice,
            scratch_bytes: shape.scratch_bytes,
            block_count: shape.blocks,
            rest_pools: layout.pools.count(),
            padding: 0,
        };
        let run_buffer = backend.zeros(size_of::<Run>())?;
        Ok(Self {
            run,
            cursor,
            blocks: saved,
            outputs,
            module_counters,
            counters,
            fault,
            run_buffer,
            _kept: kept,
        })
    }

    /// Puts the struct on the device, with the sinks' table at `sinks`; gives its address.
    pub(super) fn tell(&mut self, backend: &B, sinks: u64) -> Result<u64, DeviceError> {
        self.run.sinks = sinks;
        backend.write(&mut self.run_buffer, bytemuck::bytes_of(&self.run))?;
        Ok(backend.address(&self.run_buffer))
    }

    pub(super) fn claimed(&self, backend: &B) -> Result<u64, DeviceError> {
        let cursor = backend.read(&self.cursor, 8)?;
        Ok(bytemuck::pod_read_unaligned::<u64>(&cursor).min(self.run.inputs))
    }

    pub(super) fn saved_blocks(&self, backend: &B) -> Result<Vec<SavedBlock>, DeviceError> {
        let len = self.run.block_count as usize * size_of::<SavedBlock>();
        Ok(bytemuck::pod_collect_to_vec(&backend.read(&self.blocks, len)?))
    }

    /// Items of each block in each sink's region: `[block][sink]`.
    pub(super) fn outputs(&self, backend: &B) -> Result<Vec<u32>, DeviceError> {
        let len = (self.run.block_count * self.run.sink_count) as usize * 4;
        Ok(bytemuck::pod_collect_to_vec(&backend.read(&self.outputs, len)?))
    }

    pub(super) fn fault(&self, backend: &B) -> Result<Option<Fault>, DeviceError> {
        let bytes = backend.read(&self.fault, size_of::<Fault>())?;
        let fault: Fault = bytemuck::pod_read_unaligned(&bytes);
        Ok((fault.set != 0).then_some(fault))
    }

    pub(super) fn counters(
        &self,
        backend: &B,
    ) -> Result<(Vec<ModuleCounters>, Counters), DeviceError> {
        let len = self.run.module_count as usize * size_of::<ModuleCounters>();
        let modules = bytemuck::pod_collect_to_vec(&backend.read(&self.module_counters, len)?);
        let counters = backend.read(&self.counters, size_of::<Counters>())?;
        Ok((modules, bytemuck::pod_read_unaligned(&counters)))
    }
}
