// A block's copy of the application: the state of its queues and what it is to do next.
//
// All of it lies in shared memory. Warp 0 decides (scheduler.cuh) while the other warps of the block wait, then all
// warps fire (fire.cuh). So the scheduler's latency counts, and values that it needs together are loaded together, as
// one 16-byte word.
#pragma once

#include "stream/items.cuh"
#include "stream/tables.cuh"

// The most nodes and sinks of an application; define it before the include for more.
#ifndef STREAM_MAX_TARGETS
#define STREAM_MAX_TARGETS 32
#endif

// The widest ensemble, and how many blocks of that width a multiprocessor is to hold. Together they limit the
// registers of a thread: 80 for 3 blocks of 256 threads. Define them before the include to change them.
#ifndef STREAM_MAX_WIDTH
#define STREAM_MAX_WIDTH 256
#define STREAM_MIN_BLOCKS 3
#endif
#ifndef STREAM_MIN_BLOCKS
#define STREAM_MIN_BLOCKS 1
#endif

namespace stream {

constexpr u32 MAX_TARGETS = STREAM_MAX_TARGETS;
// Edges of an application; the host refuses more.
constexpr u32 MAX_EDGES = 2 * MAX_TARGETS;
// Targets that each lane of the scheduler is responsible for: lane j has targets j, j + 32, ...
constexpr u32 PASSES = (MAX_TARGETS + 31) / 32;

// Actions that the scheduler may choose.
enum class Action : u32 {
  fire,  // fire a module
  load,  // move input to the queue of a root that explodes it
  rest,  // the input is exhausted and no ensemble is full: share waiting items with other blocks
  give,  // move items of a node to a packet for another block (moving.cuh)
  take,  // nothing is left to do: wait for a packet
  stop,  // end the launch: a sink is full, the slice has ended, or nothing is left to do
};

// The queue of a target. Its `count` items are in slots head, head + 1, ..., modulo capacity; only the back edge of a
// loop may fill the last `reserve` free slots. The queue of a depth-first node is a stack: its head stays at slot 0.
struct __align__(16) Queue {
  u32 head, count, capacity, reserve;

  // Free slots.
  __device__ u32 open() const { return capacity - count; }
};

// Changes that a firing makes to the queue of a target; booked after it (booking.cuh).
struct __align__(16) Flow {
  u64 pushed;  // slots in the low half, elements in the high half
  u32 take;    // inputs or elements to be taken from the queue
  u32 tail;    // the slot for the first item that is pushed
};

// A walk of the block (walk.cuh), in the dynamic shared memory of applications whose modules walk.
struct __align__(16) WalkState {
  WalkRow row;
  SavedWalk stack;
  // Set by the scheduler for a firing:
  u32 fires;  // 1 if the node takes part
  u32 whole;  // the items that it might visit if the targets were empty
  u32 padding[2];
};

// Constants of a node and its module that the scheduler needs.
struct __align__(16) NodeFacts {
  u32 module, kind, first_edge, channels;
  u32 ensemble, inverse;  // of the module
  u32 last;               // 1 for the last node of the module
  u32 descent;            // for depth-first nodes, gamma of the channel that leads back; else 0
};

// The nodes of a module: `nodes` of them from `first` on.
struct __align__(8) ModuleFacts {
  u32 first, nodes;
};

// The scheduler's decision.
struct __align__(16) Decision {
  Action action;
  u32 module;  // the module to fire
  u32 inputs;  // how many inputs, or elements, it takes
  u32 full;    // 1 if all ensembles of the firing are full
};

// The state of a block. Arrays are indexed by target (nodes, then sinks), by edge or by module.
struct Block {
  Queue queue[MAX_TARGETS];
  Flow flow[MAX_TARGETS];
  byte* ring[MAX_TARGETS];
  u32 slot_bytes[MAX_TARGETS];
  u32 scheme[MAX_TARGETS];  // a SinkScheme, for sinks

  NodeFacts node[MAX_TARGETS];
  const byte* parameters[MAX_TARGETS];
  u32 prefix[MAX_TARGETS];  // inputs that the firing takes from the nodes of the module that precede this one
  // For nodes whose module explodes: ends[t][slot] is the number of elements that were pushed up to and including
  // the item in this slot, modulo 2^32. `ended` is the number after the last item, `consumed` the number of elements
  // that firings have taken. ends[t] is null for all other targets.
  u32* ends[MAX_TARGETS];
  WalkState* walks;  // of each node, in shared memory; null if no module walks
  u32 ended[MAX_TARGETS], consumed[MAX_TARGETS];

  EdgeRow edge[MAX_EDGES];

  ModuleFacts module[MAX_TARGETS];
  const byte* module_parameters[MAX_TARGETS];

  Decision next;
  // Three parts of the input, each with its first input and its length: the window, from which the root takes inputs
  // now; the part ahead, which follows it; and the part that a thread claims during a firing.
  u64 window, ahead, claimed;
  u32 window_left, ahead_count, claimed_count;
  u32 waiting;       // inputs in window and ahead together
  u32 window_take;   // how many of them the firing takes
  u32 window_moved;  // 1 if the window must be booked before the next decision
  u32 claims;        // 1 if a thread is to claim another part during the firing
  u32 claimed_last;  // 1 if no input follows the claimed part
  u64 next_chunk;    // of the block's share, under STATIC_INPUT
  u32 exhausted;     // 1 if no input is left to claim
  u32 finished;      // 1 if the block will do nothing any more
  u32 firings, firings_limit;
  // State at the end of the input (rest.cuh), 0 or 1 each:
  u32 drain;    // fires its items, whether ensembles are full or not
  u32 last;     // no other block is left
  u32 sweep;    // was the last block of its pool, and moves the pool's items to the common pool
  u32 partial;  // has taken items out of a pool that it must fire next, whether the ensemble is full or not
  u32 pool;  // number of the pool of rests that it uses
  // State of work that moves (moving.cuh):
  u32 works;   // 1 if the block counts among those that work
  u32 hungry;  // 1 if the block is to give items to a hungry one, if it has enough
  u32 nodes, targets, modules, root;
  u32 source, source_ensemble;  // the module of the root, and the inputs that it needs at a time
  u32 shared_word;  // broadcast from one thread to all threads of the block
};

// Reads a word that other blocks write. The order of such reads is not defined.
__device__ inline u32 read_shared(const u32* address) {
  return *static_cast<const volatile u32*>(address);
}

__device__ inline u32 lane_in_warp() { return threadIdx.x % WARP; }
// Mask of the lanes of the warp before the calling one.
__device__ inline u32 lanes_before() { return (1u << lane_in_warp()) - 1; }

// The slot `offset` after `from`, both less than or equal to the capacity.
__device__ inline u32 wrapped(u32 from, u32 offset, u32 capacity) {
  const u32 slot = from + offset;
  return slot >= capacity ? slot - capacity : slot;
}

// How many of the first `count` items of a node's queue end at or before element `position`, counted from the same
// origin as `ends`. The node's module explodes or takes pods. Any thread.
__device__ inline u32 pods_ended(const Block& b, u32 node, u32 count, u32 position) {
  const u32* ends = b.ends[node];
  const u32 origin = b.consumed[node];
  const Queue queue = b.queue[node];
  u32 low = 0, high = count;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    const u32 end = ends[wrapped(queue.head, middle, queue.capacity)];
    if (static_cast<int>(end - origin) <= static_cast<int>(position - origin)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Address of the first chunk of an item in a slot of a node's queue, and distance in bytes from one chunk to the next
// (items.cuh). `bytes` is the size of an item. For modules that do not explode; others keep items in one piece.
__device__ inline byte* slot_at(const Block& b, u32 node, u32 slot, u32 bytes) {
  return b.ring[node] + static_cast<u64>(slot) * chunk_bytes(bytes);
}
__device__ inline u32 stride_of(const Block& b, u32 node, u32 bytes) {
  return b.queue[node].capacity * chunk_bytes(bytes);
}

// Copies `bytes` bytes, a multiple of 4. All threads of the block call; valid after the next barrier.
__device__ inline void copy_words(byte* to, const byte* from, u64 bytes) {
  for (u64 i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
    reinterpret_cast<u32*>(to)[i] = reinterpret_cast<const u32*>(from)[i];
  }
}

// Bytes of a node's ring, rounded up to a multiple of 16.
__device__ inline u64 ring_bytes(const NodeRow& node) {
  return (static_cast<u64>(node.capacity) * node.slot_bytes + 15) / 16 * 16;
}

// Bytes of the walks of a block.
__device__ inline u32 walk_bytes(u32 nodes) { return nodes * sizeof(WalkState); }

// Whether a node's module walks. Any thread.
__device__ inline bool is_walk(const NodeFacts& node) { return node.kind == static_cast<u32>(Kind::walk); }

// Whether nothing waits in the stack of a walk, so that it may begin with another input. Any thread.
__device__ inline bool is_between_walks(const Block& b, u32 node) { return b.walks[node].stack.is_empty(); }

// Loads the state that the last launch has saved. STACKS: whether the application has depth-first modules; WALKS: whether
// it has modules that walk, whose state is at `walks`. All threads of the block call; valid after the next barrier.
template <bool STACKS, bool WALKS>
__device__ void restore(Block& b, const RunParameters& run, byte* shared_rings, byte* walks) {
  const u32 self = blockIdx.x;
  byte* rings = run.rings + self * run.ring_stride;
  for (u32 t = threadIdx.x; t < run.node_count + run.sink_count; t += blockDim.x) {
    b.ends[t] = nullptr;
    if (t < run.node_count) {
      const NodeRow& node = run.nodes[t];
      const SavedQueue& saved = run.queues[self * run.node_count + t];
      const ModuleRow& module = run.modules[node.module];
      const u32 last = t == module.first_node + module.nodes - 1;
      b.queue[t] = {saved.head, saved.count, node.capacity, node.reserve};
      b.node[t] = {node.module,     module.kind,    node.first_edge, node.channels,
                   module.ensemble, module.inverse, last,            0};
      if constexpr (STACKS) {
        for (u32 c = 0; c < node.channels; ++c) {
          const EdgeRow& edge = run.edges[node.first_edge + c];
          if (edge.flags & EdgeRow::DESCENT) b.node[t].descent = edge.gamma;
        }
      }
      b.ring[t] = node.shared_ring == NONE ? rings + node.ring : shared_rings + node.shared_ring;
      b.slot_bytes[t] = node.slot_bytes;
      b.parameters[t] = node.parameters;
      if (has_elements(static_cast<Kind>(module.kind))) b.ends[t] = reinterpret_cast<u32*>(rings + node.ends);
      b.ended[t] = saved.ended;
      b.consumed[t] = saved.consumed;
      if constexpr (WALKS) {
        reinterpret_cast<WalkState*>(walks)[t] = {run.walk_rows[t], run.walks[self * run.node_count + t], 0, 0, {0, 0}};
      }
    } else {
      const SinkRow& sink = run.sinks[t - run.node_count];
      const bool regions = sink.scheme == static_cast<u32>(SinkScheme::regions);
      const bool own = regions || sink.scheme == static_cast<u32>(SinkScheme::exact);
      b.queue[t] = {0, 0, regions ? sink.slots[self] : NONE, 0};
      b.ring[t] = own ? sink.items + sink.first[self] * sink.item_bytes : sink.items;
      b.slot_bytes[t] = sink.item_bytes;
      b.scheme[t] = sink.scheme;
    }
    const Queue queue = b.queue[t];
    b.flow[t] = {0, 0, wrapped(queue.head, queue.count, queue.capacity)};
  }
  for (u32 e = threadIdx.x; e < run.edge_count; e += blockDim.x) b.edge[e] = run.edges[e];
  for (u32 m = threadIdx.x; m < run.module_count; m += blockDim.x) {
    const ModuleRow& module = run.modules[m];
    b.module[m] = {module.first_node, module.nodes};
    b.module_parameters[m] = module.parameters;
  }
  if (threadIdx.x == 0) {
    const SavedBlock& saved = run.blocks[self];
    b.window = saved.window;
    b.window_left = static_cast<u32>(saved.window_end - saved.window);
    b.next_chunk = saved.next_chunk;
    b.ahead = saved.ahead;
    b.ahead_count = static_cast<u32>(saved.ahead_end - saved.ahead);
    b.claims = 0;
    b.window_moved = 1;
    b.exhausted = saved.exhausted;
    b.finished = saved.finished;
    b.drain = (saved.flags & SavedBlock::DRAIN) != 0;
    b.last = (saved.flags & SavedBlock::LAST) != 0;
    b.sweep = (saved.flags & SavedBlock::SWEEP) != 0;
    b.pool = saved.flags >> SavedBlock::POOL;
    b.partial = 0;
    b.works = b.hungry = 0;
    b.firings = 0;
    b.firings_limit = run.slice > 0 ? run.slice : NONE;
    b.window_take = 0;
    b.next = {Action::rest, NONE, 0, 0};
    b.nodes = run.node_count;
    b.targets = run.node_count + run.sink_count;
    b.modules = run.module_count;
    b.root = run.root;
    b.source = run.nodes[run.root].module;
    const ModuleRow& source = run.modules[b.source];
    b.source_ensemble = source.kind == static_cast<u32>(Kind::walk) ? 1 : source.ensemble;
    b.walks = WALKS ? reinterpret_cast<WalkState*>(walks) : nullptr;
  }
  for (u32 n = 0; n < run.node_count; ++n) {
    const NodeRow& node = run.nodes[n];
    if (node.shared_ring != NONE) {
      copy_words(shared_rings + node.shared_ring, rings + node.ring, ring_bytes(node));
    }
  }
}

// Saves the state for the next launch; `holds`: whether the block counts among those that have stopped with items, in
// thread 0. All threads of the block call, after a barrier.
__device__ inline void save(const Block& b, const RunParameters& run, const byte* shared_rings, bool holds) {
  const u32 self = blockIdx.x;
  byte* rings = run.rings + self * run.ring_stride;
  for (u32 t = threadIdx.x; t < b.targets; t += blockDim.x) {
    if (t < run.node_count) {
      run.queues[self * run.node_count + t] = {b.queue[t].head, b.queue[t].count, b.ended[t],
                                                   b.consumed[t]};
      if (b.walks != nullptr) run.walks[self * run.node_count + t] = b.walks[t].stack;
    } else {
      run.outputs[self * run.sink_count + t - run.node_count] = b.queue[t].count;
    }
  }
  if (threadIdx.x == 0) {
    const u32 flags = (b.drain ? SavedBlock::DRAIN : 0) | (b.last ? SavedBlock::LAST : 0) |
                      (b.sweep ? SavedBlock::SWEEP : 0) | (holds ? SavedBlock::HOLDS : 0) |
                      b.pool << SavedBlock::POOL;
    run.blocks[self] = {b.window, b.window + b.window_left, b.next_chunk, b.ahead,
                        b.ahead + b.ahead_count, b.exhausted, b.finished, flags, b.firings};
  }
  for (u32 n = 0; n < run.node_count; ++n) {
    const NodeRow& node = run.nodes[n];
    if (node.shared_ring != NONE && b.queue[n].count > 0) {
      copy_words(rings + node.ring, shared_rings + node.shared_ring, ring_bytes(node));
    }
  }
}

}  // namespace stream
