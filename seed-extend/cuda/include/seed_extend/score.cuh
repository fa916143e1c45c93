// The scores of a thread's two tasks, and where they end.
#pragma once

#include "fill.cuh"

namespace extend {

// Fills the matrices of two tasks, whose numbers are `number`, the second NO_TASK if there is only one. Their
// scores go to `scored`, by task, and where they end. Where an alignment ends before the query does, `window_end`
// is left 0; without TRACE such a task's number goes to `rest`, of which `*rest_count` are taken. With TRACE, all
// rows but the queries' last ones go to `cells`.
// Tasks have cells; both bands are equally wide, at most B columns, and more than half as many if B is more than
// 16; no number of a cell is 2^15 or more, or more than a byte has where they are kept so.
// Any thread may call it at any time.
template <int B, bool TRACE>
__device__ __forceinline__ void score(const Costs& costs, const uint64_t* text, const uint8_t* queries,
                                      const Task* tasks, const uint32_t (&number)[TASKS], Cells<B> cells,
                                      Scored* scored, uint32_t* rest, uint32_t* rest_count) {
  uint32_t rows[TASKS];
  Banded banded[TASKS];
#pragma unroll
  for (int task = 0; task < TASKS; task++) {
    banded[task] = extend::banded(tasks, number[task]);
    rows[task] = number[task] == NO_TASK ? NO_TASK : banded[task].task.query_len - 1;
  }
  fill<B, TRACE>(
      costs, text, queries, banded, rows, cells,
      [&](int task, uint32_t row, const Band<B>& band, const Window<B>& window, int best,
          uint32_t best_row) {
        const uint32_t code = queries[banded[task].task.query_start + row];
        uint32_t equal[Window<B>::WORDS];
        window.equal(code, equal);
        const int different = code < UNKNOWN ? -costs.mismatch : costs.unknown;
        int last = -1;  // the greatest number of a pair in the query's last row
        uint32_t column = 0;
#pragma unroll
        for (int k = 0; k < B; k++) {
          const uint32_t inside = window.inside[k / 32] & window.in_band[k / 32];
          const bool matches = (equal[k / 32] >> (k % 32) & 1) != 0;
          const int value = half(band.value[k], task) + (matches ? costs.matched : different);
          if ((inside >> (k % 32) & 1) != 0 && value > last) {
            last = value;
            column = k;
          }
        }
        const int at_end = last - costs.first - costs.clip;
        const int before = best - costs.first - 2 * costs.clip;
        Scored end{};
        if (last >= 0 && at_end >= before && at_end > 0) {
          end.score = at_end;
          end.query_end = row + 1;
          end.window_end = static_cast<uint32_t>(banded[task].place(row, column)) + 1;
        } else if (before > 0) {
          end.score = before;
          end.query_end = best_row + 1;
          if (!TRACE) rest[atomicAdd(rest_count, 1u)] = number[task];
        }
        scored[number[task]] = end;
      });
}

}  // namespace extend
