// The search for mates in the windows where they are expected: the diagonals with the most words in common.
#include <gpualign/cuda_or_cpu.cuh>

#include <seed_extend/mates.cuh>
#include <seed_extend/sort.cuh>

namespace seed_extend {

// Whether a diagonal is near one of the `count` chosen ones. Any thread may call it at any time.
static __device__ bool is_near(uint32_t diagonal, const uint32_t* chosen, uint32_t count, uint32_t margin) {
  for (uint32_t number = 0; number < count; number++) {
    const uint32_t other = chosen[number];
    if (max(diagonal, other) - min(diagonal, other) <= margin) return true;
  }
  return false;
}

}  // namespace seed_extend

// Chooses the diagonals of each window on which the query and the text have the most words in common. Each round chooses
// the diagonal with the most words, of several the first, and leaves out those near it; diagonals with fewer than
// `min_words` words are never chosen. What a window has fewer than `slots` is NO_DIAGONAL.
//
// A warp takes a window, and a lane a diagonal of a group of 32. Counts are not kept, since a window may have any number
// of diagonals: each round counts again. The rounds after the first one skip the groups that have no diagonal with enough
// words, which are nearly all; a bit stands for all groups whose numbers are equal modulo 32.
// Any grid of whole warps. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    mates_choose(const __grid_constant__ seed_extend::MatesParameters p) {
  using namespace seed_extend;
  const uint32_t lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
  const uint64_t first = uint64_t{blockIdx.x} * warps + threadIdx.x / LANES;
  for (uint64_t number = first; number < p.count; number += uint64_t{gridDim.x} * warps) {
    const MateWindow window = p.windows[number];
    const PackedQuery query(p.queries, window.query);
    const uint32_t groups = window.count / LANES + (window.count % LANES != 0);
    uint32_t* const chosen = p.chosen + number * p.slots;
    uint32_t is_counted = ~0u;  // a bit for the groups to count in this round
    uint32_t round = 0;
    for (; round < p.slots; round++) {
      // The words of the lane's best diagonal, and below them the complement of its number; 0 for none.
      uint64_t best = 0;
      uint32_t has_enough = 0;
      for (uint32_t group = 0; group < groups; group++) {
        if ((is_counted >> group % 32 & 1) == 0) continue;
        const uint32_t diagonal = LANES * group + lane;
        uint32_t words = 0;
        if (diagonal < window.count && !is_near(diagonal, chosen, round, p.margin)) {
          words = count_shared_words(query, p.index, window.first + diagonal);
        }
        if (words >= p.min_words) {
          const uint64_t own = uint64_t{words} << 32 | ~diagonal;
          if (own > best) best = own;
        }
        has_enough |= uint32_t{__any_sync(ALL_LANES, words >= p.min_words) != 0} << group % 32;
      }
      is_counted = has_enough;
      best = max_of_warp(best);
      if (best == 0) break;
      if (lane == 0) chosen[round] = ~static_cast<uint32_t>(best);
      __syncwarp();
    }
    for (uint32_t slot = round + lane; slot < p.slots; slot += LANES) chosen[slot] = NO_DIAGONAL;
  }
}
SIMT_EXPORT(mates_choose)
