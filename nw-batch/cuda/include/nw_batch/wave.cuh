// Matrices filled by a wave through a warp: cells live in registers, a lane for each strip of R rows.
//
//   step                             1  2  3  4 ...      A lane keeps its R rows of one column in
//   lane 0   rows 1..R      column   1  2  3  4 ...      registers. In each step it takes the row above
//   lane 1   rows R+1..2R            .  1  2  3 ...      from the lane before it, by a shuffle, and
//   lane 2   rows 2R+1..3R           .  .  1  2 ...      advances to the next column.
//     ...
//
// Queries of more than 32 R residues take several strips of rows: the last row of a strip goes to device memory, and is
// the row above the next strip. Only the sequences are read, and only the end of the alignment is written and, with
// TRACE, a few bits for each cell.
#pragma once

#include "lane_words.cuh"
#include "pair_scores.cuh"
#include "structs.cuh"

namespace nw {

// Bits of a cell's directions. The last two are kept with affine gaps only.
constexpr uint32_t NOT_DIAGONAL = 1;      // the best score does not come from the diagonal
constexpr uint32_t NOT_DELETION = 2;      // the best score does not come from a deletion
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

// Best ends of the alignments of a task's pairs.
template <class Word>
struct BestEnds {
  AlignmentEnd best[Word::PAIRS];
};

// Updates `ends` by the cells of column `j` in the lane's rows `top + 1` to `top + R`, whose values are `h`. Any thread
// may call it at any time.
template <class Word, int R>
__device__ void update_ends(const BiasedScoring& scoring, const PairSpan (&span)[Word::PAIRS],
                            const uint32_t (&h)[R], uint32_t top, uint32_t j, BestEnds<Word>& ends) {
#pragma unroll
  for (int pair = 0; pair < Word::PAIRS; pair++) {
    const uint32_t m = span[pair].rows, n = span[pair].columns;
    if (j > n || top >= m) continue;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const uint32_t row = top + 1 + r;
      const bool last_row = row == m && (j == n || (scoring.free_ends & TARGET_END) != 0);
      const bool last_column = row < m && j == n && (scoring.free_ends & QUERY_END) != 0;
      if (last_row || last_column) {
        const AlignmentEnd end{unbias(scoring, Word::get(h[r], pair), row, j), row, j};
        if (is_better(end, ends.best[pair])) ends.best[pair] = end;
      }
    }
  }
}

// Fills the matrices of the pairs `span`, one or two. All lanes of a warp call it together, with the same arguments (no
// lane may have left); the result is valid in all of them. No block barrier.
//   queries, targets  codes of all sequences
//   table       biased scores of all pairs of codes, CODES rows of CODES, in shared memory; unused by scorers without
//               HAS_TABLE
//   strip_row   the warp's memory for the last row of a strip, 2 words for each column, in device memory; unused if one
//               strip has all rows
//   directions  with TRACE, output of 32 * WORDS words for each step, of which each strip has columns + 31
template <class Word, class PairScorer, int R, bool AFFINE, bool TRACE>
__device__ BestEnds<Word> fill_matrices(const BiasedScoring& scoring, const PairSpan (&span)[Word::PAIRS],
                                        const uint8_t* queries, const uint8_t* targets,
                                        const int16_t* table, uint32_t* strip_row, uint32_t* directions) {
  constexpr unsigned ALL = ~0u;
  constexpr int LAST = Word::PAIRS - 1;
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t m = max(span[0].rows, span[LAST].rows);
  const uint32_t n = max(span[0].columns, span[LAST].columns);
  const uint32_t strips = (m + 32 * R - 1) / (32 * R);
  const uint32_t minus_opening = Word::splat(-scoring.opening);

  BestEnds<Word> ends;
#pragma unroll
  for (int pair = 0; pair < Word::PAIRS; pair++) {
    ends.best[pair] = AlignmentEnd{INT32_MIN, 0, 0};
    // Ends in row 0 and column 0.
    const uint32_t rows = span[pair].rows, columns = span[pair].columns;
    if ((scoring.free_ends & QUERY_END) != 0) {
      const int value = border(scoring, TARGET_BEGIN, columns);
      ends.best[pair] = AlignmentEnd{unbias(scoring, value, 0, columns), 0, columns};
    }
    if ((scoring.free_ends & TARGET_END) != 0) {
      const AlignmentEnd end{unbias(scoring, border(scoring, QUERY_BEGIN, rows), rows, 0), rows, 0};
      if (is_better(end, ends.best[pair])) ends.best[pair] = end;
    }
  }

  for (uint32_t strip = 0; strip < strips; strip++) {
    const uint32_t top = (strip * 32 + lane) * R;
    const bool feeds_next_strip = lane == 31 && strip + 1 < strips;
    bool ends_anywhere = false;         // whether alignments may end in every column of the lane's rows
    uint32_t end_column[Word::PAIRS];   // column where alignments may end in the lane's rows, or 0
    PairScorer scorer;
    uint32_t h[R], e[AFFINE ? R : 1];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const uint32_t i = top + r;
      const uint32_t a = i < span[0].rows ? queries[span[0].query + i] : 0;
      const uint32_t b = i < span[LAST].rows ? queries[span[LAST].query + i] : 0;
      scorer.set_row(r, scoring, table, a, LAST == 0 ? 0 : b);
      h[r] = Word::splat(border(scoring, QUERY_BEGIN, i + 1));
      if (AFFINE) e[r] = Word::NEVER;
    }
#pragma unroll
    for (int pair = 0; pair < Word::PAIRS; pair++) {
      const uint32_t rows = span[pair].rows;
      const bool last_row = top < rows && rows <= top + R;
      ends_anywhere |= last_row && (scoring.free_ends & TARGET_END) != 0;
      const bool has_end = last_row || (top < rows && (scoring.free_ends & QUERY_END) != 0);
      end_column[pair] = has_end ? span[pair].columns : 0;
    }
    uint32_t corner = Word::splat(border(scoring, QUERY_BEGIN, top));
    uint32_t bottom = Word::NEVER, bottom_f = Word::NEVER;
    uint32_t next_a = targets[span[0].target], next_b = targets[span[LAST].target];

    const uint32_t steps = n + 31;
    for (uint32_t step = 0; step < steps; step++) {
      uint32_t above = __shfl_up_sync(ALL, bottom, 1);
      uint32_t f = AFFINE ? __shfl_up_sync(ALL, bottom_f, 1) : 0;
      // Column, from 1; 0 or a large number before the lane's first column.
      const uint32_t j = step + 1 - lane;
      if (lane == 0 && j <= n) {
        above = strip == 0 ? Word::splat(border(scoring, TARGET_BEGIN, j)) : strip_row[2 * (j - 1)];
        f = strip == 0 ? Word::NEVER : strip_row[2 * (j - 1) + 1];
      }
      if (j - 1 < n) {
        const uint32_t column = PairScorer::column(next_a, LAST == 0 ? 0 : next_b);
        // Codes of the next column are loaded long before they are needed; beyond a target's end any code will do.
        if (j < span[0].columns) next_a = targets[span[0].target + j];
        if (j < span[LAST].columns) next_b = targets[span[LAST].target + j];
        uint32_t diagonal = corner;
        corner = above;
        uint32_t bits[TRACE ? WORDS<R, AFFINE> : 1];
        if (TRACE) {
#pragma unroll
          for (int w = 0; w < WORDS<R, AFFINE>; w++) bits[w] = 0;
        }
#pragma unroll
        for (int r = 0; r < R; r++) {
          const uint32_t score = scorer.score(r, column, table);
          const uint32_t left = h[r];
          // With linear gaps, a gap of one more residue scores the same as one that is opened again.
          const uint32_t deletion = AFFINE ? Word::add_max(left, minus_opening, e[r]) : left;
          const uint32_t insertion = AFFINE ? Word::add_max(above, minus_opening, f) : above;
          const uint32_t through = Word::add_max(diagonal, score, deletion);
          const uint32_t here = Word::max(through, insertion);
          if (TRACE) {
            constexpr int B = DIRECTION_BITS<AFFINE>;
            const int shift = r % ROWS_OF_WORD<AFFINE> * B;
            uint32_t& word = bits[TRACE ? r / ROWS_OF_WORD<AFFINE> : 0];
            const uint32_t pair_sum = Word::add_max(diagonal, score, Word::NEVER);
            word |= Word::differ(here, pair_sum) * NOT_DIAGONAL << shift;
            word |= Word::differ(here, deletion) * NOT_DELETION << shift;
            if (AFFINE) {
              const uint32_t opened = Word::add_max(left, minus_opening, Word::NEVER);
              const uint32_t opened_f = Word::add_max(above, minus_opening, Word::NEVER);
              word |= Word::differ(deletion, opened) * LONGER_DELETION << shift;
              word |= Word::differ(insertion, opened_f) * LONGER_INSERTION << shift;
            }
          }
          diagonal = left;
          above = here;
          h[r] = here;
          if (AFFINE) e[r] = deletion;
          f = insertion;
        }
        bottom = above;
        bottom_f = f;
        if (feeds_next_strip) {
          strip_row[2 * (j - 1)] = bottom;
          strip_row[2 * (j - 1) + 1] = f;
        }
        if (TRACE) {
          uint32_t* out = directions +
                          (static_cast<uint64_t>(strip) * steps + step) * (32 * WORDS<R, AFFINE>) + lane;
#pragma unroll
          for (int w = 0; w < WORDS<R, AFFINE>; w++) out[32 * w] = bits[w];
        }
        if (ends_anywhere || j == end_column[0] || j == end_column[LAST]) {
          update_ends<Word, R>(scoring, span, h, top, j, ends);
        }
      }
      // Orders lane 31's write of a column before lane 0's read of it in the next strip.
      if (strips > 1) __syncwarp();
    }
  }

#pragma unroll
  for (int pair = 0; pair < Word::PAIRS; pair++) {
    AlignmentEnd& best = ends.best[pair];
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      const AlignmentEnd other{__shfl_xor_sync(ALL, best.score, lanes), __shfl_xor_sync(ALL, best.row, lanes),
                      __shfl_xor_sync(ALL, best.column, lanes)};
      if (is_better(other, best)) best = other;
    }
  }
  return ends;
}

}  // namespace nw
