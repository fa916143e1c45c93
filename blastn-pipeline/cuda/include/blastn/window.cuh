// Columns around a word, which decide what becomes of most: few loads, and then bits.
#pragma once

#include <blastn/ungapped.cuh>

namespace blastn {

// 64 packed codes, 32 before a place and 32 from it on, 16 a word, the first in the highest bits.
struct Codes {
  uint32_t words[4];

  __device__ __forceinline__ Codes(const uint32_t* packed, int64_t place) {
    const int64_t first = (place - 32) >> 4;
    const uint2* pairs = reinterpret_cast<const uint2*>(packed + (first & ~int64_t{1}));
    const uint2 a = __ldg(pairs), b = __ldg(pairs + 1), c = __ldg(pairs + 2);
    const bool second = (first & 1) != 0;
    const uint32_t five[5] = {second ? a.y : a.x, second ? b.x : a.y, second ? b.y : b.x,
                              second ? c.x : b.y, second ? c.y : c.x};
    const uint32_t shift = 2 * (place & 15);
    for (int i = 0; i < 4; i++) {
      const uint64_t two = static_cast<uint64_t>(five[i]) << 32 | five[i + 1];
      words[i] = static_cast<uint32_t>(two << shift >> 32);
    }
  }
};

enum class Verdict { no, yes, unknown };

// Of up to 32 columns to each side of a word's beginning, which differ: a bit each, the nearest lowest.
struct Window {
  uint32_t left, right;
  uint32_t left_end, right_end;      // columns that are known: none from a letter on that is no base
  uint32_t left_count, right_count;  // columns that there are

  __device__ __forceinline__ Window(const Context& context, const Chunk& chunk, const Word& word) {
    const Codes query(context.bases, word.query), odd(context.odd, word.query);
    const Codes subject(context.packed, static_cast<int64_t>(chunk.first) + word.subject);
    uint32_t different[4], is_odd[4];
    for (int i = 0; i < 4; i++) {
      const uint32_t bits = query.words[i] ^ subject.words[i];
      different[i] = (bits | bits >> 1) & 0x55555555;
      is_odd[i] = odd.words[i];
    }
    left = to_left(different);
    right = to_right(different);
    left_count = min(word.query, word.subject);
    right_count = min(context.letter_count - word.query, chunk.length - word.subject);
    left_end = min(min(left_count, 32u), zeros(to_left(is_odd)));
    right_end = min(min(right_count, 32u), zeros(to_right(is_odd)));
  }

  // Whether a run of equal bases as long as a word's begins before this one on its diagonal, so that an
  // extension from there is likely to pass it: in between, the score does not fall by more than the
  // X-drop.
  __device__ __forceinline__ bool follows(const Context& context, const Strand& strand) const {
    int sum = 0;
    uint32_t run = context.word;
    for (uint32_t i = 0; i < left_end; i++) {
      const uint32_t equal = min(zeros(left >> i), left_end - i);
      run += equal;
      // The word itself, if it is longer than it has to be.
      if (equal > 0 && run >= context.word) return true;
      i += equal;
      if (i == left_end) break;
      run = 0;
      sum = min(sum + context.reward * static_cast<int>(equal), 0) + context.penalty;
      if (sum < strand.drop) return false;
    }
    return false;
  }

  // Whether an extension by four columns at a time, from a byte of the subject on, scores enough.
  __device__ __forceinline__ Verdict is_promising(const Context& context, const Strand& strand,
                                                  const Word& word) const {
    if (context.by_four == 0) return Verdict::yes;
    const uint32_t to_byte = (4 - word.subject % 4) % 4;
    // The first letter is a sentinel. The word's own columns are equal.
    const uint32_t left_fours = min(word.query + to_byte - 1, word.subject + to_byte) / 4;
    const uint32_t columns = min(context.letter_count - 1 - word.query, right_count);
    const uint32_t right_fours = (columns - min(columns, to_byte)) / 4;
    Fours fours{context};
    const bool left_ended = fours.add(left << to_byte, min(left_end + to_byte, 32u), left_fours, strand);
    const bool right_ended = fours.add(right >> to_byte, right_end - min(right_end, to_byte), right_fours, strand);
    if (fours.best >= strand.nearly) return Verdict::yes;
    return left_ended && right_ended ? Verdict::no : Verdict::unknown;
  }

  // Extends within the window; false if there may be more.
  __device__ __forceinline__ bool extend(const Context& context, const Strand& strand, Long& extension) const {
    Side &before = extension.before, &behind = extension.behind;
    if (!along(context, left, left_end, left_count, before, [&] { return strand.drop; })) return false;
    return along(context, right, right_end, right_count, behind, [&] {
      return behind.reach > 0 ? max(strand.drop, -before.score - behind.score) : strand.drop;
    });
  }

 private:
  // The score of an extension by fours to both sides.
  struct Fours {
    const Context& context;
    int best = 0;

    // Adds those of a side, of which `known` columns are known; false if there may be more.
    __device__ __forceinline__ bool add(uint32_t different, uint32_t known, uint32_t fours,
                                        const Strand& strand) {
      const int all = 4 * context.reward, less = context.reward - context.penalty;
      int sum = 0;
      for (uint32_t i = 0; i < fours; i++) {
        if (4 * i + 4 > known) return false;
        sum += all - less * __popc(different >> (4 * i) & 15);
        if (sum > 0) {
          best += sum;
          sum = 0;
        }
        if (sum < strand.drop) return true;
      }
      return true;
    }
  };

  // Extends along one side; false if there may be more.
  template <class Limit>
  static __device__ __forceinline__ bool along(const Context& context, uint32_t different, uint32_t end,
                                               uint32_t count, Side& side, const Limit& limit) {
    for (uint32_t i = 0; i < end; i++) {
      const uint32_t equal = min(zeros(different >> i), end - i);
      i += equal;
      if (equal > 0) side.add(context.reward * static_cast<int>(equal), i, limit());
      if (i == end) break;
      if (!side.add(context.penalty, i + 1, limit())) return true;
    }
    return end == count;
  }

  // Zeros below the lowest one.
  static __device__ __forceinline__ uint32_t zeros(uint32_t bits) {
    return bits == 0 ? 32 : __ffs(static_cast<int>(bits)) - 1;
  }

  static __device__ __forceinline__ uint32_t to_left(const uint32_t (&columns)[4]) {
    return squeezed(columns[1]) | squeezed(columns[0]) << 16;
  }
  static __device__ __forceinline__ uint32_t to_right(const uint32_t (&columns)[4]) {
    return squeezed(__brev(columns[2]) >> 1) | squeezed(__brev(columns[3]) >> 1) << 16;
  }
};

}  // namespace blastn
