// Regions of reads: which chains are regions as they are, what must be aligned for the others, and after that the regions of each
// read, ranked. src/region/gpu/ launches the kernels.
#include <gpualign/cuda_or_cpu.cuh>

#include <seed_extend/layouts.cuh>
#include <seed_extend/ranking.cuh>
#include <seed_extend/regions.cuh>
#include <seed_extend/sort.cuh>
#include <stream/scan.cuh>

namespace seed_extend {

// A chain with its query and its segment, as src/region/builder.rs sees it. Any thread may call its functions at any time.
struct PlacedChain {
  Chain chain;
  uint32_t query_start, length;          // of its query
  uint32_t segment_begin, segment_end;   // the end is exclusive

  __device__ PlacedChain(const RegionsOfChainsParameters& p, uint32_t number) : chain(p.chains[number]) {
    query_start = __ldg(p.offsets + chain.query);
    length = __ldg(p.offsets + chain.query + 1) - query_start;
    segment_begin = __ldg(p.segments + 2 * chain.segment);
    segment_end = __ldg(p.segments + 2 * chain.segment + 1);
  }

  // Sets the place of the region of these bases of the query, on the chain's diagonal. False if there are none, or not all of them
  // lie in the segment.
  __device__ bool place(FoundRegion& region, uint32_t query_begin, uint32_t query_end) const {
    const int64_t begin = chain.low + query_begin;
    const uint32_t bases = query_end - query_begin;
    if (begin < segment_begin || begin >= segment_end || bases == 0 || segment_end - begin < bases) return false;
    region.query = chain.query;
    region.segment = chain.segment;
    region.query_begin = query_begin;
    region.query_end = query_end;
    region.begin = static_cast<uint32_t>(begin);
    region.end = region.begin + bases;
    region.is_supported = 1;
    return true;
  }

  // The task of aligning the whole query near the diagonals of the chain.
  __device__ AlignmentTask task(uint32_t band_margin) const {
    const int64_t margin = min(chain.gap, band_margin), low = chain.low - margin, high = chain.high + margin;
    const int64_t from = segment_begin, to = segment_end;
    const int64_t start = max(from, min(low, to)), end = max(start, min(high + length, to));
    const auto in_window = [&](int64_t diagonal) { return static_cast<int32_t>(diagonal - start); };
    return AlignmentTask{query_start,
                         length,
                         static_cast<uint32_t>(start),
                         static_cast<uint32_t>(end - start),
                         in_window(low),
                         in_window(high),
                         chain.query % 2,
                         Prediction{in_window(chain.low), in_window(chain.high), chain.begin, chain.end}};
  }
};

// The best score of any stretch of a query of which one base differs from the text, with so many equal ones on either side.
static __device__ int32_t score_beside(uint32_t before, uint32_t after, const AlignmentCosts& costs) {
  const int32_t left = static_cast<int32_t>(before) * costs.matched, right = static_cast<int32_t>(after) * costs.matched;
  return max(left, max(left - costs.mismatch, 0) + right);
}

// Makes the region of a chain that needs no alignment, and returns whether it does not. Writes its CIGAR runs.
static __device__ bool region_without_alignment(const RegionsOfChainsParameters& p, const PlacedChain& placed,
                                                uint32_t difference, FoundRegion& region) {
  const Chain& chain = placed.chain;
  if (difference == NO_PLACE) return false;
  if ((difference & OUTSCORED) != 0) {
    region.score = static_cast<int32_t>(difference ^ OUTSCORED);
    return placed.place(region, chain.begin, chain.end);
  }
  const uint32_t length = placed.length, is_different = difference < length;
  if (is_different != 0 && p.prefers_a_mismatch == 0) return false;
  if (!placed.place(region, 0, length)) return false;
  const uint32_t after = length - difference - is_different;
  region.score = score_beside(difference, after, p.costs);
  region.run_count = (difference > 0) + is_different + (after > 0);
  region.first_run = atomicAdd(p.run_count, region.run_count);
  uint32_t* run = p.runs + region.first_run;
  if (difference > 0) *run++ = gpualign::cigar_run(gpualign::EQUAL, difference);
  if (is_different != 0) *run++ = gpualign::cigar_run(gpualign::DIFFERENT, 1);
  if (after > 0) *run = gpualign::cigar_run(gpualign::EQUAL, after);
  return true;
}

// Puts the regions of a read that score enough in front of the room for them, in the order in which the host has them: first those
// that need no alignment, then those that are alignments. Returns their number.
static __device__ uint32_t collect(const RegionsRankParameters& p, uint32_t read) {
  const uint32_t first = static_cast<uint32_t>(p.chain_starts[read]);
  const uint32_t end = static_cast<uint32_t>(p.chain_starts[read + 1]);
  FoundRegion* const found = p.regions + first;
  uint32_t count = 0;
  for (uint32_t number = first; number < end; number++) {
    if (p.outcomes[number] != IS_REGION) continue;
    // It is at its place or behind it, and all regions are where they belong before any of the others is written.
    FoundRegion region = p.regions[number];
    region.first_run += p.task_runs;
    if (region.score >= p.rules.min_score) found[count++] = region;
  }
  for (uint32_t number = first; number < end; number++) {
    if (p.outcomes[number] != IS_TASK) continue;
    const AlignmentSpan span = p.spans[number];
    if (span.score <= 0 || span.best_stretch < p.rules.min_score) continue;
    const uint32_t window_start = p.tasks[number].window_start;
    FoundRegion region{};
    region.first_run = span.first_run;
    region.query = p.chains[number].query;
    region.segment = p.chains[number].segment;
    region.score = span.best_stretch;
    region.query_begin = span.query_begin;
    region.query_end = span.query_end;
    region.begin = window_start + span.window_begin;
    region.end = window_start + span.window_end;
    region.run_count = span.run_count;
    region.is_supported = span.is_predicted;
    found[count++] = region;
  }
  return count;
}

}  // namespace seed_extend

// Decides what becomes of each chain, and makes its region or its alignment task. A thread takes a chain. Any grid, any blocks. No
// barriers.
extern "C" __global__ void __launch_bounds__(128)
    regions_of_chains(const __grid_constant__ seed_extend::RegionsOfChainsParameters p) {
  using namespace seed_extend;
  for (uint32_t number = blockIdx.x * blockDim.x + threadIdx.x; number < p.count; number += gridDim.x * blockDim.x) {
    const PlacedChain placed(p, number);
    Outcome outcome = NOTHING;
    FoundRegion region{};
    AlignmentTask task{};
    if (placed.chain.weight >= p.min_chain_weight) {
      outcome = region_without_alignment(p, placed, p.places[number], region) ? IS_REGION : IS_TASK;
    }
    if (outcome == IS_REGION) p.regions[number] = region;
    if (outcome == IS_TASK) task = placed.task(p.band_margin);
    p.tasks[number] = task;
    p.outcomes[number] = outcome;
  }
}
SIMT_EXPORT(regions_of_chains)

// Ranks the regions of each read that has at most MOST_RANKED, and writes those of all reads. A thread takes a read. Any grid of
// whole warps. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    regions_rank(const __grid_constant__ seed_extend::RegionsRankParameters p) {
  using namespace seed_extend;
  const uint32_t lane = threadIdx.x % LANES;
  for (uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < p.reads; first += gridDim.x * blockDim.x) {
    const uint32_t read = first + lane;
    ReadRegions regions;
    regions.count = 0;
    bool is_ranked = true;
    if (read < p.reads) {
      regions.all = p.regions + p.chain_starts[read];
      regions.count = collect(p, read);
      is_ranked = regions.count <= MOST_RANKED;
      if (is_ranked) {
        const uint32_t number = p.first_read + read;
        const uint32_t length = __ldg(p.offsets + 2 * number + 1) - __ldg(p.offsets + 2 * number);
        deduplicate(regions);
        rank(regions, length, p.tie_breakers[number], p.rules);
      }
    }
    __syncwarp();
    const uint32_t through = stream::scan_warp(regions.count);
    uint32_t place = lane == LANES - 1 ? atomicAdd(p.ranked_count, through) : 0;
    place = __shfl_sync(ALL_LANES, place, LANES - 1) + through - regions.count;
    if (read >= p.reads) continue;
    p.firsts[read] = place;
    p.counts[read] = regions.count | (is_ranked ? 0 : UNRANKED);
    for (uint32_t number = 0; number < regions.count; number++) {
      p.ranked[place + number] = is_ranked ? regions.at(number) : regions.all[number];
    }
  }
}
SIMT_EXPORT(regions_rank)
