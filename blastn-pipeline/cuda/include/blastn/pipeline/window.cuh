// Columns around a word, which decide what becomes of most: few loads, and then bits.
#pragma once

#include <blastn/pipeline/ungapped.cuh>

namespace blastn {

enum class Verdict { no, yes, unknown };

// Of up to 32 columns to each side of a word's beginning, which differ: a bit each, the nearest lowest.
struct Window {
  uint32_t left, right;
  uint32_t left_end, right_end;      // columns that are known: none from a letter on that is no base
  uint32_t left_count, right_count;  // columns that there are in the strand

  __device__ __forceinline__ Window(const Context& context, const Strand& strand, const Chunk& chunk,
                                    const Word& word) {
    const Codes<32> query(context.bases, word.query), odd(context.odd, word.query);
    const Codes<32> subject(context.packed, static_cast<int64_t>(chunk.first) + word.subject);
    uint32_t different[4], is_odd[4];
    for (int i = 0; i < 4; i++) {
      const uint32_t bits = query.words[i] ^ subject.words[i];
      different[i] = (bits | bits >> 1) & 0x55555555;
      is_odd[i] = odd.words[i];
    }
    left = to_left(different);
    right = to_right(different);
    left_count = min(word.query - strand.first, word.subject);
    right_count = min(strand.end - word.query, chunk.length - word.subject);
    left_end = min(min(left_count, 32u), zeros(to_left(is_odd)));
    right_end = min(min(right_count, 32u), zeros(to_right(is_odd)));
  }

  // Whether a run of equal bases as long as a word's begins before this one on its diagonal, so that an
  // extension from there is likely to pass it: in between, the score does not fall by more than the
  // X-drop.
  __device__ __forceinline__ bool follows(const Context& context, const Strand& strand) const {
    const uint32_t known = left_end < 32 ? (1u << left_end) - 1 : ~0u;
    uint32_t runs = ~left & known;
    // The word itself, if it is longer than it has to be.
    if ((runs & 1) != 0) return true;
    // From here on, where a run of `length` begins. Longer ones than the window have no bit left before a
    // shift would have to be by 32.
    for (uint32_t length = 1; length < context.word && runs != 0;) {
      const uint32_t more = min(min(length, context.word - length), 31u);
      runs &= runs >> more;
      length += more;
    }
    if (runs == 0) return false;
    int sum = 0;
    const uint32_t begin = zeros(runs);
    for (uint32_t i = 0; i < begin; i++) {
      const uint32_t equal = min(zeros(left >> i), begin - i);
      i += equal;
      if (i == begin) break;
      sum = min(sum + context.reward * static_cast<int>(equal), 0) + context.penalty;
      if (sum < strand.drop) return false;
    }
    return true;
  }

  // Whether an extension by four columns at a time, from a byte of the subject on, scores enough.
  __device__ __forceinline__ Verdict is_promising(const Context& context, const Strand& strand,
                                                  const Chunk& chunk, const Word& word) const {
    if (context.by_four == 0) return Verdict::yes;
    const uint32_t to_byte = (4 - word.subject % 4) % 4;
    // The first letter is a sentinel. The word's own columns are equal.
    const uint32_t left_fours = min(word.query + to_byte - 1, word.subject + to_byte) / 4;
    const uint32_t columns = min(context.letter_count - 1 - word.query, chunk.length - word.subject);
    const uint32_t right_fours = (columns - min(columns, to_byte)) / 4;
    Fours fours{context};
    const bool left_ended = fours.add(left << to_byte, min(left_end + to_byte, 32u), left_fours, strand);
    const bool right_ended = fours.add(right >> to_byte, right_end - min(right_end, to_byte), right_fours, strand);
    if (fours.best >= strand.nearly) return Verdict::yes;
    return left_ended && right_ended ? Verdict::no : Verdict::unknown;
  }

  // Extends within the window; false if there may be more, of which `extension` then knows the beginning.
  __device__ __forceinline__ bool extend(const Context& context, const Strand& strand, Long& extension) const {
    const Mask to_left{left, context.penalty}, to_right{right, context.penalty};
    Side &before = extension.before, &behind = extension.behind;
    bool goes_on = before.extend(context, to_left, 0, left_end, extension.left_limit(strand));
    if (goes_on && left_end < left_count) return stop(extension, before, Progress::promising, left_end);
    goes_on = behind.extend(context, to_right, 0, right_end, extension.right_limit(strand));
    return goes_on && right_end < right_count ? stop(extension, behind, Progress::left, right_end) : true;
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

  // Leaves a side to others: from the end of the window on, or from the word on if the window ends before.
  static __device__ __forceinline__ bool stop(Long& extension, Side& side, Progress progress, uint32_t end) {
    if (end < 32) side = {};
    return extension.stopped(progress, end < 32 ? 0 : end);
  }

  // What a side extends over.
  struct Mask {
    uint32_t different;
    int penalty;

    __device__ __forceinline__ Steps eight(uint32_t i) const { return {different >> i & 255, 0}; }
    __device__ __forceinline__ int score(bool, uint32_t) const { return penalty; }
  };

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
