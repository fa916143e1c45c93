// Sides of gapped extensions, and letters of sequences: src/extensions/device.rs.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace blastn {

// One side of an extension. Mirrors `Side`.
struct Side {
  uint64_t row_at, column_at;  // places between letters that it begins at
  uint32_t rows, columns;      // letters to that side
  int32_t x_drop;
  uint32_t reverse;  // whether it goes to the left
};
static_assert(sizeof(Side) == 32, "mirrored in Rust");

// How far it goes. Mirrors `Reached`.
struct Reached {
  int32_t score;
  uint32_t rows, columns;
  uint32_t first_run, runs;  // its runs of columns
};
static_assert(sizeof(Reached) == 20, "mirrored in Rust");

// As `runs`: the side did not fit into memory.
constexpr uint32_t kNoRoom = 0xFFFFFFFF;

// Eight letters of 4 bits from a place on, the first in the highest bits. Up to 8 before the first may
// be asked for.
static __device__ __forceinline__ uint32_t eight(const uint32_t* text, int64_t place) {
  const uint32_t* words = text + (place >> 3);
  const uint64_t two = static_cast<uint64_t>(__ldg(words)) << 32 | __ldg(words + 1);
  return static_cast<uint32_t>(two << (4 * (place & 7)) >> 32);
}

// Eight letters of 2 bits from a place on, 4 bits each. Up to 16 before the first may be asked for.
static __device__ __forceinline__ uint32_t eight_bases(const uint32_t* text, int64_t place) {
  const uint32_t* words = text + (place >> 4);
  const uint64_t two = static_cast<uint64_t>(__ldg(words)) << 32 | __ldg(words + 1);
  uint32_t bases = static_cast<uint32_t>(two << (2 * (place & 15)) >> 48);
  bases = (bases | bases << 8) & 0x00FF00FF;
  bases = (bases | bases << 4) & 0x0F0F0F0F;
  return (bases | bases << 2) & 0x33333333;
}

// Eight letters from the last to the first.
static __device__ __forceinline__ uint32_t turned(uint32_t letters) {
  const uint32_t bytes = __byte_perm(letters, 0, 0x0123);
  return (bytes & 0x0F0F0F0F) << 4 | (bytes >> 4 & 0x0F0F0F0F);
}

// Letters of 2 bits, 16 a word, the first in the highest bits.
struct Bases {
  static __device__ __forceinline__ uint32_t letter(const uint32_t* text, uint64_t place) {
    return __ldg(text + place / 16) >> (30 - 2 * (place % 16)) & 3;
  }
  static __device__ __forceinline__ uint32_t eight(const uint32_t* text, int64_t place) {
    return eight_bases(text, place);
  }
};

// Letters of 4 bits, 8 a word, likewise.
struct Letters {
  static __device__ __forceinline__ uint32_t letter(const uint32_t* text, uint64_t place) {
    return __ldg(text + place / 8) >> (28 - 4 * (place % 8)) & 15;
  }
  static __device__ __forceinline__ uint32_t eight(const uint32_t* text, int64_t place) {
    return blastn::eight(text, place);
  }
};

}  // namespace blastn
