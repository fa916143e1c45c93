// Banded matrices of two tasks, computed by one thread, a row at a time in its registers.
//
// A word has a number of each task, in 16 bits: FLOOR plus the cell's value plus the cost of clipping the query's begin,
// but at least FLOOR. Values of the negated cost of clipping or less are of no use, since a new alignment that is clipped
// here is worth as much. All numbers are at least FLOOR and below 2^15, so a plain subtraction of the cost of a gap's
// first column, and a plain addition of what a match scores more than a mismatch, never carry from one half into the
// other.
//
// Columns are diagonals, so a pair comes from the cell above, an insertion from the one above to the right, and a
// deletion from the one to the left.
#pragma once

#include <seed_extend/window.cuh>

namespace seed_extend {

// Tasks of a thread.
constexpr int TASKS = 2;

// The least number of a cell: no less than the cost of the first column of any gap (src/extend/scoring.rs), and a
// multiple of 256, so that the lowest byte of a number is that of the number without it. A constant takes no register.
constexpr int FLOOR = 1024;

// A word with `value` in both halves. Any thread may call it at any time.
static constexpr __device__ __forceinline__ uint32_t splat(int value) {
  return (static_cast<uint32_t>(value) & 0xffffu) * 0x10001u;
}

// The number of a task in a word. Any thread may call it at any time.
static __device__ __forceinline__ int half(uint32_t word, int task) {
  return static_cast<int16_t>(word >> (16 * task));
}

// A row of the matrices of both tasks. Any thread may call its functions at any time.
template <int B>
struct Band {
  static constexpr int LEAST_EDGE = B == 16 ? 1 : B / 2 + 1;  // the bands are no narrower
  uint32_t value[B];
  uint32_t insertion[B + 1];  // the best beginning that ends with an insertion in the cell below, to the left
  uint32_t bonus;
  uint32_t first_deleted, minus_further_deleted, first_inserted, minus_further_inserted;
  uint32_t edge;  // the first column behind both bands, which are equally wide
  uint32_t in_band[Window<B>::WORDS];  // a bit for each column, whether it is inside the bands

  // Sets the row above row 0: what an alignment is worth that begins in a column, which is the cost of clipping the
  // begin of a task's query more than FLOOR.
  __device__ void begin(const AlignmentCosts& costs, const Window<B> (&window)[TASKS],
                        const BandedTask (&banded)[TASKS], uint32_t width) {
    first_deleted = splat(costs.first_deleted);
    first_inserted = splat(costs.first_inserted);
    minus_further_deleted = splat(-costs.further_deleted);
    minus_further_inserted = splat(-costs.further_inserted);
    bonus = static_cast<uint32_t>(costs.matched + costs.mismatch);
    edge = width;
#pragma unroll
    for (int w = 0; w < Window<B>::WORDS; w++) {
      const int columns = static_cast<int>(width) - 32 * w;
      const bool is_full = 32 * (w + 1) <= LEAST_EDGE || columns >= 32;
      in_band[w] = is_full ? ~0u : columns <= 0 ? 0 : (1u << columns) - 1;
    }
#pragma unroll
    for (int k = 0; k < B; k++) {
      uint32_t begins = 0;
#pragma unroll
      for (int task = 0; task < TASKS; task++) {
        const uint32_t inside = window[task].inside[k / 32] & in_band[k / 32];
        const uint32_t clip = static_cast<uint32_t>(costs.begin_clip(banded[task].task.is_reverse != 0));
        begins |= (inside >> (k % 32) & 1) * clip << (16 * task);
      }
      value[k] = splat(FLOOR) + begins;
      insertion[k] = 0;
    }
    insertion[B] = 0;
  }

  // Computes the next row and returns the greatest number of each task. `equal` has a bit for each column where codes
  // match, and `different` the score of a pair in the other columns.
  __device__ __forceinline__ uint32_t next(const uint32_t (&equal)[TASKS][Window<B>::WORDS],
                                           uint32_t different) {
    uint32_t deletion = 0, most = splat(FLOOR), columns = 0;
#pragma unroll
    for (int k = 0; k < B; k++) {
      if (k % 16 == 0) {
        const uint32_t selector = k % 32 == 0 ? 0x5410 : 0x7632;
        columns = __byte_perm(equal[0][k / 32], equal[1][k / 32], selector);
      }
      // Behind the band only a deletion could give a number above FLOOR.
      if (k >= LEAST_EDGE && static_cast<uint32_t>(k) == edge) deletion = 0;
      const uint32_t matches = columns >> (k % 16) & 0x00010001u;
      const uint32_t pair = value[k] + matches * bonus;
      const uint32_t inserted = insertion[k + 1];
      const uint32_t through = __viaddmax_s16x2(pair, different, inserted);
      const uint32_t here = __vimax3_s16x2(through, deletion, splat(FLOOR));
      deletion = __viaddmax_s16x2(deletion, minus_further_deleted, here - first_deleted);
      insertion[k] = __viaddmax_s16x2(inserted, minus_further_inserted, here - first_inserted);
      value[k] = here;
      most = __vmaxs2(most, here);
    }
    return most;
  }
};

}  // namespace seed_extend
