// Kernels that use every part of the SIMT shim; tests/kernels/simt.rs compares them with plain loops.
#include <gpualign/cuda_or_cpu.cuh>
#include <tests/layouts.cuh>
#include <tests/parameters.cuh>

namespace {

constexpr unsigned FULL = 0xFFFFFFFFu;

__device__ unsigned global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Sum over a warp; valid in lane 0. Called by all lanes that the block has in this warp; lanes
// that it has not must not be added, so each step asks whether the source exists.
__device__ unsigned warp_sum(unsigned value) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    const unsigned other = __shfl_down_sync(FULL, value, offset);
    if (lane + offset < 32 && threadIdx.x + offset < blockDim.x) value += other;
  }
  return value;
}

}  // namespace

// total[0] += sum of values[0..n). Shuffles, static shared memory, a barrier, one atomic a block.
extern "C" __global__ void block_sum(const __grid_constant__ tests::BlockSumParameters p) {
  __shared__ uint32_t partial[32];
  const unsigned i = global_thread();
  const unsigned sum = warp_sum(i < p.n ? p.values[i] : 0);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned all = 0;
    for (unsigned warp = 0; warp < (blockDim.x + 31) / 32; ++warp) all += partial[warp];
    atomicAdd(p.total, all);
  }
}

// Writes the multiples of 3 among values[0..n) to out, in any order, and counts them: a ballot,
// one atomic a warp.
extern "C" __global__ void compact(const __grid_constant__ tests::CompactParameters p) {
  const unsigned i = global_thread();
  const unsigned lane = threadIdx.x % 32;
  const bool keep = i < p.n && p.values[i] % 3 == 0;
  const unsigned kept = __ballot_sync(FULL, keep);
  unsigned base = 0;
  if (lane == 0 && kept != 0) base = atomicAdd(p.count, __popc(kept));
  base = __shfl_sync(FULL, base, 0);
  if (keep) p.out[base + __popc(kept & ((1u << lane) - 1))] = p.values[i];
}

// Reverses each block's part of values. Dynamic shared memory: blockDim.x words.
extern "C" __global__ void reverse(const __grid_constant__ tests::ReverseParameters p) {
  DYN_SMEM(uint32_t, staged);
  staged[threadIdx.x] = p.values[global_thread()];
  __syncthreads();
  p.out[global_thread()] = staged[blockDim.x - 1 - threadIdx.x];
}

// Results of each warp collective in each lane; 21 of each thread. `argument` and `width` are those of the shuffles.
extern "C" __global__ void collectives(const __grid_constant__ tests::CollectivesParameters p) {
  const unsigned i = global_thread();
  const uint32_t value = p.values[i];
  const uint64_t wide = static_cast<uint64_t>(value) << 20 | value;
  uint64_t* result = p.out + i * 21;
  // A mask of the lanes that the block has: the reductions need no more on either machine.
  const unsigned mask = __ballot_sync(FULL, 1);
  *result++ = __shfl_sync(mask, value, p.argument % __popc(mask), p.width);
  *result++ = __shfl_up_sync(mask, value, p.argument, p.width);
  *result++ = __shfl_down_sync(mask, value, p.argument, p.width);
  *result++ = __shfl_xor_sync(mask, value, p.argument, p.width);
  *result++ = __shfl_up_sync(mask, wide, p.argument, p.width);
  *result++ = static_cast<uint32_t>(__shfl_xor_sync(mask, static_cast<uint8_t>(value), 1));
  *result++ = __ballot_sync(mask, value & 1);
  *result++ = __any_sync(mask, value % 64 == 0);
  *result++ = __all_sync(mask, value % 64 != 0);
  *result++ = __match_any_sync(mask, value % 4);
  int all_equal;
  *result++ = __match_all_sync(mask, value % 2, &all_equal);
  *result++ = all_equal;
  *result++ = __reduce_add_sync(mask, value);
  *result++ = static_cast<uint32_t>(__reduce_add_sync(mask, static_cast<int>(value)));
  *result++ = __reduce_min_sync(mask, value);
  *result++ = static_cast<uint32_t>(__reduce_min_sync(mask, static_cast<int>(value)));
  *result++ = __reduce_max_sync(mask, value);
  *result++ = static_cast<uint32_t>(__reduce_max_sync(mask, static_cast<int>(value)));
  *result++ = __reduce_and_sync(mask, value);
  *result++ = __reduce_or_sync(mask, value);
  *result++ = __reduce_xor_sync(mask, value);
}

// Two halves of a warp meet on their own, as often as their half says.
extern "C" __global__ void half_warps(const __grid_constant__ tests::HalfWarpsParameters p) {
  const unsigned half = threadIdx.x / 16 % 2;
  const unsigned mask = half == 0 ? 0x0000FFFFu : 0xFFFF0000u;
  uint32_t value = p.values[global_thread()];
  for (unsigned turn = 0; turn < 3 + 2 * half; ++turn) {
    value = __shfl_xor_sync(mask, value, 1 + turn) + 1;
    __syncwarp(mask);
  }
  p.out[global_thread()] = value;
}

// Every atomic, by every thread, on ten 32-bit and ten 64-bit cells.
template <class T>
__device__ void all_atomics(T* cell, T value) {
  atomicAdd(cell + 0, value);
  atomicMin(cell + 1, value);
  atomicMax(cell + 2, value);
  atomicAnd(cell + 3, value);
  atomicOr(cell + 4, value);
  atomicXor(cell + 5, value);
  // Counts by compare-and-swap.
  T seen = 0;
  for (T old = atomicCAS(cell + 6, seen, seen + 1); old != seen;
       old = atomicCAS(cell + 6, seen, seen + 1)) {
    seen = old;
  }
  // Values that are exchanged away and the value that stays add up to the sum of all values put in.
  atomicAdd(cell + 8, atomicExch(cell + 7, value));
  // Old values returned by additions of one are a permutation: their sum tells.
  atomicAdd(cell + 9, static_cast<T>(seen));
}

extern "C" __global__ void atomics(const __grid_constant__ tests::AtomicsParameters p) {
  const uint32_t value = p.values[global_thread()];
  all_atomics(p.narrow, value);
  all_atomics(p.wide, static_cast<unsigned long long>(value) << 24 | value);
}

// A counter behind a spin lock: total[0] becomes the number of threads. Lanes take turns, since
// lanes of one warp that spin on each other need not make progress.
extern "C" __global__ void spin_lock(const __grid_constant__ tests::SpinLockParameters p) {
  volatile uint32_t* const total = p.total;
  for (unsigned turn = 0; turn < 32; ++turn) {
    if (threadIdx.x % 32 == turn) {
      while (atomicCAS(p.lock, 0u, 1u) != 0) __nanosleep(20);
      __threadfence();
      total[0] = total[0] + 1;
      __threadfence();
      atomicExch(p.lock, 0u);
    }
    __syncwarp();
  }
}

// Block votes on values: out[block] = (count, and, or), over `rounds` rounds.
extern "C" __global__ void block_votes(const __grid_constant__ tests::BlockVotesParameters p) {
  for (unsigned round = 0; round < p.rounds; ++round) {
    const int predicate = p.values[global_thread()] >> round & 1;
    const int count = __syncthreads_count(predicate);
    const int all = __syncthreads_and(predicate);
    const int any = __syncthreads_or(predicate);
    if (threadIdx.x == 0) {
      uint32_t* result = p.out + (blockIdx.x * p.rounds + round) * 3;
      result[0] = count;
      result[1] = all;
      result[2] = any;
    }
  }
}

// out[linear index] = linear index, of three-dimensional blocks in a three-dimensional grid.
extern "C" __global__ void indices(const __grid_constant__ tests::IndicesParameters p) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
  p.out[i] = i;
}

// Odd threads exit at once; the others still meet in collectives and barriers.
extern "C" __global__ void early_exit(const __grid_constant__ tests::EarlyExitParameters p) {
  if (threadIdx.x % 2 == 1) return;
  const unsigned sum = __popc(__ballot_sync(FULL, 1));
  __syncthreads();
  p.out[global_thread()] = sum + __syncthreads_count(1);
}

// Integer intrinsics; 16 results a thread.
extern "C" __global__ void integers(const __grid_constant__ tests::IntegersParameters p) {
  const unsigned i = global_thread();
  const uint2 value = __ldg(p.values + i);
  const uint64_t wide = static_cast<uint64_t>(value.y) << 32 | value.x;
  uint64_t* result = p.out + i * 16;
  *result++ = __popc(value.x);
  *result++ = __popcll(wide);
  *result++ = __clz(value.x);
  *result++ = __clzll(wide);
  *result++ = __ffs(value.x);
  *result++ = __ffsll(wide);
  *result++ = __brev(value.x);
  *result++ = __brevll(wide);
  *result++ = __funnelshift_l(value.x, value.y, value.x);
  *result++ = __funnelshift_r(value.x, value.y, value.x);
  *result++ = __funnelshift_lc(value.x, value.y, value.x % 40);
  *result++ = __funnelshift_rc(value.x, value.y, value.x % 40);
  *result++ = __byte_perm(value.x, value.y, value.x >> 7);
  *result++ = __umulhi(value.x, value.y);
  *result++ = __umul64hi(wide, wide);
  *result++ = min(value.x, value.y) ^ static_cast<uint64_t>(max(value.x, 7)) << 32;
}

SIMT_EXPORT(block_sum)
SIMT_EXPORT(compact)
SIMT_EXPORT(reverse)
SIMT_EXPORT(collectives)
SIMT_EXPORT(half_warps)
SIMT_EXPORT(atomics)
SIMT_EXPORT(spin_lock)
SIMT_EXPORT(block_votes)
SIMT_EXPORT(indices)
SIMT_EXPORT(early_exit)
SIMT_EXPORT(integers)
