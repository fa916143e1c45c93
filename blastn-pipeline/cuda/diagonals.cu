// The rule of diagonals, afterwards: which seeds would have been extended if the alignments of earlier seeds on their diagonals
// had been known (src/gpu/pipeline/diagonals.rs).
#include <blastn/pipeline/diagonals.cuh>

#include "stream/scan.cuh"

namespace {

using blastn::DiagonalKey;
using blastn::DiagonalParameters;
using blastn::ExtendedSeed;
using blastn::SeedHit;
using blastn::UnalignedSeed;

__device__ uint32_t first_item() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The diagonal of a seed: its position in the chunk minus its position in the letters, plus the number of letters, so that it
// is never negative.
__device__ uint32_t diagonal(const DiagonalParameters& parameters, const SeedHit& seed) {
  return seed.subject + parameters.tables.letter_count - seed.query;
}

// The word of `marked_diagonals` that has the bit of a seed's diagonal, and that bit.
__device__ uint32_t* marked_bit(const DiagonalParameters& parameters, const SeedHit& seed, uint32_t& bit) {
  // Fibonacci hashing spreads neighbouring diagonals.
  const uint64_t number = static_cast<uint64_t>(seed.chunk) << 32 | diagonal(parameters, seed);
  const uint64_t hash = number * 0x9E3779B97F4A7C15u;
  bit = 1u << (hash >> 59);
  return parameters.marked_diagonals + (static_cast<uint32_t>(hash >> 16) & parameters.marked_mask);
}

// The seed at a place among all (see DiagonalKey), and whether it was extended but scored too little.
__device__ SeedHit seed_at(const DiagonalParameters& parameters, uint32_t place, bool& in_vain) {
  if (place < parameters.extended_count) {
    in_vain = false;
    return parameters.extended[place].seed;
  }
  const UnalignedSeed& unaligned = parameters.unaligned[place - parameters.extended_count];
  in_vain = unaligned.tried();
  return unaligned.seed();
}

// Whether a seed ends in the next piece of the queries.
__device__ bool passes_end(const DiagonalParameters& parameters, const SeedHit& seed) {
  return seed.query + parameters.tables.word_length > parameters.piece_end;
}

// Extends a seed that was not extended before; false if it does not score enough.
__device__ bool extend(const blastn::PipelineTables& tables, const SeedHit& seed, ExtendedSeed& extended) {
  constexpr uint32_t kMore = 1 << 10;
  if (!blastn::passes_quad_test(tables, seed)) return false;
  blastn::PartialExtension extension{seed};
  while (!extension.extend<blastn::ThreadExtender>(tables, kMore)) continue;
  return extension.alignment(tables, extended);
}

}  // namespace

// Marks the diagonals of seeds that have alignments, or were not extended, or reach into the next piece.
//
// Any grid of one-dimensional blocks; no barriers. `marked_diagonals` is 0 before.
extern "C" __global__ void mark_diagonals(const __grid_constant__ DiagonalParameters parameters) {
  const uint32_t all = parameters.extended_count + parameters.unaligned_count, step = gridDim.x * blockDim.x;
  for (uint64_t place = first_item(); place < all; place += step) {
    bool in_vain;
    const SeedHit seed = seed_at(parameters, static_cast<uint32_t>(place), in_vain);
    if (in_vain && !passes_end(parameters, seed)) continue;
    uint32_t bit;
    uint32_t* const bits = marked_bit(parameters, seed, bit);
    if ((*bits & bit) == 0) atomicOr(bits, bit);
  }
}
SIMT_EXPORT(mark_diagonals)

// Lists the keys of seeds on marked diagonals, in any order, and counts them in cursors[0]. Seeds that were extended in vain
// matter only on these: where another seed was not extended, or in the next piece.
//
// Any grid of one-dimensional blocks of whole warps; no barriers. cursors[0] is 0 before; `keys` has room for all seeds.
extern "C" __global__ void list_seeds(const __grid_constant__ DiagonalParameters parameters) {
  const uint32_t all = parameters.extended_count + parameters.unaligned_count, step = gridDim.x * blockDim.x;
  const uint32_t lane = threadIdx.x % stream::WARP;
  for (uint64_t first = first_item() - lane; first < all; first += step) {
    const uint64_t place = first + lane;
    DiagonalKey key{};
    bool is_listed = false;
    if (place < all) {
      bool in_vain;
      const SeedHit seed = seed_at(parameters, static_cast<uint32_t>(place), in_vain);
      key = {seed.chunk, diagonal(parameters, seed), seed.probe, static_cast<uint32_t>(place)};
      uint32_t bit;
      const uint32_t* const bits = marked_bit(parameters, seed, bit);
      is_listed = (*bits & bit) != 0;
    }
    const uint32_t listed = __ballot_sync(stream::ALL_LANES, is_listed);
    uint32_t slot = 0;
    if (lane == 0 && listed != 0) slot = atomicAdd(parameters.cursors, static_cast<uint32_t>(__popc(listed)));
    slot = __shfl_sync(stream::ALL_LANES, slot, 0);
    if (is_listed) parameters.keys[slot + __popc(listed & ((1u << lane) - 1))] = key;
  }
}
SIMT_EXPORT(list_seeds)

// Goes along each diagonal, a thread each, given `keys` in order: leaves out seeds that an earlier alignment has passed, and
// extends seeds that were not extended. Lists the alignments, in any order, and counts them in cursors[0].
//
// How far a diagonal is explored behind the end of the piece is handed to the next piece as a seed that was extended in vain
// and ends there, listed in `carried` and counted in cursors[1]. It comes before all seeds of that piece, as places on a
// diagonal grow with those of the queries.
//
// Any grid of one-dimensional blocks; no barriers. Both cursors are 0 before; `hits` has room for a hit a key, and `carried`,
// if any seed reaches into the next piece, for a seed a key.
extern "C" __global__ void admit_seeds(const __grid_constant__ DiagonalParameters parameters) {
  const uint32_t step = gridDim.x * blockDim.x;
  for (uint64_t i = first_item(); i < parameters.key_count; i += step) {
    const DiagonalKey first = parameters.keys[i];
    if (i > 0 && first.is_along(parameters.keys[i - 1])) continue;
    SeedHit last;
    uint32_t explored = 0;
    for (uint64_t j = i; j < parameters.key_count; j++) {
      const DiagonalKey key = parameters.keys[j];
      if (!key.is_along(first)) break;
      if (key.probe < explored) continue;
      bool in_vain;
      ExtendedSeed found;
      found.seed = seed_at(parameters, key.place, in_vain);
      bool is_found = key.place < parameters.extended_count;
      if (is_found) found = parameters.extended[key.place];
      else if (!in_vain) is_found = extend(parameters.tables, found.seed, found);
      last = found.seed;
      explored = last.end(parameters.tables);
      if (!is_found) continue;
      explored = found.subject + found.length;
      parameters.hits[atomicAdd(parameters.cursors, 1u)] = {
          last.chunk, {found.query, found.subject, found.length, found.score, last.query, last.subject}};
    }
    const uint32_t beyond = explored - last.end(parameters.tables);
    last.query += beyond;
    last.subject += beyond;
    if (passes_end(parameters, last)) {
      parameters.carried[atomicAdd(parameters.cursors + 1, 1u)] = UnalignedSeed(last, true);
    }
  }
}
SIMT_EXPORT(admit_seeds)
