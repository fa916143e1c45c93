// What the kernels are given and give. src/extend/mod.rs defines the alignments.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace extend {

// Mirrors `Costs` of src/extend/gpu/costs.rs.
struct Costs {
  int32_t matched, mismatch, unknown;  // scores of pairs
  int32_t first, further;              // costs of the first column of a gap, and of each other
  int32_t clip;
};
static_assert(sizeof(Costs) == 24, "mirrored in Rust");

// Mirrors `Task` of src/extend/task.rs.
struct Task {
  uint32_t query_start, query_len, window_start, window_len;
  int32_t low, high;
};
static_assert(sizeof(Task) == 24, "mirrored in Rust");

// Mirrors `Scored` of src/extend/task.rs.
struct Scored {
  int32_t score;
  uint32_t query_end, window_end;
};
static_assert(sizeof(Scored) == 12, "mirrored in Rust");

// Mirrors `Place` of src/extend/alignments.rs.
struct Place {
  int32_t score;
  uint32_t query_begin, query_end, window_begin, window_end, runs;
  uint64_t first_run;
};
static_assert(sizeof(Place) == 32, "mirrored in Rust");

// In place of a task's number: none.
constexpr uint32_t NO_TASK = ~0u;

constexpr uint32_t UNKNOWN = 4;

// A task by the part of its band that has cells: a row for each place of the query, a column for each
// diagonal. One without rows is none.
struct Banded {
  Task task;
  int32_t low;
  uint32_t width;

  // Of the window, for a column of a row; may be beside it.
  __device__ int32_t place(uint32_t row, uint32_t column) const {
    return low + static_cast<int32_t>(row + column);
  }
  __device__ bool is_inside(int32_t place) const {
    return static_cast<uint32_t>(place) < task.window_len;
  }
};

// Number `number` of the tasks, if it is one; it has cells then.
static __device__ __forceinline__ Banded banded(const Task* tasks, uint32_t number) {
  Banded found{};
  if (number == NO_TASK) return found;
  found.task = tasks[number];
  found.low = max(found.task.low, 1 - static_cast<int32_t>(found.task.query_len));
  const int32_t high = min(found.task.high, static_cast<int32_t>(found.task.window_len) - 1);
  found.width = static_cast<uint32_t>(high - found.low + 1);
  return found;
}

// The base at a place of a text with 32 bases a word, the first in the lowest bits.
static __device__ __forceinline__ uint32_t base(const uint64_t* text, uint32_t place) {
  return static_cast<uint32_t>(__ldg(&text[place / 32]) >> (2 * (place % 32))) & 3;
}

}  // namespace extend
