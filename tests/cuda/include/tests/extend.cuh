// Parameters of the kernels in tests/kernels/extend.cu. The host declares the same struct in
// fm-index/tests/kernels/index_kernels.rs, and extend_layouts.cuh asserts that they agree.
#pragma once

#include <cstdint>

#include <fm_index/fm_index.cuh>

namespace tests {

struct ExtendParameters {
  fm::IndexView index;
  const fm::Interval* intervals;  // [count]
  fm::Interval* left;             // [4 * count], output: of each interval, its extensions to the left by each code
  fm::Interval* right;            // [4 * count], output: of each interval, its extensions to the right by each code
  uint32_t count;
  uint32_t padding;
};

}  // namespace tests
