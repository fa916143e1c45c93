// What a search over the trie reports.
#pragma once
#include <gpualign/cuda_or_cpu.cuh>

namespace woodstocc {

// A node within `distance` of a query; hits.rs has the same struct.
struct __align__(16) Hit {
  uint32_t query;
  uint32_t lo;
  uint32_t size;
  uint32_t distance;
};
static_assert(sizeof(Hit) == 16, "as in hits.rs");

}  // namespace woodstocc
