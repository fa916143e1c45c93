// Structs of the pods kernels, all in global memory; `src/trie/pods/layout.rs` declares them for the host.
//
// A block's worklist has two stacks: `pods`, and the live queries of those pods, end to end in the same order. The
// values `first` and `end` of each are the part of the stack that holds the worklist.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <stream/scan.cuh>
#include <woodstocc/trie/bound.cuh>
#include <woodstocc/trie/hit.cuh>

namespace woodstocc {

// A query to search for in the trie.
struct __align__(16) TrieQuery {
  uint32_t number;    // its number in the batch
  uint32_t length;    // number of bases, more than K
  uint32_t profile;   // first 128-bit word of its profile (profile.cuh)
  uint32_t padding;
  SuffixBound bound;  // written by pods_prepare_K
};

// Queries that walk the trie together. The trie is cut at the words of `word` bases: a unit of work is one of the
// 4^word subtries below them, for all queries of the group.
struct __align__(16) QueryGroup {
  uint32_t first, queries;  // first query and number of queries; at most 65,535
  uint32_t word;
  uint32_t first_unit;      // number of units of the groups before
};

// A node of the trie on a worklist, and the number of queries that are live there.
struct __align__(16) TriePod {
  fm::Interval interval;
  uint16_t depth;
  uint16_t queries;
};

// A block's worklist, as it is left from one slice to the next.
struct __align__(16) WorklistState {
  uint32_t first_pod, end_pod;
  uint32_t first_live, end_live;
  uint32_t loops;  // main loops of all slices so far
  uint32_t padding[3];
};

// Counters to which all blocks add, over all slices but for `packed_hits`.
struct PodTotals {
  stream::u64 nodes;            // nodes whose children were looked up
  stream::u64 rows;             // rows computed
  stream::u64 traversal_slots;  // lanes of the ensembles that nodes were looked up in, busy or idle
  stream::u64 row_slots;        // lanes of the ensembles that rows were computed in, busy or idle
  stream::u64 cycles[4];        // in pull, traversal, rows, push; only of kernels with metrics
  uint32_t next_unit;           // the next unit to claim
  uint32_t packed_hits;         // hits of the slice
};

// A transfer of half of the pods of block `from` to block `to`, which has none.
struct PodDonation {
  uint32_t from, to;
};

// Parameters of all kernels of pods.cu. Arrays of worklists have `pods_room`, `live_room` or `hits_room` elements for
// each block.
struct PodParameters {
  fm::IndexView index;
  const uint8_t* codes;           // codes of all queries of the batch
  const uint32_t* offsets;        // query q has the codes offsets[q] to offsets[q + 1]
  TrieQuery* queries;             // the queries to search for, by length
  uint32_t* profiles;
  const QueryGroup* groups;
  TriePod* pods;
  void* rows;                     // Row<K> of each live query
  uint32_t* tags;                 // of each live query: index in `queries` << 4 | distance below which hits count
  TrieHit* hits;
  TrieHit* packed;                // the hits of all blocks; as long as `hits`
  WorklistState* states;
  PodTotals* totals;
  const PodDonation* donations;   // for pods_share: one for each of its blocks
  uint32_t query_count;
  uint32_t group_count;
  uint32_t units;
  uint32_t is_pruned;             // 0: the bounds of queries are left empty
  uint32_t pods_at_once;          // greatest number of pods of a step, at most the block's threads
  uint32_t live_at_once;          // greatest number of live queries of a step that takes several pods
  uint32_t loops;                 // main loops of a slice
  uint32_t pods_room;
  uint32_t live_room;
  uint32_t live_reserve;          // the part of live_room that steps of live_at_once queries may need
  uint32_t hits_room;             // at least 4 * live_at_once
  uint32_t row_bytes;             // 8 or 16
};

namespace pods {

using stream::u32;
using stream::u64;

}  // namespace pods
}  // namespace woodstocc
