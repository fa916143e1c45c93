// Tables that the host writes for a launch, and the state that a launch leaves for the next one.
//
// Everything here lies in global memory, but for RunParameters, which the kernel receives by value. The host
// declares the structs of the same names in src/stream/cuda/tables.rs; layouts.cuh, which is generated from that
// file, asserts that sizes and offsets agree, and the describe kernel reports the sizes at run time, for kernels
// that were compiled elsewhere.
#pragma once

#include "stream/stage.cuh"

namespace stream {

constexpr u32 NONE = 0xFFFFFFFFu;  // no node, no slot, no offset

// A channel of a node: where its items go, and how many there may be. Edges are sorted by node, then by channel.
struct __align__(16) EdgeRow {
  u32 target;  // a node or, from RunParameters::node_count on, a sink: a queue that only the host empties
  u32 gamma;   // the most items that one input of each node of the module yields at the target, on all channels
  u32 flags;   // BACK, PER_ELEMENT, SHARED, DESCENT
  u32 spare;   // of a descent, free slots that the descent of one item may fill, and one more; else 0

  static constexpr u32 BACK = 1;         // closes a loop: may use the reserve of the loop's head
  static constexpr u32 PER_ELEMENT = 2;  // gamma counts for each element of an input, not for the whole input
  static constexpr u32 SHARED = 4;       // a back edge whose head may be filled by its parent in the same firing,
                                         // so that it may use the reserve and nothing more
  static constexpr u32 DESCENT = 8;      // leads from a depth-first node back to itself
};

// A node: its queue and its parameters. Nodes of a module type are neighbours.
struct NodeRow {
  u32 module;
  u32 capacity;     // slots of its queue
  u32 reserve;      // slots that only the back edge of the loop may fill
  u32 slot_bytes;   // bytes of an item
  u32 first_edge;   // the edge of its channel 0
  u32 channels;
  u32 shared_ring;  // offset of its ring in the block's shared memory; NONE if the ring is in global memory
  u32 rest_slots;   // its slots in each pool of rests (rest.cuh); 0 if its items are not shared
  u64 ring;         // offset of its ring in the block's global memory, a multiple of 16
  u64 ends;         // offset of its ring of element counts there, for modules that explode
  const byte* parameters;
  byte* rest;        // its slots in the pools of rests, pool by pool
  u32* rest_ready;   // for each of these slots, 1 once it is written
};

// The stacks of a node that walks (walk.cuh); all 0 for other nodes.
struct WalkRow {
  u64 headers;         // offset of its stack of nodes of the tree in the block's global memory, a multiple of 16
  u64 counts;          // offset of the numbers of items of these nodes
  u64 items;           // offset of its stack of items, a multiple of 16
  u32 header_bytes, item_bytes;
  u32 pods_room;       // nodes of the tree that there is room for
  u32 items_room;      // items that there is room for
  u32 items_reserve;   // the part of items_room that steps of items_at_once items may need
  u32 elements;        // the most elements of an input
  u32 pods_at_once;    // the most nodes that a step takes
  u32 items_at_once;   // the most items of a step that takes several nodes
  u32 steps;           // the most steps of a firing
  u32 fan;             // the most children of a node of the tree
};

// A module type.
struct ModuleRow {
  u32 first_node;
  u32 nodes;
  u32 ensemble;  // inputs, or elements if it explodes, that give every thread of the block work
  u32 kind;      // a Kind
  u32 inverse;   // 2^32 / ensemble, rounded up
  u32 padding;
  const byte* parameters;
};

// Ways in which items reach a sink; the numbers are those of the host's SinkScheme.
enum class SinkScheme : u32 {
  regions,  // every block has a region; a block whose region is full stops until the host has made room
  atomics,  // one array; a warp reserves its slots by one global atomic; what does not fit is counted
  count,    // nothing is written, only counted
  exact,    // every block has a region for exactly the items that it will send, which were counted before
};

// A sink and its array in global memory.
struct SinkRow {
  byte* items;
  const u64* first;  // for each block, the first item of its region
  const u32* slots;  // for each block, how many items its region holds
  u64* cursor;       // items sent to the array, under SinkScheme::atomics
  u64 room;          // items that the array holds, under SinkScheme::atomics
  u32 item_bytes;
  u32 scheme;        // a SinkScheme
};

// A node's queue between launches.
struct SavedQueue {
  u32 head;      // the slot of the first item
  u32 count;     // items that wait
  u32 ended;     // elements pushed so far, modulo 2^32, for modules that explode
  u32 consumed;  // elements taken so far, modulo 2^32
};

// A block between launches.
struct SavedBlock {
  u64 window, window_end;  // inputs that it has claimed and not yet taken
  u64 next_chunk;          // the next chunk of its share, under RunParameters::STATIC_INPUT
  u64 ahead, ahead_end;    // the chunk claimed after the window; empty if there is none
  u32 exhausted;           // no input is left for it to claim
  u32 finished;            // it will do nothing any more
  u32 flags;               // DRAIN, LAST, SWEEP, HOLDS, and the number of its pool of rests from bit POOL on
  u32 firings;             // in the last launch

  static constexpr u32 DRAIN = 1, LAST = 2, SWEEP = 4, HOLDS = 8, POOL = 8;
};

// A walk of a block between launches. The pods of its stack are those from `first_pod` on, and their items, in the same
// order, those from `first_item` on.
struct __align__(16) SavedWalk {
  u32 first_pod, end_pod;
  u32 first_item, end_item;
  u64 pods;    // nodes whose children were looked up, so far
  u64 visits;  // items visited at children
  u64 lanes;   // lanes of the ensembles that they were visited in, busy or idle
  u32 steps;   // steps so far
  u32 padding;

  __device__ bool is_empty() const { return first_pod == end_pod; }
};

// A transfer of the first half of the pods of a node's walk from block `from` to block `to`, which has none.
struct Donation {
  u32 from, to;
  u32 node;
  u32 padding;
};

// Counters and clock cycles of a module type, over all blocks; filled by kernels that measure.
struct ModuleCounters {
  u64 firings, full_firings, ensembles, lanes, items_in, items_out, gather, run, scatter;
};

// Clock cycles of all blocks: of the scheduler, and in total.
struct CycleCounters {
  u64 scheduler, total;
};

// The first stage of a launch that pushed more than its gamma.
struct Fault {
  u32 set;  // 1 if there is one
  u32 module, channel, node;
};

// The packet of a block, in which it gets items of another one (moving.cuh).
struct PacketRow {
  u32 filled;  // 1 from when it is filled until its items are taken
  u32 node;    // the node at which the items wait
  u32 items;   // how many there are
  u32 padding;
};

// Parameter of an application's kernels: the tables, the input and the state of a run.
struct RunParameters {
  const NodeRow* nodes;
  const EdgeRow* edges;
  const ModuleRow* modules;
  const SinkRow* sinks;
  const byte* input;
  u64 inputs;
  u64* cursor;          // the next input that no block has claimed
  const byte* global;   // the application's parameters
  byte* rings;          // the queues of all blocks, ring_stride bytes for each
  u64 ring_stride;
  SavedBlock* blocks;
  SavedQueue* queues;   // for each block, of each node
  const WalkRow* walk_rows;  // for each node; null if no module walks
  SavedWalk* walks;          // for each block, of each node; null if no module walks
  u32* outputs;         // for each block, items in the region of each sink
  u32* rest_counters;   // for each pool and node, slots reserved and claimed; then for each pool, its blocks
  u32* moving;          // counters of work that moves, and the mask of hungry blocks
  PacketRow* packet_rows;  // the packet of each block
  byte* packets;        // the items of all packets, packet_bytes bytes for each
  ModuleCounters* module_counters;
  CycleCounters* counters;
  Fault* fault;
  u32 node_count, edge_count, module_count, sink_count;
  u32 root;             // the node that takes the input
  u32 chunk;            // inputs that a block claims at a time
  u32 flags;            // LAZY, SHARE_REST, STATIC_INPUT, SINGLE_NODES, MOVE_WORK
  u32 slice;            // firings of a block in one launch; 0 for no limit
  u32 scratch_bytes;    // dynamic shared memory of firings; the rings in shared memory follow
  u32 block_count;
  u32 rest_pools;       // pools of rests; the last is common to the last blocks of all others
  u32 packet_bytes;     // a multiple of 16; 0 if no work moves

  static constexpr u32 LAZY = 1;          // only full ensembles are fired, as long as there are any
  static constexpr u32 SHARE_REST = 2;    // blocks share what is left at the end of the input
  static constexpr u32 STATIC_INPUT = 4;  // chunk i belongs to block i modulo the number of blocks
  static constexpr u32 SINGLE_NODES = 8;  // every module type has one node
  static constexpr u32 MOVE_WORK = 16;    // blocks without work get items of others
};

// Parameter of `APP_pack` (pack.cuh).
struct PackParameters {
  const SinkRow* sinks;
  const u32* outputs;  // for each block, items in the region of each sink
  const u64* first;    // for each block, where its items begin in `packed`
  byte* packed;
  u32 sink;            // the sink whose items are packed
  u32 sink_count;
  u32 block_count;
  u32 padding;
};

// Parameter of `APP_share` (share.cuh).
struct ShareParameters {
  byte* rings;  // as in RunParameters
  u64 ring_stride;
  SavedBlock* blocks;
  const WalkRow* walk_rows;
  SavedWalk* walks;
  const Donation* donations;  // one for each block of the grid
  u32 node_count;
  u32 padding;
};

// Parameter of `APP_describe` (describe.cuh).
struct DescribeParameters {
  u32* words;
  u32 capacity;  // words that there is room for
  u32 width;     // threads of a block of the application
};

}  // namespace stream
