// Walking back through a matrix from the end of an alignment to its begin, by the numbers of cells (band.cuh).
#pragma once

#include <gpualign/cigar.cuh>
#include <seed_extend/band.cuh>

namespace seed_extend {

using gpualign::DELETION;
using gpualign::DIFFERENT;
using gpualign::EQUAL;
using gpualign::INSERTION;

// One task and its cells. Any thread may call its functions at any time.
struct Walker {
  const AlignmentCosts& costs;  // in memory: there are not enough registers for all
  BandedTask banded;
  const uint64_t* text;
  const uint8_t* queries;
  const uint32_t* cells;  // the first word of its lane, as `Cells` of fill.cuh keeps them
  uint32_t columns;       // of a row of cells
  uint32_t bytes;         // of a task's number: 1 or 2
  uint32_t task;          // which of the two tasks of the lane: 0 or 1

  // The number of a cell, less FLOOR.
  __device__ int value(uint32_t row, uint32_t column) const {
    const uint64_t place = static_cast<uint64_t>(row) * columns + column;
    if (bytes == 1) {
      const uint32_t word = cells[place / 2 * 32];
      return static_cast<int>(word >> (8 * (place % 2 * 2 + task)) & 0xFF);
    }
    return half(cells[place * 32], static_cast<int>(task)) - FLOOR;
  }

  // Whether the bases of a cell are equal.
  __device__ bool is_equal(uint32_t row, uint32_t column) const {
    const uint32_t code = queries[banded.task.query_start + row];
    const uint32_t place = banded.task.window_start + static_cast<uint32_t>(banded.place(row, column));
    return code == base(text, place);
  }

  // The score of a pair in a row.
  __device__ int worth(uint32_t row, bool equal) const {
    if (equal) return costs.matched;
    return queries[banded.task.query_start + row] < UNKNOWN ? -costs.mismatch : UNKNOWN_SCORE;
  }

  // The number that a pair in a cell comes from, less FLOOR.
  __device__ int before(uint32_t row, uint32_t column, int begin_clip) const {
    return row == 0 ? begin_clip : value(row - 1, column);
  }

  // The alignment that ends at `end`, whose CIGAR runs are pushed to `runs`. If `end.window_end` is 0, it ends in the
  // first column of its row that has the number of its score.
  //
  // Where bases are equal, no cell is read, since their pair gives the cell its number. For suppose that the best
  // beginning of an alignment that ends there ended with a gap. Then it used the row's base, or the column's, in an
  // earlier pair or gap; with this pair instead, and the base it was used with as a part of the gap, it scores no less.
  // There is an exception only if an insertion costs less than clipping: what begins in row 0 must begin with a pair.
  __device__ AlignmentSpan walk(AlignmentEnd end, gpualign::BackwardRuns runs) const {
    const bool is_whole = end.query_end == banded.task.query_len;
    const bool is_reverse = banded.task.is_reverse != 0;
    const int begin_clip = costs.begin_clip(is_reverse);
    int here = end.score + begin_clip + (is_whole ? 0 : costs.end_clip(is_reverse));
    uint32_t row = end.query_end - 1, column = 0;
    if (end.window_end == 0) {
      while (value(row, column) != here) column++;
      end.window_end = static_cast<uint32_t>(banded.place(row, column)) + 1;
    } else {
      column = end.window_end - 1 - static_cast<uint32_t>(banded.low) - row;
    }
    const bool insertions_cost_more = costs.first_inserted >= begin_clip;
    bool equal = is_equal(row, column);
    for (;;) {
      runs.push(equal ? EQUAL : DIFFERENT, 1);
      here -= worth(row, equal);
      // Beginning with this pair is worth as much as going on.
      if (row == 0 || here == 0) break;
      row--;
      equal = is_equal(row, column);
      if (equal && insertions_cost_more) continue;
      // Back through gaps to the next pair.
      while (before(row, column, begin_clip) + worth(row, equal) != here) {
        // The shortest gap, and a deletion rather than an insertion.
        uint32_t length = 1;
        while (length <= column && value(row, column - length) != here + deletion(length)) length++;
        if (length <= column) {
          runs.push(DELETION, length);
          here += deletion(length);
          column -= length;
        } else {
          length = 1;
          while (value(row - length, column + length) != here + insertion(length)) length++;
          runs.push(INSERTION, length);
          here += insertion(length);
          row -= length;
          column += length;
        }
        equal = is_equal(row, column);
      }
    }
    runs.flush();
    return AlignmentSpan{end.score,    row, end.query_end, static_cast<uint32_t>(banded.place(row, column)),
                 end.window_end, 0,   0,             runs.count, 0};
  }

 private:
  // The costs of gaps of `length` columns.
  __device__ int deletion(uint32_t length) const {
    return costs.first_deleted + static_cast<int>(length - 1) * costs.further_deleted;
  }
  __device__ int insertion(uint32_t length) const {
    return costs.first_inserted + static_cast<int>(length - 1) * costs.further_inserted;
  }
};

}  // namespace seed_extend
