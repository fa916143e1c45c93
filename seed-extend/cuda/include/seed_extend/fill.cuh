// Filling the matrices of two tasks, from the first row to the last one.
#pragma once

#include <seed_extend/band.cuh>

namespace seed_extend {

// Where a thread keeps its cells for the walk back. The cells of the 32 pairs of tasks of a warp are interleaved. The
// number of each task has 2 bytes, or 1 if all numbers of the warp fit: writing cells is half of the time of filling.
template <int B>
struct Cells {
  uint32_t* words;  // the first word of this thread's lane
  uint32_t bytes;   // of a number: 1 or 2

  // Writes a row. Any thread may call it at any time.
  __device__ void keep(uint32_t row, const uint32_t (&value)[B]) const {
    uint32_t* const of_row = words + static_cast<uint64_t>(row) * (B * bytes / 2) * 32;
    if (bytes == 1) {
#pragma unroll
      for (int k = 0; k < B; k += 2) of_row[k / 2 * 32] = __byte_perm(value[k], value[k + 1], 0x6420);
    } else {
#pragma unroll
      for (int k = 0; k < B; k++) of_row[k * 32] = value[k];
    }
  }
};

// Fills the matrices of a thread's two tasks, of each the rows before `rows[task]`, and then calls `finish(task, row,
// band, window, best, best_row)` for that row: `band` has the row above it, `window` is the one under it, and `best` is
// the greatest number of all rows so far, which `best_row` is the first one to have. With TRACE, all rows are written to
// `cells`. Any thread may call it at any time. Both bands must be equally wide, or the second task be none and its
// `rows` NO_TASK.
template <int B, bool TRACE, class Finish>
__device__ void fill(const AlignmentCosts& costs, const uint64_t* text, const uint8_t* queries,
                     const BandedTask (&banded)[TASKS], const uint32_t (&rows)[TASKS], Cells<B> cells,
                     Finish finish) {
  Window<B> window[TASKS];
  uint32_t best = splat(FLOOR), width = 0, most_rows = 0;
  uint32_t best_row[TASKS];
#pragma unroll
  for (int task = 0; task < TASKS; task++) {
    window[task].begin(banded[task], text);
    width = max(width, banded[task].width);
    if (rows[task] != NO_TASK) most_rows = max(most_rows, rows[task]);
    best_row[task] = 0;
  }
  Band<B> band;
  band.begin(costs, window, banded, width);
  for (uint32_t row = 0;; row++) {
#pragma unroll
    for (int task = 0; task < TASKS; task++) {
      if (row == rows[task]) {
        finish(task, row, band, window[task], half(best, task), best_row[task]);
      }
    }
    if (row >= most_rows) return;
    uint32_t equal[TASKS][Window<B>::WORDS];
    uint32_t different = 0;
#pragma unroll
    for (int task = 0; task < TASKS; task++) {
      const AlignmentTask& it = banded[task].task;
      const uint32_t code = row < it.query_len ? queries[it.query_start + row] : UNKNOWN;
      window[task].equal(code, band.in_band, equal[task]);
      const int score = code < UNKNOWN ? -costs.mismatch : UNKNOWN_SCORE;
      different |= (static_cast<uint32_t>(score) & 0xffffu) << (16 * task);
      window[task].enter(banded[task], text, banded[task].place(row + 1, B - 1));
    }
    const uint32_t most = band.next(equal, different);
    if (TRACE) cells.keep(row, band.value);
#pragma unroll
    for (int task = 0; task < TASKS; task++) {
      if (half(most, task) > half(best, task)) best_row[task] = row;
    }
    best = __vmaxs2(best, most);
  }
}

}  // namespace seed_extend
