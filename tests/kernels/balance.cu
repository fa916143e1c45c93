// Balanced loops that note who did what; tests/balance.rs compares the notes with plain loops.
#include <gpualign/cuda_or_cpu.cuh>

#include <stream/balance.cuh>

namespace {

// So few that batches end inside of every case.
constexpr unsigned SLOTS = 24;

// Iteration (i, j) has the index offsets[i] + j.
struct Notes {
  const uint32_t* sizes;
  const uint64_t* offsets;
  uint32_t* visits;   // of each iteration, counted up
  uint32_t* threads;  // the thread of the grid that visited it
  uint32_t* asked;    // of each i, how often its size was asked for, counted up
  uint32_t thread;

  __device__ stream::u32 size(stream::u32 i) const {
    atomicAdd(asked + i, 1u);
    return sizes[i];
  }
  __device__ void work(stream::u32 i, stream::u32 j) {
    atomicAdd(visits + offsets[i] + j, 1u);
    threads[offsets[i] + j] = thread;
  }
};

// This block's thread, and how many it has, whatever its shape.
__device__ unsigned rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }

// The start of part `index` of `parts` about equal parts of [0, count).
__device__ unsigned part(uint32_t count, unsigned index, unsigned parts) {
  return static_cast<unsigned>(static_cast<uint64_t>(count) * index / parts);
}

}  // namespace

// Each warp runs its part of the outer iterations [0, count), twice: nothing may be left of the
// first time. The warps of a block have a buffer each.
extern "C" __global__ void by_warp(const uint32_t* sizes, const uint64_t* offsets, uint32_t count,
                                   uint32_t threshold, uint32_t* visits, uint32_t* by,
                                   uint32_t* asked) {
  __shared__ stream::Delayed<SLOTS> delayed[32];
  Notes notes{sizes, offsets, visits, by, asked, blockIdx.x * threads() + rank()};
  const unsigned warps = (threads() + 31) / 32;
  const unsigned warp = blockIdx.x * warps + rank() / 32;
  for (int time = 0; time < 2; ++time) {
    stream::balance_warp(part(count, warp, gridDim.x * warps),
                         part(count, warp + 1, gridDim.x * warps), threshold,
                         delayed[rank() / 32], notes);
  }
}
SIMT_EXPORT(by_warp)

// Each block runs its part of the outer iterations [0, count), twice.
extern "C" __global__ void by_block(const uint32_t* sizes, const uint64_t* offsets, uint32_t count,
                                    uint32_t threshold, uint32_t* visits, uint32_t* by,
                                    uint32_t* asked) {
  __shared__ stream::Delayed<SLOTS> delayed;
  Notes notes{sizes, offsets, visits, by, asked, blockIdx.x * threads() + rank()};
  for (int time = 0; time < 2; ++time) {
    stream::balance_block(part(count, blockIdx.x, gridDim.x),
                          part(count, blockIdx.x + 1, gridDim.x), threshold, delayed, notes);
  }
}
SIMT_EXPORT(by_block)
