// Pairs of queries and chunks: their hits in order, the extensions of these, and which pairs are promising
// (src/pairs). All kernels: any grid of one-dimensional blocks, no barriers but where it is said.
#include <blastn/pairs/pairs.cuh>

namespace {

using blastn::ChunkHit;
using blastn::kAnswer;
using blastn::kLongestSide;
using blastn::kNone;
using blastn::kSideStep;
using blastn::Pairs;
using blastn::Side;
using blastn::SortKey;
using blastn::Span;

// Numbers of a thread, up to `count`: `for (Numbers n(count); n.more(); n.next())`.
struct Numbers {
  uint64_t number = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint32_t count;

  __device__ explicit Numbers(uint32_t all) : count(all) {}
  __device__ bool more() const { return number < count; }
  __device__ void next() { number += uint64_t{gridDim.x} * blockDim.x; }
  __device__ uint32_t operator*() const { return static_cast<uint32_t>(number); }
};

// Queries whose hits a block counts.
constexpr uint32_t kCounted = 1024;

// What became of the best hit of the pair of a hit; false if that is not known.
__device__ bool best_span(const Pairs& task, uint32_t first, Span& best) {
  return gapped_span(task, task.hits[first], task.answers + uint64_t{task.extended[first]} * 2 * kAnswer, best);
}

}  // namespace

// Counts the hits of each query in `cursors`, which are 0 before. With barriers.
extern "C" __global__ void count_queries(const Pairs* argument) {
  const Pairs task = *argument;
  // Few queries have many hits each: they are counted by blocks first.
  __shared__ uint32_t counts[kCounted];
  for (uint32_t query = threadIdx.x; query < kCounted; query += blockDim.x) counts[query] = 0;
  __syncthreads();
  for (Numbers n(task.hit_count); n.more(); n.next()) {
    const uint32_t query = task.strands[strand_of(task, task.found[*n])].query;
    atomicAdd(query < kCounted ? counts + query : task.cursors + query, 1u);
  }
  __syncthreads();
  for (uint32_t query = threadIdx.x; query < kCounted; query += blockDim.x) {
    if (counts[query] > 0) atomicAdd(task.cursors + query, counts[query]);
  }
}
SIMT_EXPORT(count_queries)

// Lists the numbers that decide last about the order of `found`: place in the query, length, place in the
// chunk.
extern "C" __global__ void key_places(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.hit_count); n.more(); n.next()) {
    const ChunkHit hit = task.found[*n];
    task.keys[*n] = {{hit.query, task.longest - hit.length, hit.subject}, *n};
  }
}
SIMT_EXPORT(key_places)

// Lists those that decide first, of `keys` by the others: score, query and chunk.
extern "C" __global__ void key_pairs(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.hit_count); n.more(); n.next()) {
    const uint32_t place = task.keys[*n].place;
    const ChunkHit hit = task.found[place];
    const uint32_t query = task.strands[strand_of(task, hit)].query;
    task.keys[*n] = {{static_cast<uint32_t>(task.most - hit.score), query, hit.chunk}, place};
  }
}
SIMT_EXPORT(key_pairs)

// Puts `found` in the order of `keys`, as `hits`, and lists the first of each pair, in any order; cursors[0]
// is 0 before.
extern "C" __global__ void order_hits(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.hit_count); n.more(); n.next()) {
    const SortKey key = task.keys[*n];
    task.hits[*n] = task.found[key.place];
    if (*n > 0 && is_pair(key, task.keys[*n - 1])) continue;
    const uint32_t number = atomicAdd(task.cursors, 1u);
    task.firsts[number] = *n;
    task.extended[*n] = number;
  }
}
SIMT_EXPORT(order_hits)

// Lists what decides about the order of the wanted sides of `listed`: the longest come first, since what is
// begun last is waited for, and those of a warp wait for each other.
extern "C" __global__ void key_sides(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.side_count); n.more(); n.next()) {
    const uint32_t number = side_number(task, *n);
    const Side side = side_of(task, number);
    const uint32_t length = min(side.rows, side.columns) / kSideStep;
    task.side_keys[*n] = {{kLongestSide - min(length, kLongestSide), 0, 0}, number};
  }
}
SIMT_EXPORT(key_sides)

// Makes the sides of `side_keys`.
extern "C" __global__ void make_sides(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.side_count); n.more(); n.next()) task.sides[*n] = side_of(task, task.side_keys[*n].place);
}
SIMT_EXPORT(make_sides)

// Keeps what was made of the sides, and lists those that did not fit, in any order; cursors[0] is 0
// before.
extern "C" __global__ void keep_answers(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.side_count); n.more(); n.next()) {
    const uint32_t side = task.side_keys[*n].place;
    const uint32_t* const made = task.made + uint64_t{*n} * task.made_words;
    uint32_t* const kept = task.kept + uint64_t{side} * kAnswer;
    for (uint32_t word = 0; word < task.made_words; word++) kept[word] = made[word];
    if (is_unknown(task, made)) task.left[atomicAdd(task.cursors, 1u)] = side;
  }
}
SIMT_EXPORT(keep_answers)

// Lists the hits that do not lie within what became of the best of their pair, in any order; cursors[0] is
// 0 before.
extern "C" __global__ void list_others(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.hit_count); n.more(); n.next()) {
    const uint32_t first = first_of_pair(task, *n);
    if (*n == first) continue;
    Span best;
    const bool is_kept = best_span(task, first, best) && best.score >= task.strands[best.strand].cutoff;
    uint32_t number = kNone;
    if (!is_kept || !lies_within(ungapped_span(task, task.hits[*n]), best, task.separation)) {
      number = atomicAdd(task.cursors, 1u);
      task.others[number] = *n;
    }
    task.extended[*n] = number;
  }
}
SIMT_EXPORT(list_others)

// Begins the verdicts: what is known of the best hit of each pair.
extern "C" __global__ void judge_firsts(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.pair_count); n.more(); n.next()) {
    const uint32_t first = task.firsts[*n];
    const ChunkHit hit = task.hits[first];
    Span best = {};
    const bool is_known = best_span(task, first, best);
    task.verdicts[*n] = {hit.chunk,        strand_of(task, hit),
                         first,            end_of_pair(task, first) - first,
                         best.score,       blastn::kNoScore,
                         blastn::kNoScore, is_known ? blastn::kBestStays : blastn::kOpen};
  }
}
SIMT_EXPORT(judge_firsts)

// Adds what is known of `listed` hits, given their answers as `kept`.
extern "C" __global__ void judge_listed(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.listed_count); n.more(); n.next()) {
    const uint32_t hit = task.listed[*n];
    blastn::Verdict& verdict = task.verdicts[task.extended[first_of_pair(task, hit)]];
    Span span, best;
    if (!gapped_span(task, task.hits[hit], task.kept + uint64_t{*n} * 2 * kAnswer, span)) {
      atomicMax(&verdict.state, blastn::kOpen);
      continue;
    }
    const bool is_same = span.strand == verdict.strand;
    atomicMax(is_same ? &verdict.rest : &verdict.rest_opposite, span.score);
    if (is_same && span.score >= verdict.score && best_span(task, verdict.first, best) && replaces(span, best)) {
      atomicMax(&verdict.state, blastn::kBestReplaced);
    }
  }
}
SIMT_EXPORT(judge_listed)

// Lists the hits that lie within what became of the best of their pair, if that was replaced, in any order;
// cursors[0] is 0 before.
extern "C" __global__ void list_inner(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.hit_count); n.more(); n.next()) {
    if (task.extended[*n] != kNone) continue;
    if (task.verdicts[task.extended[first_of_pair(task, *n)]].state != blastn::kBestReplaced) continue;
    const uint32_t number = atomicAdd(task.cursors, 1u);
    task.inner[number] = *n;
    task.extended[*n] = task.other_count + number;
  }
}
SIMT_EXPORT(list_inner)

// Gathers chosen hits, with their answers, from the `first_gathered`-th on.
extern "C" __global__ void gather_hits(const Pairs* argument) {
  const Pairs task = *argument;
  for (Numbers n(task.gathered_count); n.more(); n.next()) {
    const uint32_t number = task.first_gathered + *n;
    uint32_t low = 0, high = task.chosen_count;
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      if (task.chosen[middle].offset <= number) low = middle;
      else high = middle;
    }
    const uint32_t first = task.chosen[low].first, place = first + number - task.chosen[low].offset;
    const uint32_t extended = task.extended[place];
    blastn::Gathered gathered = {task.hits[place], extended != kNone ? 1u : 0u, {}};
    if (extended != kNone) {
      const bool is_inner = place != first && extended >= task.other_count;
      const uint32_t* const all = place == first ? task.answers : is_inner ? task.inner_answers : task.others_answers;
      const uint32_t* const own = all + uint64_t{is_inner ? extended - task.other_count : extended} * 2 * kAnswer;
      for (uint32_t word = 0; word < 2 * kAnswer; word++) gathered.answers[word / kAnswer][word % kAnswer] = own[word];
    }
    task.gathered[*n] = gathered;
  }
}
SIMT_EXPORT(gather_hits)
