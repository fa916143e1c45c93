// Ungapped extension: src/ungapped.rs.
#pragma once

#include <blastn/words.cuh>

namespace blastn {

// Mirrors `Extended` of src/pipeline/stages.rs.
struct Extended {
  Word word;
  uint32_t query, subject, length;
  int32_t score;
};

// A word without an alignment. Mirrors `Spent` of src/pipeline/stages.rs.
struct Spent {
  Word word;
  uint32_t tried;  // whether it was extended
};

// The greatest sum of the first of `count` scores of four columns, until it drops by too much, or is
// enough. `load` gives sixteen columns from the i-th four on, `place` which of their bytes is the n-th, and `slow` the
// score of four with a letter that is no base.
template <class Load, class Place, class Slow>
static __device__ __forceinline__ int best_sum(const Context& context, uint32_t count, int drop, int enough,
                                               const Load& load, const Place& place, const Slow& slow) {
  const int all = 4 * context.reward, less = context.reward - context.penalty;
  int best = 0, sum = 0;
  for (uint32_t i = 0; i < count && best < enough; i += 4) {
    const Columns columns = load(i);
    const uint32_t end = min(count - i, 4u);
    for (uint32_t n = 0; n < end; n++) {
      const uint32_t shift = place(n);
      const bool odd = (columns.odd >> shift & 0x55) != 0;
      sum += odd ? slow(i + n) : all - less * __popc(columns.different >> shift & 0x55);
      if (sum > 0) {
        best += sum;
        sum = 0;
      }
      if (sum < drop) return best;
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

// The score of a column whose letter and base differ, or whose letter is no base.
static __device__ __forceinline__ int special_score(const Context& context, bool odd, int64_t query,
                                                    int64_t subject) {
  if (!odd) return context.penalty;
  const uint32_t letter = letter_at(context, query) & 15;
  return __ldg(context.matrix + letter * 16 + base_at(context, subject));
}

// Whether a run of equal bases as long as a word's begins before this one on its diagonal, so that an
// extension from there is likely to pass it: to its left, the score does not fall by more than the X-drop
// in between.
static __device__ inline bool follows(const Context& context, const Word& word) {
  const int64_t place = context.chunks[word.chunk].first + word.subject;
  const int drop = strand_at(context, word.query).drop;
  const uint32_t left = min(word.query, word.subject);
  int sum = 0;
  uint32_t run = context.word;
  for (uint32_t i = 0; i < left; i += 16) {
    const Columns columns(context, int64_t{word.query} - i - 16, place - i - 16);
    const uint32_t end = min(left - i, 16u);
    for (uint32_t c = 0; c < end; c++) {
      const uint32_t special = columns.special() >> (2 * c);
      const uint32_t equal = min(end - c, special != 0 ? (__ffs(static_cast<int>(special)) - 1) / 2 : 16u);
      run += equal;
      // The word itself, if it is longer than it has to be.
      if (equal > 0 && run >= context.word) return true;
      sum = min(sum + context.reward * static_cast<int>(equal), 0);
      c += equal;
      if (c == end) break;
      run = 0;
      const bool odd = (columns.odd >> (2 * c) & 1) != 0;
      sum += special_score(context, odd, int64_t{word.query} - i - c - 1, place - i - c - 1);
      if (sum < drop) return false;
    }
  }
  return false;
}

// Sixteen columns in the order in which an extension meets them, a bit each from the lowest on.
struct Steps {
  uint32_t different, odd;

  // From `i` columns on.
  template <bool LEFT>
  static __device__ __forceinline__ Steps at(const Context& context, int64_t query, int64_t place,
                                             uint32_t i) {
    if (LEFT) {
      const Columns columns(context, query - i - 16, place - i - 16);
      return {squeezed(columns.different), squeezed(columns.odd)};
    }
    const Columns columns(context, query + i, place + i);
    return {squeezed(__brev(columns.different) >> 1), squeezed(__brev(columns.odd) >> 1)};
  }

 private:
  // Every second bit.
  static __device__ __forceinline__ uint32_t squeezed(uint32_t bits) {
    bits = (bits | bits >> 1) & 0x33333333;
    bits = (bits | bits >> 2) & 0x0f0f0f0f;
    bits = (bits | bits >> 4) & 0x00ff00ff;
    return (bits | bits >> 8) & 0xffff;
  }
};

// An extension to one side: what it scores, and how far it is from the word.
struct Side {
  int score = 0, sum = 0;
  uint32_t reach = 0;

  // Adds what `columns` columns up to the `end`-th score; false if the sum drops by too much.
  __device__ __forceinline__ bool add(int scored, uint32_t end, int limit) {
    sum += scored;
    if (sum <= 0) return sum >= limit;
    reach = end;
    score += sum;
    sum = 0;
    return true;
  }

  // Adds eight columns from the `from`-th on unless the sum may drop by too much in between; tells
  // whether it did.
  __device__ __forceinline__ bool add_eight(const Eight& eight, uint32_t from, int limit) {
    if (sum + eight.fall < limit) return false;
    if (sum + eight.best > 0) {
      reach = from + eight.place;
      score += sum + eight.best;
      sum = eight.total - eight.best;
    } else {
      sum += eight.total;
    }
    return true;
  }

  // Extends from two places on to one side, by up to `count` columns. Eight columns at a time where
  // the score cannot drop by too much; else runs of equal columns are added at once, as in between the
  // sum only grows. `limit` is how far the sum may drop once `reach` is known.
  template <bool LEFT, class Limit>
  __device__ __forceinline__ void extend(const Context& context, int64_t query, int64_t place,
                                         uint32_t count, const Limit& limit) {
    Steps next = count > 0 ? Steps::at<LEFT>(context, query, place, 0) : Steps{};
    for (uint32_t i = 0; i < count; i += 16) {
      const Steps steps = next;
      if (i + 16 < count) next = Steps::at<LEFT>(context, query, place, i + 16);
      for (uint32_t c = 0; c < 16; c += 8) {
        const uint32_t different = steps.different >> c & 255, odd = steps.odd >> c & 255;
        if (reach > 0 && odd == 0 && i + c + 8 <= count &&
            add_eight(context.eights[different], i + c, limit())) {
          continue;
        }
        const uint32_t end = min(count - min(count, i + c), 8u);
        for (uint32_t n = 0; n < end; n++) {
          const uint32_t special = (different | odd) >> n;
          const uint32_t equal = min(end - n, special != 0 ? __ffs(static_cast<int>(special)) - 1 : 8u);
          n += equal;
          if (equal > 0) add(context.reward * static_cast<int>(equal), i + c + n, limit());
          if (n == end) break;
          const int64_t away = LEFT ? -int64_t{i + c + n} - 1 : int64_t{i + c + n};
          const int scored = special_score(context, odd >> n & 1, query + away, place + away);
          if (!add(scored, i + c + n + 1, limit())) return;
        }
      }
    }
  }
};

// Extends a word; false if it does not score enough.
static __device__ inline bool extend(const Context& context, const Word& word, Extended& extended) {
  const Chunk chunk = context.chunks[word.chunk];
  const Strand strand = strand_at(context, word.query);
  if (context.by_four != 0 && !is_promising(context, chunk, word, strand.drop, strand.nearly)) return false;
  const int64_t place = chunk.first + word.subject;
  Side before, behind;
  before.extend<true>(context, word.query, place, min(word.query, word.subject),
                      [&] { return strand.drop; });
  const uint32_t right = min(context.letter_count - word.query, chunk.length - word.subject);
  behind.extend<false>(context, word.query, place, right, [&] {
    // Nothing is gained by an extension whose score as a whole is negative.
    return behind.reach > 0 ? max(strand.drop, -before.score - behind.score) : strand.drop;
  });
  const int score = before.score + behind.score;
  extended = {word, word.query - before.reach, word.subject - before.reach, before.reach + behind.reach, score};
  return score >= strand.trigger;
}

}  // namespace blastn
