// Searches of a scheme, as runs of pieces in one direction: scheme/plan.rs explains them.
#pragma once

#include <woodstocc/limits.cuh>

namespace woodstocc {

// Greatest number of runs of a search: MAX_RUNS of plan.rs.
constexpr uint32_t kMaxRuns = 5;

// Value of PieceRun::allowed for a number of differences that the run does not allow at all: NEVER of plan.rs.
constexpr uint32_t kNeverAllowed = 255;

// Consecutive pieces that a search adds to the same side. Boundary p of a query lies before its piece p.
struct PieceRun {
  uint8_t from, to;             // boundaries where the run begins and ends
  uint8_t right;                // 1 if the run goes to the right, 0 if to the left
  uint8_t last;                 // 1 if the query is complete after the run
  uint8_t allowed[kMaxPieces];  // entry d: the boundary from which on d differences are allowed, or kNeverAllowed
};

// A search of a scheme.
struct SearchPlan {
  uint8_t order[kMaxPieces];  // numbers of the pieces in the order of the search
  uint8_t most[kMaxPieces];   // greatest number of differences after each piece
  PieceRun runs[kMaxRuns];    // up to the one whose `last` is 1
};

}  // namespace woodstocc
