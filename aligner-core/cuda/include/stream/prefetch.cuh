// Memory warps for regular stages: every item of an array takes the same work and yields one result.
//
// The warps of a block have two roles (Hagiescu et al., III.B and IV.B, fig. 2): COMPUTE warps only touch shared
// memory, and MEMORY warps only move items between global and shared memory. Shared memory holds two tiles, each with
// one slot for each compute thread. While the compute warps turn the items of one tile into results, in place, the
// memory warps write out the results of the other tile and fetch the next items into the same slots, by asynchronous
// copies where the device has them. Then a barrier of the block, and the tiles change roles.
//
//   step            s        s + 1    s + 2
//   tile A          fetch s  compute  write, fetch s + 2
//   tile B          compute  write, fetch s + 1  compute
//
// Hagiescu et al. copy between a working set and a buffer instead; here no item is moved twice. A slot is an odd number
// of 16-byte pieces, so that neighbouring compute threads have no bank conflicts (the paper's odd gap between working
// sets).
//
//   struct Square {
//     __device__ Result operator()(const Item& item) const;
//   };
//   using Squares = stream::Prefetched<Item, Result, 4, 1>;          // 128 compute threads, 32 others
//   __shared__ __align__(16) stream::byte tiles[Squares::shared_bytes()];
//   Squares::run(items, results, count, Square{}, tiles);
//
// With MEMORY = 0 there are no memory warps and no shared memory: each compute thread reads its item from global memory
// and writes its result there. This is the control for measurements, and faster where enough warps fit on a
// multiprocessor to hide the latency of memory.
//
// Contract of `run`:
//   - called by all threads of a one-dimensional block of `THREADS` threads, with the same arguments.
//     The blocks of a one-dimensional grid of any size share the tiles: block b has every tile
//     b + k * gridDim.x of TILE items;
//   - `items` and `results` are of `count` elements, aligned to 16 bytes, and do not overlap;
//   - `tiles` are `shared_bytes()` bytes of shared memory, aligned to 16 bytes, of any content; not
//     read if that is 0. They are free again when `run` returns, without another barrier;
//   - `results` are valid when the kernel ends: other threads of the block than those that wrote
//     them may read them after `run` with a __syncthreads() in between.
// Contract of the stage: called once an item, by compute threads that need not have converged; it
// must not wait for other threads.
#pragma once

#include "stream/items.cuh"

#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_pipeline_primitives.h>
#endif

namespace stream {

namespace prefetch {

constexpr u32 PIECE = 16;

// Starts the copy of a piece to shared memory; valid for the calling thread after `wait_for_pieces`. Any thread.
__device__ inline void fetch_piece(byte* shared, const byte* global) {
#if defined(__CUDACC__)
  __pipeline_memcpy_async(shared, global, PIECE);
#else
  copy_chunk<PIECE>(shared, global);
#endif
}

// Waits for the pieces that the calling thread has fetched. Any thread.
__device__ inline void wait_for_pieces() {
#if defined(__CUDACC__)
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
}

}  // namespace prefetch

// Items of type T that become results of type R, by blocks of COMPUTE compute warps and MEMORY memory warps.
template <class T, class R, u32 COMPUTE, u32 MEMORY>
struct Prefetched {
  static_assert(COMPUTE > 0, "someone has to compute");
  static_assert(sizeof(T) % prefetch::PIECE == 0 && sizeof(R) % prefetch::PIECE == 0,
                "items and results are moved in pieces of 16 bytes");
  static_assert(std::is_trivially_copyable<T>::value && std::is_trivially_copyable<R>::value,
                "items and results are moved as bytes");

  static constexpr u32 TILE = COMPUTE * WARP;  // items
  static constexpr u32 THREADS = (COMPUTE + MEMORY) * WARP;
  static_assert(THREADS <= 1024, "a block has at most 1024 threads");

  __device__ static constexpr u32 shared_bytes() { return MEMORY == 0 ? 0 : 2 * TILE * SLOT; }

  template <class Stage>
  __device__ static void run(const T* items, R* results, u64 count, const Stage& stage,
                             byte* tiles) {
    if constexpr (MEMORY == 0) {
      run_alone(items, results, count, stage);
    } else {
      run_in_turn(items, results, count, stage, tiles);
    }
  }

 private:
  static constexpr u32 IN = sizeof(T) / prefetch::PIECE;
  static constexpr u32 OUT = sizeof(R) / prefetch::PIECE;
  static constexpr u32 PIECES = IN > OUT ? IN : OUT;
  static constexpr u32 SLOT = (PIECES | 1) * prefetch::PIECE;

  // The tiles that the calling block works on.
  struct Share {
    u64 count;
    u64 tiles;

    __device__ explicit Share(u64 count) : count(count), tiles(0) {
      const u64 all = (count + TILE - 1) / TILE;
      if (blockIdx.x < all) tiles = (all - blockIdx.x - 1) / gridDim.x + 1;
    }
    // The first item of the block's tile k, and how many items it has.
    __device__ u64 first(u64 k) const { return (blockIdx.x + k * gridDim.x) * TILE; }
    __device__ u32 size(u64 k) const {
      const u64 left = count - first(k);
      return left < TILE ? static_cast<u32>(left) : TILE;
    }
  };

  template <class Stage>
  __device__ static void run_alone(const T* items, R* results, u64 count, const Stage& stage) {
    const Share share(count);
    for (u64 k = 0; k < share.tiles; ++k) {
      if (threadIdx.x >= share.size(k)) continue;
      const u64 i = share.first(k) + threadIdx.x;
      const T item = load_packed<T>(reinterpret_cast<const byte*>(items + i));
      store_packed<R>(reinterpret_cast<byte*>(results + i), stage(item));
    }
  }

  // In step s, the memory warps write out the results of tile s - 2 and fetch tile s into the same slots, while the
  // compute warps run on tile s - 1 in the other half of shared memory.
  template <class Stage>
  __device__ static void run_in_turn(const T* items, R* results, u64 count, const Stage& stage,
                                     byte* tiles) {
    const Share share(count);
    if (share.tiles == 0) return;
    const bool computes = threadIdx.x < TILE;
    for (u64 s = 0; s < share.tiles + 2; ++s) {
      byte* const moved = tiles + (s % 2) * (TILE * SLOT);
      byte* const computed = tiles + ((s + 1) % 2) * (TILE * SLOT);
      if (!computes) {
        const bool writes = s >= 2;
        const bool fetches = s < share.tiles;
        move(moved, fetches ? reinterpret_cast<const byte*>(items + share.first(s)) : nullptr,
             fetches ? share.size(s) : 0,
             writes ? reinterpret_cast<byte*>(results + share.first(s - 2)) : nullptr,
             writes ? share.size(s - 2) : 0);
      } else if (s >= 1 && s <= share.tiles && threadIdx.x < share.size(s - 1)) {
        byte* const slot = computed + threadIdx.x * SLOT;
        const T item = load_packed<T>(slot);
        store_packed<R>(slot, stage(item));
      }
      __syncthreads();
    }
  }

  // Writes `ready` results out of a tile and fetches `wanted` items into it. Called by the memory warps. Neighbouring
  // threads move neighbouring pieces; the same thread writes out and fetches a piece of a slot.
  __device__ static void move(byte* tile, const byte* items, u32 wanted, byte* results, u32 ready) {
#pragma unroll 4
    for (u32 p = threadIdx.x - TILE; p < TILE * PIECES; p += MEMORY * WARP) {
      const u32 i = p / PIECES;
      const u32 piece = p % PIECES;
      byte* const place = tile + i * SLOT + piece * prefetch::PIECE;
      if (i < ready && piece < OUT) {
        copy_chunk<prefetch::PIECE>(results + (i * OUT + piece) * prefetch::PIECE, place);
      }
      if (i < wanted && piece < IN) {
        prefetch::fetch_piece(place, items + (i * IN + piece) * prefetch::PIECE);
      }
    }
    prefetch::wait_for_pieces();
  }
};

}  // namespace stream
