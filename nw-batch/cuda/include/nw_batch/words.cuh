// Numbers that a lane computes with: two pairs in 16-bit halves, or one in 32 bits.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace nw {

// Two numbers of 16 bits, of the first pair in the lower half. DPX instructions on compute
// capability 9.0, their software versions before.
struct Packed {
  static constexpr int PAIRS = 2;
  // Less than every value of a matrix, in both halves.
  static constexpr uint32_t NEVER = 0x80008000u;

  static __device__ __forceinline__ uint32_t splat(int value) {
    return (static_cast<uint32_t>(value) & 0xffffu) * 0x10001u;
  }
  static __device__ __forceinline__ int get(uint32_t word, int pair) {
    return static_cast<int16_t>(word >> (16 * pair));
  }
  static __device__ __forceinline__ uint32_t max(uint32_t a, uint32_t b) { return __vmaxs2(a, b); }
  // max(a + b, c)
  static __device__ __forceinline__ uint32_t add_max(uint32_t a, uint32_t b, uint32_t c) {
    return __viaddmax_s16x2(a, b, c);
  }
  // 1 in each half where they differ.
  static __device__ __forceinline__ uint32_t differ(uint32_t a, uint32_t b) {
    return __vminu2(a ^ b, 0x00010001u);
  }
};

// One number of 32 bits.
struct Wide {
  static constexpr int PAIRS = 1;
  static constexpr uint32_t NEVER = 0x80000000u;

  static __device__ __forceinline__ uint32_t splat(int value) {
    return static_cast<uint32_t>(value);
  }
  static __device__ __forceinline__ int get(uint32_t word, int) { return static_cast<int>(word); }
  static __device__ __forceinline__ uint32_t max(uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(static_cast<int>(a) > static_cast<int>(b) ? a : b);
  }
  static __device__ __forceinline__ uint32_t add_max(uint32_t a, uint32_t b, uint32_t c) {
    return static_cast<uint32_t>(
        __viaddmax_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  }
  static __device__ __forceinline__ uint32_t differ(uint32_t a, uint32_t b) { return a != b; }
};

// Bytes of `high:low` as the nibbles of `selector` name them by their lower three bits; a nibble's
// upper bit asks for copies of the byte's sign instead. PTX `prmt`, of which CUDA's __byte_perm
// leaves the sign out.
static __device__ __forceinline__ uint32_t permute(uint32_t low, uint32_t high, uint32_t selector) {
#if defined(__CUDACC__)
  uint32_t result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(selector));
  return result;
#else
  const uint32_t bytes = __byte_perm(low, high, selector);
  uint32_t signs = 0;
  for (int i = 0; i < 4; ++i) {
    if ((selector >> (4 * i + 3) & 1) != 0) signs |= 0xffu << (8 * i);
  }
  const uint32_t negative = (bytes >> 7 & 0x01010101u) * 0xffu;
  return (bytes & ~signs) | (negative & signs);
#endif
}

}  // namespace nw
