// Sides of gapped extensions, as host and kernels share them, and letters of sequences.
//
// A gapped extension goes from a pair of places to the left and to the right; each of these is a *side*. One sequence's letters
// are the rows of its matrix, the other's the columns.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace blastn {

// One side of an extension.
struct ExtensionSide {
  uint64_t row_at, column_at;  // where it begins: places between letters in the texts of the rows and the columns
  uint32_t rows, columns;      // letters to that side
  int32_t x_drop;              // how far the score may fall below the best; at least the cost of a gap of one column
  uint32_t reverse;            // 1 if it goes to the left, 0 if to the right
};

// How far a side's best alignment reaches.
struct SideReach {
  int32_t score;           // best score, 0 for none; differences instead, if the side was extended greedily
  uint32_t rows, columns;  // letters of each sequence
  uint32_t first_run;      // its first run of columns among those of all sides; 0 if columns were not asked for
  uint32_t runs;           // how many runs it has, or kNoRoom
};

// As `SideReach::runs`: the side did not fit into memory, and its other fields are undefined.
constexpr uint32_t kNoRoom = 0xFFFFFFFF;

// Kinds of columns. A run is `columns << 2 | kind`.
constexpr uint32_t kPairColumns = 0, kInsertionColumns = 1, kDeletionColumns = 2;

// Eight letters of 4 bits from a place on, the first in the highest bits. The place may be up to 8 before the first letter.
static __device__ __forceinline__ uint32_t eight_letters(const uint32_t* text, int64_t place) {
  const uint32_t* words = text + (place >> 3);
  const uint64_t two = static_cast<uint64_t>(__ldg(words)) << 32 | __ldg(words + 1);
  return static_cast<uint32_t>(two << (4 * (place & 7)) >> 32);
}

// Eight letters of 2 bits from a place on, 4 bits each in the result. The place may be up to 16 before the first letter.
static __device__ __forceinline__ uint32_t eight_bases(const uint32_t* text, int64_t place) {
  const uint32_t* words = text + (place >> 4);
  const uint64_t two = static_cast<uint64_t>(__ldg(words)) << 32 | __ldg(words + 1);
  uint32_t bases = static_cast<uint32_t>(two << (2 * (place & 15)) >> 48);
  bases = (bases | bases << 8) & 0x00FF00FF;
  bases = (bases | bases << 4) & 0x0F0F0F0F;
  return (bases | bases << 2) & 0x33333333;
}

// Eight letters in the opposite order.
static __device__ __forceinline__ uint32_t reversed_letters(uint32_t letters) {
  const uint32_t bytes = __byte_perm(letters, 0, 0x0123);
  return (bytes & 0x0F0F0F0F) << 4 | (bytes >> 4 & 0x0F0F0F0F);
}

// Reads texts of 2 bits a letter: 16 in a word, the first in the highest bits.
struct Bases {
  static __device__ __forceinline__ uint32_t letter(const uint32_t* text, uint64_t place) {
    return __ldg(text + place / 16) >> (30 - 2 * (place % 16)) & 3;
  }
  static __device__ __forceinline__ uint32_t eight_letters(const uint32_t* text, int64_t place) {
    return eight_bases(text, place);
  }
};

// Reads texts of 4 bits a letter: 8 in a word, the first in the highest bits.
struct Letters {
  static __device__ __forceinline__ uint32_t letter(const uint32_t* text, uint64_t place) {
    return __ldg(text + place / 8) >> (28 - 4 * (place % 8)) & 15;
  }
  static __device__ __forceinline__ uint32_t eight_letters(const uint32_t* text, int64_t place) {
    return blastn::eight_letters(text, place);
  }
};

}  // namespace blastn
