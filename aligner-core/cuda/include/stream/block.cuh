// A block's copy of the application: the state of its queues and what it is to do next.
//
// All of it lies in shared memory, one array a field, so that the lanes of a warp read neighbouring
// words. Warp 0 decides (scheduler.cuh), all warps fire (fire.cuh).
#pragma once

#include "stream/items.cuh"
#include "stream/run.cuh"

// The most nodes and sinks of an application; define it before the include for more.
#ifndef STREAM_MAX_TARGETS
#define STREAM_MAX_TARGETS 64
#endif

// The widest ensemble, and how many blocks of that width a multiprocessor is to hold: they decide how
// many registers a thread has (80 for 3 blocks of 256).
#ifndef STREAM_MAX_WIDTH
#define STREAM_MAX_WIDTH 256
#define STREAM_MIN_BLOCKS 3
#endif
#ifndef STREAM_MIN_BLOCKS
#define STREAM_MIN_BLOCKS 1
#endif

namespace stream {

constexpr u32 MAX_TARGETS = STREAM_MAX_TARGETS;
// A target has one forward edge, and at most one back edge, that leads to it.
constexpr u32 MAX_EDGES = 2 * MAX_TARGETS;

enum class Action : u32 {
  fire,  // `module`, `inputs` of them
  load,  // move input to the queue of an exploding root
  rest,  // the input is exhausted and no ensemble is full: share what is left
  stop,  // a sink is full, the slice has ended, or all is done
};

struct Block {
  // Targets: nodes, then sinks. The queue's items are in slots head, head + 1, ... (count of them),
  // modulo capacity. For modules that explode, `ends` has for each slot the number of elements pushed
  // up to and including it, modulo 2^32; `ended` is that of the last, `consumed` how many are done.
  byte* ring[MAX_TARGETS];
  u32* ends[MAX_TARGETS];
  const byte* parameters[MAX_TARGETS];
  u64 pushed[MAX_TARGETS];  // by the firing: slots in the low half, elements in the high half
  u32 head[MAX_TARGETS], count[MAX_TARGETS], tail[MAX_TARGETS];
  u32 ended[MAX_TARGETS], consumed[MAX_TARGETS];
  u32 capacity[MAX_TARGETS], reserve[MAX_TARGETS], slot_bytes[MAX_TARGETS];
  u32 module[MAX_TARGETS];  // of a node; Scheme of a sink
  u32 first_edge[MAX_TARGETS], channels[MAX_TARGETS];

  // What the scheduler found, by node.
  u32 feasible[MAX_TARGETS];  // inputs or elements that can be fired, for choosing
  u32 queued[MAX_TARGETS];    // of these, the ones in the queue; whole pods only, where pods are whole
  u32 prefix[MAX_TARGETS];    // feasible ones of the module's nodes before
  u32 take[MAX_TARGETS];      // inputs or elements to be taken from the queue by the firing

  u32 edge_target[MAX_EDGES], edge_gamma[MAX_EDGES], edge_flags[MAX_EDGES];

  u32 module_first[MAX_TARGETS], module_nodes[MAX_TARGETS], module_ensemble[MAX_TARGETS];
  u32 module_kind[MAX_TARGETS], module_inverse[MAX_TARGETS], module_total[MAX_TARGETS];
  const byte* module_parameters[MAX_TARGETS];

  Action action;
  u32 fired;        // the module to fire
  u32 inputs;       // inputs or elements to fire
  u32 window_take;  // of these, inputs from the window
  u32 full;         // whether all ensembles of the firing are full

  u64 window, window_end;  // the claimed part of the input
  u64 next_chunk;
  u64 ahead, ahead_end;  // the part that comes after it
  u32 claims;            // a thread is to claim that part during the firing
  u32 exhausted, finished, firings;
  // At the end of the input (rest.cuh):
  u32 drain;    // fires what it has, full or not
  u32 last;     // no other block is left
  u32 sweep;    // was the last of its pool, and empties it into the common one
  u32 partial;  // has claimed what it is to fire next, full or not
  u32 pool;
  u32 nodes, targets, modules, root;
  u32 shared_word;  // of whoever needs to tell all threads one
};

__device__ inline u32 thread_in_block() { return threadIdx.x; }
__device__ inline u32 lane_in_warp() { return threadIdx.x % WARP; }

// The slot `offset` after `from`, both less than or equal to the capacity.
__device__ inline u32 wrapped(u32 from, u32 offset, u32 capacity) {
  const u32 slot = from + offset;
  return slot >= capacity ? slot - capacity : slot;
}

// Of the first `count` pods of a queue, how many end at or before element `position`, counted from
// the same origin as `ends`. Any thread.
__device__ inline u32 pods_ended(const Block& b, u32 node, u32 count, u32 position) {
  const u32* ends = b.ends[node];
  const u32 origin = b.consumed[node];
  u32 low = 0, high = count;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    const u32 end = ends[wrapped(b.head[node], middle, b.capacity[node])];
    if (static_cast<int>(end - origin) <= static_cast<int>(position - origin)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Claimed input that has not been fired.
__device__ inline u64 waiting_input(const Block& b) {
  return b.window_end - b.window + (b.ahead_end - b.ahead);
}

// Where slot `slot` of a node's queue has its first chunk, and how far its chunks are apart; items of
// modules that explode are in one piece.
__device__ inline byte* slot_at(const Block& b, u32 node, u32 slot, u32 bytes) {
  return b.ring[node] + static_cast<u64>(slot) * chunk_bytes(bytes);
}
__device__ inline u32 stride_of(const Block& b, u32 node, u32 bytes) {
  return b.capacity[node] * chunk_bytes(bytes);
}

// Copies `bytes` bytes, a multiple of 4. All threads call.
__device__ inline void copy_words(byte* to, const byte* from, u64 bytes) {
  for (u64 i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
    reinterpret_cast<u32*>(to)[i] = reinterpret_cast<const u32*>(from)[i];
  }
}

// Bytes of a ring, to a multiple of 16.
__device__ inline u64 ring_bytes(const Node& node) {
  return (static_cast<u64>(node.capacity) * node.slot_bytes + 15) / 16 * 16;
}

// Fills the block's state from where the last launch left it. All threads call; valid after the
// next barrier.
__device__ inline void restore(Block& b, const Run& run, byte* shared_rings) {
  const u32 self = blockIdx.x;
  byte* rings = run.rings + self * run.ring_stride;
  for (u32 t = threadIdx.x; t < run.node_count + run.sink_count; t += blockDim.x) {
    b.pushed[t] = 0;
    b.take[t] = 0;
    if (t < run.node_count) {
      const Node& node = run.nodes[t];
      const SavedQueue& saved = run.queues[self * run.node_count + t];
      b.ring[t] = node.shared_ring == NONE ? rings + node.ring : shared_rings + node.shared_ring;
      const bool explodes = run.modules[node.module].kind != static_cast<u32>(Kind::each);
      b.ends[t] = explodes ? reinterpret_cast<u32*>(rings + node.ends) : nullptr;
      b.parameters[t] = node.parameters;
      b.head[t] = saved.head;
      b.count[t] = saved.count;
      b.ended[t] = saved.ended;
      b.consumed[t] = saved.consumed;
      b.capacity[t] = node.capacity;
      b.reserve[t] = node.reserve;
      b.slot_bytes[t] = node.slot_bytes;
      b.module[t] = node.module;
      b.first_edge[t] = node.first_edge;
      b.channels[t] = node.channels;
    } else {
      const Sink& sink = run.sinks[t - run.node_count];
      const bool regions = sink.scheme == static_cast<u32>(Scheme::regions);
      const bool own = regions || sink.scheme == static_cast<u32>(Scheme::exact);
      b.ring[t] = own ? sink.items + sink.first[self] * sink.item_bytes : sink.items;
      b.ends[t] = nullptr;
      b.head[t] = 0;
      b.count[t] = 0;
      b.capacity[t] = regions ? sink.slots[self] : NONE;
      b.reserve[t] = 0;
      b.slot_bytes[t] = sink.item_bytes;
      b.module[t] = sink.scheme;
      b.channels[t] = 0;
    }
  }
  for (u32 e = threadIdx.x; e < run.edge_count; e += blockDim.x) {
    b.edge_target[e] = run.edges[e].target;
    b.edge_gamma[e] = run.edges[e].gamma;
    b.edge_flags[e] = run.edges[e].flags;
  }
  for (u32 m = threadIdx.x; m < run.module_count; m += blockDim.x) {
    const Module& module = run.modules[m];
    b.module_first[m] = module.first_node;
    b.module_nodes[m] = module.nodes;
    b.module_ensemble[m] = module.ensemble;
    b.module_kind[m] = module.kind;
    b.module_inverse[m] = module.inverse;
    b.module_parameters[m] = module.parameters;
  }
  if (threadIdx.x == 0) {
    const SavedBlock& saved = run.blocks[self];
    b.window = saved.window;
    b.window_end = saved.window_end;
    b.next_chunk = saved.next_chunk;
    b.ahead = saved.ahead;
    b.ahead_end = saved.ahead_end;
    b.claims = 0;
    b.exhausted = saved.exhausted;
    b.finished = saved.finished;
    b.drain = (saved.flags & SavedBlock::DRAIN) != 0;
    b.last = (saved.flags & SavedBlock::LAST) != 0;
    b.sweep = (saved.flags & SavedBlock::SWEEP) != 0;
    b.pool = saved.flags >> SavedBlock::POOL;
    b.partial = 0;
    b.firings = 0;
    b.window_take = 0;
    b.fired = NONE;
    b.nodes = run.node_count;
    b.targets = run.node_count + run.sink_count;
    b.modules = run.module_count;
    b.root = run.root;
  }
  for (u32 n = 0; n < run.node_count; ++n) {
    const Node& node = run.nodes[n];
    if (node.shared_ring != NONE) {
      copy_words(shared_rings + node.shared_ring, rings + node.ring, ring_bytes(node));
    }
  }
}

// Leaves the block's state for the next launch. All threads call, after a barrier.
__device__ inline void save(const Block& b, const Run& run, const byte* shared_rings) {
  const u32 self = blockIdx.x;
  byte* rings = run.rings + self * run.ring_stride;
  for (u32 t = threadIdx.x; t < b.targets; t += blockDim.x) {
    if (t < run.node_count) {
      run.queues[self * run.node_count + t] = {b.head[t], b.count[t], b.ended[t], b.consumed[t]};
    } else {
      run.outputs[self * run.sink_count + t - run.node_count] = b.count[t];
    }
  }
  if (threadIdx.x == 0) {
    const u32 flags = (b.drain ? SavedBlock::DRAIN : 0) | (b.last ? SavedBlock::LAST : 0) |
                      (b.sweep ? SavedBlock::SWEEP : 0) | b.pool << SavedBlock::POOL;
    run.blocks[self] = {b.window,    b.window_end, b.next_chunk, b.ahead,  b.ahead_end,
                        b.exhausted, b.finished,   flags,        b.firings};
  }
  for (u32 n = 0; n < run.node_count; ++n) {
    const Node& node = run.nodes[n];
    if (node.shared_ring != NONE && b.count[n] > 0) {
      copy_words(rings + node.ring, shared_rings + node.shared_ring, ring_bytes(node));
    }
  }
}

}  // namespace stream
