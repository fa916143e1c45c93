// Strips of the matrix of one long pair: a warp fills 64 R rows, in words of two 16-bit halves.
//
// A wave goes through a strip as through the matrix of a short pair (wave.cuh), but both halves of a word are of the same
// pair: the lower halves are the wave's first 32 R rows, the upper halves the 32 R rows below them. What lane 31 passes on
// in its lower half, lane 0 takes into its upper half in the next step, so the wave runs through the lanes twice, and
// the upper half of a lane is 32 columns behind its lower half.
//
//   step      lane 0, lower  lane 1, lower  ...  lane 31, lower  lane 0, upper  ...  lane 31, upper
//   column    step           step - 1            step - 31       step - 32           step - 63
//
// 16 bits do not hold the scores of long pairs. A lane keeps for each half a base, 32 bits that are added to all its
// values of the half, and moves the base to its first row's value every 32 steps. In so few rows and columns values differ
// little: from a cell to the next they rise by a pair's score and fall by the opening of a gap at most, so scores of a byte
// suffice (`strips` in src/gpu/plan/strips.rs). The row above comes from another lane, or from the strip above, and is moved
// to the lane's base.
//
// Every SEGMENT_STEPS steps the state of all lanes can be saved. From a saved state and the last row of the strip above, any
// segment of a strip can be filled again, now with directions: so tracebacks need memory for the segments that they go
// through alone.
#pragma once

#include "lane_rows.cuh"
#include "lane_words.cuh"
#include "pair_scores.cuh"
#include "strip_structs.cuh"
#include "structs.cuh"
#include "wave.cuh"

namespace nw {

// Steps from a saved state to the next.
constexpr uint32_t SEGMENT_STEPS = 1024;

// Steps by which the last row of a strip is behind the first.
constexpr uint32_t LAST_ROW_DELAY = 63;

// Rows of a strip.
template <int R>
constexpr uint32_t STRIP_ROWS = 64 * R;

// Words of a lane's saved state.
template <int R, bool AFFINE>
constexpr uint32_t STATE_WORDS = AFFINE ? 2 * R + 5 : R + 4;

// Steps of a strip of a matrix with `columns` columns.
static __device__ __forceinline__ uint32_t strip_steps(uint32_t columns) { return columns + LAST_ROW_DELAY; }

// States that a strip of a matrix with `columns` columns saves.
static __device__ __forceinline__ uint32_t saved_states(uint32_t columns) {
  return (strip_steps(columns) - 1) / SEGMENT_STEPS;
}

// The last row of a strip: words of lane 31, whose upper halves are of the row, and the bases of those halves.
struct StripRow {
  WordPair* words;  // of each column: the score, and the best insertion that ends there
  uint32_t* bases;  // of each block of 32 steps

  // The memory of a row, from its words on.
  static __device__ __forceinline__ StripRow at(uint32_t* memory, uint32_t columns) {
    return {reinterpret_cast<WordPair*>(memory), memory + 2 * static_cast<uint64_t>(columns)};
  }
};

// A strip, and the memory around it. Unused addresses are null.
struct StripPlace {
  PairSpan span;
  uint32_t strip;                // from 0, the top
  const uint8_t* queries;        // codes of all sequences
  const uint8_t* targets;
  StripRow row_above;             // last row of the strip above
  const uint32_t* columns_above;  // number of its columns that are there so far; null if all are
  StripRow last_row;              // output: last row of this strip
  uint32_t* columns_done;         // output
  uint32_t* states;              // saved states of this strip: output, or with TRACE input
};

// The word of two halves.
static __device__ __forceinline__ uint32_t halves(int lower, int upper) {
  return (static_cast<uint32_t>(lower) & 0xffffu) | static_cast<uint32_t>(upper) << 16;
}

// Reads a word that another block may be writing.
static __device__ __forceinline__ uint32_t read_now(const uint32_t* address) {
  return *static_cast<const volatile uint32_t*>(address);
}

// A lane of the wave through a strip.
template <class PairScorer, int R, bool AFFINE, bool TRACE>
struct StripLane {
  LaneRows<Packed, PairScorer, R, AFFINE, TRACE> rows;
  int base[2];           // of the lower and the upper half
  uint32_t top[2];       // rows of the matrix above the lane's
  uint32_t base_change;  // what moves a word of the lane above to this lane's bases

  // Values of column 0.
  __device__ __forceinline__ void begin(const BiasedScoring& scoring, uint32_t minus_opening) {
#pragma unroll
    for (int half = 0; half < 2; half++) base[half] = border(scoring, QUERY_BEGIN, top[half] + 1);
    const auto at = [&](uint32_t row) {
      return halves(border(scoring, QUERY_BEGIN, top[0] + row) - base[0],
                    border(scoring, QUERY_BEGIN, top[1] + row) - base[1]);
    };
#pragma unroll
    for (int r = 0; r < R; r++) {
      rows.h[r] = at(r + 1);
      // A deletion that begins in column 0 is never longer than one that begins in column 1, and scores no better.
      if (AFFINE) rows.e[r] = Packed::add(rows.h[r], minus_opening);
      if (AFFINE && TRACE) rows.opened[r] = rows.e[r];
    }
    rows.corner = at(0);
    rows.bottom = rows.bottom_f = 0;
  }

  // Saves the state, or reads it back. `words` are the warp's.
  __device__ __forceinline__ void save(uint32_t* words) const {
    words += threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < R; r++) {
      words[32 * r] = rows.h[r];
      if (AFFINE) words[32 * (R + 5 + r)] = rows.e[r];
    }
    words[32 * R] = rows.corner;
    words[32 * (R + 1)] = rows.bottom;
    words[32 * (R + 2)] = static_cast<uint32_t>(base[0]);
    words[32 * (R + 3)] = static_cast<uint32_t>(base[1]);
    if (AFFINE) words[32 * (R + 4)] = rows.bottom_f;
  }
  __device__ __forceinline__ void restore(const uint32_t* words, uint32_t minus_opening) {
    words += threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < R; r++) {
      rows.h[r] = words[32 * r];
      if (AFFINE) rows.e[r] = words[32 * (R + 5 + r)];
      if (AFFINE && TRACE) rows.opened[r] = Packed::add(rows.h[r], minus_opening);
    }
    rows.corner = words[32 * R];
    rows.bottom = words[32 * (R + 1)];
    base[0] = static_cast<int>(words[32 * (R + 2)]);
    base[1] = static_cast<int>(words[32 * (R + 3)]);
    rows.bottom_f = AFFINE ? words[32 * (R + 4)] : 0;
  }

  // Moves the bases to the values of the first row. All lanes call it together; returns the base of lane 0's lower half.
  __device__ __forceinline__ int move_bases() {
    const uint32_t change = rows.h[0], minus = ((0u - change) & 0xffffu) | (0u - (change & 0xffff0000u));
#pragma unroll
    for (int half = 0; half < 2; half++) base[half] += Packed::get(change, half);
#pragma unroll
    for (int r = 0; r < R; r++) {
      rows.h[r] = Packed::add(rows.h[r], minus);
      if (AFFINE) rows.e[r] = Packed::add(rows.e[r], minus);
      if (AFFINE && TRACE) rows.opened[r] = Packed::add(rows.opened[r], minus);
    }
    rows.corner = Packed::add(rows.corner, minus);
    rows.bottom = Packed::add(rows.bottom, minus);
    if (AFFINE) rows.bottom_f = Packed::add(rows.bottom_f, minus);

    const uint32_t lane = threadIdx.x % 32, before = (lane + 31) % 32;
    const int lower = __shfl_sync(~0u, base[0], before), upper = __shfl_sync(~0u, base[1], before);
    // Lane 0 takes its lower half from the row above the strip, with its own base, and its upper half from lane 31's
    // lower half.
    base_change = lane == 0 ? halves(0, lower - base[1]) : halves(lower - base[0], upper - base[1]);
    return __shfl_sync(~0u, base[0], 0);
  }

  // A word of the row above the lane's rows: `passed` of the lane before, or of lane 0 also `at_edge`, in the lower half.
  __device__ __forceinline__ uint32_t above(uint32_t passed, uint32_t at_edge) const {
    uint32_t word = __shfl_sync(~0u, passed, (threadIdx.x + 31) % 32);
    if (threadIdx.x % 32 == 0) word = permute(at_edge, word, 0x5410);
    return Packed::add(word, base_change);
  }

  // Fills the column of step `k` of a block, whose words begin at `place`.
  __device__ __forceinline__ void step(const WordPair* place, uint32_t k, uint32_t minus_opening,
                                       const ScoreMemory& memory) {
    const WordPair at_edge = place[32 + k];
    const uint32_t over = above(rows.bottom, at_edge.first);
    const uint32_t over_f = AFFINE ? above(rows.bottom_f, at_edge.second) : 0;
    rows.next_column(over, over_f, place[k], minus_opening, memory);
    if (TRACE) rows.out += 32 * WORDS<R, AFFINE>;
  }

  // Keeps the values of `before` in the halves that have no column yet.
  __device__ __forceinline__ void keep_unless(bool lower, bool upper, const StripLane& before) {
    const uint32_t now = (lower ? 0xffffu : 0) | (upper ? 0xffff0000u : 0);
    const auto keep = [&](uint32_t& word, uint32_t old) { word = (word & now) | (old & ~now); };
#pragma unroll
    for (int r = 0; r < R; r++) {
      keep(rows.h[r], before.rows.h[r]);
      if (AFFINE) keep(rows.e[r], before.rows.e[r]);
      if (AFFINE && TRACE) keep(rows.opened[r], before.rows.opened[r]);
    }
    keep(rows.corner, before.rows.corner);
  }

  // Updates `best` by the ends of alignments among the lane's cells of one half, in column `j`, which exists if it is
  // neither 0 nor beyond the last.
  __device__ __forceinline__ void update_end(const BiasedScoring& scoring, const PairSpan& span, int half, uint32_t j,
                                             AlignmentEnd& best) const {
    if (j - 1 >= span.columns) return;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const uint32_t row = top[half] + 1 + r;
      const bool last_row =
          row == span.rows && (j == span.columns || (scoring.free_ends & TARGET_END) != 0);
      const bool last_column = row < span.rows && j == span.columns && (scoring.free_ends & QUERY_END) != 0;
      if (last_row || last_column) {
        const AlignmentEnd end{unbias(scoring, base[half] + Packed::get(rows.h[r], half), row, j), row, j};
        if (is_better(end, best)) best = end;
      }
    }
  }
};

// The best end in row 0 or column 0.
static __device__ AlignmentEnd border_end(const BiasedScoring& scoring, const PairSpan& span) {
  AlignmentEnd best{INT32_MIN, 0, 0};
  if ((scoring.free_ends & QUERY_END) != 0) {
    const int value = border(scoring, TARGET_BEGIN, span.columns);
    best = AlignmentEnd{unbias(scoring, value, 0, span.columns), 0, span.columns};
  }
  if ((scoring.free_ends & TARGET_END) != 0) {
    const AlignmentEnd end{unbias(scoring, border(scoring, QUERY_BEGIN, span.rows), span.rows, 0), span.rows, 0};
    if (is_better(end, best)) best = end;
  }
  return best;
}

// Fills steps `first_step`, a multiple of SEGMENT_STEPS, to `end_step - 1` of a strip. All lanes of a warp call it
// together with the same arguments. No block barrier. Waits for the row above, if another warp is filling it.
//
// Without TRACE, which is for all steps at once: returns, in all lanes, the best end of an alignment in the strip; writes
// the last row, and states if there is memory for them.
//
// With TRACE: begins with the state that was saved before `first_step`, and writes the directions of these steps,
// 32 * WORDS words for each, to `directions`. The last block of 32 steps is always filled to its end.
template <class PairScorer, int R, bool AFFINE, bool TRACE, int UNROLL>
__device__ AlignmentEnd fill_strip(const BiasedScoring& scoring, const StripPlace& place, const ScoreMemory& memory,
                                   ColumnWindow& window, uint32_t first_step, uint32_t end_step,
                                   uint32_t* directions) {
  const PairSpan& span = place.span;
  const uint32_t lane = threadIdx.x % 32, m = span.rows, n = span.columns;
  const uint32_t minus_opening = Packed::splat(-scoring.opening);
  constexpr uint32_t STATE = 32 * STATE_WORDS<R, AFFINE>;

  StripLane<PairScorer, R, AFFINE, TRACE> wave;
  bool may_end[2];  // whether alignments may end in the half's rows
#pragma unroll
  for (int half = 0; half < 2; half++) {
    wave.top[half] = place.strip * STRIP_ROWS<R> + half * (32 * R) + lane * R;
    const bool has_last_row = wave.top[half] < m && m <= wave.top[half] + R;
    may_end[half] = has_last_row || (wave.top[half] < m && (scoring.free_ends & QUERY_END) != 0);
  }
#pragma unroll
  for (int r = 0; r < R; r++) {
    const uint32_t i = wave.top[0] + r, below = wave.top[1] + r;
    const uint32_t a = i < m ? place.queries[span.query + i] : 0;
    const uint32_t b = below < m ? place.queries[span.query + below] : 0;
    wave.rows.scorer.set_row(r, scoring, a, b);
  }
  wave.rows.scorer.end_rows(memory);
  wave.rows.out = TRACE ? directions + lane : nullptr;
  if (first_step == 0) {
    wave.begin(scoring, minus_opening);
  } else {
    wave.restore(place.states + static_cast<uint64_t>(first_step / SEGMENT_STEPS - 1) * STATE, minus_opening);
  }
  // Alignments end in no column before this one.
  const bool ends_in_last_row = (scoring.free_ends & TARGET_END) != 0 && m <= (place.strip + 1) * STRIP_ROWS<R>;
  const uint32_t first_end = ends_in_last_row ? 0 : n;
  AlignmentEnd best{INT32_MIN, 0, 0};
  const bool writes_row = !TRACE && place.last_row.words != nullptr;
  const bool writes = writes_row && lane == 31;

  // Codes of the lane's column of a block, and of the column 32 before; beyond a target's end any code will do. Scores of
  // the row above.
  uint32_t code = 0, code_before = 0;
  WordPair above{0, 0};
  uint32_t seen = 0;  // columns of the row above that lane 0 knows of
  const auto read_code = [&](uint32_t column) {
    if (column < n) code = place.targets[span.target + column];
  };
  const auto read_block = [&](uint32_t first) {
    const uint32_t column = first + lane;
    code_before = code;
    read_code(column);
    if (place.strip == 0) {
      const int value = border(scoring, TARGET_BEGIN, column + 1);
      above = {static_cast<uint32_t>(value), static_cast<uint32_t>(value - scoring.opening)};
      return;
    }
    if (place.columns_above != nullptr && first < n) {
      const uint32_t needed = min(first + 32, n);
      if (lane == 0 && seen < needed) {
        while ((seen = read_now(place.columns_above)) < needed) __nanosleep(100);
        __threadfence();  // the number of columns before the columns
      }
      __syncwarp();
    }
    if (column < n) {
      const uint32_t* words = reinterpret_cast<const uint32_t*>(place.row_above.words + column);
      const uint32_t base = read_now(place.row_above.bases + (column + LAST_ROW_DELAY) / 32);
      const auto value = [&](uint32_t word) { return base + static_cast<uint32_t>(Packed::get(word, 1)); };
      above = {value(read_now(words)), AFFINE ? value(read_now(words + 1)) : 0};
    }
  };
  WordPair words{0, 0};
  if (first_step > 0) {
    if (first_step > 32) read_code(first_step - 64 + lane);
    code_before = code;
    read_code(first_step - 32 + lane);
    words = PairScorer::column(memory, code, code_before);
  }
  read_block(first_step);
  for (uint32_t first = first_step; first < end_step; first += 32) {
    if (!TRACE && place.states != nullptr && first > 0 && first % SEGMENT_STEPS == 0) {
      wave.save(place.states + static_cast<uint64_t>(first / SEGMENT_STEPS - 1) * STATE);
    }
    const uint32_t first_base = static_cast<uint32_t>(wave.move_bases());
    // All lanes are done with what is replaced.
    __syncwarp();
    window.columns[lane] = words;
    words = PairScorer::column(memory, code, code_before);
    window.columns[32 + lane] = words;
    window.columns[64 + lane] = {above.first - first_base, above.second - first_base};
    __syncwarp();
    // Read long before they are needed.
    read_block(first + 32);
    const WordPair* words_of_lane = window.columns + 32 - lane;
    if (writes) place.last_row.bases[first / 32] = static_cast<uint32_t>(wave.base[1]);
    // The cell of the last row that step k fills.
    WordPair* last_cell = writes_row ? place.last_row.words + (static_cast<int64_t>(first) - LAST_ROW_DELAY) : nullptr;
    if (first >= 64 && (TRACE || first + 32 < first_end)) {
      // All lanes have a column in every step, and nothing ends.
#pragma unroll UNROLL
      for (uint32_t k = 0; k < 32; k++) {
        wave.step(words_of_lane, k, minus_opening, memory);
        if (writes) last_cell[k] = {wave.rows.bottom, wave.rows.bottom_f};
      }
    } else {
#pragma unroll 1
      for (uint32_t k = 0; k < 32; k++) {
        const auto before = wave;
        wave.step(words_of_lane, k, minus_opening, memory);
        wave.keep_unless(first + k >= lane, first + k >= lane + 32, before);
        if (TRACE) continue;
        if (writes && first + k - LAST_ROW_DELAY < n) last_cell[k] = {wave.rows.bottom, wave.rows.bottom_f};
#pragma unroll
        for (int half = 0; half < 2; half++) {
          const uint32_t j = first + k + 1 - lane - 32 * half;
          if (may_end[half] && (ends_in_last_row || j == n)) wave.update_end(scoring, span, half, j, best);
        }
      }
    }
    if (writes && first >= 64 && first - 31 < n) {
      __threadfence();  // the columns before their number
      *static_cast<volatile uint32_t*>(place.columns_done) = first - 31;
    }
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    const AlignmentEnd other{__shfl_xor_sync(~0u, best.score, lanes), __shfl_xor_sync(~0u, best.row, lanes),
                             __shfl_xor_sync(~0u, best.column, lanes)};
    if (is_better(other, best)) best = other;
  }
  return best;
}

}  // namespace nw
