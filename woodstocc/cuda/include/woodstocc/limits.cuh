// Limits that the filter and search schemes share.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace woodstocc {

// Greatest number of pieces of a query: MAX_K of params.rs, plus one.
constexpr uint32_t kMaxPieces = 16;

}  // namespace woodstocc
