// Hits of a search of the trie.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace woodstocc {

// A node of the trie whose string is within K of a query.
struct __align__(16) TrieHit {
  uint32_t query;     // number of the query in its batch
  uint32_t lo;        // first suffix-array row of the node's interval
  uint32_t size;      // number of rows
  uint32_t distance;  // edit distance of the query to the node's string
};

}  // namespace woodstocc
