// Parameters of the kernels of extend.cu.
#pragma once

#include <seed_extend/align.cuh>

namespace seed_extend {

// Parameters of extend_score_B.
struct ExtendScoreParameters {
  const uint64_t* text;         // 32 bases a word
  const uint8_t* queries;       // codes, a byte each
  const AlignmentTask* tasks;
  const uint32_t* pairs;        // numbers of the tasks to score, in pairs; the second may be NO_TASK
  AlignmentEnd* ends;           // of each task
  uint32_t* unfinished;         // numbers of the tasks whose end in the window is still unknown
  uint32_t* unfinished_count;   // number of these tasks; 0 before
  uint64_t count;               // number of pairs
  AlignmentCosts costs;
};

// Parameters of extend_end_B.
struct ExtendEndParameters {
  const uint64_t* text;              // 32 bases a word
  const uint8_t* queries;            // codes, a byte each
  const AlignmentTask* tasks;
  AlignmentEnd* ends;                // of each task
  const uint32_t* unfinished;        // numbers of the tasks whose end in the window is unknown
  const uint32_t* unfinished_count;  // number of these tasks
  AlignmentCosts costs;
};

// Parameters of extend_order.
struct ExtendOrderParameters {
  const TaskAlignment* aligned;  // in any order
  AlignmentSpan* spans;          // of each task
  uint64_t first_run;            // number of runs before those of these alignments
  uint64_t count;                // number of alignments
};

}  // namespace seed_extend
