// A block's worklist, and the shared memory that a step works in.
#pragma once

#include <woodstocc/pods/search.cuh>

namespace woodstocc::pods {

// A child whose rows are to be computed.
struct Child {
  fm::Interval interval;
  u32 live;   // where its parent's live reads begin
  u32 depth;  // of the child; its code in the lowest two bits
};

// Places of `counts`.
enum Count : u32 { kNodes, kRowsDone, kPulledSlots, kRowSlots };

// Dynamic shared memory of a block. `shared_bytes` of layout.rs is the sum.
template <int K>
struct Shared {
  Row<K>* rows;  // [live_at_once] of the pulled pods
  u32* tags;     // [live_at_once]
  Child* children;  // [4 * pods_at_once]
  u32* begin;       // [4 * pods_at_once] a child's first row among those of the step
  u32* kept;        // [4 * pods_at_once + 1] its first survivor among those of the step
  u64* counts;      // [4] of the slice: the first numbers of Totals; thread 0's
  u32* part_of;     // [live_at_once / 8 + 1] the child that every 32nd row of a small step is of
  u64* wide_sums;   // [8]
  u32* sums;        // [2][8]
  u32* word;        // [4] hits of the slice; three words for broadcasts

  __device__ Shared(unsigned char* memory, const Search& search) {
    const u32 live = search.live_at_once, children_count = 4 * search.pods_at_once;
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

// A block's worklist, the same in all its threads.
template <int K>
struct Worklist {
  Pod* pods;
  Row<K>* rows;
  u32* tags;
  Hit* hits;
  u32 first_pod, end_pod, first_live, end_live;

  __device__ Worklist(const Search& search, const State& state)
      : first_pod(state.first_pod),
        end_pod(state.end_pod),
        first_live(state.first_live),
        end_live(state.end_live) {
    const u64 block = blockIdx.x;
    pods = search.pods + block * search.pods_room;
    rows = static_cast<Row<K>*>(search.rows) + block * search.live_room;
    tags = search.tags + block * search.live_room;
    hits = search.hits + block * search.hits_room;
  }

  __device__ bool empty() const { return first_pod == end_pod; }

  // An empty worklist begins at the bottom again.
  __device__ void clear() { first_pod = end_pod = first_live = end_live = 0; }
};

// Cycles of the stages, measured by thread 0; empty in kernels that do not measure.
enum Stage : u32 { kPull, kTraversal, kRows, kPush };

template <bool METRICS>
struct Clock {
  __device__ void start() {}
  __device__ void lap(Stage) {}
  __device__ void flush(Totals&) {}
};

template <>
struct Clock<true> {
  u64 cycles[4] = {0, 0, 0, 0};
  long long last;

  __device__ void start() { last = clock64(); }
  __device__ void lap(Stage stage) {
    const long long now = clock64();
    cycles[stage] += now - last;
    last = now;
  }
  // One thread.
  __device__ void flush(Totals& totals) {
#pragma unroll
    for (u32 stage = 0; stage < 4; stage++) atomicAdd(&totals.cycles[stage], cycles[stage]);
  }
};

}  // namespace woodstocc::pods
