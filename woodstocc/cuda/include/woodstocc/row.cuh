// One banded row of the alignment matrix as bits: the encoding of woodstocc/src/row.rs (dissertation,
// 2.3.1), which explains it.
//
// Bit j of level e of a row at trie depth L says that the read's prefix of length L + j - K is within
// e edits of the L bases spelled on the path; 2K + 2 bits a level, the topmost always clear.
//
// All functions here are called by single threads, touch no shared state and hold no barriers.
#pragma once
#include <gpualign/cuda_or_cpu.cuh>

namespace woodstocc {

// The word that holds a row: 64 bits up to K = 4, 128 up to K = 7.
template <bool kFits64>
struct WordOf {
  using type = uint64_t;
};
template <>
struct WordOf<false> {
  using type = unsigned __int128;
};
template <int K>
using Row = typename WordOf<K <= 4>::type;

template <int K>
struct Band {
  static constexpr int kWidth = 2 * K + 2;

  // Bit 0 of every level.
  __device__ static constexpr Row<K> levels() {
    Row<K> bits = 0;
    for (int e = 0; e <= K; e++) bits |= Row<K>{1} << (e * kWidth);
    return bits;
  }

  // All cells of all levels.
  __device__ static constexpr Row<K> cells() {
    return levels() * ((Row<K>{1} << (2 * K + 1)) - 1);
  }

  // The row at depth 0 for a read of `length` bases.
  __device__ __forceinline__ static Row<K> root(uint32_t length) {
    Row<K> row = 0;
#pragma unroll
    for (int e = 0; e <= K; e++) {
      const uint32_t last = min(uint32_t(e), length);
      row |= Row<K>((1u << (last + 1)) - 1) << (e * kWidth + K);
    }
    return row;
  }

  // Sets bit j of equal[c], j <= 2K, to whether the base that cell j of the row at `depth` (>= 1)
  // adds is c. `codes` addresses the read's `length` codes.
  __device__ __forceinline__ static void compare(const uint8_t* codes, uint32_t length,
                                                 uint32_t depth, uint32_t equal[4]) {
    equal[0] = equal[1] = equal[2] = equal[3] = 0;
#pragma unroll
    for (int j = 0; j <= 2 * K; j++) {
      const int i = int(depth) + j - K - 1;
      const uint32_t code = i >= 0 && i < int(length) ? codes[i] : 4;
#pragma unroll
      for (uint32_t c = 0; c < 4; c++) equal[c] |= (code == c ? 1u : 0u) << j;
    }
  }

  // The row below `row` when the path is extended by a base with the comparisons `equal`. `last` is
  // the cell of the whole read, length + K - depth, not negative.
  __device__ __forceinline__ static Row<K> step(Row<K> row, uint32_t equal, uint32_t last) {
    const Row<K> matched = row & (levels() * Row<K>(equal));
    const Row<K> mismatched = row << kWidth;
    const Row<K> deleted = row << (kWidth - 1);
    Row<K> next = (matched | mismatched | deleted) & cells();
#pragma unroll
    for (int e = 0; e < K; e++) next |= next << (kWidth + 1) & cells();
    // Cells of prefixes longer than the read.
    if (int(last) < 2 * K) next &= levels() * Row<K>((2u << last) - 1);
    return next;
  }

  // Cell j if it lies in the band, else, or if greater than K, K + 1.
  __device__ __forceinline__ static uint32_t cell(Row<K> row, uint32_t j) {
    uint32_t value = K + 1;
    if (j > 2 * K) return value;
#pragma unroll
    for (int e = K; e >= 0; e--) {
      if (uint32_t(row >> (e * kWidth + j)) & 1u) value = e;
    }
    return value;
  }
};

}  // namespace woodstocc
