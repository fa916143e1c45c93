// Structs of the search of the trie by pods; `src/trie/pods/stage.rs` and `run.rs` declare them for the host.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
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

// A unit of work: queries that walk together down the subtrie below a word.
struct __align__(16) TrieUnit {
  uint32_t first, queries;  // first query and number of queries
  uint32_t word, length;    // codes of the word, two bits each, the first one in the highest bits; and their number
};

// A node of the trie.
struct __align__(16) TrieNode {
  fm::Interval interval;
  uint32_t depth_and_code;  // depth << 2 | last base
};

// The data that a search needs.
struct TrieDeviceContext {
  fm::IndexView index;
  const TrieQuery* queries;  // the queries to search for, by length
  const uint32_t* profiles;
};

// Parameters of pods_prepare_K.
struct PrepareParameters {
  fm::IndexView index;
  const uint8_t* codes;     // codes of all queries of the batch
  const uint32_t* offsets;  // query q has the codes offsets[q] to offsets[q + 1]
  TrieQuery* queries;
  uint32_t* profiles;
  uint32_t query_count;
  uint32_t is_pruned;       // 0: the bounds of queries are left empty
};

}  // namespace woodstocc
