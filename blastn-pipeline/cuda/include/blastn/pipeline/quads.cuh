// The quad test: whether an approximate extension, by four columns (a byte of packed bases, a *quad*) at a time, scores
// enough for an exact one to be worthwhile, as in NCBI's program (s_NuclUngappedExtend). On the CPU: src/ungapped.
#pragma once

#include <blastn/pipeline/words.cuh>

namespace blastn {

// The greatest sum of the first of `count` groups of four columns, until it falls by more than the X-drop or is `enough`.
// `load(i)` gives the four groups from the i-th on, `place(n)` the lowest bit of the n-th of them, and `slow(i)` the score of
// the i-th group if it has an ambiguous letter.
template <class Load, class Place, class Slow>
static __device__ __forceinline__ int best_sum(const PipelineTables& tables, uint32_t count, int drop, int enough,
                                               const Load& load, const Place& place, const Slow& slow) {
  const int all = 4 * tables.reward, less = tables.reward - tables.penalty;
  int best = 0, sum = 0;
  bool goes_on = true;
  for (uint32_t i = 0; i < count && best < enough && goes_on; i += 4) {
    const SixteenColumns columns = load(i);
    const uint32_t end = min(count - i, 4u);
    for (uint32_t n = 0; n < end && goes_on; n++) {
      const uint32_t shift = place(n);
      const bool ambiguous = (columns.ambiguous >> shift & 0x55) != 0;
      sum += ambiguous ? slow(i + n) : all - less * __popc(columns.different >> shift & 0x55);
      best += max(sum, 0);
      sum = min(sum, 0);
      goes_on = sum >= drop;
    }
  }
  return best;
}

// Whether the extension by four columns, which begins at a byte of the packed subject, scores `enough`.
static __device__ inline bool passes_quad_test(const PipelineTables& tables, const DatabaseChunk& chunk, const SeedHit& seed,
                                           int drop, int enough) {
  const uint32_t to_byte = (4 - seed.subject % 4) % 4;
  const uint32_t query = seed.query + to_byte, subject = seed.subject + to_byte;
  // Letter 0 of the batch is a sentinel.
  const uint32_t left = min(query - 1, subject) / 4;
  const uint32_t right = min(tables.letter_count - 1 > query ? tables.letter_count - 1 - query : 0,
                             chunk.length > subject ? chunk.length - subject : 0) / 4;
  const int64_t place = chunk.first + subject;
  const auto four = [&](int64_t query, int64_t place) {
    uint32_t letters = 0;
    // An ambiguous letter spills over into its neighbours, as in NCBI's program.
    for (int i = 0; i < 4; i++) letters |= letter_at(tables, query + i) << (6 - 2 * i);
    return __ldg(tables.byte_scores + ((letters ^ sixteen_codes(tables.packed_bases, place) >> 24) & 255));
  };
  const int leftward = best_sum(
      tables, left, drop, enough,
      [&](uint32_t i) { return SixteenColumns(tables, query - 4 * int64_t{i} - 16, place - 4 * int64_t{i} - 16); },
      [](uint32_t n) { return 8 * n; },
      [&](uint32_t i) { return four(query - 4 * int64_t{i} - 4, place - 4 * int64_t{i} - 4); });
  const int rightward = best_sum(
      tables, right, drop, enough - leftward,
      [&](uint32_t i) { return SixteenColumns(tables, query + 4 * int64_t{i}, place + 4 * int64_t{i}); },
      [](uint32_t n) { return 24 - 8 * n; },
      [&](uint32_t i) { return four(query + 4 * int64_t{i}, place + 4 * int64_t{i}); });
  return leftward + rightward >= enough;
}

// Whether a seed passes the quad test; true for all if the search has none.
static __device__ inline bool passes_quad_test(const PipelineTables& tables, const SeedHit& seed) {
  if (tables.uses_quads == 0) return true;
  const QueryStrand strand = strand_at(tables, seed.query);
  return passes_quad_test(tables, tables.chunks[seed.chunk], seed, strand.drop, strand.reduced_cutoff);
}

}  // namespace blastn
