// The columns around a seed, as bits in registers. They decide the fate of most seeds after few loads.
#pragma once

#include <blastn/pipeline/ungapped.cuh>

namespace blastn {

// Whether a seed passes the quad test (quads.cuh), as far as a window tells.
enum class WindowDecision { no, yes, unknown };

// Up to 32 columns to each side of a seed's begin: a bit each, the nearest lowest, which tells whether its bases differ.
struct SeedWindow {
  uint32_t left, right;
  uint32_t left_end, right_end;      // columns that are known: those before the first ambiguous letter
  uint32_t left_count, right_count;  // columns that the strand and the chunk have

  __device__ __forceinline__ SeedWindow(const PipelineTables& tables, const QueryStrand& strand, const DatabaseChunk& chunk,
                                    const SeedHit& seed) {
    const CodesAround<32> query(tables.letter_bases, seed.query), ambiguous(tables.ambiguous, seed.query);
    const CodesAround<32> subject(tables.packed_bases, static_cast<int64_t>(chunk.first) + seed.subject);
    uint32_t different[4], is_ambiguous[4];
    for (int i = 0; i < 4; i++) {
      const uint32_t bits = query.words[i] ^ subject.words[i];
      different[i] = (bits | bits >> 1) & 0x55555555;
      is_ambiguous[i] = ambiguous.words[i];
    }
    left = to_left(different);
    right = to_right(different);
    left_count = min(seed.query - strand.first, seed.subject);
    right_count = min(strand.end - seed.query, chunk.length - seed.subject);
    left_end = min(min(left_count, 32u), zeros(to_left(is_ambiguous)));
    right_end = min(min(right_count, 32u), zeros(to_right(is_ambiguous)));
  }

  // Whether another exact match of the word size begins before this seed on its diagonal, and the score between them does
  // not fall by more than the X-drop: an extension of that match will probably pass this seed.
  __device__ __forceinline__ bool follows_match(const PipelineTables& tables, const QueryStrand& strand) const {
    const uint32_t known = left_end < 32 ? (1u << left_end) - 1 : ~0u;
    uint32_t runs = ~left & known;
    // The exact match of the seed begins earlier.
    if ((runs & 1) != 0) return true;
    // From here on a bit tells whether a match of `length` columns begins there. Matches that are longer than the window leave
    // no bit before a shift by 32 would be needed.
    for (uint32_t length = 1; length < tables.word_length && runs != 0;) {
      const uint32_t more = min(min(length, tables.word_length - length), 31u);
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
      sum = min(sum + tables.reward * static_cast<int>(equal), 0) + tables.penalty;
      if (sum < strand.drop) return false;
    }
    return true;
  }

  // The quad test (quads.cuh) within the window: whether the extension by four columns at a time, which begins at a byte of
  // the packed subject, scores enough.
  __device__ __forceinline__ WindowDecision quad_test(const PipelineTables& tables, const QueryStrand& strand,
                                                    const DatabaseChunk& chunk, const SeedHit& seed) const {
    if (tables.uses_quads == 0) return WindowDecision::yes;
    const uint32_t to_byte = (4 - seed.subject % 4) % 4;
    // Letter 0 of the batch is a sentinel. The columns of the seed are equal.
    const uint32_t left_quads = min(seed.query + to_byte - 1, seed.subject + to_byte) / 4;
    const uint32_t columns = min(tables.letter_count - 1 - seed.query, chunk.length - seed.subject);
    const uint32_t right_quads = (columns - min(columns, to_byte)) / 4;
    QuadExtension quads{tables};
    const bool left_ended = quads.add(left << to_byte, min(left_end + to_byte, 32u), left_quads, strand);
    const bool right_ended = quads.add(right >> to_byte, right_end - min(right_end, to_byte), right_quads, strand);
    if (quads.best >= strand.reduced_cutoff) return WindowDecision::yes;
    return left_ended && right_ended ? WindowDecision::no : WindowDecision::unknown;
  }

  // Extends within the window; false if the extension may go on, which `extension` then holds.
  __device__ __forceinline__ bool extend(const PipelineTables& tables, const QueryStrand& strand, PartialExtension& extension) const {
    const WindowColumns to_left{left, tables.penalty}, to_right{right, tables.penalty};
    OneSidedExtension &before = extension.left, &behind = extension.right;
    bool goes_on = before.extend(tables, to_left, 0, left_end, extension.left_limit(strand));
    if (goes_on && left_end < left_count) return stop(extension, before, Progress::passed_quads, left_end);
    goes_on = behind.extend(tables, to_right, 0, right_end, extension.right_limit(strand));
    return goes_on && right_end < right_count ? stop(extension, behind, Progress::left_done, right_end) : true;
  }

 private:
  // The score of an extension by four columns to both sides.
  struct QuadExtension {
    const PipelineTables& tables;
    int best = 0;

    // Adds one side, of which `known` columns are known; false if the side may go on behind these.
    __device__ __forceinline__ bool add(uint32_t different, uint32_t known, uint32_t count,
                                        const QueryStrand& strand) {
      const int all = 4 * tables.reward, less = tables.reward - tables.penalty;
      int sum = 0;
      for (uint32_t i = 0; i < count; i++) {
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

  // Leaves a side to a later stage: from the end of the window on, or from the seed on if the window is not filled.
  static __device__ __forceinline__ bool stop(PartialExtension& extension, OneSidedExtension& side, Progress progress, uint32_t end) {
    if (end < 32) side = {};
    return extension.stopped(progress, end < 32 ? 0 : end);
  }

  // The columns of a window as a side extends over them.
  struct WindowColumns {
    uint32_t different;
    int penalty;

    __device__ __forceinline__ ColumnBits eight(uint32_t i) const { return {different >> i & 255, 0}; }
    __device__ __forceinline__ int score(bool, uint32_t) const { return penalty; }
  };

  // Zeros below the lowest bit that is 1; 32 if none is.
  static __device__ __forceinline__ uint32_t zeros(uint32_t bits) {
    return bits == 0 ? 32 : __ffs(static_cast<int>(bits)) - 1;
  }

  static __device__ __forceinline__ uint32_t to_left(const uint32_t (&columns)[4]) {
    return every_second_bit(columns[1]) | every_second_bit(columns[0]) << 16;
  }
  static __device__ __forceinline__ uint32_t to_right(const uint32_t (&columns)[4]) {
    return every_second_bit(__brev(columns[2]) >> 1) | every_second_bit(__brev(columns[3]) >> 1) << 16;
  }
};

}  // namespace blastn
