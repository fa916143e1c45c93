// Alignment tasks, and what comes of them: the device side of src/extend/, which defines the alignments.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace seed_extend {

// The score of a pair with an unknown base: that of src/extend/scoring.rs.
constexpr int UNKNOWN_SCORE = -1;

// The score of a match, and costs of everything else.
struct AlignmentCosts {
  int32_t matched, mismatch;                  // score of a match, cost of a mismatch
  int32_t first_deleted, further_deleted;     // costs of the first column of a deletion, and of each further one
  int32_t first_inserted, further_inserted;   // costs of the first column of an insertion, and of each further one
  int32_t five_prime_clip, three_prime_clip;  // costs of clipping the 5' and the 3' end of a read

  // Costs of clipping the begin and the end of a query, which is a read or, with `is_reverse`, the reverse complement of
  // one. Any thread may call them at any time.
  __device__ int begin_clip(bool is_reverse) const { return is_reverse ? three_prime_clip : five_prime_clip; }
  __device__ int end_clip(bool is_reverse) const { return is_reverse ? five_prime_clip : three_prime_clip; }
};

// Where the alignment of a task is predicted: diagonals, and a part of the query, with an exclusive end.
struct Prediction {
  int32_t low, high;
  uint32_t begin, end;
};

// A query, a window of the text, and a band of diagonals.
struct AlignmentTask {
  uint32_t query_start, query_len, window_start, window_len;
  int32_t low, high;
  uint32_t is_reverse;  // 1 if the query is the reverse complement of a read, else 0
  Prediction prediction;
};

// Score and end of the best alignment of a task; all 0 if no alignment scores more than 0.
struct AlignmentEnd {
  int32_t score;
  uint32_t query_end, window_end;  // exclusive
};

// Score and place of the alignment of a task, what its columns tell (columns.cuh), and where its CIGAR runs are.
struct AlignmentSpan {
  int32_t score;
  uint32_t query_begin, query_end, window_begin, window_end;
  int32_t best_stretch;   // the best score of any stretch of columns
  uint32_t is_predicted;  // 1 if the alignment goes through where it is predicted, else 0
  uint32_t run_count;
  uint64_t first_run;
};

// The number of no task.
constexpr uint32_t NO_TASK = ~0u;

// The code of an unknown base; smaller codes are bases.
constexpr uint32_t UNKNOWN = 4;

// A task with its band cut to the diagonals that have cells: a row for each base of the query, a column for each
// diagonal. A task without rows stands for none. Any thread may call its functions at any time.
struct BandedTask {
  AlignmentTask task;
  int32_t low;
  uint32_t width;

  // The place in the window of a cell; it may be outside of the window.
  __device__ int32_t place(uint32_t row, uint32_t column) const {
    return low + static_cast<int32_t>(row + column);
  }
  // Whether a place is inside the window.
  __device__ bool is_inside(int32_t place) const {
    return static_cast<uint32_t>(place) < task.window_len;
  }
};

// Task number `number`, which has cells, or none if the number is NO_TASK. Any thread may call it at any time.
static __device__ __forceinline__ BandedTask banded_task(const AlignmentTask* tasks, uint32_t number) {
  BandedTask found{};
  if (number == NO_TASK) return found;
  found.task = tasks[number];
  found.low = max(found.task.low, 1 - static_cast<int32_t>(found.task.query_len));
  const int32_t high = min(found.task.high, static_cast<int32_t>(found.task.window_len) - 1);
  found.width = static_cast<uint32_t>(high - found.low + 1);
  return found;
}

// The code of the base at a place of a packed text. Any thread may call it at any time.
static __device__ __forceinline__ uint32_t base(const uint64_t* text, uint32_t place) {
  return static_cast<uint32_t>(__ldg(&text[place / 32]) >> (2 * (place % 32))) & 3;
}

}  // namespace seed_extend
