// Kernels with one planted bug each, which the shim, or a sanitizer, must find.
#include <gpualign/cuda_or_cpu.cuh>

namespace {
constexpr unsigned FULL = 0xFFFFFFFFu;
}

// No barrier between write and read: reads poison, or the right value, by the order of threads.
extern "C" __global__ void missing_barrier(uint32_t* out) {
  __shared__ uint32_t staged[256];
  staged[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

// The same between the lanes of a warp.
extern "C" __global__ void missing_syncwarp(uint32_t* out) {
  __shared__ uint32_t staged[32];
  staged[threadIdx.x] = threadIdx.x;
  const uint32_t got = staged[31 - threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = got;
}

// Shared memory that no one has written, static and dynamic, and a local variable.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // the bug is meant
extern "C" __global__ void uninitialised(uint32_t* out) {
  __shared__ uint32_t fixed[2];
  DYN_SMEM(uint32_t, dynamic);
  uint32_t local[2];
  out[0] = fixed[1];
  out[1] = dynamic[1];
  out[2] = local[1];
  fixed[1] = dynamic[1] = gridDim.x;  // must not be there any more in the next block
}
#pragma GCC diagnostic pop

extern "C" __global__ void divergent_collective(uint32_t* out) {
  if (threadIdx.x % 2 == 1) {
    out[threadIdx.x] = __shfl_sync(FULL, threadIdx.x, 0);
  } else {
    __syncthreads();
  }
}

extern "C" __global__ void divergent_barrier(uint32_t* out) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    out[threadIdx.x] = 1;
    __syncthreads();
  }
}

extern "C" __global__ void not_in_mask(uint32_t* out) {
  out[threadIdx.x] = __ballot_sync(0x0000FFFFu, 1);
}

// Lanes 0-7 wait for lanes 8-15 with one mask, and those for them with another.
extern "C" __global__ void different_masks(uint32_t* out) {
  out[threadIdx.x] = __ballot_sync(threadIdx.x < 8 ? 0xFFFFu : FULL, 1);
}

extern "C" __global__ void trap(uint32_t* out) {
  if (threadIdx.x == 5 && blockIdx.x == 3) __trap();
  out[0] = 0;
}

// One element behind the end.
extern "C" __global__ void write_past_global(uint32_t* out, uint32_t n) { out[n] = 1; }

extern "C" __global__ void read_past_global(uint32_t* out, uint32_t n) { out[0] = out[n]; }

extern "C" __global__ void write_past_dynamic(uint32_t* out, uint32_t n) {
  DYN_SMEM(uint32_t, words);
  words[n] = out[0];
}

extern "C" __global__ void write_past_static(uint32_t* out, uint32_t n) {
  __shared__ uint32_t words[8];
  words[n] = out[0];
  out[0] = words[0];
}

extern "C" __global__ void write_past_local(uint32_t* out, uint32_t n) {
  uint32_t words[8] = {};
  uint32_t* volatile alias = words;  // hides the array's size, as a call of a function would
  for (uint32_t i = 0; i <= n; ++i) alias[i] = out[0];
  out[0] = words[7];
}

extern "C" __global__ void misaligned(uint32_t* out, uint32_t n) {
  const uint2* pair = reinterpret_cast<const uint2*>(out + n);
  out[0] = __ldg(pair).x;
}

extern "C" __global__ void shift_too_far(uint32_t* out, uint32_t n) { out[0] = 1u << (n + 24); }

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
