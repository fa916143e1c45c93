// The columns to one side of a seed, in the order in which an extension meets them.
#pragma once

#include <blastn/pipeline/tables.cuh>

namespace blastn {

// The score of a column whose letter and base differ, or whose letter is ambiguous; `subject` counts from the begin of the
// database.
static __device__ __forceinline__ int unequal_score(const PipelineTables& tables, bool ambiguous, int64_t query,
                                                    int64_t subject) {
  if (!ambiguous) return tables.penalty;
  const uint32_t letter = letter_at(tables, query) & 15;
  return __ldg(tables.matrix + letter * 16 + base_at(tables, subject));
}

// The 16 bits at even places, side by side.
static __device__ __forceinline__ uint32_t every_second_bit(uint32_t bits) {
  bits = (bits | bits >> 1) & 0x33333333;
  bits = (bits | bits >> 2) & 0x0f0f0f0f;
  bits = (bits | bits >> 4) & 0x00ff00ff;
  return (bits | bits >> 8) & 0xffff;
}

// Columns in the order in which an extension meets them, a bit each from the lowest on: whether their bases differ, and
// whether the letter is ambiguous.
struct ColumnBits {
  uint32_t different, ambiguous;
};

// The columns to one side of a place of a strand and a place of the database.
template <bool LEFT>
struct SideColumns {
  const PipelineTables& tables;
  int64_t query, place;
  bool may_be_ambiguous;  // whether the strand has ambiguous letters

  __device__ __forceinline__ SideColumns(const PipelineTables& tables, const QueryStrand& strand, int64_t query, int64_t place)
      : tables(tables), query(query), place(place), may_be_ambiguous(strand.has_ambiguous != 0) {}

  // Sixteen columns from the i-th on.
  __device__ __forceinline__ ColumnBits sixteen_codes(uint32_t i) const {
    const uint32_t letters = blastn::sixteen_codes(tables.letter_bases, first(query, i));
    return steps(letters ^ blastn::sixteen_codes(tables.packed_bases, first(place, i)), i);
  }

  // Sixteen columns from the i-th on, given the exclusive or of their bases.
  __device__ __forceinline__ ColumnBits steps(uint32_t bits, uint32_t i) const {
    const uint32_t ambiguous = may_be_ambiguous ? blastn::sixteen_codes(tables.ambiguous, first(query, i)) : 0;
    return {in_order((bits | bits >> 1) & 0x55555555), in_order(ambiguous)};
  }

  // The score of the i-th column, whose letter and base differ or whose letter is ambiguous.
  __device__ __forceinline__ int score(bool ambiguous, uint32_t i) const {
    const int64_t away = LEFT ? -int64_t{i} - 1 : int64_t{i};
    return unequal_score(tables, ambiguous, query + away, place + away);
  }

 private:
  static __device__ __forceinline__ int64_t first(int64_t from, uint32_t i) {
    return LEFT ? from - i - 16 : from + i;
  }
  static __device__ __forceinline__ uint32_t in_order(uint32_t columns) {
    return every_second_bit(LEFT ? columns : __brev(columns) >> 1);
  }
};

// Reads packed codes from a place on to one side, sixteen at a time. Words are loaded before they are needed: up to three
// beyond those that hold the codes.
template <bool LEFT>
struct PackedCodeReader {
  const uint32_t* next;
  uint32_t near, far, ahead, shift;

  __device__ __forceinline__ PackedCodeReader(const uint32_t* packed, int64_t place) {
    const int64_t first = LEFT ? place - 16 : place;
    const uint32_t* words = packed + (first >> 4);
    shift = 2 * (first & 15);
    near = __ldg(words + (LEFT ? 1 : 0));
    far = __ldg(words + (LEFT ? 0 : 1));
    ahead = __ldg(words + (LEFT ? -1 : 2));
    next = words + (LEFT ? -2 : 3);
  }

  // The next sixteen codes, in the order of the sequence, the first in the highest bits.
  __device__ __forceinline__ uint32_t take() {
    const uint32_t codes = LEFT ? __funnelshift_l(near, far, shift) : __funnelshift_l(far, near, shift);
    near = far;
    far = ahead;
    ahead = __ldg(next);
    next += LEFT ? -1 : 1;
    return codes;
  }
};

// Reads the columns of one side from the `from`-th (a multiple of 16) on, eight at a time.
template <bool LEFT>
struct PrefetchedColumns {
  const SideColumns<LEFT>& way;
  PackedCodeReader<LEFT> letters, bases;
  ColumnBits now;

  __device__ __forceinline__ PrefetchedColumns(const SideColumns<LEFT>& way, uint32_t from)
      : way(way), letters(way.tables.letter_bases, LEFT ? way.query - from : way.query + from),
        bases(way.tables.packed_bases, LEFT ? way.place - from : way.place + from), now{} {}

  // Eight columns from the i-th on; calls must be for ascending multiples of 8.
  __device__ __forceinline__ ColumnBits eight(uint32_t i) {
    if (i % 16 == 0) now = way.steps(letters.take() ^ bases.take(), i);
    return {now.different >> i % 16 & 255, now.ambiguous >> i % 16 & 255};
  }
  __device__ __forceinline__ int score(bool ambiguous, uint32_t i) const { return way.score(ambiguous, i); }
};

}  // namespace blastn
