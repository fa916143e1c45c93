// Prefix sums over a block, and finding one's part in them: what exploding and collecting are made
// of, for kernels of their own. (Stages do it by the queues' counters: scatter.cuh, pods.cuh.)
#pragma once

#include "stream/stage.cuh"

namespace stream {

// A thread's place among the block's threads.
template <class T>
struct Scanned {
  T before;  // the values of the threads before this one
  T all;     // of all threads
};

// The sum of the values of the warp's lanes up to and including this one. All lanes, converged.
template <class T>
__device__ T scan_warp(T value) {
  const u32 lane = threadIdx.x % WARP;
  for (u32 step = 1; step < WARP; step *= 2) {
    const T other = __shfl_up_sync(ALL_LANES, value, step);
    if (lane >= step) value += other;
  }
  return value;
}

// Adds up the warps' sums. `sums`: one in shared memory for each warp of the block. All threads of
// the block; has one barrier. Nobody may write to `sums` again before the next one.
template <class T>
__device__ Scanned<T> scan_warps(T before_in_warp, T of_warp, T* sums) {
  const u32 warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
  if (threadIdx.x % WARP == 0) sums[warp] = of_warp;
  __syncthreads();
  Scanned<T> scanned{before_in_warp, 0};
  for (u32 w = 0; w < warps; ++w) {
    if (w < warp) scanned.before += sums[w];
    scanned.all += sums[w];
  }
  return scanned;
}

// The prefix sum of `value` over the block, whose width is a multiple of 32. As `scan_warps`.
template <class T>
__device__ Scanned<T> scan_block(T value, T* sums) {
  const T through = scan_warp(value);
  return scan_warps<T>(through - value, __shfl_sync(ALL_LANES, through, WARP - 1), sums);
}

// How many threads before this one, and in all, say yes. As `scan_warps`.
__device__ inline Scanned<u32> rank_block(bool yes, u32* sums) {
  const u32 votes = __ballot_sync(ALL_LANES, yes);
  const u32 before = votes & ((1u << threadIdx.x % WARP) - 1);
  return scan_warps<u32>(__popc(before), __popc(votes), sums);
}

// The last of `count` parts, 1 or more, that begins at or before `element`; begin[0] is 0 and parts
// are not empty. Any thread.
__device__ inline u32 find_part(const u32* begin, u32 count, u32 element) {
  u32 low = 0, high = count;
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    if (begin[middle] <= element) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// The union of the lanes' bits. All lanes, converged.
__device__ inline u32 unite_warp(u32 bits) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(ALL_LANES, bits);
#else
  for (u32 step = WARP / 2; step > 0; step /= 2) bits |= __shfl_xor_sync(ALL_LANES, bits, step);
  return bits;
#endif
}

// The same as `find_part` for a warp whose lanes have the elements `first`, `first` + 1, ..., when
// `part` is that of `first`: without a search. All lanes, converged.
__device__ inline u32 find_parts(const u32* begin, u32 count, u32 first, u32 part) {
  const u32 lane = threadIdx.x % WARP, next = part + 1 + lane;
  // A lane looks where one of the next parts begins; a bit for each lane that begins one.
  const u32 place = next < count ? begin[next] - first : WARP;
  const u32 heads = unite_warp(place < WARP ? 1u << place : 0);
  return part + __popc(heads & ((2u << lane) - 1));
}

}  // namespace stream
