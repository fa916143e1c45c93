// Windows in which mates are expected, and the words that a query and the text have in common: the device side of
// src/pair/.
#pragma once

#include <seed_extend/queries.cuh>

namespace seed_extend {

// Diagonals on which a mate may begin. A diagonal is the position of the query's first base on the text.
struct MateWindow {
  int64_t first;   // first diagonal; less than 0 before the text
  uint32_t count;  // number of diagonals
  uint32_t query;
};

// Parameters of mates_choose.
struct MatesParameters {
  fm::IndexView index;
  PackedQueries queries;
  const MateWindow* windows;
  uint32_t* chosen;    // numbers of the chosen diagonals, `slots` of each window
  uint64_t count;      // number of windows
  uint32_t slots;      // diagonals that are chosen in a window, at most
  uint32_t margin;     // diagonals up to so far from a chosen one are left out afterwards
  uint32_t min_words;  // words in common on a chosen diagonal; at least 1
  uint32_t padding;    // always 0
};

// Number of a diagonal that stands for none.
constexpr uint32_t NO_DIAGONAL = ~0u;

// Bases in half of a packed word, which are compared at a time.
constexpr uint32_t HALF_BASES = 16;

// Number of words of 8 bases that a query has in common with the text along a diagonal: places of the query at which 8
// bases begin that are known and equal those of the text. The query may reach beyond the text on either side. Any thread
// may call it at any time.
//
// Halves of packed words are compared from the last to the first. A bit for each base says whether a run of 1, 2, 4 or 8
// equal bases begins there; it follows from the bits of the half as long, at that base and one such run behind it, which
// may be in the half before.
static __device__ uint32_t count_shared_words(const PackedQuery& query, const fm::IndexView& index, int64_t diagonal) {
  const int64_t rest = int64_t{index.bases} - diagonal;  // bases of the text from the diagonal on
  if (rest <= 0 || -diagonal >= int64_t{query.length}) return 0;
  // The places of the query that lie opposite the text.
  const uint32_t begin = diagonal < 0 ? static_cast<uint32_t>(-diagonal) : 0;
  const uint32_t end = rest < int64_t{query.length} ? static_cast<uint32_t>(rest) : query.length;

  const uint32_t* const bases = reinterpret_cast<const uint32_t*>(query.words);
  const uint32_t* const unknown = reinterpret_cast<const uint32_t*>(query.unknown);
  const uint32_t* const text = reinterpret_cast<const uint32_t*>(index.text);
  const uint32_t text_halves = (index.bases + 31) / 32 * 2;
  const uint32_t opposite = static_cast<uint32_t>(diagonal >> 4);  // half of the text opposite that of place 0
  const uint32_t shift = 2 * (static_cast<uint32_t>(diagonal) % HALF_BASES);
  const auto text_half = [&](uint32_t half) {
    // A half before the text has a number that wraps around.
    return opposite + half < text_halves ? __ldg(text + (opposite + half)) : 0;
  };

  const uint32_t first_half = begin / HALF_BASES, end_half = (end + HALF_BASES - 1) / HALF_BASES;
  uint32_t inside = ~0u >> 2 * (HALF_BASES * end_half - end);  // the places before `end`
  uint32_t upper = text_half(end_half);
  uint32_t ones_before = 0, twos_before = 0, fours_before = 0;  // of the half that was compared before
  uint32_t count = 0;
  for (uint32_t half = end_half; half-- > first_half;) {
    const uint32_t lower = text_half(half);
    const uint32_t either = __ldg(bases + half) ^ __funnelshift_r(lower, upper, shift);
    uint32_t ones = ~(either | either >> 1 | __ldg(unknown + half)) & 0x55555555 & inside;
    if (half == first_half) ones &= ~0u << 2 * (begin % HALF_BASES);
    const uint32_t twos = ones & __funnelshift_r(ones, ones_before, 2 * 1);
    const uint32_t fours = twos & __funnelshift_r(twos, twos_before, 2 * 2);
    const uint32_t eights = fours & __funnelshift_r(fours, fours_before, 2 * 4);
    count += __popc(eights);
    upper = lower;
    ones_before = ones;
    twos_before = twos;
    fours_before = fours;
    inside = ~0u;
  }
  return count;
}

}  // namespace seed_extend
