// What the pods kernels work on, all in global memory. `src/pods/layout.rs` mirrors these structs.
//
// A block's worklist has two stacks: `pods`, and the live reads of those pods, end to end in the same
// order. `first` and `end` say which part of either is the block's own.
#pragma once

#include <woodstocc/bound.cuh>
#include <woodstocc/hit.cuh>

#include <stream/scan.cuh>

namespace woodstocc::pods {

using stream::u32;
using stream::u64;

// A read to be searched for, in one orientation.
struct __align__(16) Read {
  u32 query;    // its number in the batch
  u32 length;   // more than K
  u32 profile;  // where its profile begins (profile.cuh)
  u32 padding;
  Bound rest;  // written by `prepare`
};
static_assert(sizeof(Read) == 32, "as in layout.rs");

// Reads that walk the trie together. It is cut at the words of `word` bases: a unit of work is one
// of the 4^word subtries for all reads of a group.
struct __align__(16) Group {
  u32 first, reads;  // its reads; at most 65,535
  u32 word;
  u32 first_unit;  // units of the groups before
};
static_assert(sizeof(Group) == 16, "as in layout.rs");

// A node of the trie and how many reads are live there.
struct __align__(16) Pod {
  fm::Interval interval;
  uint16_t depth;
  uint16_t reads;
};
static_assert(sizeof(Pod) == 16, "as in layout.rs");

// What a block leaves for its next slice.
struct __align__(16) State {
  u32 first_pod, end_pod;
  u32 first_live, end_live;
  u32 loops;  // of all slices so far
  u32 padding[3];
};
static_assert(sizeof(State) == 32, "as in layout.rs");

// Added to by all blocks, over all slices but for `packed`.
struct Totals {
  u64 nodes;           // pods whose children were looked up, with two reads of the index each
  u64 rows;            // computed
  u64 pulled_slots;    // lanes of the traversals' ensembles, busy or not
  u64 row_slots;       // lanes of the ensembles that rows were computed in
  u64 cycles[4];       // pull, traversal, rows, push; kernels with metrics alone
  u32 unit;            // the next unit to be claimed
  u32 packed;          // hits of the slice
};
static_assert(sizeof(Totals) == 72, "as in layout.rs");

// A search. Arrays of worklists have `pods_room`, `live_room` or `hits_room` places a block.
struct Search {
  const fm::View* index;
  const uint8_t* codes;
  const u32* offsets;  // query q has the codes offsets[q] to offsets[q + 1]
  Read* reads;
  u32* profiles;
  const Group* groups;
  Pod* pods;
  void* rows;  // Row<K> of each live read
  u32* tags;   // of each live read: its number in `reads`, and 4 bits that say what is wanted
  Hit* hits;
  Hit* packed;  // the hits of all blocks; as much room as they have
  State* states;
  Totals* totals;
  u32 read_count;
  u32 group_count;
  u32 units;
  u32 pruned;        // 0: `rest` is to stay empty
  u32 pods_at_once;  // most pods of a step, at most the block's threads
  u32 live_at_once;  // most live reads of a step that takes several pods
  u32 loops;         // of a slice
  u32 pods_room;
  u32 live_room;
  u32 live_reserve;  // of that, what steps of live_at_once reads may need
  u32 hits_room;     // 4 * live_at_once or more
  u32 row_bytes;
};
static_assert(sizeof(Search) == 152, "as in layout.rs");

}  // namespace woodstocc::pods
