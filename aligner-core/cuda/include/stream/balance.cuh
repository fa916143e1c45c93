// Uneven inner loops: each outer iteration i has `size(i)` inner ones, and sizes differ widely.
//
// A thread that runs long loops alone keeps its warp waiting. After 001, section 4.4 (Figure 42 c,
// the delayed buffer): loops of up to `threshold` iterations run on the thread that meets them;
// longer ones are put off in shared memory, and then all threads of the team share each of them. The
// team is a warp or a block. The paper found the warp's width the best threshold; 0 shares every
// loop, and 0xFFFFFFFF none.
//
// The loop is a struct; `work` is called exactly once for every i in [first, last) and j < size(i):
//
//   struct Product {
//     ...
//     __device__ stream::u32 size(stream::u32 i) const;      // asked once an i
//     __device__ void work(stream::u32 i, stream::u32 j);
//   };
//   __shared__ stream::Delayed<256> delayed;
//   Product product{...};
//   stream::balance_block(first, last, 32, delayed, product);
//
// Contract of the loop: `size` and `work` are called by any thread of the team, in any order, by
// threads that need not have converged; they must not wait for other threads. What `work` has added
// up in the thread's own struct is the sum of this thread's share alone.
//
// This is for kernels of their own. A stage runs without its neighbours (stage.cuh) and so cannot
// share its loops: it inherits `Exploding` instead, which gives every inner iteration a lane.
#pragma once

#include "stream/stage.cuh"

namespace stream {

// The outer iterations that a team has put off: a buffer in shared memory, one for each team. It
// needs no initial value, and is free again when the balancing function returns. Its 8 * SLOTS + 4
// bytes hold as many outer iterations as there can be between two meetings of the team.
template <u32 SLOTS>
struct Delayed {
  static_assert(SLOTS > 0, "a buffer without slots makes no progress");
  u32 outer[SLOTS];
  u32 sizes[SLOTS];
  u32 count;
};

namespace balance {

__device__ inline u32 thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ inline u32 thread_count() { return blockDim.x * blockDim.y * blockDim.z; }

// The calling thread's warp; the last one of a block may have fewer than 32 lanes.
struct WarpTeam {
  __device__ static u32 rank() { return thread_rank() % WARP; }
  __device__ static u32 size() {
    return min(WARP, thread_count() - thread_rank() / WARP * WARP);
  }
  __device__ static void meet() { __syncwarp(); }
};

struct BlockTeam {
  __device__ static u32 rank() { return thread_rank(); }
  __device__ static u32 size() { return thread_count(); }
  __device__ static void meet() { __syncthreads(); }
};

// Called by all threads of the team with the same arguments, `loop` aside. They meet three times
// for every SLOTS outer iterations, so that the buffer cannot overflow.
template <class Team, u32 SLOTS, class Loop>
__device__ void run(u32 first, u32 last, u32 threshold, Delayed<SLOTS>& delayed, Loop& loop) {
  const u32 rank = Team::rank();
  const u32 threads = Team::size();
  while (first < last) {
    const u32 batch = min(SLOTS, last - first);
    if (rank == 0) delayed.count = 0;
    Team::meet();
    for (u32 i = rank; i < batch; i += threads) {
      const u32 size = loop.size(first + i);
      if (size <= threshold) {
        for (u32 j = 0; j < size; ++j) loop.work(first + i, j);
      } else {
        const u32 slot = atomicAdd(&delayed.count, 1u);
        delayed.outer[slot] = first + i;
        delayed.sizes[slot] = size;
      }
    }
    Team::meet();
    const u32 count = delayed.count;
    for (u32 slot = 0; slot < count; ++slot) {
      const u32 size = delayed.sizes[slot];
      // Counts what is left, because `j + threads` may pass 2^32.
      for (u32 j = rank; j < size; j += min(threads, size - j)) loop.work(delayed.outer[slot], j);
    }
    // No one may start on the next batch, which reuses the buffer, before all have read it.
    Team::meet();
    first += batch;
  }
}

}  // namespace balance

// Runs the iterations [first, last) of `loop` on the calling warp. Called by all lanes of the warp
// with the same `first`, `last`, `threshold` and `delayed`, which other warps must not use
// meanwhile. Warp barriers inside and before the return, so that shared memory that `work` wrote is
// valid in all lanes afterwards.
template <u32 SLOTS, class Loop>
__device__ void balance_warp(u32 first, u32 last, u32 threshold, Delayed<SLOTS>& delayed,
                             Loop& loop) {
  balance::run<balance::WarpTeam>(first, last, threshold, delayed, loop);
}

// The same on the calling block: called by all its threads with the same `first`, `last`,
// `threshold` and `delayed`. Block barriers inside and before the return.
template <u32 SLOTS, class Loop>
__device__ void balance_block(u32 first, u32 last, u32 threshold, Delayed<SLOTS>& delayed,
                              Loop& loop) {
  balance::run<balance::BlockTeam>(first, last, threshold, delayed, loop);
}

}  // namespace stream
