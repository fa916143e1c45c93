// Which pairs of queries and chunks may have an alignment of some score (src/pairs/bounds).
#include <blastn/pairs/upper_bounds.cuh>

using blastn::Bounds;
using blastn::ChunkHit;
using blastn::kWord;

// Bounds what pairs of queries and chunks score; `bounds` is 0 before.
//
// Any number of blocks of one warp. Other chunks than the bounded ones may be of any length.
extern "C" __global__ void bound_pairs(const Bounds* argument) {
  const Bounds task = *argument;
  __shared__ blastn::WordSet present;
  for (uint32_t number = blockIdx.x; number < task.chunk_count; number += gridDim.x) {
    uint32_t* const bounds = task.bounds + uint64_t{number} * task.query_count;
    if (task.is_bounded[number] == 0) {
      for (uint32_t query = threadIdx.x; query < task.query_count; query += blockDim.x) {
        bounds[query] = blastn::kUnbounded;
      }
      continue;
    }
    const blastn::Chunk chunk = task.chunks[number];
    for (uint32_t i = threadIdx.x; i < blastn::kWords / 32; i += blockDim.x) present.bits[i] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i + kWord <= chunk.length; i += blockDim.x) {
      const uint32_t word = blastn::sixteen(task.packed, chunk.first + i) >> (32 - 2 * kWord);
      atomicOr(&present.bits[word / 32], 1u << word % 32);
    }
    __syncthreads();
    const int64_t most = int64_t{task.reward} * chunk.length;
    for (uint32_t first = 0; first < task.strand_count; first += stream::WARP) {
      const int64_t bound = min(most, int64_t{blastn::bound(task, first, present)});
      const uint32_t strand = first + threadIdx.x;
      if (strand >= task.strand_count) continue;
      atomicMax(bounds + task.strands[strand].query, static_cast<uint32_t>(bound / 2));
    }
    __syncthreads();
  }
}
SIMT_EXPORT(bound_pairs)

// Counts bounds by their height; `histograms` are 0 before.
//
// Any grid of one-dimensional blocks.
extern "C" __global__ void count_heights(const Bounds* argument) {
  const Bounds task = *argument;
  const uint64_t all = uint64_t{task.chunk_count} * task.query_count, step = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += step) {
    const uint32_t bound = task.bounds[i], query = static_cast<uint32_t>(i % task.query_count);
    if (bound == blastn::kUnbounded) continue;
    const uint32_t height = min(bound >> task.shift, blastn::kHeights - 1);
    atomicAdd(task.histograms + uint64_t{query} * blastn::kHeights + height, 1u);
  }
}
SIMT_EXPORT(count_heights)

// Lists the hits of pairs whose bound is their query's floor or more, and of those without a bound if these are
// wanted, in any order; cursors[0] is 0 before.
//
// Any grid of one-dimensional blocks of whole warps.
extern "C" __global__ void list_promising(const Bounds* argument) {
  const Bounds task = *argument;
  const uint32_t lane = threadIdx.x % stream::WARP;
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t first = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane; first < task.hit_count; first += step) {
    ChunkHit hit = {};
    bool is_promising = false;
    if (first + lane < task.hit_count) {
      hit = task.found[first + lane];
      const uint32_t query = task.strands[blastn::strand_of(task.strands, task.strand_count, hit.seed_query)].query;
      const uint32_t bound = task.bounds[uint64_t{hit.chunk} * task.query_count + query];
      is_promising = bound == blastn::kUnbounded ? task.with_unbounded != 0 : bound >= __ldg(task.floors + query);
    }
    const uint32_t listed = __ballot_sync(stream::ALL_LANES, is_promising);
    uint32_t slot = 0;
    if (lane == 0 && listed != 0) slot = atomicAdd(task.cursors, static_cast<uint32_t>(__popc(listed)));
    slot = __shfl_sync(stream::ALL_LANES, slot, 0);
    if (is_promising) task.promising[slot + __popc(listed & ((1u << lane) - 1))] = hit;
  }
}
SIMT_EXPORT(list_promising)
