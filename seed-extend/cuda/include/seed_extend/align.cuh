// What the stages that align very many tasks pass on, and what they are given: src/extend/stages.rs.
#pragma once

#include <seed_extend/walk.cuh>

namespace extend {

// Tasks whose cells lie side by side: the pairs of a warp's lanes. Mirrors `Group` of stages.rs.
struct Group {
  uint64_t start;    // the first word of its cells, in the matrix
  uint32_t first;    // the first of its tasks, in `pairs`
  uint16_t columns;  // of its cells
  uint8_t tasks;     // how many they are, with those that are none
  uint8_t bytes;     // of each task's number in a cell
};
static_assert(sizeof(Group) == 16, "mirrored in Rust");

// Where the alignment of a task is. Mirrors `Aligned` of stages.rs.
struct Aligned {
  Place place;
  uint32_t task;
  uint32_t padding[3];
};
static_assert(sizeof(Aligned) == 48, "mirrored in Rust");

// What the applications are given. Mirrors `DeviceContext` of stages.rs.
struct Context {
  const uint64_t* text;
  const uint8_t* queries;
  const Task* tasks;
  const uint32_t* pairs;  // numbers of tasks, two by two; the second may be NO_TASK
  Scored* scored;         // of each task, once it is filled
  uint32_t* matrix;       // cells of all groups
  unsigned long long* taken;  // of `runs`
  uint32_t* runs;             // of all alignments, in any order
  uint64_t capacity;          // of `runs`
  Costs costs;

  __device__ const uint32_t* pairs_of(const Group& group) const { return pairs + group.first; }
};
static_assert(sizeof(Context) == 96, "mirrored in Rust");

}  // namespace extend
