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

// Every second bit, from the lowest on.
static __device__ __forceinline__ uint32_t squeezed(uint32_t bits) {
  bits = (bits | bits >> 1) & 0x33333333;
  bits = (bits | bits >> 2) & 0x0f0f0f0f;
  bits = (bits | bits >> 4) & 0x00ff00ff;
  return (bits | bits >> 8) & 0xffff;
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

  // Extends from two places on to one side: columns from the `from`-th (a multiple of 16) up to `end`.
  // Eight at a time where the score cannot drop by too much; else runs of equal columns are added at
  // once, as in between the sum only grows. `limit` is how far the sum may drop, given what was
  // reached. Returns false once it drops by more.
  template <bool LEFT, class Limit>
  __device__ __forceinline__ bool extend(const Context& context, int64_t query, int64_t place,
                                         uint32_t from, uint32_t end, const Limit& limit) {
    Steps next = from < end ? Steps::at<LEFT>(context, query, place, from) : Steps{};
    for (uint32_t i = from; i < end; i += 16) {
      const Steps steps = next;
      if (i + 16 < end) next = Steps::at<LEFT>(context, query, place, i + 16);
      for (uint32_t c = 0; c < 16; c += 8) {
        const uint32_t different = steps.different >> c & 255, odd = steps.odd >> c & 255;
        if (reach > 0 && odd == 0 && i + c + 8 <= end &&
            add_eight(context.eights[different], i + c, limit())) {
          continue;
        }
        const uint32_t columns = min(end - min(end, i + c), 8u);
        for (uint32_t n = 0; n < columns; n++) {
          const uint32_t special = (different | odd) >> n;
          const uint32_t equal =
              min(columns - n, special != 0 ? __ffs(static_cast<int>(special)) - 1 : 8u);
          n += equal;
          if (equal > 0) add(context.reward * static_cast<int>(equal), i + c + n, limit());
          if (n == columns) break;
          const int64_t away = LEFT ? -int64_t{i + c + n} - 1 : int64_t{i + c + n};
          const int scored = special_score(context, odd >> n & 1, query + away, place + away);
          if (!add(scored, i + c + n + 1, limit())) return false;
        }
      }
    }
    return true;
  }
};

// A word on its way to both sides, to the left first. Mirrors `Long` of src/pipeline/stages.rs.
struct Long {
  Word word;
  Side before, behind;
  uint32_t done;      // columns of the side
  uint32_t is_right;  // which side that is

  // Whether nothing was done yet.
  __device__ bool is_new() const { return done == 0 && is_right == 0; }

  // Extends by up to `most` columns (a multiple of 16) to each side; false if there may be more.
  __device__ inline bool extend(const Context& context, uint32_t most) {
    const Chunk chunk = context.chunks[word.chunk];
    const Strand strand = strand_at(context, word.query);
    const int64_t place = chunk.first + word.subject;
    if (is_right == 0) {
      const uint32_t left = min(word.query, word.subject), end = min(left, done + most);
      const auto limit = [&] { return strand.drop; };
      if (before.extend<true>(context, word.query, place, done, end, limit) && end < left) {
        done = end;
        return false;
      }
      is_right = 1;
      done = 0;
    }
    const uint32_t right = min(context.letter_count - word.query, chunk.length - word.subject);
    const uint32_t end = min(right, done + most);
    const auto limit = [&] {
      // Nothing is gained by an extension whose score as a whole is negative.
      return behind.reach > 0 ? max(strand.drop, -before.score - behind.score) : strand.drop;
    };
    const bool goes_on = behind.extend<false>(context, word.query, place, done, end, limit) && end < right;
    done = end;
    return !goes_on;
  }

  // The alignment, once that returned true; false if it does not score enough.
  __device__ inline bool found(const Context& context, Extended& extended) const {
    const int score = before.score + behind.score;
    extended = {word, word.query - before.reach, word.subject - before.reach,
                before.reach + behind.reach, score};
    return score >= strand_at(context, word.query).trigger;
  }
};
static_assert(sizeof(Long) == 52, "mirrored in Rust");

// Whether it is worth while to extend a word.
static __device__ inline bool is_promising(const Context& context, const Word& word) {
  if (context.by_four == 0) return true;
  const Strand strand = strand_at(context, word.query);
  return is_promising(context, context.chunks[word.chunk], word, strand.drop, strand.nearly);
}

}  // namespace blastn
