//! The layout of a run in device memory: offsets of queues, parameters and rests, and the tables that hold them.

use bytemuck::Zeroable;

use super::describe;
use super::tables::{EdgeRow, ModuleRow, NONE, NodeRow, SavedWalk, WalkRow};
use crate::gpu::DeviceAddress;
use crate::stream::graph::topology::Target;
use crate::stream::plan::walk::PlannedWalk;
use crate::stream::plan::{EdgeKind, Plan, PlannedNode};
use crate::stream::{Policy, Settings, Topology};

/// Alignment of parameters and rings, in bytes.
const ALIGNMENT: usize = 16;

/// Rounds up to the alignment.
pub(super) fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}

/// The tables of a run. Addresses of parameters and rests are offsets until [`RunLayout::place`] is called.
#[derive(Debug)]
pub(super) struct RunLayout {
    pub nodes: Vec<NodeRow>,
    pub edges: Vec<EdgeRow>,
    pub modules: Vec<ModuleRow>,
    /// The stacks of each node; empty if none walks.
    pub walks: Vec<WalkRow>,
    /// Dynamic shared memory that walks need: their state, and a firing.
    pub walk_shared: WalkShared,
    /// Bytes of the parameters of module types and nodes.
    pub parameters: Vec<u8>,
    /// Size of a block's rings and stacks in global memory, in bytes.
    pub ring_stride: usize,
    /// Size of a block's rings in shared memory, in bytes.
    pub shared_bytes: u32,
    /// Pools in which blocks share items at the end of the input.
    pub pools: RestPools,
    /// Bytes of a packet in which work moves between blocks; 0 if it does not.
    pub packet_bytes: u32,
    /// Size of all pools of rests, in bytes.
    pub rest_bytes: usize,
    /// Number of slots of all pools of rests.
    pub rest_slots: usize,
}

/// Bytes of `WalkState` of `cuda/include/stream/block.cuh`.
const WALK_STATE_BYTES: u32 = (size_of::<WalkRow>() + size_of::<SavedWalk>() + 16) as u32;

/// Dynamic shared memory of a block for walks, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WalkShared {
    /// For the state of the walks.
    pub states: u32,
    /// For a firing.
    pub firing: u32,
}

/// Bytes of the dynamic shared memory of a firing of a walk, as `WalkScratch` of `cuda/include/stream/walk.cuh` lays it
/// out.
fn walk_scratch_bytes(walk: &PlannedWalk, width: u32) -> u32 {
    const WARPS: usize = 32;
    let (fan, items) = (walk.fan as usize, walk.items_at_once as usize);
    let children = fan * width as usize;
    let fixed = WARPS * 8 + 2 * WARPS * 4 + 4 * 4;
    let of_children = children * walk.header_bytes as usize + 4 * (3 * children + 4);
    let parts = 4 * (fan * items / WARPS + 1);
    aligned(fixed + of_children + aligned(items * walk.item_bytes as usize) + parts) as u32
}

/// Pools of rests: one for each group of blocks, and one that is common to the last block of each group. See
/// `cuda/include/stream/rest.cuh`.
#[derive(Debug, Clone, Copy)]
pub(super) struct RestPools {
    blocks: u32,
}

impl RestPools {
    /// Number of blocks that share a pool.
    const MEMBERS: u32 = 16;

    /// Number of pools; the common pool is the last one.
    pub(super) fn count(self) -> u32 {
        if self.blocks <= Self::MEMBERS { 1 } else { self.blocks.div_ceil(Self::MEMBERS) + 1 }
    }

    /// Number of the pool that a block uses first.
    pub(super) fn of(self, block: u32) -> u32 {
        if self.count() == 1 { 0 } else { block / Self::MEMBERS }
    }

    /// The most blocks that use one pool.
    pub(super) fn members(self) -> u32 {
        self.users().into_iter().fold(1, u32::max)
    }

    /// For each pool, the number of blocks that come to use it.
    pub(super) fn users(self) -> Vec<u32> {
        let mut users = vec![0; self.count() as usize];
        for block in 0..self.blocks {
            users[self.of(block) as usize] += 1;
        }
        if let [own @ .., common] = &mut users[..]
            && !own.is_empty()
        {
            *common = own.len() as u32;
        }
        users
    }
}

/// Bytes of the items of a packet, in which work moves between blocks: an ensemble of any node whose items move. 0 if work
/// does not move. See `cuda/include/stream/moving.cuh`.
fn packet_bytes<G: Sync + ?Sized>(
    topology: &Topology<'_, G>,
    plan: &Plan,
    settings: &Settings,
) -> u32 {
    let ensemble_bytes = |node: &PlannedNode| {
        topology.modules[node.module].mapping.ensemble(plan.width) * node.slot_bytes as u32
    };
    let moving = plan.nodes.iter().filter(|node| !plan.modules[node.module].explodes);
    let most = moving.map(ensemble_bytes).fold(1, u32::max);
    if settings.move_work { aligned(most as usize) as u32 } else { 0 }
}

impl RunLayout {
    /// Lays out a run of a topology on `blocks` blocks.
    pub(super) fn new<G: Sync + ?Sized>(
        topology: &Topology<'_, G>,
        plan: &Plan,
        settings: &Settings,
        blocks: u32,
    ) -> Self {
        let mut layout = Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            modules: Vec::new(),
            walks: Vec::new(),
            walk_shared: WalkShared::default(),
            parameters: Vec::new(),
            ring_stride: 0,
            shared_bytes: 0,
            pools: RestPools { blocks },
            packet_bytes: packet_bytes(topology, plan, settings),
            rest_bytes: 0,
            rest_slots: 0,
        };
        for (declared, planned) in topology.modules.iter().zip(&plan.modules) {
            let parameters = layout.add_parameters(&declared.parameters);
            let ensemble = declared.mapping.ensemble(plan.width);
            layout.modules.push(ModuleRow {
                first_node: planned.nodes.start as u32,
                nodes: planned.nodes.len() as u32,
                ensemble,
                kind: describe::kind(declared.mapping),
                // Not used for an ensemble of 1, which is always full.
                inverse: ((1_u64 << 32) / u64::from(ensemble) + 1) as u32,
                padding: 0,
                parameters,
            });
        }
        let shares = settings.share_rest && settings.policy == Policy::Lazy;
        for (index, node) in plan.nodes.iter().enumerate() {
            let module = &topology.modules[node.module];
            let parameters = layout.add_parameters(&topology.nodes[node.declared].parameters);
            let explodes = plan.modules[node.module].explodes;
            // A root that explodes needs a queue even if the plan gives it none, since input passes through
            // it to have its elements counted.
            let input = if explodes && index == plan.root { plan.width } else { 0 };
            let capacity = node.capacity.max(input);
            let ring = layout.ring_stride;
            layout.ring_stride += aligned(capacity as usize * node.slot_bytes);
            let ends = layout.ring_stride;
            layout.ring_stride += if explodes { aligned(capacity as usize * 4) } else { 0 };
            // Each block of a pool may add an ensemble at a time; see `reserve_rest` in `rest.cuh`.
            let members = 4 * layout.pools.members() * module.mapping.ensemble(plan.width);
            let is_shared = shares && !explodes && node.walk.is_none();
            let rest_slots = if is_shared { members as usize } else { 0 };
            layout.nodes.push(NodeRow {
                module: node.module as u32,
                capacity,
                reserve: node.reserve,
                slot_bytes: node.slot_bytes as u32,
                first_edge: node.first_edge as u32,
                channels: module.channels.len() as u32,
                shared_ring: NONE,
                rest_slots: rest_slots as u32,
                ring: ring as u64,
                ends: ends as u64,
                parameters,
                rest: DeviceAddress::new(layout.rest_bytes as u64),
                rest_ready: DeviceAddress::new(layout.rest_slots as u64),
            });
            let all_slots = rest_slots * layout.pools.count() as usize;
            layout.rest_bytes += aligned(all_slots * node.slot_bytes);
            layout.rest_slots += all_slots;
        }
        for (node, edge) in plan
            .nodes
            .iter()
            .enumerate()
            .flat_map(|(index, node)| plan.edges_of(index).iter().map(move |edge| (node, edge)))
        {
            // It is less than the capacity of the node.
            let spare = node.descent.map_or(0, |descent| descent.spare as u32);
            layout.edges.push(EdgeRow {
                target: match edge.to {
                    Target::Node(node) => node as u32,
                    Target::Sink(sink) => (plan.nodes.len() + sink) as u32,
                },
                // A firing takes inputs of all nodes of a module at once, and each node counts on its own. So a slot
                // that they share counts for each of them.
                gamma: edge.module_gamma,
                flags: if edge.kind == EdgeKind::Forward { 0 } else { EdgeRow::BACK }
                    | if edge.per_item { EdgeRow::PER_ELEMENT } else { 0 }
                    | if edge.shared { EdgeRow::SHARED } else { 0 }
                    | if edge.kind == EdgeKind::Descent { EdgeRow::DESCENT } else { 0 },
                spare: if edge.kind == EdgeKind::Descent { spare } else { 0 },
            });
        }
        if plan.nodes.iter().any(|node| node.walk.is_some()) {
            layout.add_walks(plan);
        }
        layout.place_shared(settings.shared_queues);
        layout
    }

    /// Adds the stacks of the nodes that walk.
    fn add_walks(&mut self, plan: &Plan) {
        for node in &plan.nodes {
            let row = node.walk.as_ref().map_or(WalkRow::zeroed(), |walk| self.walk_row(walk));
            self.walks.push(row);
            let bytes = |walk| walk_scratch_bytes(walk, plan.width);
            let firing = node.walk.as_ref().map_or(0, bytes);
            self.walk_shared.firing = self.walk_shared.firing.max(firing);
        }
        self.walk_shared.states = plan.nodes.len() as u32 * WALK_STATE_BYTES;
    }

    fn walk_row(&mut self, walk: &PlannedWalk) -> WalkRow {
        let mut stack = |rooms: u32, bytes: u32| {
            let offset = self.ring_stride;
            self.ring_stride += aligned(rooms as usize * bytes as usize);
            offset as u64
        };
        WalkRow {
            headers: stack(walk.pods_room, walk.header_bytes),
            counts: stack(walk.pods_room, 4),
            items: stack(walk.items_room, walk.item_bytes),
            header_bytes: walk.header_bytes,
            item_bytes: walk.item_bytes,
            pods_room: walk.pods_room,
            items_room: walk.items_room,
            items_reserve: walk.items_reserve,
            elements: walk.elements,
            pods_at_once: walk.pods_at_once,
            items_at_once: walk.items_at_once,
            steps: walk.steps,
            fan: walk.fan,
        }
    }

    /// Appends parameters, and returns their offset as an address.
    fn add_parameters(&mut self, bytes: &[u8]) -> DeviceAddress<u8> {
        let offset = self.parameters.len();
        self.parameters.extend_from_slice(bytes);
        // Empty parameters get an address of their own, too.
        self.parameters.resize(aligned(offset + bytes.len().max(1)), 0);
        DeviceAddress::new(offset as u64)
    }

    /// Puts the smallest rings into shared memory, as long as they fit `budget` bytes.
    fn place_shared(&mut self, budget: u32) {
        let bytes = |node: &NodeRow| aligned(node.capacity as usize * node.slot_bytes as usize);
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&node| bytes(&self.nodes[node]));
        for node in order {
            let end = self.shared_bytes as usize + bytes(&self.nodes[node]);
            if end > budget as usize {
                break;
            }
            self.nodes[node].shared_ring = self.shared_bytes;
            self.shared_bytes = end as u32;
        }
    }

    /// Turns offsets of parameters and rests into addresses.
    pub(super) fn place(
        &mut self,
        parameters: DeviceAddress<u8>,
        rest: DeviceAddress<u8>,
        rest_ready: DeviceAddress<u32>,
    ) {
        for module in &mut self.modules {
            module.parameters = parameters.offset(module.parameters.get());
        }
        for node in &mut self.nodes {
            node.parameters = parameters.offset(node.parameters.get());
            node.rest = rest.offset(node.rest.get());
            node.rest_ready = rest_ready.offset(node.rest_ready.get());
        }
    }
}
