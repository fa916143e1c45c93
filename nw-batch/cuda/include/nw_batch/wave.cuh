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

#include "lane_rows.cuh"
#include "lane_words.cuh"
#include "pair_scores.cuh"
#include "structs.cuh"

namespace nw {

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
  for (int pair = 0; pair < Word::PAIRS; pair++) {
    const uint32_t m = span[pair].rows, n = span[pair].columns;
    if (j > n || top >= m) continue;
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

// The columns that a warp's lanes are at, in shared memory: words of the 32 columns before a block of 32, of the block,
// and the row above its strip in the block. In step k of a block, lane l is at `columns[32 + k - l]`, and the row above
// lane 0 is in `columns[64 + k]`, 32 further. The other lanes read there too, whatever it is.
struct ColumnWindow {
  WordPair columns[96];
};

// Fills the matrices of the pairs `span`, one or two. All lanes of a warp call it together, with the same arguments (no
// lane may have left); the result is valid in all of them. No block barrier.
//   queries, targets  codes of all sequences
//   memory      scores in shared memory
//   window      the warp's own, in shared memory
//   strip_row   the warp's memory for the last row of a strip, a WordPair for each column, in device memory; unused if
//               one strip has all rows
//   directions  with TRACE, output of 32 * WORDS words for each step, of which each strip has columns + 31
template <class Word, class PairScorer, int R, bool AFFINE, bool TRACE, int UNROLL>
__device__ BestEnds<Word> fill_matrices(const BiasedScoring& scoring, const PairSpan (&span)[Word::PAIRS],
                                        const uint8_t* queries, const uint8_t* targets, const ScoreMemory& memory,
                                        ColumnWindow& window, WordPair* strip_row, uint32_t* directions) {
  constexpr unsigned ALL = ~0u;
  constexpr int LAST = Word::PAIRS - 1;
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t m = max(span[0].rows, span[LAST].rows);
  const uint32_t n = max(span[0].columns, span[LAST].columns);
  const uint32_t strips = (m + 32 * R - 1) / (32 * R);
  const uint32_t minus_opening = Word::splat(-scoring.opening);
  // Alignments end in no column before this one.
  const uint32_t first_end = (scoring.free_ends & TARGET_END) != 0 ? 0 : min(span[0].columns, span[LAST].columns);

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
    LaneRows<Word, PairScorer, R, AFFINE, TRACE> rows;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const uint32_t i = top + r;
      const uint32_t a = i < span[0].rows ? queries[span[0].query + i] : 0;
      const uint32_t b = i < span[LAST].rows ? queries[span[LAST].query + i] : 0;
      rows.scorer.set_row(r, scoring, a, LAST == 0 ? 0 : b);
      rows.h[r] = Word::splat(border(scoring, QUERY_BEGIN, i + 1));
      if (AFFINE) rows.e[r] = Word::NEVER;
      if (AFFINE && TRACE) rows.opened[r] = Word::add(rows.h[r], minus_opening);
    }
    rows.scorer.end_rows(memory);
#pragma unroll
    for (int pair = 0; pair < Word::PAIRS; pair++) {
      const uint32_t last = span[pair].rows;
      const bool has_last_row = top < last && last <= top + R;
      ends_anywhere |= has_last_row && (scoring.free_ends & TARGET_END) != 0;
      const bool has_end = has_last_row || (top < last && (scoring.free_ends & QUERY_END) != 0);
      end_column[pair] = has_end ? span[pair].columns : 0;
    }
    rows.corner = Word::splat(border(scoring, QUERY_BEGIN, top));
    rows.bottom = rows.bottom_f = Word::NEVER;
    rows.out = TRACE ? directions + static_cast<uint64_t>(strip) * (n + 31) * (32 * WORDS<R, AFFINE>) + lane : nullptr;
    // Orders lane 31's writes of the row above this strip before reads.
    __syncwarp();

    const uint32_t steps = n + 31;
    WordPair words{0, 0};
    // Codes, and the row above, of the lane's column of a block. Beyond a target's end any code will do.
    uint32_t a = 0, b = 0;
    WordPair above{0, 0};
    const auto read_block = [&](uint32_t first) {
      const uint32_t column = first + lane;
      if (column < span[0].columns) a = targets[span[0].target + column];
      if (column < span[LAST].columns) b = targets[span[LAST].target + column];
      if (strip == 0) {
        above = {Word::splat(border(scoring, TARGET_BEGIN, column + 1)), Word::NEVER};
      } else if (column < n) {
        above = strip_row[column];
      }
    };
    read_block(0);
    for (uint32_t first = 0; first < steps; first += 32) {
      // All lanes are done with what is replaced.
      __syncwarp();
      window.columns[lane] = words;
      words = PairScorer::column(memory, a, LAST == 0 ? 0 : b);
      window.columns[32 + lane] = words;
      window.columns[64 + lane] = above;
      __syncwarp();
      // Read long before they are needed.
      read_block(first + 32);
      const WordPair* place = window.columns + 32 - lane;
      if (first >= 32 && first + 32 < first_end) {
        // All lanes have a column in every step, and nothing ends.
#pragma unroll UNROLL
        for (uint32_t k = 0; k < 32; k++) {
          uint32_t over = __shfl_up_sync(ALL, rows.bottom, 1);
          uint32_t over_f = AFFINE ? __shfl_up_sync(ALL, rows.bottom_f, 1) : 0;
          const WordPair at_edge = place[32 + k];
          if (lane == 0) {
            over = at_edge.first;
            over_f = at_edge.second;
          }
          rows.next_column(over, over_f, place[k], minus_opening, memory);
          if (TRACE) rows.out += 32 * WORDS<R, AFFINE>;
          if (feeds_next_strip) strip_row[first + k - 31] = {rows.bottom, rows.bottom_f};
        }
        continue;
      }
      const uint32_t count = min(32u, steps - first);
#pragma unroll 1
      for (uint32_t k = 0; k < count; k++) {
        uint32_t over = __shfl_up_sync(ALL, rows.bottom, 1);
        uint32_t over_f = AFFINE ? __shfl_up_sync(ALL, rows.bottom_f, 1) : 0;
        const WordPair at_edge = place[32 + k];
        if (lane == 0) {
          over = at_edge.first;
          over_f = at_edge.second;
        }
        // Column, from 1; 0 or a large number before the lane's first column.
        const uint32_t j = first + k + 1 - lane;
        if (j - 1 < n) {
          rows.next_column(over, over_f, place[k], minus_opening, memory);
          if (feeds_next_strip) strip_row[j - 1] = {rows.bottom, rows.bottom_f};
          if (ends_anywhere || j == end_column[0] || j == end_column[LAST]) {
            update_ends<Word, R>(scoring, span, rows.h, top, j, ends);
          }
        }
        if (TRACE) rows.out += 32 * WORDS<R, AFFINE>;
      }
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
