// Gapped extensions, a thread a side (src/extensions).
#include <blastn/gapped/affine.cuh>
#include <blastn/gapped/affine_frame.cuh>
#include <blastn/gapped/greedy.cuh>

// Extends sides of `task`, until all are taken: a thread that is done with one takes the next while others are within
// theirs. Called by single threads.
template <class Extension, class Task>
static __device__ __forceinline__ void take_sides(Extension& side, const Task& task, uint32_t* cursor) {
  uint32_t number = 0;
  for (bool busy = false;;) {
    if (!busy) {
      number = atomicAdd(cursor, 1u);
      if (number >= task.count) return;
      side.begin(task.sides[number]);
    }
    busy = side.go_on();
    if (!busy) task.reached[number] = side.reached();
  }
}

// Extends the sides of `task`, for scores alone; rows are bases, as in the first extension of a
// subject.
//
// Any number of blocks of one warp, with `width` * 128 bytes of dynamic shared memory; cursors[0] is 0
// before. No barriers.
extern "C" __global__ void affine_scores(const blastn::Affine* argument) {
  const blastn::Affine task = *argument;
  DYN_SMEM(uint32_t, slots);
  blastn::AffineSide<blastn::Bases, false> side(task, slots + threadIdx.x, nullptr);
  side.clear();
  take_sides(side, task, task.cursors);
}
SIMT_EXPORT(affine_scores)

// The same in registers, for sides that stay near a diagonal, whose columns are bases; the others have `kNoRoom`.
//
// Any number of blocks of one warp; cursors[0] is 0 before. No barriers.
extern "C" __global__ void affine_frames(const blastn::Affine* argument) {
  const blastn::Affine task = *argument;
  blastn::AffineFrame side(task);
  take_sides(side, task, task.cursors);
}
SIMT_EXPORT(affine_frames)

// Extends the sides of `task`, with their columns; rows are letters. Runs are written to `runs` from
// `first_run` on, from the far end to where the side began; a side whose runs find no room there has
// `kNoRoom`.
//
// Any number of blocks of one warp, with `width` * 128 bytes of dynamic shared memory and `room` words
// of sources a thread; both cursors are 0 before. No barriers.
extern "C" __global__ void affine_traces(const blastn::Affine* argument) {
  const blastn::Affine task = *argument;
  DYN_SMEM(uint32_t, slots);
  const uint64_t thread = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  blastn::AffineSide<blastn::Letters, true> side(task, slots + threadIdx.x,
                                                 task.sources + thread * task.room);
  side.clear();
  for (;;) {
    const uint32_t number = atomicAdd(task.cursors, 1u);
    if (number >= task.count) return;
    side.begin(task.sides[number]);
    while (side.go_on()) {
    }
    blastn::Reached reached = side.reached();
    if (reached.runs != blastn::kNoRoom) {
      const uint32_t* top = side.walk(reached.runs);
      reached.first_run = atomicAdd(task.cursors + 1, reached.runs);
      if (uint64_t{reached.first_run} + reached.runs > task.run_room) {
        reached.runs = blastn::kNoRoom;
      } else {
        for (uint32_t run = 0; run < reached.runs; run++) task.runs[reached.first_run + run] = *(top - run);
      }
    }
    task.reached[number] = reached;
  }
}
SIMT_EXPORT(affine_traces)

// Extends the sides of `task` greedily; subjects are bases.
//
// Any number of blocks of one warp, with `width` * 384 bytes of dynamic shared memory; the cursor is 0
// before. No barriers.
extern "C" __global__ void greedy_scores(const blastn::Greedy* argument) {
  const blastn::Greedy task = *argument;
  DYN_SMEM(uint32_t, slots);
  blastn::GreedySide<blastn::Bases, false> side(task, slots + threadIdx.x, nullptr, 0);
  take_sides(side, task, task.cursor);
}
SIMT_EXPORT(greedy_scores)

// Extends the sides of `task` greedily, with their columns; subjects are letters. Runs are as those of
// `affine_traces`.
//
// Any number of blocks of one warp, with `width` * 384 bytes of dynamic shared memory and `room` words of
// sources a thread, `width` / 16 for each difference and as many more; `width` is 64 or more; both cursors
// are 0 before. No barriers.
extern "C" __global__ void greedy_traces(const blastn::GreedyTraces* argument) {
  const blastn::GreedyTraces task = *argument;
  DYN_SMEM(uint32_t, slots);
  const uint64_t thread = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint32_t* const sources = task.sources + thread * task.room;
  blastn::GreedySide<blastn::Letters, true> side(task.greedy, slots + threadIdx.x, sources, task.room);
  for (;;) {
    const uint32_t number = atomicAdd(task.cursors, 1u);
    if (number >= task.greedy.count) return;
    side.begin(task.greedy.sides[number]);
    while (side.go_on()) {
    }
    const blastn::GreedyReached found = side.reached();
    blastn::Reached reached = {0, 0, 0, 0, blastn::kNoRoom};
    if (found.differences != blastn::kNoFront) {
      const uint32_t runs = side.walk();
      const uint32_t first = atomicAdd(task.cursors + 1, runs);
      if (uint64_t{first} + runs <= task.run_room) {
        for (uint32_t run = 0; run < runs; run++) task.runs[first + run] = sources[runs - 1 - run];
        reached = {found.differences, static_cast<uint32_t>(found.subject),
                   static_cast<uint32_t>(found.query), first, runs};
      }
    }
    task.reached[number] = reached;
  }
}
SIMT_EXPORT(greedy_traces)
