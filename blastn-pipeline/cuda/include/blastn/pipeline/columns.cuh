// The columns to one side of a word, as an extension meets them.
#pragma once

#include <blastn/pipeline/tables.cuh>

namespace blastn {

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

// Columns in the order in which an extension meets them, a bit each from the lowest on.
struct Steps {
  uint32_t different, odd;
};

// The columns to one side of two places of a strand and a chunk.
template <bool LEFT>
struct Way {
  const Context& context;
  int64_t query, place;
  bool is_odd;  // whether letters may be no bases

  __device__ __forceinline__ Way(const Context& context, const Strand& strand, int64_t query, int64_t place)
      : context(context), query(query), place(place), is_odd(strand.is_odd != 0) {}

  // Sixteen from the i-th on.
  __device__ __forceinline__ Steps sixteen(uint32_t i) const {
    const uint32_t letters = blastn::sixteen(context.bases, first(query, i));
    return steps(letters ^ blastn::sixteen(context.packed, first(place, i)), i);
  }

  // The same, given the exclusive or of their bases.
  __device__ __forceinline__ Steps steps(uint32_t bits, uint32_t i) const {
    const uint32_t odd = is_odd ? blastn::sixteen(context.odd, first(query, i)) : 0;
    return {in_order((bits | bits >> 1) & 0x55555555), in_order(odd)};
  }

  // What a column scores whose letter and base differ, or whose letter is no base.
  __device__ __forceinline__ int score(bool odd, uint32_t i) const {
    const int64_t away = LEFT ? -int64_t{i} - 1 : int64_t{i};
    return special_score(context, odd, query + away, place + away);
  }

 private:
  static __device__ __forceinline__ int64_t first(int64_t from, uint32_t i) {
    return LEFT ? from - i - 16 : from + i;
  }
  static __device__ __forceinline__ uint32_t in_order(uint32_t columns) {
    return squeezed(LEFT ? columns : __brev(columns) >> 1);
  }
};

// Packed codes, sixteen at a time, from a place on to one side. Words are asked for before they are needed,
// up to three of them before or behind those that hold the codes.
template <bool LEFT>
struct Sixteens {
  const uint32_t* next;
  uint32_t near, far, ahead, shift;

  __device__ __forceinline__ Sixteens(const uint32_t* packed, int64_t place) {
    const int64_t first = LEFT ? place - 16 : place;
    const uint32_t* words = packed + (first >> 4);
    shift = 2 * (first & 15);
    near = __ldg(words + (LEFT ? 1 : 0));
    far = __ldg(words + (LEFT ? 0 : 1));
    ahead = __ldg(words + (LEFT ? -1 : 2));
    next = words + (LEFT ? -2 : 3);
  }

  // The next, the first of them in the highest bits.
  __device__ __forceinline__ uint32_t take() {
    const uint32_t codes = LEFT ? __funnelshift_l(near, far, shift) : __funnelshift_l(far, near, shift);
    near = far;
    far = ahead;
    ahead = __ldg(next);
    next += LEFT ? -1 : 1;
    return codes;
  }
};

// A way from the `from`-th column (a multiple of 16) on, eight at a time.
template <bool LEFT>
struct Ahead {
  const Way<LEFT>& way;
  Sixteens<LEFT> letters, bases;
  Steps now;

  __device__ __forceinline__ Ahead(const Way<LEFT>& way, uint32_t from)
      : way(way), letters(way.context.bases, LEFT ? way.query - from : way.query + from),
        bases(way.context.packed, LEFT ? way.place - from : way.place + from), now{} {}

  // Those from the i-th on: multiples of 8, one after the other.
  __device__ __forceinline__ Steps eight(uint32_t i) {
    if (i % 16 == 0) now = way.steps(letters.take() ^ bases.take(), i);
    return {now.different >> i % 16 & 255, now.odd >> i % 16 & 255};
  }
  __device__ __forceinline__ int score(bool odd, uint32_t i) const { return way.score(odd, i); }
};

}  // namespace blastn
