// A block's worklist, its shared memory, and clocks of its stages.
#pragma once

#include <woodstocc/trie/pods/parameters.cuh>

namespace woodstocc::pods {

// A child of a pulled node, whose rows are to be computed.
struct Child {
  fm::Interval interval;
  u32 live;            // first live query of its parent, among those pulled
  u32 depth_and_code;  // depth of the child << 2 | its last base
};

// Elements of BlockMemory::counts, in the order of the first fields of PodTotals.
enum SliceCount : u32 { kNodes, kRowsDone, kTraversalSlots, kRowSlots };

// Dynamic shared memory of a block. `shared_bytes` of layout.rs is its size.
template <int K>
struct BlockMemory {
  Row<K>* rows;     // [live_at_once] rows of the pulled live queries
  u32* tags;        // [live_at_once] their tags
  Child* children;  // [4 * pods_at_once] children of the pulled nodes
  u32* begin;       // [4 * pods_at_once] first row of each child, among the rows of the step
  u32* kept;        // [4 * pods_at_once + 1] first live query of each child, among those that stay live in the step
  u64* counts;      // [4] counters of the slice (SliceCount); only thread 0 accesses them
  u32* part_of;     // [live_at_once / 8 + 1] the child of every 32nd row, unless a large pod was pulled
  u64* wide_sums;   // [8] for stream::scan_block
  u32* sums;        // [2][8] for stream::scan_block and stream::rank_block
  u32* word;        // [4] word 0: number of hits of the slice; words 1 to 3: for broadcasts

  __device__ BlockMemory(unsigned char* memory, const PodParameters& parameters) {
    const u32 live = parameters.live_at_once, children_count = 4 * parameters.pods_at_once;
    counts = reinterpret_cast<u64*>(memory);
    wide_sums = counts + 4;
    sums = reinterpret_cast<u32*>(wide_sums + 8);
    word = sums + 16;
    rows = reinterpret_cast<Row<K>*>(word + 4);
    tags = reinterpret_cast<u32*>(rows + live);
    begin = tags + live;
    kept = begin + children_count;
    children = reinterpret_cast<Child*>(kept + children_count + 1);
    part_of = reinterpret_cast<u32*>(children + children_count);
  }
};

// A block's worklist. All threads of the block have the same values.
template <int K>
struct Worklist {
  TriePod* pods;
  Row<K>* rows;
  u32* tags;
  TrieHit* hits;
  u32 first_pod, end_pod, first_live, end_live;

  __device__ Worklist(const PodParameters& parameters, const WorklistState& state)
      : first_pod(state.first_pod),
        end_pod(state.end_pod),
        first_live(state.first_live),
        end_live(state.end_live) {
    const u64 block = blockIdx.x;
    pods = parameters.pods + block * parameters.pods_room;
    rows = static_cast<Row<K>*>(parameters.rows) + block * parameters.live_room;
    tags = parameters.tags + block * parameters.live_room;
    hits = parameters.hits + block * parameters.hits_room;
  }

  __device__ bool is_empty() const { return first_pod == end_pod; }

  // Moves an empty worklist to the bottom of its stacks.
  __device__ void clear() { first_pod = end_pod = first_live = end_live = 0; }
};

// Stages of a step.
enum PodStage : u32 { kPull, kTraversal, kRows, kPush };

// Cycles of each stage. Any thread may call the functions, but only the values of the thread that calls `flush` count.
// Empty in kernels without metrics.
template <bool METRICS>
struct Clock {
  __device__ void start() {}
  __device__ void lap(PodStage) {}
  __device__ void flush(PodTotals&) {}
};

template <>
struct Clock<true> {
  u64 cycles[4] = {0, 0, 0, 0};
  long long last;

  __device__ void start() { last = clock64(); }
  __device__ void lap(PodStage stage) {
    const long long now = clock64();
    cycles[stage] += now - last;
    last = now;
  }
  // Adds the cycles of the calling thread; called by one thread of the block.
  __device__ void flush(PodTotals& totals) {
#pragma unroll
    for (u32 stage = 0; stage < 4; stage++) atomicAdd(&totals.cycles[stage], cycles[stage]);
  }
};

}  // namespace woodstocc::pods
