// Windows of match starts.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace woodstocc {

// Match starts of a query within k of one diagonal, with their distances.
struct Window {
  uint32_t query;         // number of the query in its batch
  uint32_t first;         // position in the indexed text, modulo 2^32, that bit 0 of `starts` stands for
  uint32_t starts;        // bit b is set if there is a match at start first + b
  uint32_t padding;       // 0
  uint64_t distances[2];  // distances of the starts, four bits each; 0 where there is no match
};

}  // namespace woodstocc
