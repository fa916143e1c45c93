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

// Columns of the widest kernels.
constexpr uint32_t MOST_COLUMNS = 128;

// Where the pairs of the tasks of one width are.
struct WidthPlace {
  uint32_t count;        // number of these tasks
  uint32_t first_pair;   // number of their first pair
  uint32_t launch_pair;  // number of the first pair for the kernel that takes them
  uint32_t first_group;  // number of that kernel's first group
};

// Parameters of extend_tally.
struct ExtendTallyParameters {
  const AlignmentTask* tasks;
  uint32_t* counts;    // of the tasks of each kind; 0 before
  uint32_t count;      // number of tasks
  uint32_t most_rows;  // bases of the longest query for a kernel
};

// Parameters of extend_pair.
struct ExtendPairParameters {
  const AlignmentTask* tasks;
  uint32_t* next;            // for each kind the place of its next task among those of its width; of the last kind, 0
  const WidthPlace* widths;  // the widest first
  uint32_t* pairs;           // numbers of tasks, in pairs; the second of a pair may be NO_TASK
  uint32_t* rows;            // bases of the longest query of each group; 0 before
  uint32_t* left;            // numbers of the tasks that no kernel takes
  uint32_t count;            // number of tasks
  uint32_t most_rows;        // bases of the longest query for a kernel
};

}  // namespace seed_extend
