// Kernels with one planted bug each, which the shim, or a sanitizer, must find.
#include <gpualign/cuda_or_cpu.cuh>
#include <tests/layouts.cuh>
#include <tests/parameters.cuh>

namespace {
using tests::PlantedParameters;
constexpr unsigned FULL = 0xFFFFFFFFu;
}

// No barrier between write and read: reads poison, or the right value, by the order of threads.
extern "C" __global__ void missing_barrier(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  __shared__ uint32_t staged[256];
  staged[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

// No barrier between write and read of the lanes of a warp.
extern "C" __global__ void missing_syncwarp(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  __shared__ uint32_t staged[32];
  staged[threadIdx.x] = threadIdx.x;
  const uint32_t got = staged[31 - threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = got;
}

// Shared memory that no one has written, static and dynamic, and a local variable.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // the bug is meant
extern "C" __global__ void uninitialised(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  __shared__ uint32_t fixed[2];
  DYN_SMEM(uint32_t, dynamic);
  uint32_t local[2];
  out[0] = fixed[1];
  out[1] = dynamic[1];
  out[2] = local[1];
  fixed[1] = dynamic[1] = gridDim.x;  // the next block must not find it
}
#pragma GCC diagnostic pop

extern "C" __global__ void divergent_collective(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  if (threadIdx.x % 2 == 1) {
    out[threadIdx.x] = __shfl_sync(FULL, threadIdx.x, 0);
  } else {
    __syncthreads();
  }
}

extern "C" __global__ void divergent_barrier(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    out[threadIdx.x] = 1;
    __syncthreads();
  }
}

extern "C" __global__ void not_in_mask(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  out[threadIdx.x] = __ballot_sync(0x0000FFFFu, 1);
}

// Lanes 0-7 wait for lanes 8-15 with one mask, and lanes 8-15 for lanes 0-7 with another.
extern "C" __global__ void different_masks(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  out[threadIdx.x] = __ballot_sync(threadIdx.x < 8 ? 0xFFFFu : FULL, 1);
}

extern "C" __global__ void trap(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  if (threadIdx.x == 5 && blockIdx.x == 3) __trap();
  out[0] = 0;
}

// Accesses one element behind the end of an array, of each kind of memory.
extern "C" __global__ void write_past_global(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  const uint32_t n = p.n;
  out[n] = 1;
}

extern "C" __global__ void read_past_global(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  const uint32_t n = p.n;
  out[0] = out[n];
}

extern "C" __global__ void write_past_dynamic(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  const uint32_t n = p.n;
  DYN_SMEM(uint32_t, words);
  words[n] = out[0];
}

extern "C" __global__ void write_past_static(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  const uint32_t n = p.n;
  __shared__ uint32_t words[8];
  words[n] = out[0];
  out[0] = words[0];
}

extern "C" __global__ void write_past_local(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  const uint32_t n = p.n;
  uint32_t words[8] = {};
  uint32_t* volatile alias = words;  // hides the array's size, as a call of a function would
  for (uint32_t i = 0; i <= n; ++i) alias[i] = out[0];
  out[0] = words[7];
}

extern "C" __global__ void misaligned(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  const uint32_t n = p.n;
  const uint2* pair = reinterpret_cast<const uint2*>(out + n);
  out[0] = __ldg(pair).x;
}

extern "C" __global__ void shift_too_far(const __grid_constant__ PlantedParameters p) {
  uint32_t* const out = p.out;
  const uint32_t n = p.n;
  out[0] = 1u << (n + 24);
}

SIMT_EXPORT(missing_barrier)
SIMT_EXPORT(missing_syncwarp)
SIMT_EXPORT(uninitialised)
SIMT_EXPORT(divergent_collective)
SIMT_EXPORT(divergent_barrier)
SIMT_EXPORT(not_in_mask)
SIMT_EXPORT(different_masks)
SIMT_EXPORT(trap)
SIMT_EXPORT(write_past_global)
SIMT_EXPORT(read_past_global)
SIMT_EXPORT(write_past_dynamic)
SIMT_EXPORT(write_past_static)
SIMT_EXPORT(write_past_local)
SIMT_EXPORT(misaligned)
SIMT_EXPORT(shift_too_far)
