// Lower bounds of the differences that suffixes of a query need: src/trie/bound.rs explains them.
//
// Contract of all functions here: any thread may call them at any time, on its own; no barriers, no shared memory, and
// the result is valid in the calling thread.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <woodstocc/trie/row.cuh>

namespace woodstocc {

// Lower bounds for the suffixes of a query. All 0 bounds nothing.
struct __align__(16) SuffixBound {
  uint16_t from[8];  // entry r: the least i such that the suffix from base i on may match within r differences
};

// The bounds for up to K differences of a query of `length` codes. Reads two lines of the index for each code.
template <int K>
__device__ inline SuffixBound find_bound(const fm::IndexView& view, const uint8_t* codes, uint32_t length) {
  SuffixBound bound = {};
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

// Whether some cell of the row at `depth`, plus the bound of the suffix after its prefix, is less than `wanted`, which
// is 1 to K + 1.
template <int K>
__device__ __forceinline__ bool reaches(Row<K> row, uint32_t depth, uint32_t wanted,
                                        const SuffixBound& bound) {
  constexpr int kWidth = RowBand<K>::kWidth;
  // The levels below `wanted` are shifted up, so that they end at level K.
  const Row<K> levels = row << ((K + 1 - wanted) * kWidth);
  uint32_t cells = 0;
#pragma unroll
  for (int r = 0; r <= K; r++) {
    const uint32_t level = uint32_t(levels >> ((K - r) * kWidth)) & ((1u << kWidth) - 1);
    const int first = int(bound.from[r]) + K - int(depth);
    cells |= level >> min(max(first, 0), 31);
  }
  return cells != 0;
}

}  // namespace woodstocc
