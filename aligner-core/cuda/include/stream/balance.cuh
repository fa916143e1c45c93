// Load balancing of uneven inner loops: outer iteration i has `size(i)` inner iterations, and sizes differ widely.
//
// A thread that runs a long loop alone keeps its warp waiting. The remedy is the delayed buffer of Li 2016, 4.4 and
// fig. 42 c: loops of up to `threshold` iterations run on the thread that meets them; longer ones are put into a buffer
// in shared memory, and then all threads of the team share each of them. The team is a warp or a block. Li found the
// warp's width to be the best threshold; 0 shares every loop, and 0xFFFFFFFF none.
//
// No kernel of gpualign uses this template: tests/kernels/balance.cu tests it, and it is here for kernels of others.
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
// Contract of the loop: any thread of the team calls `size` and `work`, in any order, and threads need not have
// converged; the two must not wait for other threads. Sums that `work` keeps in the struct are of the calling thread's
// share alone.
//
// A stage of the runtime cannot use this template, since it runs without its neighbours (stage.cuh). It inherits
// `Exploding` instead, which gives every inner iteration a lane.
#pragma once

#include "stream/stage.cuh"

namespace stream {

// The delayed buffer, in shared memory, one for each team: outer iterations whose loops all threads will share. It
// needs no initial value, and is free again when the balancing function returns. It takes 8 * SLOTS + 4 bytes; SLOTS is
// the number of outer iterations between two barriers of the team.
template <u32 SLOTS>
struct Delayed {
  static_assert(SLOTS > 0, "a buffer without slots makes no progress");
  u32 outer[SLOTS];
  u32 sizes[SLOTS];
  u32 count;
};

namespace balance {

// Number of the calling thread in its block, and number of threads of the block, for blocks of any shape.
__device__ inline u32 thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ inline u32 thread_count() { return blockDim.x * blockDim.y * blockDim.z; }

// The calling thread's warp as a team; the last warp of a block may have fewer than 32 lanes.
struct WarpTeam {
  __device__ static u32 rank() { return thread_rank() % WARP; }
  __device__ static u32 size() {
    return min(WARP, thread_count() - thread_rank() / WARP * WARP);
  }
  __device__ static void meet() { __syncwarp(); }
};

// The calling thread's block as a team.
struct BlockTeam {
  __device__ static u32 rank() { return thread_rank(); }
  __device__ static u32 size() { return thread_count(); }
  __device__ static void meet() { __syncthreads(); }
};

// Runs the outer iterations [first, last). All threads of the team call with the same arguments, except for `loop`, of
// which each has its own. There are three barriers of the team for every SLOTS outer iterations, so the buffer cannot
// overflow.
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
      // The step is limited to the iterations left, because j + threads may pass 2^32.
      for (u32 j = rank; j < size; j += min(threads, size - j)) loop.work(delayed.outer[slot], j);
    }
    // The next batch reuses the buffer, so all threads must have read it.
    Team::meet();
    first += batch;
  }
}

}  // namespace balance

// Runs the outer iterations [first, last) of `loop` on the calling warp. All lanes of the warp call with the same
// `first`, `last`, `threshold` and `delayed`; other warps must not use that buffer at the same time. Has warp barriers,
// the last one before the return, after which shared memory that `work` wrote is valid in all lanes.
template <u32 SLOTS, class Loop>
__device__ void balance_warp(u32 first, u32 last, u32 threshold, Delayed<SLOTS>& delayed,
                             Loop& loop) {
  balance::run<balance::WarpTeam>(first, last, threshold, delayed, loop);
}

// Runs the outer iterations [first, last) of `loop` on the calling block. All threads of the block call with the same
// `first`, `last`, `threshold` and `delayed`. Has block barriers, the last one before the return.
template <u32 SLOTS, class Loop>
__device__ void balance_block(u32 first, u32 last, u32 threshold, Delayed<SLOTS>& delayed,
                              Loop& loop) {
  balance::run<balance::BlockTeam>(first, last, threshold, delayed, loop);
}

}  // namespace stream
