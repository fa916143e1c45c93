// Kernels for pairs of a query and a chunk: they order ungapped hits, prepare the sides of their extensions, and judge pairs
// (src/gpu/pairs). All kernels take any grid of one-dimensional blocks, and have no barriers unless they say so.
#include <blastn/layouts.cuh>
#include <blastn/pairs/pairs.cuh>

namespace {

using blastn::AlignedSpan;
using blastn::ChunkHit;
using blastn::ExtensionSide;
using blastn::GatherParameters;
using blastn::JudgeParameters;
using blastn::kLongestSide;
using blastn::kNone;
using blastn::kReachWords;
using blastn::kSideStep;
using blastn::PairParameters;
using blastn::QueryCountParameters;
using blastn::SideParameters;
using blastn::SortKey;

// The indices below `count` that a thread of the grid takes: `for (GridStride n(count); n.more(); n.next())`.
struct GridStride {
  uint64_t number = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint32_t count;

  __device__ explicit GridStride(uint32_t all) : count(all) {}
  __device__ bool more() const { return number < count; }
  __device__ void next() { number += uint64_t{gridDim.x} * blockDim.x; }
  __device__ uint32_t operator*() const { return static_cast<uint32_t>(number); }
};

// Queries whose hits each block counts in shared memory.
constexpr uint32_t kSharedCounts = 1024;

// Writes where the extension of a pair's best hit, of index `first`, lies; false if it is not known.
__device__ bool best_span(const PairParameters& parameters, uint32_t first, AlignedSpan& best) {
  const uint32_t* const reaches = parameters.first_reaches + uint64_t{parameters.extended[first]} * 2 * kReachWords;
  return gapped_span(parameters, parameters.hits[first], reaches, best);
}

}  // namespace

// Adds the hits of each query to `counts`. With barriers.
extern "C" __global__ void count_queries(const __grid_constant__ QueryCountParameters parameters) {
  // Few queries have many hits each, so blocks count these first.
  __shared__ uint32_t counts[kSharedCounts];
  for (uint32_t query = threadIdx.x; query < kSharedCounts; query += blockDim.x) counts[query] = 0;
  __syncthreads();
  for (GridStride n(parameters.hit_count); n.more(); n.next()) {
    const uint32_t seed_query = parameters.hits[*n].hit.seed_query;
    const uint32_t query =
        parameters.strands[blastn::strand_of(parameters.strands, parameters.strand_count, seed_query)].query;
    atomicAdd(query < kSharedCounts ? counts + query : parameters.counts + query, 1u);
  }
  __syncthreads();
  for (uint32_t query = threadIdx.x; query < kSharedCounts; query += blockDim.x) {
    if (counts[query] > 0) atomicAdd(parameters.counts + query, counts[query]);
  }
}
SIMT_EXPORT(count_queries)

// Makes a key of each hit in `found`, of the numbers that count least in the order of hits: place in the query, minus length,
// place in the chunk.
extern "C" __global__ void key_places(const __grid_constant__ PairParameters parameters) {
  for (GridStride n(parameters.hit_count); n.more(); n.next()) {
    const blastn::UngappedHit hit = parameters.found[*n].hit;
    parameters.keys[*n] = {{hit.query, parameters.longest - hit.length, hit.subject}, *n};
  }
}
SIMT_EXPORT(key_places)

// Replaces the numbers of the sorted keys by those that count most in the order of hits: minus score, query, chunk.
extern "C" __global__ void key_pairs(const __grid_constant__ PairParameters parameters) {
  for (GridStride n(parameters.hit_count); n.more(); n.next()) {
    const uint32_t place = parameters.keys[*n].place;
    const ChunkHit found = parameters.found[place];
    const uint32_t query = parameters.strands[strand_of(parameters, found)].query;
    parameters.keys[*n] = {{static_cast<uint32_t>(parameters.greatest_score - found.hit.score), query, found.chunk}, place};
  }
}
SIMT_EXPORT(key_pairs)

// Writes the hits of `found` to `hits` in the order of the keys, and lists the first hit of each pair, in any order. The cursor
// is 0 before.
extern "C" __global__ void order_hits(const __grid_constant__ PairParameters parameters) {
  for (GridStride n(parameters.hit_count); n.more(); n.next()) {
    const SortKey key = parameters.keys[*n];
    parameters.hits[*n] = parameters.found[key.place];
    if (*n > 0 && is_pair(key, parameters.keys[*n - 1])) continue;
    const uint32_t number = atomicAdd(parameters.cursor, 1u);
    parameters.firsts[number] = *n;
    parameters.extended[*n] = number;
  }
}
SIMT_EXPORT(order_hits)

// Makes a key of each wanted side. Long sides come first, since the last to begin is waited for, and sides of similar length
// come together, since lanes of a warp wait for each other.
extern "C" __global__ void key_sides(const __grid_constant__ SideParameters parameters) {
  for (GridStride n(parameters.side_count); n.more(); n.next()) {
    const uint32_t number = side_number(parameters, *n);
    const ExtensionSide side = side_of(parameters, number);
    const uint32_t length = min(side.rows, side.columns) / kSideStep;
    parameters.keys[*n] = {{kLongestSide - min(length, kLongestSide), 0, 0}, number};
  }
}
SIMT_EXPORT(key_sides)

// Writes the sides in the order of the sorted keys.
extern "C" __global__ void make_sides(const __grid_constant__ SideParameters parameters) {
  for (GridStride n(parameters.side_count); n.more(); n.next()) {
    parameters.sides[*n] = side_of(parameters, parameters.keys[*n].place);
  }
}
SIMT_EXPORT(make_sides)

// Copies the reaches of the extended sides to the places of their numbers, and lists sides that did not fit into memory, in any
// order. The cursor is 0 before the first launch for a list of hits.
extern "C" __global__ void keep_reaches(const __grid_constant__ SideParameters parameters) {
  for (GridStride n(parameters.side_count); n.more(); n.next()) {
    const uint32_t side = parameters.keys[*n].place;
    const uint32_t* const reached = parameters.reached + uint64_t{*n} * parameters.reached_words;
    uint32_t* const kept = parameters.reaches + uint64_t{side} * kReachWords;
    for (uint32_t word = 0; word < parameters.reached_words; word++) kept[word] = reached[word];
    if (is_unknown(parameters.pairs, reached)) parameters.unfinished[atomicAdd(parameters.cursor, 1u)] = side;
  }
}
SIMT_EXPORT(keep_reaches)

// Lists the hits that do not lie within the extension of their pair's best hit, in any order. The cursor is 0 before.
extern "C" __global__ void list_others(const __grid_constant__ PairParameters parameters) {
  for (GridStride n(parameters.hit_count); n.more(); n.next()) {
    const uint32_t first = first_of_pair(parameters, *n);
    if (*n == first) continue;
    AlignedSpan best;
    const bool is_kept = best_span(parameters, first, best) && best.score >= parameters.strands[best.strand].cutoff;
    uint32_t number = kNone;
    if (!is_kept || !lies_within(ungapped_span(parameters, parameters.hits[*n]), best, parameters.separation)) {
      number = atomicAdd(parameters.cursor, 1u);
      parameters.others[number] = *n;
    }
    parameters.extended[*n] = number;
  }
}
SIMT_EXPORT(list_others)

// Begins the verdict of each pair with the extension of its best hit.
extern "C" __global__ void judge_firsts(const __grid_constant__ PairParameters parameters) {
  for (GridStride n(parameters.pair_count); n.more(); n.next()) {
    const uint32_t first = parameters.firsts[*n];
    const ChunkHit found = parameters.hits[first];
    AlignedSpan best = {};
    const bool is_known = best_span(parameters, first, best);
    parameters.verdicts[*n] = {found.chunk,      strand_of(parameters, found),
                               first,            end_of_pair(parameters, first) - first,
                               best.score,       blastn::kNoScore,
                               blastn::kNoScore, is_known ? blastn::kBestStays : blastn::kOpen};
  }
}
SIMT_EXPORT(judge_firsts)

// Adds the extensions of listed hits to the verdicts of their pairs.
extern "C" __global__ void judge_listed(const __grid_constant__ JudgeParameters parameters) {
  const PairParameters& pairs = parameters.pairs;
  for (GridStride n(parameters.listed_count); n.more(); n.next()) {
    const uint32_t hit = parameters.listed[*n];
    blastn::PairVerdict& verdict = pairs.verdicts[pairs.extended[first_of_pair(pairs, hit)]];
    AlignedSpan span, best;
    if (!gapped_span(pairs, pairs.hits[hit], parameters.reaches + uint64_t{*n} * 2 * kReachWords, span)) {
      atomicMax(&verdict.state, blastn::kOpen);
      continue;
    }
    const bool is_same = span.strand == verdict.strand;
    atomicMax(is_same ? &verdict.others : &verdict.others_opposite, span.score);
    if (is_same && span.score >= verdict.score && best_span(pairs, verdict.first, best) && replaces(span, best)) {
      atomicMax(&verdict.state, blastn::kBestReplaced);
    }
  }
}
SIMT_EXPORT(judge_listed)

// Lists the hits that lie within the extension of their pair's best hit, of pairs in which another extension replaced that, in
// any order. The cursor is 0 before.
extern "C" __global__ void list_inner(const __grid_constant__ PairParameters parameters) {
  for (GridStride n(parameters.hit_count); n.more(); n.next()) {
    if (parameters.extended[*n] != kNone) continue;
    const uint32_t pair = parameters.extended[first_of_pair(parameters, *n)];
    if (parameters.verdicts[pair].state != blastn::kBestReplaced) continue;
    const uint32_t number = atomicAdd(parameters.cursor, 1u);
    parameters.inner[number] = *n;
    parameters.extended[*n] = parameters.other_count + number;
  }
}
SIMT_EXPORT(list_inner)

// Gathers `count` hits of the chosen pairs, from the `first`-th on, with the reaches of their sides.
extern "C" __global__ void gather_hits(const __grid_constant__ GatherParameters parameters) {
  const PairParameters& pairs = parameters.pairs;
  for (GridStride n(parameters.count); n.more(); n.next()) {
    const uint32_t number = parameters.first + *n;
    uint32_t low = 0, high = parameters.chosen_count;
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      if (parameters.chosen[middle].offset <= number) low = middle;
      else high = middle;
    }
    const uint32_t first = parameters.chosen[low].first, place = first + number - parameters.chosen[low].offset;
    const uint32_t extended = pairs.extended[place];
    blastn::GatheredHit gathered = {pairs.hits[place], extended != kNone ? 1u : 0u, {}};
    if (extended != kNone) {
      const bool is_inner = place != first && extended >= pairs.other_count;
      const uint32_t* const all =
          place == first ? pairs.first_reaches : is_inner ? pairs.inner_reaches : pairs.other_reaches;
      const uint32_t* const own = all + uint64_t{is_inner ? extended - pairs.other_count : extended} * 2 * kReachWords;
      for (uint32_t word = 0; word < 2 * kReachWords; word++) {
        gathered.reaches[word / kReachWords][word % kReachWords] = own[word];
      }
    }
    parameters.gathered[*n] = gathered;
  }
}
SIMT_EXPORT(gather_hits)
