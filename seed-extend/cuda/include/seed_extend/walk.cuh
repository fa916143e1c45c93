// The way back through an alignment, by the numbers of its cells (band.cuh).
#pragma once

#include <gpualign/cigar.cuh>

#include "band.cuh"

namespace extend {

using gpualign::DELETION;
using gpualign::DIFFERENT;
using gpualign::EQUAL;
using gpualign::INSERTION;

// One task, and its cells. Any thread may call its functions at any time.
struct Walker {
  Costs costs;
  Banded banded;
  const uint64_t* text;
  const uint8_t* queries;
  const uint32_t* cells;  // of its thread's lane, as `Cells` of fill.cuh keeps them
  uint32_t columns;       // of all cells in a row
  uint32_t bytes;         // of each task's number
  uint32_t task;          // of the two

  __device__ int value(uint32_t row, uint32_t column) const {
    const uint64_t place = static_cast<uint64_t>(row) * columns + column;
    if (bytes == 1) {
      const uint32_t word = cells[place / 2 * 32];
      return static_cast<int>(word >> (8 * (place % 2 * 2 + task)) & 0xFF);
    }
    return half(cells[place * 32], static_cast<int>(task));
  }

  __device__ bool is_equal(uint32_t row, uint32_t column) const {
    const uint32_t code = queries[banded.task.query_start + row];
    const uint32_t place = banded.task.window_start + static_cast<uint32_t>(banded.place(row, column));
    return code == base(text, place);
  }

  // What a pair of a row is worth.
  __device__ int worth(uint32_t row, bool equal) const {
    if (equal) return costs.matched;
    return queries[banded.task.query_start + row] < UNKNOWN ? -costs.mismatch : costs.unknown;
  }

  // The number before a cell if its column is a pair.
  __device__ int before(uint32_t row, uint32_t column) const {
    return row == 0 ? costs.first + costs.clip : value(row - 1, column);
  }

  // The place of the alignment that ends at `end`, whose runs are pushed; if the end's column is not
  // known, it is the first one with the end's number.
  //
  // Where bases are equal, no cell is looked at: their pair reaches the cell's number. For say that the best
  // beginning of an alignment that ends there has a gap last. Then it used the row's base, or the column's, in a
  // pair or another gap before; with this pair instead, and what it was used in as a part of the gap, it scores no
  // less. Only if a gap costs less than clipping is there an exception: what begins in row 0 has to begin with a pair.
  __device__ Place walk(Scored end, gpualign::BackwardRuns runs) const {
    const bool is_whole = end.query_end == banded.task.query_len;
    int here = end.score + costs.first + (is_whole ? 1 : 2) * costs.clip;
    uint32_t row = end.query_end - 1, column = 0;
    if (end.window_end == 0) {
      while (value(row, column) != here) column++;
      end.window_end = static_cast<uint32_t>(banded.place(row, column)) + 1;
    } else {
      column = end.window_end - 1 - static_cast<uint32_t>(banded.low) - row;
    }
    const bool gaps_cost_more = costs.first >= costs.clip;
    bool equal = is_equal(row, column);
    for (;;) {
      runs.push(equal ? EQUAL : DIFFERENT, 1);
      here -= worth(row, equal);
      // To begin with this pair is worth as much.
      if (row == 0 || here == costs.first) break;
      row--;
      equal = is_equal(row, column);
      if (equal && gaps_cost_more) continue;
      // On to the next pair.
      while (before(row, column) + worth(row, equal) != here) {
        // The shortest gap, and rather a deletion.
        uint32_t length = 1;
        while (length <= column && value(row, column - length) != opened(here, length)) length++;
        if (length <= column) {
          runs.push(DELETION, length);
          here = opened(here, length);
          column -= length;
        } else {
          length = 1;
          while (value(row - length, column + length) != opened(here, length)) length++;
          runs.push(INSERTION, length);
          here = opened(here, length);
          row -= length;
          column += length;
        }
        equal = is_equal(row, column);
      }
    }
    runs.flush();
    return Place{end.score,    row, end.query_end, static_cast<uint32_t>(banded.place(row, column)),
                 end.window_end, runs.count, 0};
  }

 private:
  // What a cell has from which a gap of such a length leads to one that has `here`.
  __device__ int opened(int here, uint32_t length) const {
    return here + costs.first + static_cast<int>(length - 1) * costs.further;
  }
};

}  // namespace extend
