// Sorting, and the greatest value, by one warp.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace seed_extend {

constexpr uint32_t LANES = 32, ALL_LANES = ~0u;

// The greatest of the values of all lanes, in each lane. All lanes of a warp call it, converged.
static __device__ uint64_t max_of_warp(uint64_t value) {
  for (uint32_t step = LANES / 2; step > 0; step /= 2) {
    const uint64_t other = __shfl_xor_sync(ALL_LANES, value, step);
    if (other > value) value = other;
  }
  return value;
}

// Puts the smaller of two keys first. Any thread may call it for keys that no other thread uses.
static __device__ __forceinline__ void order(uint64_t* keys, uint32_t first, uint32_t second) {
  const uint64_t a = keys[first], b = keys[second];
  if (b < a) {
    keys[first] = b;
    keys[second] = a;
  }
}

// Sorts `count` keys, in memory that the lanes of the warp share, by a bitonic network. All comparisons put the smaller
// key first, so comparisons with keys behind the last one can be left out. All lanes of a warp must call it with the
// same arguments, after a __syncwarp. The sorted keys are visible to all of them afterwards.
static __device__ void sort(uint64_t* keys, uint32_t count) {
  const uint32_t lane = threadIdx.x % LANES;
  for (uint32_t half = 1; half < count; half *= 2) {
    // The second half of each run is mirrored onto the first.
    for (uint32_t pair = lane; pair < count; pair += LANES) {
      const uint32_t run = pair / half * 2 * half, place = pair % half;
      const uint32_t other = run + 2 * half - 1 - place;
      if (other < count) order(keys, run + place, other);
    }
    __syncwarp();
    for (uint32_t distance = half / 2; distance > 0; distance /= 2) {
      for (uint32_t pair = lane; pair < count; pair += LANES) {
        const uint32_t first = pair / distance * 2 * distance + pair % distance;
        if (first + distance < count) order(keys, first, first + distance);
      }
      __syncwarp();
    }
  }
}

}  // namespace seed_extend
