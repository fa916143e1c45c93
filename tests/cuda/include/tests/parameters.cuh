// Parameters of the kernels that test the SIMT shim (tests/kernels/*.cu). The host declares the same structs in
// tests/src/parameters.rs, and layouts.cuh asserts that they agree.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace tests {

// Of the kernels in planted.cu.
struct PlantedParameters {
  uint32_t* out;
  uint32_t n;  // an index behind the end of an array, where a kernel uses one
  uint32_t padding;
};

// Of the kernels in selftest.cu, by name.
struct BlockSumParameters {
  const uint32_t* values;  // [n]
  uint32_t* total;         // [1]
  uint32_t n;
  uint32_t padding;
};
struct CompactParameters {
  const uint32_t* values;  // [n]
  uint32_t* out;           // [n]
  uint32_t* count;         // [1]
  uint32_t n;
  uint32_t padding;
};
struct ReverseParameters {
  const uint32_t* values;
  uint32_t* out;
};
struct CollectivesParameters {
  const uint32_t* values;
  uint64_t* out;     // [threads][21]
  int32_t argument;  // of the shuffles
  int32_t width;     // of the shuffles
};
struct HalfWarpsParameters {
  const uint32_t* values;
  uint32_t* out;
};
struct AtomicsParameters {
  const uint32_t* values;
  uint32_t* narrow;          // [10]
  unsigned long long* wide;  // [10]
};
struct SpinLockParameters {
  uint32_t* lock;   // [1]
  uint32_t* total;  // [1]
};
struct BlockVotesParameters {
  const uint32_t* values;
  uint32_t* out;  // [blocks][rounds][3]
  uint32_t rounds;
  uint32_t padding;
};
struct IndicesParameters {
  uint32_t* out;
};
struct EarlyExitParameters {
  uint32_t* out;
};
struct IntegersParameters {
  const uint2* values;
  uint64_t* out;  // [threads][16]
};

}  // namespace tests
