// One main loop of a block (dissertation, figure 2.7): pull pods, look up their children, compute a
// row for each live read of each child, and push the children that still have live reads.
//
// All functions here are called by all threads of the block with the same arguments and have
// barriers; what they return is the same in all threads. Blocks are 32 to 256 threads, a multiple
// of 32.
#pragma once

#include <woodstocc/pods/block.cuh>
#include <woodstocc/pods/profile.cuh>

namespace woodstocc::pods {

// What a step takes from the worklist.
struct Pulled {
  u32 pods;    // 0: there is no room for hits
  u32 live;    // their live reads, the last ones of the worklist
  u32 depth, reads;   // of the calling thread's pod
  u32 before;         // live reads of the pods before it; the worklist's last pod comes first
  fm::Interval interval;
  bool large;  // one pod with more live reads than `live_at_once`
};

// Takes as many pods as have `live_at_once` live reads, `pods_at_once` at most. A pod that has more
// alone is taken whole if there is room for all its children's live reads, so that the children are
// looked up once for all of them; else that many of its live reads are taken, and it stays behind
// with the others. One barrier after the worklist was last written must lie behind.
template <int K>
__device__ Pulled pull(const Search& search, Worklist<K>& list, const Shared<K>& shared) {
  const u32 room_for_hits = search.hits_room - shared.word[0];
  const u32 most = search.live_at_once;
  if (room_for_hits < 4 * most) return Pulled{};
  const u32 offered = min(list.end_pod - list.first_pod, search.pods_at_once);
  const Pod* const last = list.pods + (list.end_pod - 1);
  Pulled pulled = {};
  if (threadIdx.x < offered) {
    const Pod pod = *(last - threadIdx.x);
    pulled.interval = pod.interval;
    pulled.depth = pod.depth;
    pulled.reads = pod.reads;
  }
  const auto scanned = stream::scan_block(pulled.reads, shared.sums);
  pulled.before = scanned.before;
  const bool fits = threadIdx.x < offered && scanned.before + pulled.reads <= most;
  pulled.pods = __syncthreads_count(fits);
  if (pulled.pods > 0) {
    if (threadIdx.x == pulled.pods - 1) shared.word[1] = pulled.before + pulled.reads;
    __syncthreads();
    pulled.live = shared.word[1];
    list.end_pod -= pulled.pods;
  } else {
    const u32 reads = last->reads;
    pulled.pods = 1;
    pulled.large = list.end_live + 4 * reads <= search.live_room - search.live_reserve &&
                   4 * reads <= room_for_hits;
    pulled.live = pulled.large ? reads : most;
    if (threadIdx.x == 0) pulled.reads = pulled.live;
    // All have read the pod before it changes.
    __syncthreads();
    if (pulled.large) {
      list.end_pod--;
    } else if (threadIdx.x == 0) {
      list.pods[list.end_pod - 1].reads = static_cast<uint16_t>(reads - most);
    }
  }
  if (threadIdx.x >= pulled.pods) pulled.reads = 0;
  return pulled;
}

// Copies the pulled live reads to shared memory, because their children's will overwrite them.
// No barrier.
template <int K>
__device__ void stage_live(const Worklist<K>& list, const Pulled& pulled, const Shared<K>& shared) {
  const u32 first = list.end_live - pulled.live;
  for (u32 i = threadIdx.x; i < pulled.live; i += blockDim.x) {
    shared.rows[i] = list.rows[first + i];
    shared.tags[i] = list.tags[first + i];
  }
}

// The children of a step, and the rows that they need.
struct Children {
  u32 count;
  u32 rows;
};

// Looks up the children of the pulled pods, a thread a pod (traversal). One barrier; `children`,
// `begin` and `part_of` are valid after the next.
template <int K>
__device__ Children traverse(const fm::View& view, const Pulled& pulled, const Shared<K>& shared) {
  fm::Interval found[4] = {};
  u32 count = 0;
  if (threadIdx.x < pulled.pods) {
    fm::extend_right(view, pulled.interval, found);
#pragma unroll
    for (u32 code = 0; code < 4; code++) count += found[code].size > 0;
  }
  const u64 both = static_cast<u64>(count * pulled.reads) << 32 | count;
  const auto scanned = stream::scan_block(both, shared.wide_sums);
  u32 child = static_cast<u32>(scanned.before), row = static_cast<u32>(scanned.before >> 32);
#pragma unroll
  for (u32 code = 0; code < 4; code++) {
    if (found[code].size == 0) continue;
    // The last pod of the worklist was pulled first.
    const u32 live = pulled.live - pulled.before - pulled.reads;
    shared.children[child] = Child{found[code], live, (pulled.depth + 1) << 2 | code};
    shared.begin[child] = row;
    const u32 end = row + pulled.reads;
    if (!pulled.large) {
      for (u32 w = (row + 31) / 32; 32 * w < end; w++) shared.part_of[w] = child;
    }
    row = end;
    child++;
  }
  return Children{static_cast<u32>(scanned.all), static_cast<u32>(scanned.all >> 32)};
}

// The row of a live read at a child: true if it lives on there.
//
// Any thread, on its own; a hit takes a place among the block's by an atomic on shared memory.
template <int K>
__device__ __forceinline__ bool visit(const Search& search, const Worklist<K>& list,
                                      const Shared<K>& shared, const Child& child, Row<K>& row,
                                      u32& tag) {
  const u32 depth = child.depth >> 2, code = child.depth & 3;
  const Read* const read = search.reads + (tag >> 4);
  const uint4 facts = __ldg(reinterpret_cast<const uint4*>(read));
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(&read->rest));
  Bound rest;
  memcpy(&rest, &words, sizeof(Bound));
  const u32 whole = facts.y + K - depth;
  row = Band<K>::step(row, equal<K>(search, facts.z, code, depth), whole);
  u32 wanted = tag & 15;
  const u32 distance = Band<K>::cell(row, whole);
  if (distance < wanted) {
    wanted = distance;
    const u32 place = atomicAdd(shared.word, 1u);
    list.hits[place] = Hit{facts.x, child.interval.lo, child.interval.size, distance};
  }
  tag = (tag & ~15u) | wanted;
  return wanted > 0 && reaches<K>(row, depth, wanted, rest);
}

// The child that row `i` is of; meant only for rows that there are. All lanes of a warp, converged,
// with consecutive rows.
template <int K>
__device__ u32 child_of_row(const Children& children, bool large, const Shared<K>& shared, u32 i) {
  const u32 first = i / 32 * 32;
  if (first >= children.rows) return 0;
  // A large pod has four children at most.
  const u32 part =
      large ? stream::find_part(shared.begin, children.count, first) : shared.part_of[first / 32];
  return stream::find_parts(shared.begin, children.count, first, part);
}

// Computes the rows of all children, a thread a row (explode), and packs the survivors (collect):
// to the place of their parents if those are in shared memory, else behind them. Returns how many
// there are. A barrier after `traverse` must lie behind; one at the end, and one a block's width of
// rows, makes `kept` and the survivors valid.
template <int K>
__device__ u32 compute_rows(const Search& search, const Worklist<K>& list, const Pulled& pulled,
                            const Children& children, const Shared<K>& shared) {
  const u32 first = list.end_live - pulled.live;
  const Row<K>* const parents = pulled.large ? list.rows + first : shared.rows;
  const u32* const tags = pulled.large ? list.tags + first : shared.tags;
  const u32 to = pulled.large ? list.end_live : first;
  u32 survivors = 0, turn = 0;
  for (u32 start = 0; start < children.rows; start += blockDim.x, turn ^= 1) {
    const u32 i = start + threadIdx.x;
    bool lives = false, leads = false;
    Row<K> row = 0;
    u32 tag = 0;
    const u32 part = child_of_row(children, pulled.large, shared, i);
    if (i < children.rows) {
      const Child& child = shared.children[part];
      const u32 offset = i - shared.begin[part];
      leads = offset == 0;
      row = parents[child.live + offset];
      tag = tags[child.live + offset];
      lives = visit<K>(search, list, shared, child, row, tag);
    }
    // The sums of every other turn have a place of their own, so that one barrier is enough.
    const auto rank = stream::rank_block(lives, shared.sums + 8 * turn);
    if (leads) shared.kept[part] = survivors + rank.before;
    if (lives) {
      list.rows[to + survivors + rank.before] = row;
      list.tags[to + survivors + rank.before] = tag;
    }
    survivors += rank.all;
  }
  if (threadIdx.x == 0) shared.kept[children.count] = survivors;
  __syncthreads();
  return survivors;
}

// Moves the live reads [from, from + count) of the worklist down to `to`, which may overlap.
template <int K>
__device__ void move_down(const Worklist<K>& list, u32 to, u32 from, u32 count) {
  for (u32 start = 0; start < count; start += blockDim.x) {
    const u32 i = start + threadIdx.x;
    Row<K> row = 0;
    u32 tag = 0;
    if (i < count) {
      row = list.rows[from + i];
      tag = list.tags[from + i];
    }
    __syncthreads();
    if (i < count) {
      list.rows[to + i] = row;
      list.tags[to + i] = tag;
    }
    __syncthreads();
  }
}

// Pushes the children that have survivors, in the order of those. The worklist is valid after the
// next barrier.
template <int K>
__device__ void push(Worklist<K>& list, const Children& children, const Shared<K>& shared) {
  // Four neighbouring children a thread: there are at most as many as four a pulled pod.
  const u32 mine = 4 * threadIdx.x;
  u32 count = 0;
#pragma unroll
  for (u32 child = mine; child < mine + 4; child++) {
    if (child < children.count) count += shared.kept[child + 1] > shared.kept[child];
  }
  const auto scanned = stream::scan_block(count, shared.sums);
  Pod* to = list.pods + list.end_pod + scanned.before;
#pragma unroll
  for (u32 child = mine; child < mine + 4; child++) {
    if (child >= children.count) break;
    const u32 reads = shared.kept[child + 1] - shared.kept[child];
    if (reads == 0) continue;
    const Child& from = shared.children[child];
    const uint16_t depth = static_cast<uint16_t>(from.depth >> 2);
    *to++ = Pod{from.interval, depth, static_cast<uint16_t>(reads)};
  }
  list.end_pod += scanned.all;
}

// One main loop. Whether there was room for its hits; if not, nothing was done. A barrier after the
// worklist was last written must lie behind, and lies at the end.
template <int K, bool METRICS>
__device__ bool step(const Search& search, const fm::View& view, Worklist<K>& list,
                     const Shared<K>& shared, Clock<METRICS>& clock) {
  clock.start();
  const Pulled pulled = pull(search, list, shared);
  if (pulled.pods == 0) return false;
  if (!pulled.large) stage_live(list, pulled, shared);
  clock.lap(kPull);
  const Children children = traverse(view, pulled, shared);
  __syncthreads();
  clock.lap(kTraversal);
  const u32 survivors = compute_rows(search, list, pulled, children, shared);
  const u32 first = list.end_live - pulled.live;
  if (pulled.large) move_down(list, first, list.end_live, survivors);
  list.end_live = first + survivors;
  clock.lap(kRows);
  push(list, children, shared);
  __syncthreads();
  clock.lap(kPush);
  if (threadIdx.x == 0) {
    const u32 ensembles = (children.rows + blockDim.x - 1) / blockDim.x;
    shared.counts[kNodes] += pulled.pods;
    shared.counts[kRowsDone] += children.rows;
    shared.counts[kPulledSlots] += blockDim.x;
    shared.counts[kRowSlots] += static_cast<u64>(ensembles) * blockDim.x;
  }
  return true;
}

}  // namespace woodstocc::pods
