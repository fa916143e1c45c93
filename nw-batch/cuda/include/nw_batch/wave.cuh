// Matrices by a wave through a warp.
//
//   lane 0   rows 1..R      columns  1  2  3  4 ...      A lane keeps R rows of one column in
//   lane 1   rows R+1..2R            .  1  2  3 ...      registers. In each step it takes the row
//   lane 2   rows 2R+1..3R           .  .  1  2 ...      above from its neighbour, by a shuffle, and
//     ...                                                goes on to the next column.
//
// More than 32 R rows are done in strips: the last row of one goes to device memory, and is the row
// above the next. Nothing but sequences comes in, nothing but the end of the alignment goes out and,
// with TRACE, a few bits a cell.
#pragma once

#include "pairing.cuh"
#include "task.cuh"
#include "words.cuh"

namespace nw {

// Bits of directions a cell: that it is not from the diagonal, and not a deletion; with affine gaps
// also that its deletion, and its insertion, is longer than the one residue.
template <bool AFFINE>
constexpr int DIRECTION_BITS = AFFINE ? 4 : 2;

// Rows whose directions share a word: 16 bits a pair.
template <bool AFFINE>
constexpr int ROWS_OF_WORD = 16 / DIRECTION_BITS<AFFINE>;

// Words of a lane's column.
template <int R, bool AFFINE>
constexpr int WORDS = (R + ROWS_OF_WORD<AFFINE> - 1) / ROWS_OF_WORD<AFFINE>;

// The ends that a lane has seen of its pairs.
template <class Word>
struct Ends {
  End best[Word::PAIRS];
};

// Notes the ends in column `j` (below `h`, rows `top + 1` to `top + R` of the lane).
template <class Word, int R>
__device__ void note(const Model& model, const Place (&place)[Word::PAIRS], const uint32_t (&h)[R],
                     uint32_t top, uint32_t j, Ends<Word>& ends) {
#pragma unroll
  for (int pair = 0; pair < Word::PAIRS; pair++) {
    const uint32_t m = place[pair].rows, n = place[pair].columns;
    if (j > n || top >= m) continue;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const uint32_t row = top + 1 + r;
      const bool last_row = row == m && (j == n || (model.free & TARGET_END) != 0);
      const bool last_column = row < m && j == n && (model.free & QUERY_END) != 0;
      if (last_row || last_column) {
        const End end{unbias(model, Word::get(h[r], pair), row, j), row, j};
        if (better(end, ends.best[pair])) ends.best[pair] = end;
      }
    }
  }
}

// Fills the matrices of the pairs `place`; all lanes of a warp call it with the same arguments, and
// gives the ends to all of them.
//   codes   of queries and targets
//   table   the biased scores of all pairs of codes, CODES a row, in shared memory; of Nucleotides
//           not used
//   row     room for 2 words a column, in device memory, of this warp; not used by a single strip
//   directions  with TRACE, 32 * WORDS words a step, of which each strip has columns + 31, else unused
// No block barrier.
template <class Word, class Pairing, int R, bool AFFINE, bool TRACE>
__device__ Ends<Word> wave(const Model& model, const Place (&place)[Word::PAIRS],
                           const uint8_t* queries, const uint8_t* targets, const int16_t* table,
                           uint32_t* row, uint32_t* directions) {
  constexpr unsigned ALL = ~0u;
  constexpr int LAST = Word::PAIRS - 1;
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t m = max(place[0].rows, place[LAST].rows);
  const uint32_t n = max(place[0].columns, place[LAST].columns);
  const uint32_t strips = (m + 32 * R - 1) / (32 * R);
  const uint32_t minus_opening = Word::splat(-model.opening);

  Ends<Word> ends;
#pragma unroll
  for (int pair = 0; pair < Word::PAIRS; pair++) {
    ends.best[pair] = End{INT32_MIN, 0, 0};
    // The ends before the first row and the first column.
    const uint32_t rows = place[pair].rows, columns = place[pair].columns;
    if ((model.free & QUERY_END) != 0) {
      const int value = border(model, TARGET_BEGIN, columns);
      ends.best[pair] = End{unbias(model, value, 0, columns), 0, columns};
    }
    if ((model.free & TARGET_END) != 0) {
      const End end{unbias(model, border(model, QUERY_BEGIN, rows), rows, 0), rows, 0};
      if (better(end, ends.best[pair])) ends.best[pair] = end;
    }
  }

  for (uint32_t strip = 0; strip < strips; strip++) {
    const uint32_t top = (strip * 32 + lane) * R;
    const bool hands_on = lane == 31 && strip + 1 < strips;
    bool watches = false;                // the last row, in every column
    uint32_t last_column[Word::PAIRS];   // where there are ends to note, or none
    Pairing pairing;
    uint32_t h[R], e[AFFINE ? R : 1];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const uint32_t i = top + r;
      const uint32_t a = i < place[0].rows ? queries[place[0].query + i] : 0;
      const uint32_t b = i < place[LAST].rows ? queries[place[LAST].query + i] : 0;
      pairing.row(r, model, table, a, LAST == 0 ? 0 : b);
      h[r] = Word::splat(border(model, QUERY_BEGIN, i + 1));
      if (AFFINE) e[r] = Word::NEVER;
    }
#pragma unroll
    for (int pair = 0; pair < Word::PAIRS; pair++) {
      const uint32_t rows = place[pair].rows;
      const bool last_row = top < rows && rows <= top + R;
      watches |= last_row && (model.free & TARGET_END) != 0;
      const bool notes = last_row || (top < rows && (model.free & QUERY_END) != 0);
      last_column[pair] = notes ? place[pair].columns : 0;
    }
    uint32_t corner = Word::splat(border(model, QUERY_BEGIN, top));
    uint32_t bottom = Word::NEVER, bottom_f = Word::NEVER;
    uint32_t next_a = targets[place[0].target], next_b = targets[place[LAST].target];

    const uint32_t steps = n + 31;
    for (uint32_t step = 0; step < steps; step++) {
      uint32_t above = __shfl_up_sync(ALL, bottom, 1);
      uint32_t f = AFFINE ? __shfl_up_sync(ALL, bottom_f, 1) : 0;
      // Columns from 1; below that, before this lane's turn, it is a large number.
      const uint32_t j = step + 1 - lane;
      if (lane == 0 && j <= n) {
        above = strip == 0 ? Word::splat(border(model, TARGET_BEGIN, j)) : row[2 * (j - 1)];
        f = strip == 0 ? Word::NEVER : row[2 * (j - 1) + 1];
      }
      if (j - 1 < n) {
        const uint32_t column = Pairing::column(next_a, LAST == 0 ? 0 : next_b);
        // Codes of the next column, long before they are needed. Beyond a target's end any will do.
        if (j < place[0].columns) next_a = targets[place[0].target + j];
        if (j < place[LAST].columns) next_b = targets[place[LAST].target + j];
        uint32_t diagonal = corner;
        corner = above;
        uint32_t bits[TRACE ? WORDS<R, AFFINE> : 1];
        if (TRACE) {
#pragma unroll
          for (int w = 0; w < WORDS<R, AFFINE>; w++) bits[w] = 0;
        }
#pragma unroll
        for (int r = 0; r < R; r++) {
          const uint32_t score = pairing.score(r, column, table);
          const uint32_t left = h[r];
          // Without a cost of its own, a gap is best begun anew with each residue.
          const uint32_t deletion = AFFINE ? Word::add_max(left, minus_opening, e[r]) : left;
          const uint32_t insertion = AFFINE ? Word::add_max(above, minus_opening, f) : above;
          const uint32_t through = Word::add_max(diagonal, score, deletion);
          const uint32_t here = Word::max(through, insertion);
          if (TRACE) {
            constexpr int B = DIRECTION_BITS<AFFINE>;
            const int shift = r % ROWS_OF_WORD<AFFINE> * B;
            uint32_t& word = bits[TRACE ? r / ROWS_OF_WORD<AFFINE> : 0];
            const uint32_t pair_sum = Word::add_max(diagonal, score, Word::NEVER);
            word |= Word::differ(here, pair_sum) << shift;
            word |= Word::differ(here, deletion) << (shift + 1);
            if (AFFINE) {
              const uint32_t opened = Word::add_max(left, minus_opening, Word::NEVER);
              const uint32_t opened_f = Word::add_max(above, minus_opening, Word::NEVER);
              word |= Word::differ(deletion, opened) << (shift + 2);
              word |= Word::differ(insertion, opened_f) << (shift + 3);
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
        if (hands_on) {
          row[2 * (j - 1)] = bottom;
          row[2 * (j - 1) + 1] = f;
        }
        if (TRACE) {
          uint32_t* out = directions +
                          (static_cast<uint64_t>(strip) * steps + step) * (32 * WORDS<R, AFFINE>) + lane;
#pragma unroll
          for (int w = 0; w < WORDS<R, AFFINE>; w++) out[32 * w] = bits[w];
        }
        if (watches || j == last_column[0] || j == last_column[LAST]) {
          note<Word, R>(model, place, h, top, j, ends);
        }
      }
      // Lane 0 reads what lane 31 wrote 31 columns and a strip ago.
      if (strips > 1) __syncwarp();
    }
  }

#pragma unroll
  for (int pair = 0; pair < Word::PAIRS; pair++) {
    End& best = ends.best[pair];
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      const End other{__shfl_xor_sync(ALL, best.score, lanes), __shfl_xor_sync(ALL, best.row, lanes),
                      __shfl_xor_sync(ALL, best.column, lanes)};
      if (better(other, best)) best = other;
    }
  }
  return ends;
}

}  // namespace nw
