// What the stages that align very many tasks pass on and share: the device side of src/extend/stages.rs.
#pragma once

#include <seed_extend/walk.cuh>

namespace seed_extend {

// A group of tasks whose matrices are filled together: the pairs of tasks of a warp's lanes.
struct TaskGroup {
  uint64_t start;    // index of its first word among the cells
  uint32_t first;    // index of its first task in `pairs`
  uint16_t columns;  // of its matrices
  uint8_t tasks;     // their number, NO_TASK included
  uint8_t bytes;     // of each task's number in a cell: 1 or 2
};

// The alignment of a task.
struct TaskAlignment {
  AlignmentSpan span;
  uint32_t task;
  uint32_t padding;
};

// What both stages share.
struct AlignmentParameters {
  const uint64_t* text;          // 32 bases a word
  const uint8_t* queries;        // codes, a byte each
  const AlignmentTask* tasks;
  const uint32_t* pairs;         // numbers of tasks, in pairs; the second may be NO_TASK
  AlignmentEnd* ends;            // of each task, once its matrix is filled
  uint32_t* cells;               // of all groups
  unsigned long long* run_count;  // number of CIGAR runs that were found
  uint32_t* runs;                // CIGAR runs of all alignments, in any order
  uint64_t run_capacity;         // runs that there is room for
  AlignmentCosts costs;

  // Numbers of the tasks of a group, in pairs.
  __device__ const uint32_t* pairs_of(const TaskGroup& group) const { return pairs + group.first; }
};

}  // namespace seed_extend
