// Branches of a search of a scheme: scheme/{plan,cells,branch}.rs for a GPU.
//
// Contract: any thread may call at any time, on its own; no barriers, no shared memory.
#pragma once

#include <fm_index/fm_index.cuh>

namespace woodstocc {

constexpr uint32_t kMostPieces = 16;
constexpr uint32_t kMostRuns = 5;
constexpr uint32_t kNever = 255;          // of Run::allowed
constexpr uint32_t kUnreachable = 1u << 30;  // more bases than a query has
constexpr uint32_t kSpare = 3;            // the most differences that a matrix can hold
constexpr uint32_t kDiagonal = 0x01010101;

// Pieces that are put, one after the other, to the same side: Run of plan.rs.
struct Run {
  uint8_t from, to, right, last;
  uint8_t allowed[kMostPieces];
};
static_assert(sizeof(Run) == 20, "as in plan.rs");

// A search of a scheme: Plan of plan.rs.
struct Plan {
  uint8_t order[kMostPieces], most[kMostPieces];
  Run runs[kMostRuns];
};
static_assert(sizeof(Plan) == 132, "as in plan.rs");

// A word of the text, and how the query's pieces so far align with it: Branch of branch.rs.
struct Branch {
  fm::Interval rows;
  uint32_t cells;
  uint16_t text, left;
  uint8_t run, spent;
  uint16_t padding;
};
static_assert(sizeof(Branch) == 24, "as in branch.rs");

// Lets alignments leave out bases of the query.
__device__ inline uint32_t skip(uint32_t cells, uint32_t bounds) {
#pragma unroll
  for (uint32_t i = 0; i < kSpare; i++) cells |= cells << 9 & bounds;
  return cells;
}

// The first row of a matrix, of no text.
__device__ inline uint32_t first_cells(uint32_t bounds) { return skip(1u << kSpare & bounds, bounds); }

// The row after one more base of text; bit i of `equal`: it is the query's on diagonal i.
__device__ inline uint32_t next_cells(uint32_t cells, uint32_t equal, uint32_t bounds) {
  const uint32_t substituted = cells << 8;
  return skip(((cells & (equal * kDiagonal)) | substituted | substituted >> 1) & bounds, bounds);
}

// A level's cells in a row that have at least `bases` bases of the query.
__device__ inline uint32_t cells_from(uint32_t bases, uint32_t row) {
  const uint32_t diagonal = bases + kSpare > row ? bases + kSpare - row : 0;
  return diagonal > 6 ? 0 : 0x7Fu << diagonal & 0x7F;
}

// A run of a query, in bases.
struct Extent {
  bool right;
  uint32_t start;  // the query's base there is the first to the right, the one before to the left
  uint32_t length;
};

// A row of a run's matrix.
struct Row {
  uint32_t bounds, ends;  // the cells that it may have; those where the run is complete
  bool leaves, last;      // a cell beyond the matrix may be allowed; the query is complete where the run is
};

// A query, and a search of its scheme.
struct Path {
  const uint8_t* codes;
  const Plan* plan;
  uint32_t length, pieces, inverse;  // inverse: 2^32 / pieces, rounded up
  uint32_t word, few;

  // Where piece `piece` of the query begins; exact, as the product is below 2^21.
  __device__ uint32_t begin(uint32_t piece) const {
    return pieces == 1 ? piece * length : __umulhi(piece * length, inverse);
  }

  // Sets `word`: what the search begins with is of the look-up table if the first piece is long enough.
  __device__ void choose_word(uint32_t table_length) {
    const uint32_t first = plan->order[0];
    word = begin(first + 1) - begin(first) < table_length ? 0 : table_length;
  }

  __device__ Extent extent(uint32_t number) const {
    const Run& run = plan->runs[number];
    const uint32_t taken = number == 0 ? word : 0;
    const uint32_t from = begin(run.from), to = begin(run.to);
    if (run.right) return Extent{true, from + taken, to - from - taken};
    return Extent{false, from - taken, from - taken - to};
  }

  // How many bases of a run must come before so many differences, of all runs together.
  __device__ uint32_t allowed(const Extent& extent, const Run& run, uint32_t differences) const {
    const uint32_t boundary = differences < kMostPieces ? run.allowed[differences] : kNever;
    if (boundary == kNever) return kUnreachable;
    const uint32_t at = begin(boundary);
    if (extent.right) return at > extent.start ? at - extent.start : 0;
    return extent.start > at ? extent.start - at : 0;
  }

  // Where the word that the search begins with lies in the query.
  __device__ uint32_t origin() const {
    const uint32_t from = begin(plan->runs[0].from);
    return plan->runs[0].right ? from : from - word;
  }

  __device__ Row row(const Extent& extent, uint32_t number, uint32_t text, uint32_t spent) const {
    const Run& run = plan->runs[number];
    Row row;
    row.bounds = cells_from(0, text);
#pragma unroll
    for (uint32_t more = 1; more <= kSpare; more++) {
      row.bounds |= cells_from(allowed(extent, run, spent + more), text) << (8 * more);
    }
    row.bounds &= ~(cells_from(extent.length + 1, text) * kDiagonal);
    const uint32_t diagonal = extent.length + kSpare - text;
    row.ends = diagonal <= 6 ? kDiagonal << diagonal : 0;
    row.leaves = text + kSpare + 1 >= allowed(extent, run, spent + kSpare + 1);
    row.last = run.last != 0;
    return row;
  }

  // Begins the search. `branches` takes what comes of it: `open(branch)` what goes on, `verify(branch)`
  // what is to be verified in the text at all its occurrences.
  template <class Branches>
  __device__ void start(const fm::View& view, Branches& branches) const {
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
    const Row first = row(extent(0), 0, 0, 0);
    branch.cells = first_cells(first.bounds);
    admit(first, branch, branches);
  }

  // Puts a branch where it belongs: nowhere, to be verified, or at most twice to go on.
  template <class Branches>
  __device__ void admit(const Row& at, Branch branch, Branches& branches) const {
    if (branch.cells == 0) return;
    const uint32_t complete = branch.cells & at.ends;
    if (branch.rows.size <= few || at.leaves || (complete != 0 && at.last)) {
      branches.verify(branch);
      return;
    }
    if (complete != 0) {
      Branch next = branch;
      next.text = 0;
      next.run = static_cast<uint8_t>(branch.run + 1);
      next.spent = static_cast<uint8_t>(branch.spent + (__ffs(static_cast<int>(complete)) - 1) / 8);
      const Extent to = extent(next.run);
      const Row first = row(to, next.run, 0, next.spent);
      // A short run is not worth a matrix, and could end before it takes any text.
      if (to.length <= kSpare || first.leaves) {
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

  // Extends a branch by each base, the query's next base first. Returns the 64-byte lines that it read.
  template <class Branches>
  __device__ uint32_t extend(const fm::View& view, const Branch& branch, Branches& branches) const {
    const Extent to = extent(branch.run);
    uint32_t equal[4] = {0, 0, 0, 0};
    uint32_t straight = 0;
#pragma unroll
    for (uint32_t i = 0; i <= 2 * kSpare; i++) {
      const uint32_t j = branch.text + i - kSpare;
      if (j >= to.length) continue;  // or before the run's first base, modulo 2^32
      const uint32_t code = to.right ? codes[to.start + j] : codes[to.start - 1 - j];
      if (i == kSpare && code < 4) straight = code;
#pragma unroll
      for (uint32_t c = 0; c < 4; c++) equal[c] |= (code == c ? 1u : 0u) << i;
    }
    fm::Interval words[4];
    if (to.right) fm::extend_right(view, branch.rows, words);
    else fm::extend_left(view, branch.rows, words);
    const Row at = row(to, branch.run, branch.text + 1u, branch.spent);
#pragma unroll 1
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t code = straight ^ i;
      Branch next = branch;
      // Chosen, not indexed, so that the words stay in registers.
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
