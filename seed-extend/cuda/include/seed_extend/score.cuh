// Scores of a thread's two tasks, and where their alignments end.
#pragma once

#include <seed_extend/fill.cuh>

namespace seed_extend {

// List of the tasks whose `window_end` is still to be found.
struct UnfinishedTasks {
  uint32_t* numbers;  // numbers of the tasks, with room for all
  uint32_t* count;    // how many of these are in use
};

// Finds score and end of the tasks with the numbers `number`, the second of which may be NO_TASK, and writes them to
// `ends`, by task. Of an alignment that ends before the query does, `window_end` is left 0; without TRACE the number of
// such a task is appended to `unfinished`, which with TRACE may be null. All rows but
// the last one of each query are then written to `cells`.
// Both tasks must have cells and bands of the same width: at most B columns, and more than B / 2 if B is more than 16.
// Numbers of cells must be below 2^15, and fit into a byte where they are kept so. Any thread may call it at any time.
template <int B, bool TRACE>
__device__ __forceinline__ void score(const AlignmentCosts& costs, const uint64_t* text, const uint8_t* queries,
                                      const AlignmentTask* tasks, const uint32_t (&number)[TASKS], Cells<B> cells,
                                      AlignmentEnd* ends, UnfinishedTasks unfinished) {
  uint32_t rows[TASKS];
  BandedTask banded[TASKS];
#pragma unroll
  for (int task = 0; task < TASKS; task++) {
    banded[task] = banded_task(tasks, number[task]);
    rows[task] = number[task] == NO_TASK ? NO_TASK : banded[task].task.query_len - 1;
  }
  fill<B, TRACE>(
      costs, text, queries, banded, rows, cells,
      [&](int task, uint32_t row, const Band<B>& band, const Window<B>& window, int best,
          uint32_t best_row) {
        const uint32_t code = queries[banded[task].task.query_start + row];
        uint32_t equal[Window<B>::WORDS];
        window.equal(code, band.in_band, equal);
        const int different = code < UNKNOWN ? -costs.mismatch : UNKNOWN_SCORE;
        int last = -1;  // the greatest number of a pair in the query's last row
        uint32_t column = 0;
#pragma unroll
        for (int k = 0; k < B; k++) {
          const uint32_t inside = window.inside[k / 32] & band.in_band[k / 32];
          const bool matches = (equal[k / 32] >> (k % 32) & 1) != 0;
          const int value = half(band.value[k], task) + (matches ? costs.matched : different);
          if ((inside >> (k % 32) & 1) != 0 && value > last) {
            last = value;
            column = k;
          }
        }
        const bool is_reverse = banded[task].task.is_reverse != 0;
        const int at_end = last - FLOOR - costs.begin_clip(is_reverse);
        const int before = best - FLOOR - costs.begin_clip(is_reverse) - costs.end_clip(is_reverse);
        AlignmentEnd end{};
        if (last >= 0 && at_end > before && at_end > 0) {
          end.score = at_end;
          end.query_end = row + 1;
          end.window_end = static_cast<uint32_t>(banded[task].place(row, column)) + 1;
        } else if (before > 0) {
          end.score = before;
          end.query_end = best_row + 1;
          if (!TRACE) unfinished.numbers[atomicAdd(unfinished.count, 1u)] = number[task];
        }
        ends[number[task]] = end;
      });
}

}  // namespace seed_extend
