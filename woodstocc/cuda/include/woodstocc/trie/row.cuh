// One row of the banded alignment matrix of a query (Cole 2017, 2.3.1), as bits of one word: src/trie/row.rs explains
// the encoding.
//
// Bit j of level e of a row at trie depth L is set if the query's prefix of length L + j - K is within e edits of the L
// bases that the path spells. A level has 2K + 2 bits, of which the highest is always clear.
//
// Contract of all functions here: any thread may call them at any time, on its own; no barriers, no shared memory, and
// the result is valid in the calling thread.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace woodstocc {

// The type of a row: 64 bits up to K = 4, 128 bits up to K = 7.
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

// The layout of rows for one K, and the operations on rows.
template <int K>
struct RowBand {
  static constexpr int kWidth = 2 * K + 2;

  // Bit 0 of every level.
  __device__ static constexpr Row<K> levels() {
    Row<K> bits = 0;
    for (int e = 0; e <= K; e++) bits |= Row<K>{1} << (e * kWidth);
    return bits;
  }

  // The bits of all cells of all levels.
  __device__ static constexpr Row<K> cells() {
    return levels() * ((Row<K>{1} << (2 * K + 1)) - 1);
  }

  // The row at the root of the trie for a query of `length` bases.
  __device__ __forceinline__ static Row<K> root(uint32_t length) {
    Row<K> row = 0;
#pragma unroll
    for (int e = 0; e <= K; e++) {
      const uint32_t last = min(uint32_t(e), length);
      row |= Row<K>((1u << (last + 1)) - 1) << (e * kWidth + K);
    }
    return row;
  }

  // Sets bit j of equal[c], for j <= 2K and each code c, to whether the base that cell j of the row at `depth` (1 or
  // more) adds to the prefix is c. `codes` points to the query's `length` codes.
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

  // The row of a child node, given the row of its parent and the comparisons `equal` with the child's base. `last` is
  // the cell of the whole query, length + K - depth, which must not be negative.
  __device__ __forceinline__ static Row<K> step(Row<K> row, uint32_t equal, uint32_t last) {
    const Row<K> matched = row & (levels() * Row<K>(equal));
    const Row<K> mismatched = row << kWidth;
    const Row<K> deleted = row << (kWidth - 1);
    Row<K> next = (matched | mismatched | deleted) & cells();
#pragma unroll
    for (int e = 0; e < K; e++) next |= next << (kWidth + 1) & cells();
    // Clears the cells of prefixes longer than the query.
    if (int(last) < 2 * K) next &= levels() * Row<K>((2u << last) - 1);
    return next;
  }

  // The value of cell j if it lies in the band and the value is at most K, else K + 1.
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
