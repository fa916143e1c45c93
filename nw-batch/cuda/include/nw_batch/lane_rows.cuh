// The rows of a lane: its strip of R rows of a matrix, of which it keeps one column in registers.
#pragma once

#include "lane_words.cuh"
#include "pair_scores.cuh"
#include "structs.cuh"

namespace nw {

// Bits of a cell's directions. The last two are kept with affine gaps only.
constexpr uint32_t NOT_DIAGONAL = 1;      // the best score does not come from the diagonal
constexpr uint32_t NOT_DELETION = 2;      // of gaps, an insertion scores better than a deletion
constexpr uint32_t LONGER_DELETION = 4;   // the best deletion that ends here is longer than one residue
constexpr uint32_t LONGER_INSERTION = 8;  // the best insertion that ends here is longer than one residue

// Number of these bits that a cell has.
template <bool AFFINE>
constexpr int DIRECTION_BITS = AFFINE ? 4 : 2;

// Rows whose directions share a word, which has 16 bits for each pair.
template <bool AFFINE>
constexpr int ROWS_OF_WORD = 16 / DIRECTION_BITS<AFFINE>;

// Words of directions of a lane's R cells of a column.
template <int R, bool AFFINE>
constexpr int WORDS = (R + ROWS_OF_WORD<AFFINE> - 1) / ROWS_OF_WORD<AFFINE>;

// The rows of a lane: the cells of its last column, and the scores of its rows.
template <class Word, class PairScorer, int R, bool AFFINE, bool TRACE>
struct LaneRows {
  PairScorer scorer;
  uint32_t h[R];              // best scores
  uint32_t e[AFFINE ? R : 1]; // best deletions
  // With TRACE, best scores less the cost of opening a gap.
  uint32_t opened[AFFINE && TRACE ? R : 1];
  uint32_t corner;            // the cell above the rows in the last column
  uint32_t bottom, bottom_f;  // the last row's cell, and the best insertion that ends there
  uint32_t* out;              // with TRACE, the directions of the next column

  // Fills the next column, and with TRACE writes its directions. `above` and `f` are of the row above.
  __device__ __forceinline__ void next_column(uint32_t above, uint32_t f, WordPair words, uint32_t minus_opening,
                                              const ScoreMemory& memory) {
    if constexpr (TRACE) {
      trace_column(above, f, words, minus_opening, memory);
    } else {
      fill_column(above, f, words, minus_opening, memory);
    }
  }

 private:
  __device__ __forceinline__ void fill_column(uint32_t above, uint32_t f, WordPair words, uint32_t minus_opening,
                                              const ScoreMemory& memory) {
    scorer.begin_column(memory, words);
    uint32_t diagonal = corner;
    corner = above;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const uint32_t left = h[r];
      // With linear gaps, a gap of one more residue scores the same as one that is opened again.
      const uint32_t deletion = AFFINE ? Word::add_max(left, minus_opening, e[r]) : left;
      const uint32_t insertion = AFFINE ? Word::add_max(above, minus_opening, f) : above;
      uint32_t here;
      if constexpr (PairScorer::ADDS) {
        here = Word::max(scorer.add_scores(r, diagonal, memory), deletion, insertion);
      } else {
        here = Word::max(Word::add_max(diagonal, scorer.score(r, memory), deletion), insertion);
      }
      diagonal = left;
      above = here;
      h[r] = here;
      if (AFFINE) e[r] = deletion;
      f = insertion;
    }
    bottom = above;
    bottom_f = f;
  }

  // The same with directions.
  __device__ __forceinline__ void trace_column(uint32_t above, uint32_t f, WordPair words, uint32_t minus_opening,
                                               const ScoreMemory& memory) {
    using Choice = typename Word::Choice;
    scorer.begin_column(memory, words);
    uint32_t diagonal = corner;
    corner = above;
    uint32_t opened_above = AFFINE ? Word::add(above, minus_opening) : 0;
    // Sums of bits, several at a time, so that none waits for another.
    uint32_t sums[2][2] = {};
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int shift = r % ROWS_OF_WORD<AFFINE> * DIRECTION_BITS<AFFINE>;
      const uint32_t left = h[r];
      uint32_t deletion = left, insertion = above;
      if (AFFINE) {
        Choice opens;
        deletion = Word::max(opened[r], e[r], opens);
        Word::add_if_second(sums[0], opens, LONGER_DELETION << shift, memory.one);
        insertion = Word::max(opened_above, f, opens);
        Word::add_if_second(sums[1], opens, LONGER_INSERTION << shift, memory.one);
      }
      Choice deletes, pairs;
      const uint32_t gap = Word::max(deletion, insertion, deletes);
      Word::add_if_second(sums[0], deletes, NOT_DELETION << shift, memory.one);
      const uint32_t here = Word::max(Word::add(diagonal, scorer.score(r, memory)), gap, pairs);
      Word::add_if_second(sums[1], pairs, NOT_DIAGONAL << shift, memory.one);
      diagonal = left;
      above = here;
      h[r] = here;
      if (AFFINE) {
        e[r] = deletion;
        opened_above = opened[r] = Word::add(here, minus_opening);
      }
      f = insertion;
      if (r % ROWS_OF_WORD<AFFINE> == ROWS_OF_WORD<AFFINE> - 1 || r == R - 1) {
        out[r / ROWS_OF_WORD<AFFINE> * 32] = sums[0][0] + sums[0][1] + sums[1][0] + sums[1][1];
        sums[0][0] = sums[0][1] = sums[1][0] = sums[1][1] = 0;
      }
    }
    bottom = above;
    bottom_f = f;
  }
};

}  // namespace nw
