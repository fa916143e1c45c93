// Upper bounds of pairs of queries and chunks, and hits chosen by them (src/gpu/pairs/upper_bounds).
#include <blastn/pairs/upper_bounds.cuh>

using blastn::ChunkHit;
using blastn::kWord;
using blastn::UpperBoundParameters;

// Computes the upper bound of each query with each chunk, a block a chunk. Chunks with upper bounds have at most kWords bases.
//
// Any number of blocks of one warp; with barriers. `bounds` is 0 before.
extern "C" __global__ void bound_pairs(const __grid_constant__ UpperBoundParameters parameters) {
  __shared__ blastn::WordSet present;
  for (uint32_t number = blockIdx.x; number < parameters.chunk_count; number += gridDim.x) {
    uint32_t* const bounds = parameters.bounds + uint64_t{number} * parameters.query_count;
    if (parameters.is_bounded[number] == 0) {
      for (uint32_t query = threadIdx.x; query < parameters.query_count; query += blockDim.x) {
        bounds[query] = blastn::kUnbounded;
      }
      continue;
    }
    const blastn::DatabaseChunk chunk = parameters.chunks[number];
    for (uint32_t i = threadIdx.x; i < blastn::kWords / 32; i += blockDim.x) present.bits[i] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i + kWord <= chunk.length; i += blockDim.x) {
      const uint32_t word = blastn::sixteen_codes(parameters.packed_bases, chunk.first + i) >> (32 - 2 * kWord);
      atomicOr(&present.bits[word / 32], 1u << word % 32);
    }
    __syncthreads();
    const int64_t most = int64_t{parameters.reward} * chunk.length;
    for (uint32_t first = 0; first < parameters.strand_count; first += stream::WARP) {
      const int64_t bound = min(most, int64_t{blastn::bound(parameters, first, present)});
      const uint32_t strand = first + threadIdx.x;
      if (strand >= parameters.strand_count) continue;
      atomicMax(bounds + parameters.strands[strand].query, static_cast<uint32_t>(bound / 2));
    }
    __syncthreads();
  }
}
SIMT_EXPORT(bound_pairs)

// Counts the upper bounds of each query by bin.
//
// Any grid of one-dimensional blocks; no barriers. `histograms` are 0 before.
extern "C" __global__ void count_bounds(const __grid_constant__ UpperBoundParameters parameters) {
  const uint64_t all = uint64_t{parameters.chunk_count} * parameters.query_count;
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += step) {
    const uint32_t bound = parameters.bounds[i], query = static_cast<uint32_t>(i % parameters.query_count);
    if (bound == blastn::kUnbounded) continue;
    const uint32_t bin = min(bound >> parameters.bin_shift, blastn::kBins - 1);
    atomicAdd(parameters.histograms + uint64_t{query} * blastn::kBins + bin, 1u);
  }
}
SIMT_EXPORT(count_bounds)

// Lists the hits of pairs whose upper bound is at least their query's floor, and of pairs without an upper bound if these are
// wanted, in any order.
//
// Any grid of one-dimensional blocks of whole warps; no barriers. The cursor is 0 before.
extern "C" __global__ void choose_hits(const __grid_constant__ UpperBoundParameters parameters) {
  const uint32_t lane = threadIdx.x % stream::WARP;
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t first = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane; first < parameters.hit_count;
       first += step) {
    ChunkHit found = {};
    bool is_chosen = false;
    if (first + lane < parameters.hit_count) {
      found = parameters.found[first + lane];
      const uint32_t strand = blastn::strand_of(parameters.strands, parameters.strand_count, found.hit.seed_query);
      const uint32_t query = parameters.strands[strand].query;
      const uint32_t bound = parameters.bounds[uint64_t{found.chunk} * parameters.query_count + query];
      is_chosen = bound == blastn::kUnbounded ? parameters.with_unbounded != 0
                                              : bound >= __ldg(parameters.floors + query);
    }
    const uint32_t listed = __ballot_sync(stream::ALL_LANES, is_chosen);
    uint32_t slot = 0;
    if (lane == 0 && listed != 0) slot = atomicAdd(parameters.cursor, static_cast<uint32_t>(__popc(listed)));
    slot = __shfl_sync(stream::ALL_LANES, slot, 0);
    if (is_chosen) parameters.chosen[slot + __popc(listed & ((1u << lane) - 1))] = found;
  }
}
SIMT_EXPORT(choose_hits)
