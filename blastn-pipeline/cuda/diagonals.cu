// Which of the words would have been extended, had those before them on their diagonals been known
// (src/pipeline/diagonals.rs).
#include <blastn/hits.cuh>
#include <blastn/pipeline/ungapped.cuh>

#include "stream/scan.cuh"

namespace {

using blastn::ChunkHit;
using blastn::Extended;
using blastn::Spent;
using blastn::Word;

// A word's place in the order in which words are looked at, and in the lists of words. Mirrors `Key`.
struct __align__(16) Key {
  uint32_t chunk, diagonal, probe;
  uint32_t place;  // among those extended, or behind them among those spent

  __device__ bool is_along(const Key& other) const { return chunk == other.chunk && diagonal == other.diagonal; }
};

// Mirrors `Task`.
struct Task {
  blastn::Context context;
  const Extended* extended;
  const Spent* spent;
  uint32_t* likely;  // bits of diagonals: those of words that are to be looked at, and few others
  Key* keys;
  uint32_t* cursors;
  ChunkHit* hits;
  Spent* carried;
  uint32_t extended_count, spent_count;
  uint32_t likely_mask;  // words of `likely`, a power of two, less 1
  uint32_t key_count;
  uint32_t seam;  // where the piece of the queries' letters ends whose words are here
  uint32_t padding;
};
static_assert(sizeof(Task) == 224, "mirrored in Rust");

__device__ uint32_t first_item() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Subjects less queries, which none of a chunk are below.
__device__ uint32_t diagonal(const Task& task, const Word& word) {
  return word.subject + task.context.letter_count - word.query;
}

__device__ uint32_t* likely_bit(const Task& task, const Word& word, uint32_t& bit) {
  // Neighbours are spread (Fibonacci hashing).
  const uint64_t number = static_cast<uint64_t>(word.chunk) << 32 | diagonal(task, word);
  const uint64_t hash = number * 0x9E3779B97F4A7C15u;
  bit = 1u << (hash >> 59);
  return task.likely + (static_cast<uint32_t>(hash >> 16) & task.likely_mask);
}

// The word that is the `place`-th of all; whether it was tried in vain.
__device__ Word word_at(const Task& task, uint32_t place, bool& in_vain) {
  if (place < task.extended_count) {
    in_vain = false;
    return task.extended[place].word;
  }
  const Spent& spent = task.spent[place - task.extended_count];
  in_vain = spent.tried();
  return spent.word();
}

// Whether a word ends in the next piece of the queries.
__device__ bool passes_seam(const Task& task, const Word& word) {
  return word.query + task.context.word > task.seam;
}

// The alignment of a word that was not tried; false if it does not score enough.
__device__ bool extend(const blastn::Context& context, const Word& word, Extended& extended) {
  constexpr uint32_t kMore = 1 << 10;
  if (!blastn::is_promising(context, word)) return false;
  blastn::Long extension{word};
  while (!extension.extend<blastn::Alone>(context, kMore)) continue;
  return extension.found(context, extended);
}

}  // namespace

// Marks the diagonals of words that were extended, or not tried, or that matter to the next piece, in
// `likely`, which is 0 before.
//
// Any grid of one-dimensional blocks.
extern "C" __global__ void mark_diagonals(const Task* argument) {
  const Task task = *argument;
  const uint32_t all = task.extended_count + task.spent_count, step = gridDim.x * blockDim.x;
  for (uint64_t place = first_item(); place < all; place += step) {
    bool in_vain;
    const Word word = word_at(task, static_cast<uint32_t>(place), in_vain);
    if (in_vain && !passes_seam(task, word)) continue;
    uint32_t bit;
    uint32_t* const bits = likely_bit(task, word, bit);
    if ((*bits & bit) == 0) atomicOr(bits, bit);
  }
}
SIMT_EXPORT(mark_diagonals)

// Lists the words of marked diagonals, in any order, and counts them. What was tried in vain matters only
// where something else was not, or in the next piece.
//
// Any grid of blocks of whole warps; cursors[0] is 0 before, and `keys` has room for all words.
extern "C" __global__ void list_words(const Task* argument) {
  const Task task = *argument;
  const uint32_t all = task.extended_count + task.spent_count, step = gridDim.x * blockDim.x;
  const uint32_t lane = threadIdx.x % stream::WARP;
  for (uint64_t first = first_item() - lane; first < all; first += step) {
    const uint64_t place = first + lane;
    Key key{};
    bool is_listed = false;
    if (place < all) {
      bool in_vain;
      const Word word = word_at(task, static_cast<uint32_t>(place), in_vain);
      key = {word.chunk, diagonal(task, word), word.probe, static_cast<uint32_t>(place)};
      uint32_t bit;
      const uint32_t* const bits = likely_bit(task, word, bit);
      is_listed = (*bits & bit) != 0;
    }
    const uint32_t listed = __ballot_sync(stream::ALL_LANES, is_listed);
    uint32_t slot = 0;
    if (lane == 0 && listed != 0) slot = atomicAdd(task.cursors, static_cast<uint32_t>(__popc(listed)));
    slot = __shfl_sync(stream::ALL_LANES, slot, 0);
    if (is_listed) task.keys[slot + __popc(listed & ((1u << lane) - 1))] = key;
  }
}
SIMT_EXPORT(list_words)

// Goes along each diagonal, given `keys` in order: a word that an alignment before has passed is left out,
// and one that was not tried is extended. Lists alignments, in any order, and counts them. How far a
// diagonal is explored is told to the next piece by a word that was tried in vain and ends there: it comes
// before all others, as places on a diagonal grow with those of the queries.
//
// Any grid of one-dimensional blocks; cursors[0] and [1] are 0 before, `hits` has room for a hit a key, and
// `carried`, if anything passes the seam, for a word a key.
extern "C" __global__ void admit_words(const Task* argument) {
  const Task task = *argument;
  const uint32_t step = gridDim.x * blockDim.x;
  for (uint64_t i = first_item(); i < task.key_count; i += step) {
    const Key first = task.keys[i];
    if (i > 0 && first.is_along(task.keys[i - 1])) continue;
    Word last;
    uint32_t explored = 0;
    for (uint64_t j = i; j < task.key_count; j++) {
      const Key key = task.keys[j];
      if (!key.is_along(first)) break;
      if (key.probe < explored) continue;
      bool in_vain;
      Extended found;
      found.word = word_at(task, key.place, in_vain);
      bool is_found = key.place < task.extended_count;
      if (is_found) found = task.extended[key.place];
      else if (!in_vain) is_found = extend(task.context, found.word, found);
      last = found.word;
      explored = last.end(task.context);
      if (!is_found) continue;
      explored = found.subject + found.length;
      task.hits[atomicAdd(task.cursors, 1u)] = {last.chunk,  found.query, found.subject, found.length,
                                                found.score, last.query,  last.subject};
    }
    const uint32_t beyond = explored - last.end(task.context);
    last.query += beyond;
    last.subject += beyond;
    if (passes_seam(task, last)) task.carried[atomicAdd(task.cursors + 1, 1u)] = Spent(last, true);
  }
}
SIMT_EXPORT(admit_words)
