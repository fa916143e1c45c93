// Looked-up words to runs of equal bases: src/words.rs.
#pragma once

#include <blastn/pipeline/tables.cuh>

namespace blastn {

// Mirrors `Word` of src/pipeline/items.rs.
struct Word {
  uint32_t chunk, query, subject, probe;

  // Where it ends in the chunk.
  __device__ uint32_t end(const Context& context) const { return subject + context.word; }
};

// Whether a looked-up word's width of letters and bases is not the same, or not looked up.
static __device__ inline bool is_masked(const Context& context, uint64_t chunk, uint32_t query,
                                        uint32_t subject) {
  if ((__ldg(context.indexed + query / 32) >> (query % 32) & 1) == 0) return true;
  return equal_right(context, query, chunk + subject, context.width) < context.width;
}

// The run from where it is not masked on, extended to the right by what it lost on the left.
static __device__ inline bool unmasked(const Context& context, uint32_t number, const Chunk& chunk,
                                       uint32_t query, uint32_t subject, Word& word) {
  const uint32_t width = context.width, probe = subject;
  uint32_t query_end = query + context.word, end = subject + context.word;
  if (is_masked(context, chunk.first, query_end - width, end - width)) return false;
  while (is_masked(context, chunk.first, query, subject)) {
    query++;
    subject++;
  }
  const uint32_t lost = context.word - (query_end - query);
  const Strand strand = strand_at(context, query_end);
  if (lost > min(strand.end - query_end, chunk.length - end)) return false;
  query_end += lost;
  end += lost;
  uint32_t last = query_end - width, last_subject = end - width;
  while (last_subject > subject) {
    if (is_masked(context, chunk.first, last, last_subject)) return false;
    if (last_subject < width) break;
    last -= width;
    last_subject -= width;
  }
  word = {number, query, subject, probe};
  return true;
}

// Columns before a hit that are looked at to tell whether it may be tried.
constexpr uint32_t kBefore = 48;

// Whether all places from one to another are looked up.
static __device__ inline bool are_indexed(const Context& context, uint32_t first, uint32_t last) {
  for (uint32_t word = first / 32; word <= last / 32; word++) {
    uint32_t masked = ~__ldg(context.indexed + word);
    if (word == first / 32) masked &= ~0u << first % 32;
    if (word == last / 32) masked &= ~0u >> (31 - last % 32);
    if (masked != 0) return false;
  }
  return true;
}

// Columns before a hit that are looked at, and as many as fit a word from it on.
using Near = Codes<kBefore>;

// Equal columns around the beginning of a hit.
struct Around {
  uint32_t before;  // next to it, up to kBefore
  uint32_t behind;  // from it on, up to 16
};

static __device__ __forceinline__ uint32_t zeros_below(uint32_t special) {
  return special == 0 ? 16 : (__ffs(static_cast<int>(special)) - 1) / 2;
}

// Those around a place of the queries, when the bases of the database are known; with all loads at once.
static __device__ __forceinline__ Around around(const Context& context, uint32_t query, const Near& others) {
  const Near bases(context.bases, query), odd(context.odd, query);
  uint32_t special[4];
  for (int i = 0; i < 4; i++) {
    const uint32_t bits = bases.words[i] ^ others.words[i];
    special[i] = ((bits | bits >> 1) & 0x55555555) | odd.words[i];
  }
  uint32_t before = 0;
  for (int i = 2; i >= 0; i--) before += before == 16u * (2 - i) ? zeros_below(special[i]) : 0;
  return {before, static_cast<uint32_t>(__clz(static_cast<int>(special[3]))) / 2};
}

// Whether the rule of diagonals may try a hit, if it has a run; `equal` columns are before it.
static __device__ inline bool may_be_tried(const Context& context, uint32_t query, uint32_t equal) {
  return (context.turns >> equal & 1) != 0 || !are_indexed(context, query - equal, query);
}

// Not a number of columns.
constexpr uint32_t kNoRun = ~0u;

// How many columns before a looked-up word are in its run of enough equal bases, which is extended to the left first;
// kNoRun if there are not enough, or the word need not be tried.
static __device__ inline uint32_t left_of_run(const Context& context, const Chunk& chunk, uint32_t query,
                                              uint32_t subject, const Around& around) {
  const uint32_t missing = context.word - context.width;
  const uint32_t equal = min(around.before, subject);
  // A sentinel ends this before the strand does.
  const uint32_t left = min(equal, missing), columns = context.word - left;
  if (missing > 0) {
    if (around.behind < min(columns, 16u) || subject + columns > chunk.length) return kNoRun;
    if (columns > 16 &&
        equal_right(context, query + 16, chunk.first + subject + 16, columns - 16) < columns - 16) {
      return kNoRun;
    }
  }
  return may_be_tried(context, query, equal) ? left : kNoRun;
}

}  // namespace blastn
