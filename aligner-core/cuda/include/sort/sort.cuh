// Parameters of the kernels that sort (sort.cu). The host declares the same structs in src/sort.rs, and layouts.cuh
// asserts that they agree.
#pragma once

#include "stream/stage.cuh"

namespace sort {

using stream::u32;

// A digit of an item: `bits` bits, 8 at most, from bit `shift` on of one of its four words.
struct Digit {
  u32 word, shift, bits;

  // The digit of an item.
  __device__ u32 of(const uint4& item) const {
    const u32 words[4] = {item.x, item.y, item.z, item.w};
    u32 value = words[0];
    for (u32 i = 1; i < 4; i++) value = word == i ? words[i] : value;
    return value >> shift & ((1u << bits) - 1);
  }
};

struct SortCountParameters {
  const uint4* items;  // [count]
  u32* counts;         // [values of the digit][blocks]
  u32 count;           // below 2^32 - 2^8
  Digit digit;
};

struct SortSumParameters {
  u32* counts;  // [values of the digit][count]
  u32* totals;  // [values of the digit]
  u32 count;    // numbers of each value: the blocks of sort_count
  u32 padding;
};

struct SortMoveParameters {
  const uint4* items;  // [count]
  uint4* sorted;       // [count]
  const u32* firsts;   // [values of the digit][blocks], by sort_sum; not read by the first block
  const u32* totals;   // [values of the digit], by sort_sum, or by sort_count if there is one block
  u32 count;
  Digit digit;
};

}  // namespace sort
