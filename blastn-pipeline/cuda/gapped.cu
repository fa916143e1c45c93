// Gapped extensions, a thread a side (src/gpu/gapped).
#include <blastn/gapped/affine.cuh>
#include <blastn/gapped/affine_frame.cuh>
#include <blastn/gapped/greedy.cuh>

// Extends sides until all are taken. A thread whose side has ended takes the next one while other lanes are within theirs.
// `cursor` counts the sides that were taken. Called by single threads; no barriers.
template <class Extender, class Reach>
static __device__ __forceinline__ void take_sides(Extender& extender, const blastn::ExtensionSide* sides, uint32_t side_count,
                                                  Reach* reaches, uint32_t* cursor) {
  uint32_t number = 0;
  for (bool busy = false;;) {
    if (!busy) {
      number = atomicAdd(cursor, 1u);
      if (number >= side_count) return;
      extender.begin(sides[number]);
    }
    busy = extender.go_on();
    if (!busy) reaches[number] = extender.reached();
  }
}

// Extends sides with affine gap costs for their scores alone; rows are bases of the database.
//
// Any number of blocks of one warp, with `ring_slots` * 128 bytes of dynamic shared memory; no barriers. cursors[0] is 0 before.
extern "C" __global__ void affine_scores(const __grid_constant__ blastn::AffineParameters parameters) {
  DYN_SMEM(uint32_t, slots);
  blastn::AffineSideExtender<blastn::Bases, false> extender(parameters, slots + threadIdx.x, nullptr);
  extender.clear();
  take_sides(extender, parameters.sides, parameters.side_count, parameters.reaches, parameters.cursors);
}
SIMT_EXPORT(affine_scores)

// Extends sides as `affine_scores`, with all cells in registers. A side that leaves the neighbourhood of its diagonal, or whose
// columns have ambiguous letters, gets `kNoRoom`.
//
// Any number of blocks of one warp; no barriers. cursors[0] is 0 before.
extern "C" __global__ void affine_frames(const __grid_constant__ blastn::AffineParameters parameters) {
  blastn::AffineFrameExtender extender(parameters);
  take_sides(extender, parameters.sides, parameters.side_count, parameters.reaches, parameters.cursors);
}
SIMT_EXPORT(affine_frames)

// Extends sides with affine gap costs and writes their columns; rows are letters. The runs of a side are in `runs` from
// `first_run` on, from the far end to the begin of the side; a side whose runs find no room there gets `kNoRoom`.
//
// Any number of blocks of one warp, with `ring_slots` * 128 bytes of dynamic shared memory; no barriers. Both cursors are 0
// before.
extern "C" __global__ void affine_traces(const __grid_constant__ blastn::AffineParameters parameters) {
  DYN_SMEM(uint32_t, slots);
  const uint64_t thread = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  blastn::AffineSideExtender<blastn::Letters, true> extender(parameters, slots + threadIdx.x,
                                                             parameters.sources + thread * parameters.source_words);
  extender.clear();
  for (;;) {
    const uint32_t number = atomicAdd(parameters.cursors, 1u);
    if (number >= parameters.side_count) return;
    extender.begin(parameters.sides[number]);
    while (extender.go_on()) {
    }
    blastn::SideReach reached = extender.reached();
    if (reached.runs != blastn::kNoRoom) {
      const uint32_t* top = extender.walk(reached.runs);
      reached.first_run = atomicAdd(parameters.cursors + 1, reached.runs);
      if (uint64_t{reached.first_run} + reached.runs > parameters.run_capacity) {
        reached.runs = blastn::kNoRoom;
      } else {
        for (uint32_t run = 0; run < reached.runs; run++) parameters.runs[reached.first_run + run] = *(top - run);
      }
    }
    parameters.reaches[number] = reached;
  }
}
SIMT_EXPORT(affine_traces)

// Extends sides greedily for their scores alone; subjects are bases of the database.
//
// Any number of blocks of one warp, with `front_slots` * 384 bytes of dynamic shared memory; no barriers. The cursor is 0
// before.
extern "C" __global__ void greedy_scores(const __grid_constant__ blastn::GreedyParameters parameters) {
  DYN_SMEM(uint32_t, slots);
  blastn::GreedySideExtender<blastn::Bases, false> extender(parameters, slots + threadIdx.x, nullptr, 0);
  take_sides(extender, parameters.sides, parameters.side_count, parameters.reaches, parameters.cursor);
}
SIMT_EXPORT(greedy_scores)

// Extends sides greedily and writes their columns; subjects are letters. Runs are as those of `affine_traces`.
//
// Any number of blocks of one warp, with `front_slots` * 384 bytes of dynamic shared memory; no barriers. `front_slots` is 64 or
// more, and `source_words` is `front_slots` / 16 for each difference, and as many more. Both cursors are 0 before.
extern "C" __global__ void greedy_traces(const __grid_constant__ blastn::GreedyTraceParameters parameters) {
  DYN_SMEM(uint32_t, slots);
  const uint64_t thread = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint32_t* const sources = parameters.sources + thread * parameters.source_words;
  blastn::GreedySideExtender<blastn::Letters, true> extender(parameters.greedy, slots + threadIdx.x, sources,
                                                             parameters.source_words);
  for (;;) {
    const uint32_t number = atomicAdd(parameters.cursors, 1u);
    if (number >= parameters.greedy.side_count) return;
    extender.begin(parameters.greedy.sides[number]);
    while (extender.go_on()) {
    }
    const blastn::GreedySideReach found = extender.reached();
    blastn::SideReach reached = {0, 0, 0, 0, blastn::kNoRoom};
    if (found.differences != blastn::kNoFront) {
      const uint32_t runs = extender.walk();
      const uint32_t first = atomicAdd(parameters.cursors + 1, runs);
      if (uint64_t{first} + runs <= parameters.run_capacity) {
        for (uint32_t run = 0; run < runs; run++) parameters.runs[first + run] = sources[runs - 1 - run];
        reached = {found.differences, static_cast<uint32_t>(found.subject),
                   static_cast<uint32_t>(found.query), first, runs};
      }
    }
    parameters.reaches[number] = reached;
  }
}
SIMT_EXPORT(greedy_traces)
