// What the host tells a launch, and what a launch leaves for the next one. All in global memory.
// `cuda/tables.rs` mirrors these structs; the describe kernel reports their sizes.
#pragma once

#include "stream/stage.cuh"

namespace stream {

constexpr u32 NONE = 0xFFFFFFFFu;

// Where a channel of a node leads: a target is a node, or (from `Run::nodes` on) a sink. A sink is
// a queue that only the host empties.
struct __align__(16) Edge {
  u32 target;
  u32 gamma;
  u32 flags;
  u32 padding;

  static constexpr u32 BACK = 1;         // closes a loop: may use the head's reserve
  static constexpr u32 PER_ELEMENT = 2;  // gamma counts per element, not per pod
  static constexpr u32 SHARED = 4;       // a back edge that fills its head in the same firing as the
                                         // head's parent: has the reserve, and no more
};

struct Node {
  u32 module;
  u32 capacity;    // slots
  u32 reserve;     // slots that only the loop's back edge may fill
  u32 slot_bytes;
  u32 first_edge;  // of its channel 0
  u32 channels;
  u32 shared_ring;     // offset of its ring in shared memory, or NONE
  u32 rest_slots;      // slots of it in each pool of rests; 0 if it has none
  u64 ring;            // offset of its ring in the block's global memory; multiple of 16
  u64 ends;            // offset of its ring of ends there
  const byte* parameters;
  byte* rest;          // its slots in the pools of rests, pool by pool
  u32* rest_ready;     // for each of them, whether it is written
};

struct Module {
  u32 first_node;
  u32 nodes;
  u32 ensemble;  // inputs (elements, if it explodes) that fill the block's threads
  u32 kind;      // Kind
  u32 inverse;   // 2^32 / ensemble, rounded up
  u32 padding;
  const byte* parameters;
};

struct Sink {
  byte* items;
  const u64* first;  // for each block, the first item of its region
  const u32* slots;  // for each block, how many items its region holds
  u64* cursor;       // items in `items`, when all blocks share it
  u64 room;          // how many items it has room for, when all blocks share it
  u32 item_bytes;
  u32 scheme;        // Scheme
};

// How items reach a sink.
enum class Scheme : u32 {
  regions,  // every block has a region; a block whose region is full stops until the host made room
  atomics,  // one array; a warp reserves its place with one global atomic; what does not fit is counted
  count,    // nothing is written, only counted
  exact,    // every block has a region that was counted to hold all that it will send
};

// A node's queue between launches.
struct SavedQueue {
  u32 head, count, ended, consumed;
};

// A block between launches.
struct SavedBlock {
  u64 window, window_end;
  u64 next_chunk;  // of statically dealt input
  u64 ahead, ahead_end;  // the part that comes after it; empty or all of a chunk
  u32 exhausted;   // no input is left for it
  u32 finished;    // it will do nothing any more
  u32 flags;       // DRAIN, LAST, SWEEP, and its pool of rests from bit POOL on
  u32 firings;     // in the last launch

  static constexpr u32 DRAIN = 1, LAST = 2, SWEEP = 4, POOL = 8;
};

struct ModuleCounters {
  u64 firings, full_firings, ensembles, lanes, items_in, items_out, gather, run, scatter;
};

struct Counters {
  u64 scheduler, total;
};

// The first error of a launch.
struct Fault {
  u32 set, module, channel, node;
};

struct Run {
  const Node* nodes;
  const Edge* edges;
  const Module* modules;
  const Sink* sinks;
  const byte* input;
  u64 inputs;
  u64* cursor;          // the next input that no block has claimed
  const byte* global;   // the application's parameters
  byte* rings;
  u64 ring_stride;      // bytes of a block's rings
  SavedBlock* blocks;
  SavedQueue* queues;   // for each block, of each node
  u32* outputs;         // for each block, items in the region of each sink
  u32* rest_counters;   // for each pool and node, slots reserved and claimed; for each pool, its blocks
  ModuleCounters* module_counters;
  Counters* counters;
  Fault* fault;
  u32 node_count, edge_count, module_count, sink_count;
  u32 root;             // the node that takes the input
  u32 chunk;            // inputs that a block claims at a time
  u32 flags;
  u32 slice;            // firings of a block in one launch; 0 for no limit
  u32 scratch_bytes;    // of dynamic shared memory, before the shared rings
  u32 block_count;
  u32 rest_pools;       // the last is the one that remaining blocks of all others share
  u32 padding;

  static constexpr u32 LAZY = 1;
  static constexpr u32 SHARE_REST = 2;
  static constexpr u32 STATIC_INPUT = 4;  // chunk i belongs to block i modulo the blocks
  static constexpr u32 SINGLE_NODES = 8;  // every module has one node
};

}  // namespace stream
