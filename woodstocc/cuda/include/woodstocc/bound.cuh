// How many differences the rest of a read needs at least: woodstocc/src/bound.rs, which explains it.
//
// All functions here are called by single threads, touch no shared state and hold no barriers.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <woodstocc/row.cuh>

namespace woodstocc {

// Entry r is the least i such that the suffix from i on may match within r differences.
struct __align__(16) Bound {
  static constexpr int kEntries = 8;
  uint16_t from[kEntries];
};
static_assert(sizeof(Bound) == 16, "as in bound.rs");

// The bound for up to K differences of a read of `length` codes; takes up to two reads of the index
// for each code.
template <int K>
__device__ inline Bound find_bound(const fm::View& view, const uint8_t* codes, uint32_t length) {
  Bound bound = {};
  uint32_t lo = 0, size = view.bases + 1, needed = 0;
  for (uint32_t i = length; i-- > 0;) {
    const uint32_t code = codes[i];
    if (code < 4) {
      uint32_t before[4], through[4];
      rank4(view.forward, view.forward_primary, lo, before);
      rank4(view.forward, view.forward_primary, lo + size, through);
      lo = fm::choose(view.first, code) + fm::choose(before, code);
      size = fm::choose(through, code) - fm::choose(before, code);
    } else {
      size = 0;
    }
    if (size == 0) {
#pragma unroll
      for (uint32_t r = 0; r <= K; r++) {
        if (r == needed) bound.from[r] = static_cast<uint16_t>(i + 1);
      }
      if (++needed > K) break;
      lo = 0;
      size = view.bases + 1;
    }
  }
  return bound;
}

// Whether a cell of the row at `depth` and the bound of what lies behind it add up to less than
// `wanted`, 1 to K + 1.
template <int K>
__device__ __forceinline__ bool reaches(Row<K> row, uint32_t depth, uint32_t wanted,
                                        const Bound& rest) {
  constexpr int kWidth = Band<K>::kWidth;
  // The levels that count are now the upper ones, up to level K.
  const Row<K> levels = row << ((K + 1 - wanted) * kWidth);
  uint32_t cells = 0;
#pragma unroll
  for (int r = 0; r <= K; r++) {
    const uint32_t level = uint32_t(levels >> ((K - r) * kWidth)) & ((1u << kWidth) - 1);
    const int first = int(rest.from[r]) + K - int(depth);
    cells |= level >> min(max(first, 0), 31);
  }
  return cells != 0;
}

}  // namespace woodstocc
