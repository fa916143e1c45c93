// Whether a word is worth extending, by four columns at a time: src/ungapped.rs.
#pragma once

#include <blastn/pipeline/words.cuh>

namespace blastn {

// The greatest sum of the first of `count` scores of four columns, until it drops by too much, or is
// enough. `load` gives sixteen columns from the i-th four on, `place` which of their bytes is the n-th, and `slow` the
// score of four with a letter that is no base.
template <class Load, class Place, class Slow>
static __device__ __forceinline__ int best_sum(const Context& context, uint32_t count, int drop, int enough,
                                               const Load& load, const Place& place, const Slow& slow) {
  const int all = 4 * context.reward, less = context.reward - context.penalty;
  int best = 0, sum = 0;
  bool goes_on = true;
  for (uint32_t i = 0; i < count && best < enough && goes_on; i += 4) {
    const Columns columns = load(i);
    const uint32_t end = min(count - i, 4u);
    for (uint32_t n = 0; n < end && goes_on; n++) {
      const uint32_t shift = place(n);
      const bool odd = (columns.odd >> shift & 0x55) != 0;
      sum += odd ? slow(i + n) : all - less * __popc(columns.different >> shift & 0x55);
      best += max(sum, 0);
      sum = min(sum, 0);
      goes_on = sum >= drop;
    }
  }
  return best;
}

// Whether an extension by four columns at a time, from a byte of the subject on, scores enough.
static __device__ inline bool is_promising(const Context& context, const Chunk& chunk, const Word& word,
                                           int drop, int enough) {
  const uint32_t to_byte = (4 - word.subject % 4) % 4;
  const uint32_t query = word.query + to_byte, subject = word.subject + to_byte;
  // The first letter is a sentinel.
  const uint32_t left = min(query - 1, subject) / 4;
  const uint32_t right = min(context.letter_count - 1 > query ? context.letter_count - 1 - query : 0,
                             chunk.length > subject ? chunk.length - subject : 0) / 4;
  const int64_t place = chunk.first + subject;
  const auto four = [&](int64_t query, int64_t place) {
    uint32_t letters = 0;
    // A letter that is no base spills over into its neighbours.
    for (int i = 0; i < 4; i++) letters |= letter_at(context, query + i) << (6 - 2 * i);
    return __ldg(context.fours + ((letters ^ sixteen(context.packed, place) >> 24) & 255));
  };
  const int leftward = best_sum(
      context, left, drop, enough,
      [&](uint32_t i) { return Columns(context, query - 4 * int64_t{i} - 16, place - 4 * int64_t{i} - 16); },
      [](uint32_t n) { return 8 * n; },
      [&](uint32_t i) { return four(query - 4 * int64_t{i} - 4, place - 4 * int64_t{i} - 4); });
  const int rightward = best_sum(
      context, right, drop, enough - leftward,
      [&](uint32_t i) { return Columns(context, query + 4 * int64_t{i}, place + 4 * int64_t{i}); },
      [](uint32_t n) { return 24 - 8 * n; },
      [&](uint32_t i) { return four(query + 4 * int64_t{i}, place + 4 * int64_t{i}); });
  return leftward + rightward >= enough;
}

// Whether it is worth while to extend a word.
static __device__ inline bool is_promising(const Context& context, const Word& word) {
  if (context.by_four == 0) return true;
  const Strand strand = strand_at(context, word.query);
  return is_promising(context, context.chunks[word.chunk], word, strand.drop, strand.nearly);
}

}  // namespace blastn
