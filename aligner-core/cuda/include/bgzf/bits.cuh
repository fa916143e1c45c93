// Writing bits into a block of BGZF.
#pragma once

#include "bgzf/bgzf.cuh"

namespace bgzf {

// A block of BGZF that is being written. Its words are 0 before.
struct BitWriter {
  u32* words;

  // Writes the `count` lowest bits of `value`, 32 at most, from bit `at` of the block on. Other bits of `value` are 0. Any
  // thread; threads may write to the same word.
  __device__ void put(u32 at, u32 value, u32 count) const {
    const u64 shifted = static_cast<u64>(value) << at % 32;
    if (value == 0) return;
    atomicOr(words + at / 32, static_cast<u32>(shifted));
    if (at % 32 + count > 32) atomicOr(words + at / 32 + 1, static_cast<u32>(shifted >> 32));
  }
};

}  // namespace bgzf
