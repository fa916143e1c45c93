// Structs of the kernels separate_lists_K.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <woodstocc/trie/hit.cuh>

namespace woodstocc {

// Counters of a launch, to which all threads add.
struct SeparateListsTotals {
  unsigned long long hits;   // hits found, written or not
  unsigned long long nodes;  // nodes expanded
  unsigned long long rows;   // matrix rows computed
};

// Parameters of separate_lists_K.
struct SeparateListsParameters {
  fm::IndexView index;
  const uint8_t* codes;     // codes of all queries
  const uint32_t* offsets;  // query q has the codes offsets[q] to offsets[q + 1]
  const uint32_t* wanted;   // numbers of the queries to search for
  // 3 * (longest query + K) + 4 elements of Node<K> for each thread; element e of thread t of n is at e * n + t. That
  // is enough, since an expansion takes one node and adds at most four, which are at most longest query + K levels
  // deep.
  void* worklists;
  TrieHit* hits;     // room for `capacity` hits; a hit beyond that is counted, not written
  SeparateListsTotals* totals;
  uint32_t* counts;  // output: number of hits of each wanted query
  uint32_t* lost;    // output: 1 for each wanted query of which a hit was not written, else 0
  uint64_t capacity;
  uint32_t wanted_count;
  uint32_t is_pruned;  // 0: queries are not dropped by the lower bounds of their suffixes (bound.cuh)
};

}  // namespace woodstocc
