// Branches of a search: words of the text that are within the allowed differences so far.
// src/scheme/{plan,cells,branch}.rs explain them.
//
// Contract of all functions here: any thread may call them at any time, on its own; no barriers, no shared memory, and
// the result is valid in the calling thread.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <woodstocc/scheme/plan.cuh>

namespace woodstocc {

constexpr uint32_t kUnreachable = 1u << 30;  // more bases than any query has
constexpr uint32_t kMaxDifferences = 3;      // greatest number of differences that a run's matrix can represent
constexpr uint32_t kDiagonal = 0x01010101;   // bit 0 of all levels: one diagonal

// A word of the text, with its alignment to the pieces of the query so far.
struct Branch {
  fm::Interval rows;   // the word's occurrences
  uint32_t cells;      // the row of the run's matrix
  uint16_t text;       // bases that the run has added to the word
  uint16_t left;       // bases added to the left of the word that the search began with
  uint8_t run;         // number of the run
  uint8_t spent;       // differences in the runs before
  uint16_t padding;    // 0
};

// Adds the cells that are reached by skipping bases of the query (insertions).
__device__ inline uint32_t skip(uint32_t cells, uint32_t bounds) {
#pragma unroll
  for (uint32_t i = 0; i < kMaxDifferences; i++) cells |= cells << 9 & bounds;
  return cells;
}

// The first row of a matrix, before any text.
__device__ inline uint32_t first_cells(uint32_t bounds) { return skip(1u << kMaxDifferences & bounds, bounds); }

// The row after one more base of text. Bit i of `equal` is set if the base equals the query's base before the cells of
// the new row on diagonal i.
__device__ inline uint32_t next_cells(uint32_t cells, uint32_t equal, uint32_t bounds) {
  const uint32_t substituted = cells << 8;
  return skip(((cells & (equal * kDiagonal)) | substituted | substituted >> 1) & bounds, bounds);
}

// The cells of one level of row number `row` that are aligned with at least `bases` bases of the run.
__device__ inline uint32_t cells_from(uint32_t bases, uint32_t row) {
  const uint32_t diagonal = bases + kMaxDifferences > row ? bases + kMaxDifferences - row : 0;
  return diagonal > 6 ? 0 : 0x7Fu << diagonal & 0x7F;
}

// The part of a query that a run covers, in bases.
struct RunExtent {
  bool right;
  uint32_t start;  // query position; the run's first base is there if it goes to the right, else before it
  uint32_t length;
};

// Limits of one row of a run's matrix.
struct RunRow {
  uint32_t bounds;      // cells that the run allows
  uint32_t ends;        // cells where the run is complete
  bool exceeds_matrix;  // whether the run may allow more differences from here on than its matrix can represent
  bool is_last;         // whether the query is complete where the run is
};

// One search of the scheme for one query.
struct QuerySearch {
  const uint8_t* codes;    // codes of the query
  const SearchPlan* plan;  // the search
  uint32_t length;         // bases of the query
  uint32_t pieces;         // number of its pieces
  uint32_t inverse;        // 2^32 / pieces, rounded up
  uint32_t word;           // bases of the word that the search begins with
  uint32_t rare_limit;     // a branch with no more occurrences than this is verified

  // The first base of piece `piece`. Exact, since the product is below 2^21.
  __device__ uint32_t begin(uint32_t piece) const {
    return pieces == 1 ? piece * length : __umulhi(piece * length, inverse);
  }

  // Sets `word`: the search begins with a word of the look-up table if its first piece is long enough.
  __device__ void choose_word(uint32_t table_length) {
    const uint32_t first = plan->order[0];
    word = begin(first + 1) - begin(first) < table_length ? 0 : table_length;
  }

  __device__ RunExtent extent(uint32_t number) const {
    const PieceRun& run = plan->runs[number];
    const uint32_t taken = number == 0 ? word : 0;
    const uint32_t from = begin(run.from), to = begin(run.to);
    if (run.right) return RunExtent{true, from + taken, to - from - taken};
    return RunExtent{false, from - taken, from - taken - to};
  }

  // The least number of bases of a run after which this number of differences, of all runs together, is allowed.
  __device__ uint32_t allowed(const RunExtent& extent, const PieceRun& run, uint32_t differences) const {
    const uint32_t boundary = differences < kMaxPieces ? run.allowed[differences] : kNeverAllowed;
    if (boundary == kNeverAllowed) return kUnreachable;
    const uint32_t at = begin(boundary);
    if (extent.right) return at > extent.start ? at - extent.start : 0;
    return extent.start > at ? extent.start - at : 0;
  }

  // Query position of the word that the search begins with.
  __device__ uint32_t origin() const {
    const uint32_t from = begin(plan->runs[0].from);
    return plan->runs[0].right ? from : from - word;
  }

  __device__ RunRow row(const RunExtent& extent, uint32_t number, uint32_t text, uint32_t spent) const {
    const PieceRun& run = plan->runs[number];
    RunRow row;
    row.bounds = cells_from(0, text);
#pragma unroll
    for (uint32_t more = 1; more <= kMaxDifferences; more++) {
      row.bounds |= cells_from(allowed(extent, run, spent + more), text) << (8 * more);
    }
    row.bounds &= ~(cells_from(extent.length + 1, text) * kDiagonal);
    const uint32_t diagonal = extent.length + kMaxDifferences - text;
    row.ends = diagonal <= 6 ? kDiagonal << diagonal : 0;
    row.exceeds_matrix = text + kMaxDifferences + 1 >= allowed(extent, run, spent + kMaxDifferences + 1);
    row.is_last = run.last != 0;
    return row;
  }

  // Begins the search. `branches.open(branch)` takes branches to follow, `branches.verify(branch)` branches to verify
  // in the text at all their occurrences.
  template <class BranchSink>
  __device__ void start(const fm::IndexView& view, BranchSink& branches) const {
    Branch branch = {fm::root(view), 0, 0, 0, 0, 0, 0};
    if (word > 0) {
      const uint8_t* const bases = codes + origin();
      uint32_t entry = 0;
      for (uint32_t i = 0; i < word; i++) {
        if (bases[i] > 3) return;
        entry = entry << 2 | bases[i];
      }
      branch.rows = view.table[entry];
      if (branch.rows.size == 0) return;
    }
    const RunRow first = row(extent(0), 0, 0, 0);
    branch.cells = first_cells(first.bounds);
    admit(first, branch, branches);
  }

  // Passes a branch on: to be verified, to be followed (as up to two branches), or not at all if no cell is left.
  template <class BranchSink>
  __device__ void admit(const RunRow& at, Branch branch, BranchSink& branches) const {
    if (branch.cells == 0) return;
    const uint32_t complete = branch.cells & at.ends;
    if (branch.rows.size <= rare_limit || at.exceeds_matrix || (complete != 0 && at.is_last)) {
      branches.verify(branch);
      return;
    }
    if (complete != 0) {
      Branch next = branch;
      next.text = 0;
      next.run = static_cast<uint8_t>(branch.run + 1);
      next.spent = static_cast<uint8_t>(branch.spent + (__ffs(static_cast<int>(complete)) - 1) / 8);
      const RunExtent to = extent(next.run);
      const RunRow first = row(to, next.run, 0, next.spent);
      // A short run is not worth a matrix, and could be complete before any text is added.
      if (to.length <= kMaxDifferences || first.exceeds_matrix) {
        branches.verify(branch);
        return;
      }
      next.cells = first_cells(first.bounds);
      branches.open(next);
      branch.cells &= ~at.ends;
      if (branch.cells == 0) return;
    }
    branches.open(branch);
  }

  // Extends a branch by each base, the query's next base first. Returns the number of 64-byte lines of the index read.
  template <class BranchSink>
  __device__ uint32_t extend(const fm::IndexView& view, const Branch& branch, BranchSink& branches) const {
    const RunExtent to = extent(branch.run);
    uint32_t equal[4] = {0, 0, 0, 0};
    uint32_t straight = 0;
#pragma unroll
    for (uint32_t i = 0; i <= 2 * kMaxDifferences; i++) {
      const uint32_t j = branch.text + i - kMaxDifferences;
      if (j >= to.length) continue;  // beyond the run's last base or, modulo 2^32, before its first
      const uint32_t code = to.right ? codes[to.start + j] : codes[to.start - 1 - j];
      if (i == kMaxDifferences && code < 4) straight = code;
#pragma unroll
      for (uint32_t c = 0; c < 4; c++) equal[c] |= (code == c ? 1u : 0u) << i;
    }
    fm::Interval words[4];
    if (to.right) fm::extend_right(view, branch.rows, words);
    else fm::extend_left(view, branch.rows, words);
    const RunRow at = row(to, branch.run, branch.text + 1u, branch.spent);
#pragma unroll 1
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t code = straight ^ i;
      Branch next = branch;
      // Selected instead of indexed, so that the words stay in registers.
      next.rows = code & 2 ? (code & 1 ? words[3] : words[2]) : (code & 1 ? words[1] : words[0]);
      if (next.rows.size == 0) continue;
      next.cells = next_cells(branch.cells, fm::choose(equal, code), at.bounds);
      next.text = static_cast<uint16_t>(branch.text + 1);
      next.left = static_cast<uint16_t>(branch.left + (to.right ? 0 : 1));
      admit(at, next, branches);
    }
    const uint32_t from = to.right ? branch.rows.lo_reverse : branch.rows.lo;
    const uint32_t end = from + branch.rows.size;
    return from / fm::kSymbolsPerBlock == end / fm::kSymbolsPerBlock ? 1 : 2;
  }
};

}  // namespace woodstocc
