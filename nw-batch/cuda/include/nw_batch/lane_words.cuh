// Words of lanes: the numbers that a lane computes with, of two pairs in 16-bit halves or of one pair in 32 bits.
// Any thread may call the functions at any time.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace nw {

// Adds `bit` to `word` unless `condition`. `one` is 1, and comes from outside, so that the compiler does not know it
// and multiplies: multiplications have a pipe of their own, while additions share that of comparisons, which is the
// busy one.
static __device__ __forceinline__ void add_unless(bool condition, uint32_t& word, uint32_t bit, uint32_t one) {
#if defined(__CUDACC__)
  asm("{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %1, 0;\n\t@p mad.lo.u32 %0, %2, %3, %0;\n\t}"
      : "+r"(word)
      : "r"(static_cast<uint32_t>(condition)), "r"(one), "r"(bit));
#else
  if (!condition) word += one * bit;
#endif
}

// Two numbers of 16 bits; the lower half is that of the first pair. The functions are DPX instructions on compute
// capability 9.0, and emulated before.
struct Packed {
  static constexpr int PAIRS = 2;
  // Stands for "no alignment" in both halves: less than every value of a matrix.
  static constexpr uint32_t NEVER = 0x80008000u;

  // The word with `value` for each pair.
  static __device__ __forceinline__ uint32_t splat(int value) {
    return (static_cast<uint32_t>(value) & 0xffffu) * 0x10001u;
  }
  // The number of one pair.
  static __device__ __forceinline__ int get(uint32_t word, int pair) {
    return static_cast<int16_t>(word >> (16 * pair));
  }
  static __device__ __forceinline__ uint32_t max(uint32_t a, uint32_t b) { return __vmaxs2(a, b); }
  static __device__ __forceinline__ uint32_t add(uint32_t a, uint32_t b) { return add_max(a, b, NEVER); }
  // max(a + b, c), for each pair.
  static __device__ __forceinline__ uint32_t add_max(uint32_t a, uint32_t b, uint32_t c) {
    return __viaddmax_s16x2(a, b, c);
  }
  // Of each pair, whether a maximum is its first operand.
  struct Choice {
    bool lower, upper;
  };
  // The maximum, and which operand it is; the first if they are equal.
  static __device__ __forceinline__ uint32_t max(uint32_t a, uint32_t b, Choice& choice) {
    return __vibmax_s16x2(a, b, &choice.upper, &choice.lower);
  }
  // Adds `bit` to the first of `words` if the choice of the first pair is the second operand, and to the upper half
  // of the second of `words` for the second pair.
  static __device__ __forceinline__ void add_if_second(uint32_t (&words)[2], Choice choice, uint32_t bit,
                                                       uint32_t one) {
    add_unless(choice.lower, words[0], bit, one);
    add_unless(choice.upper, words[1], bit << 16, one);
  }
};

// The same of numbers from 0 on. Words of such halves, none of which gets too large, can be added as numbers of 32 bits.
struct PackedUnsigned : Packed {
  static constexpr uint32_t NEVER = 0;

  static __device__ __forceinline__ int get(uint32_t word, int pair) { return word >> (16 * pair) & 0xffffu; }
  static __device__ __forceinline__ uint32_t max(uint32_t a, uint32_t b) { return __vmaxu2(a, b); }
  static __device__ __forceinline__ uint32_t max(uint32_t a, uint32_t b, uint32_t c) {
    return __vimax3_u16x2(a, b, c);
  }
  static __device__ __forceinline__ uint32_t add(uint32_t a, uint32_t b) { return add_max(a, b, NEVER); }
  static __device__ __forceinline__ uint32_t add_max(uint32_t a, uint32_t b, uint32_t c) {
    return __viaddmax_u16x2(a, b, c);
  }
  static __device__ __forceinline__ uint32_t max(uint32_t a, uint32_t b, Choice& choice) {
    return __vibmax_u16x2(a, b, &choice.upper, &choice.lower);
  }
};

// One number of 32 bits, with the functions of Packed.
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
  static __device__ __forceinline__ uint32_t add(uint32_t a, uint32_t b) { return a + b; }
  static __device__ __forceinline__ uint32_t add_max(uint32_t a, uint32_t b, uint32_t c) {
    return static_cast<uint32_t>(
        __viaddmax_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  }
  struct Choice {
    bool is_first;
  };
  static __device__ __forceinline__ uint32_t max(uint32_t a, uint32_t b, Choice& choice) {
    choice.is_first = static_cast<int>(a) >= static_cast<int>(b);
    return choice.is_first ? a : b;
  }
  static __device__ __forceinline__ void add_if_second(uint32_t (&words)[2], Choice choice, uint32_t bit,
                                                       uint32_t one) {
    add_unless(choice.is_first, words[0], bit, one);
  }
};

// Picks four of the eight bytes of `high:low`: each nibble of `selector` names a byte by its lower three bits; with its
// upper bit set, the result is copies of that byte's sign instead. This is PTX `prmt`; CUDA's __byte_perm does not
// offer the sign.
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
