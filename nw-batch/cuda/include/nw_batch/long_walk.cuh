// The traceback of a long pair: a walk through directions of segments, by a warp.
//
// The lanes of a warp look at 32 cells ahead at once, in the direction that the walk has: along the diagonal, or along a
// gap. So a walk waits for memory once for each straight piece of an alignment, up to 32 columns, instead of for each column.
#pragma once

#include <gpualign/cigar.cuh>

#include "lane_rows.cuh"
#include "strip.cuh"
#include "structs.cuh"

namespace nw {

// Position of a cell in the strips of a matrix.
struct StripCell {
  uint32_t strip, half, lane, row_of_lane, step;

  // The cell of `row` and `column`, from 1, in strips with R rows for each half of a lane's words.
  template <int R>
  static __device__ __forceinline__ StripCell of(uint32_t row, uint32_t column) {
    const uint32_t strip = (row - 1) / STRIP_ROWS<R>, in_strip = (row - 1) % STRIP_ROWS<R>;
    const uint32_t half = in_strip / (32 * R), lane = in_strip / R % 32;
    return {strip, half, lane, in_strip % R, column - 1 + lane + 32 * half};
  }
};

// The segments that are filled for one round of a traceback: of `side` strips, from that of the cell where the round begins
// upwards, the last `side` segments that its way may go through.
struct SegmentSquare {
  uint32_t side;
  uint32_t strip;          // of the cell where the round begins
  uint32_t own_segment;    // of that cell
  uint32_t above_segment;  // of the cell in its column in the last row of the strips above

  template <int R>
  static __device__ __forceinline__ SegmentSquare at(uint32_t row, uint32_t column, uint32_t side) {
    const StripCell cell = StripCell::of<R>(row, column);
    return {side, cell.strip, cell.step / SEGMENT_STEPS, (column - 1 + LAST_ROW_DELAY) / SEGMENT_STEPS};
  }

  // The last segment of the strip that is `up` above the first.
  __device__ __forceinline__ uint32_t last_segment(uint32_t up) const { return up == 0 ? own_segment : above_segment; }
};

// The state of a walk, in shared memory.
struct LongWalk {
  uint32_t row, column;  // the cell that it has reached, or one before the first
  uint32_t state;        // EQUAL: not within a gap; else the kind of the gap
  gpualign::BackwardRuns out;

  // Starts at the end of an alignment. `runs_end` is the end of memory for its runs. One thread calls it.
  __device__ void begin(const PairSpan& span, const AlignmentEnd& end, uint32_t* runs_end) {
    row = end.row;
    column = end.column;
    state = gpualign::EQUAL;
    out = gpualign::BackwardRuns{runs_end, ~0u, 0, ~0u, 0};
    out.push(gpualign::INSERTION, span.rows - row);
    out.push(gpualign::DELETION, span.columns - column);
  }

  // Adds what is before the first row or column. One thread calls it, once.
  __device__ void finish() {
    out.push(gpualign::INSERTION, row);
    out.push(gpualign::DELETION, column);
    out.flush();
  }

  // Goes on until the walk leaves the square or the matrix. `directions` has the directions of the square's segments, row
  // after row. All lanes of a warp call it together, and no other warp uses the walk.
  template <int R, bool AFFINE>
  __device__ void through(const SegmentSquare& square, const uint32_t* directions, const DeviceSequences& sequences,
                          const PairSpan& span, uint32_t unknown) {
    constexpr uint32_t ALL = ~0u;
    const uint32_t lane = threadIdx.x % 32;
    uint32_t i = row, j = column, gap = state;
    while (i > 0 && j > 0) {
      const bool on_diagonal = gap == gpualign::EQUAL;
      // The lane's cell, the first of which is the one reached.
      const uint32_t above = gap == gpualign::DELETION ? 0 : lane, before = gap == gpualign::INSERTION ? 0 : lane;
      bool is_there = above < i && before < j;
      uint32_t cell = 0;
      bool is_equal = false;
      if (is_there) {
        is_there = read<R, AFFINE>(square, directions, i - above, j - before, cell);
        if (on_diagonal) {
          const uint32_t query_residue = sequences.queries[span.query + i - above - 1];
          const uint32_t target_residue = sequences.targets[span.target + j - before - 1];
          is_equal = query_residue == target_residue && query_residue != unknown;
        }
      }
      const uint32_t longer = gap == gpualign::DELETION ? LONGER_DELETION : LONGER_INSERTION;
      const bool goes_on = is_there && (on_diagonal ? (cell & NOT_DIAGONAL) == 0 : AFFINE && (cell & longer) != 0);
      // Cells that the walk passes in this direction, and the one that it stops at.
      const uint32_t stops = ~__ballot_sync(ALL, goes_on);
      const uint32_t passed = stops == 0 ? 32 : __ffs(static_cast<int>(stops)) - 1;
      const bool stop_is_there = passed < 32 && __shfl_sync(ALL, is_there ? 1 : 0, passed % 32) != 0;
      const uint32_t stop = __shfl_sync(ALL, cell, passed % 32);
      if (on_diagonal) {
        const uint32_t equals = __ballot_sync(ALL, is_equal);
        if (lane == 0) push_pairs(equals, passed);
        i -= passed;
        j -= passed;
        if (stop_is_there) gap = (stop & NOT_DELETION) == 0 ? gpualign::DELETION : gpualign::INSERTION;
      } else {
        // The cell where the gap opens belongs to it.
        const uint32_t length = passed + (stop_is_there ? 1 : 0);
        if (lane == 0) out.push(gap, length);
        if (gap == gpualign::DELETION) j -= length; else i -= length;
        if (stop_is_there) gap = gpualign::EQUAL;
      }
      if (passed < 32 && !stop_is_there) break;
    }
    __syncwarp();
    if (lane == 0) {
      row = i;
      column = j;
      state = gap;
    }
  }

 private:
  // Reads the directions of a cell into the lower bits of `cell`; false if it is not in the square.
  template <int R, bool AFFINE>
  static __device__ __forceinline__ bool read(const SegmentSquare& square, const uint32_t* directions, uint32_t row,
                                              uint32_t column, uint32_t& cell) {
    constexpr uint32_t ROW_BITS = DIRECTION_BITS<AFFINE>, WORD_ROWS = ROWS_OF_WORD<AFFINE>;
    constexpr uint32_t STEP_WORDS = 32 * WORDS<R, AFFINE>;
    const StripCell place = StripCell::of<R>(row, column);
    const uint32_t up = square.strip - place.strip;
    const uint32_t left = square.last_segment(up) - place.step / SEGMENT_STEPS;
    if (up >= square.side || left >= square.side) return false;
    const uint64_t segment = static_cast<uint64_t>(up * square.side + left) * SEGMENT_STEPS * STEP_WORDS;
    const uint32_t in_segment = place.step % SEGMENT_STEPS * STEP_WORDS + place.row_of_lane / WORD_ROWS * 32 + place.lane;
    cell = directions[segment + in_segment] >> (16 * place.half + place.row_of_lane % WORD_ROWS * ROW_BITS);
    return true;
  }

  // Adds `count` pairs of residues, the last first; bit n of `equals` tells whether the one n before the last is equal.
  __device__ void push_pairs(uint32_t equals, uint32_t count) {
    for (uint32_t done = 0; done < count;) {
      const bool is_equal = (equals >> done & 1) != 0;
      const uint32_t others = (is_equal ? ~equals : equals) >> done;
      const uint32_t length = others == 0 ? count - done : min(count - done, static_cast<uint32_t>(__ffs(static_cast<int>(others)) - 1));
      out.push(is_equal ? gpualign::EQUAL : gpualign::DIFFERENT, length);
      done += length;
    }
  }
};

}  // namespace nw
