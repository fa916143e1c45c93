// Balanced loops that record which thread ran which iteration; aligner-core/tests/kernels/balance.rs compares the
// records with plain loops.
#include <gpualign/cuda_or_cpu.cuh>

#include <stream/balance.cuh>

#include <tests/layouts.cuh>
#include <tests/parameters.cuh>

namespace {

using tests::BalanceParameters;

// Slots of the delayed buffer: so few that every test case takes several batches.
constexpr unsigned SLOTS = 24;

// A loop that records its iterations; iteration (i, j) has the index offsets[i] + j.
struct RecordedLoop {
  const uint32_t* sizes;
  const uint64_t* offsets;
  uint32_t* visits;   // for each iteration, how often it was visited, added to the value before
  uint32_t* threads;  // for each iteration, the thread of the grid that visited it last
  uint32_t* asked;    // for each i, how often its size was asked for, added to the value before
  uint32_t thread;    // the calling thread of the grid

  __device__ stream::u32 size(stream::u32 i) const {
    atomicAdd(asked + i, 1u);
    return sizes[i];
  }
  __device__ void work(stream::u32 i, stream::u32 j) {
    atomicAdd(visits + offsets[i] + j, 1u);
    threads[offsets[i] + j] = thread;
  }
};

// Number of the calling thread in its block, and number of threads of the block, for blocks of any shape.
__device__ unsigned rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }

// The first element of part `index`, if [0, count) is divided into `parts` parts of about equal size.
__device__ unsigned part(uint32_t count, unsigned index, unsigned parts) {
  return static_cast<unsigned>(static_cast<uint64_t>(count) * index / parts);
}

// The loop that the calling thread runs.
__device__ RecordedLoop recorded_loop(const BalanceParameters& p) {
  return {p.sizes, p.offsets, p.visits, p.threads, p.asked, blockIdx.x * threads() + rank()};
}

}  // namespace

// Each warp runs its part of the outer iterations [0, count), twice: the second time must find the buffer as the first
// did. Every warp of a block has a buffer of its own.
extern "C" __global__ void by_warp(const __grid_constant__ BalanceParameters parameters) {
  __shared__ stream::Delayed<SLOTS> delayed[32];
  RecordedLoop loop = recorded_loop(parameters);
  const unsigned warps = (threads() + 31) / 32;
  const unsigned warp = blockIdx.x * warps + rank() / 32;
  for (int time = 0; time < 2; ++time) {
    stream::balance_warp(part(parameters.count, warp, gridDim.x * warps),
                         part(parameters.count, warp + 1, gridDim.x * warps), parameters.threshold,
                         delayed[rank() / 32], loop);
  }
}
SIMT_EXPORT(by_warp)

// Each block runs its part of the outer iterations [0, count), twice.
extern "C" __global__ void by_block(const __grid_constant__ BalanceParameters parameters) {
  __shared__ stream::Delayed<SLOTS> delayed;
  RecordedLoop loop = recorded_loop(parameters);
  for (int time = 0; time < 2; ++time) {
    stream::balance_block(part(parameters.count, blockIdx.x, gridDim.x),
                          part(parameters.count, blockIdx.x + 1, gridDim.x), parameters.threshold, delayed,
                          loop);
  }
}
SIMT_EXPORT(by_block)
