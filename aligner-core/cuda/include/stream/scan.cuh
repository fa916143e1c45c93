// Prefix sums over a warp or a block, and finding the part of a prefix sum that an element belongs to: for walks
// (walk.cuh), and for kernels that explode or compact items without the runtime. Stages need them not.
#pragma once

#include "stream/stage.cuh"

namespace stream {

// An exclusive prefix sum over the threads of a block.
template <class T>
struct Scanned {
  T before;  // sum of the values of the threads before this one
  T all;     // sum of the values of all threads
};

// Inclusive prefix sum over the lanes of a warp. All lanes call, converged.
template <class T>
__device__ T scan_warp(T value) {
  const u32 lane = threadIdx.x % WARP;
  for (u32 step = 1; step < WARP; step *= 2) {
    const T other = __shfl_up_sync(ALL_LANES, value, step);
    if (lane >= step) value += other;
  }
  return value;
}

// Turns a prefix sum over the lanes of each warp into one over the block. `sums` is shared memory, an element for each
// warp. All threads of the block call; has one barrier. `sums` may be written again after the next barrier.
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

// Exclusive prefix sum of `value` over the block, whose width is a multiple of 32. Contract of `scan_warps`.
template <class T>
__device__ Scanned<T> scan_block(T value, T* sums) {
  const T through = scan_warp(value);
  return scan_warps<T>(through - value, __shfl_sync(ALL_LANES, through, WARP - 1), sums);
}

// Number of threads before this one, and in the block, for which `yes` is true. Contract of `scan_warps`.
__device__ inline Scanned<u32> rank_block(bool yes, u32* sums) {
  const u32 votes = __ballot_sync(ALL_LANES, yes);
  const u32 before = votes & ((1u << threadIdx.x % WARP) - 1);
  return scan_warps<u32>(__popc(before), __popc(votes), sums);
}

// Index of the part that `element` belongs to, by binary search: the last of `count` parts (1 or more) that begins at
// or before it. Part i begins at begin[i]; begin[0] is 0, and no part is empty. Any thread.
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

// Bitwise OR over the lanes of a warp. All lanes call, converged; valid in all lanes.
__device__ inline u32 unite_warp(u32 bits) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(ALL_LANES, bits);
#else
  for (u32 step = WARP / 2; step > 0; step /= 2) bits |= __shfl_xor_sync(ALL_LANES, bits, step);
  return bits;
#endif
}

// `find_part` for the elements first, first + 1, ... of the lanes of a warp, without a search: `part` is the part of
// element `first`. All lanes call, converged, with the same arguments.
__device__ inline u32 find_parts(const u32* begin, u32 count, u32 first, u32 part) {
  const u32 lane = threadIdx.x % WARP, next = part + 1 + lane;
  // Each lane reads where one of the next parts begins. Bit j of `heads` says that a part begins at the element of
  // lane j.
  const u32 place = next < count ? begin[next] - first : WARP;
  const u32 heads = unite_warp(place < WARP ? 1u << place : 0);
  return part + __popc(heads & ((2u << lane) - 1));
}

}  // namespace stream
