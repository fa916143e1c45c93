// One main loop of a block (Cole 2017, fig. 2.7): pull pods, look up their children, compute a row for each live query
// of each child, and push the children that still have live queries.
//
// Contract: unless noted, all functions here are called by all threads of the block with the same arguments, contain
// barriers, and return the same in all threads. A block has 32 to 256 threads, a multiple of 32.
#pragma once

#include <woodstocc/trie/pods/block.cuh>
#include <woodstocc/trie/pods/profile.cuh>

namespace woodstocc::pods {

// The pods that a step takes from the worklist. Thread t has the t-th pod from the end of the worklist.
struct PulledPods {
  u32 pods;               // number of pods; 0 if there is no room for hits
  u32 live;               // number of their live queries, which are the last ones of the worklist
  u32 depth, queries;     // depth and live queries of the calling thread's pod
  u32 before;             // live queries of the pods of lower threads
  fm::Interval interval;  // interval of the calling thread's pod
  bool is_large;          // whether this is one pod with more live queries than `live_at_once`, taken as a whole
};

// Takes the last pods of the worklist that together have at most `live_at_once` live queries, and at most
// `pods_at_once` of them. If the last pod alone has more, it is taken as a whole if there is room for the live queries
// of all its children, so that its children are looked up once for all of them. Otherwise `live_at_once` of its live
// queries are taken, and the pod stays on the worklist with the others. A barrier is needed between the last write to
// the worklist and this call.
template <int K>
__device__ PulledPods pull(const PodParameters& parameters, Worklist<K>& list, const BlockMemory<K>& shared) {
  const u32 room_for_hits = parameters.hits_room - shared.word[0];
  const u32 most = parameters.live_at_once;
  if (room_for_hits < 4 * most) return PulledPods{};
  const u32 offered = min(list.end_pod - list.first_pod, parameters.pods_at_once);
  const TriePod* const last = list.pods + (list.end_pod - 1);
  PulledPods pulled = {};
  if (threadIdx.x < offered) {
    const TriePod pod = *(last - threadIdx.x);
    pulled.interval = pod.interval;
    pulled.depth = pod.depth;
    pulled.queries = pod.queries;
  }
  const auto scanned = stream::scan_block(pulled.queries, shared.sums);
  pulled.before = scanned.before;
  const bool fits = threadIdx.x < offered && scanned.before + pulled.queries <= most;
  pulled.pods = __syncthreads_count(fits);
  if (pulled.pods > 0) {
    if (threadIdx.x == pulled.pods - 1) shared.word[1] = pulled.before + pulled.queries;
    __syncthreads();
    pulled.live = shared.word[1];
    list.end_pod -= pulled.pods;
  } else {
    const u32 queries = last->queries;
    pulled.pods = 1;
    pulled.is_large = list.end_live + 4 * queries <= parameters.live_room - parameters.live_reserve &&
                   4 * queries <= room_for_hits;
    pulled.live = pulled.is_large ? queries : most;
    if (threadIdx.x == 0) pulled.queries = pulled.live;
    // All threads must have read the pod before it changes.
    __syncthreads();
    if (pulled.is_large) {
      list.end_pod--;
    } else if (threadIdx.x == 0) {
      list.pods[list.end_pod - 1].queries = static_cast<uint16_t>(queries - most);
    }
  }
  if (threadIdx.x >= pulled.pods) pulled.queries = 0;
  return pulled;
}

// Copies the pulled live queries to shared memory, because the live queries of their children overwrite them. No
// barrier; the copies are valid after the next one.
template <int K>
__device__ void stage_live(const Worklist<K>& list, const PulledPods& pulled, const BlockMemory<K>& shared) {
  const u32 first = list.end_live - pulled.live;
  for (u32 i = threadIdx.x; i < pulled.live; i += blockDim.x) {
    shared.rows[i] = list.rows[first + i];
    shared.tags[i] = list.tags[first + i];
  }
}

// The children of the pulled nodes, in BlockMemory.
struct Children {
  u32 count;  // number of children
  u32 rows;   // number of rows to compute for them
};

// Looks up the children of the pulled pods, a thread a pod (traversal). `children`, `begin` and `part_of` are valid
// after the next barrier.
template <int K>
__device__ Children traverse(const fm::IndexView& view, const PulledPods& pulled, const BlockMemory<K>& shared) {
  fm::Interval found[4] = {};
  u32 count = 0;
  if (threadIdx.x < pulled.pods) {
    fm::extend_right(view, pulled.interval, found);
#pragma unroll
    for (u32 code = 0; code < 4; code++) count += found[code].size > 0;
  }
  const u64 both = static_cast<u64>(count * pulled.queries) << 32 | count;
  const auto scanned = stream::scan_block(both, shared.wide_sums);
  u32 child = static_cast<u32>(scanned.before), row = static_cast<u32>(scanned.before >> 32);
#pragma unroll
  for (u32 code = 0; code < 4; code++) {
    if (found[code].size == 0) continue;
    // Pods are pulled from the end, so the live queries of lower threads come after those of this thread.
    const u32 live = pulled.live - pulled.before - pulled.queries;
    shared.children[child] = Child{found[code], live, (pulled.depth + 1) << 2 | code};
    shared.begin[child] = row;
    const u32 end = row + pulled.queries;
    if (!pulled.is_large) {
      for (u32 w = (row + 31) / 32; 32 * w < end; w++) shared.part_of[w] = child;
    }
    row = end;
    child++;
  }
  return Children{static_cast<u32>(scanned.all), static_cast<u32>(scanned.all >> 32)};
}

// Computes the row of a live query at a child, reports a hit if it has one, and returns whether the query stays live
// there. `row` and `tag` are replaced.
//
// Any thread may call it, on its own; no barriers. A hit takes a slot among the block's hits by an atomic on shared
// memory.
template <int K>
__device__ __forceinline__ bool visit(const PodParameters& parameters, const Worklist<K>& list,
                                      const BlockMemory<K>& shared, const Child& child, Row<K>& row,
                                      u32& tag) {
  const u32 depth = child.depth_and_code >> 2, code = child.depth_and_code & 3;
  const TrieQuery* const query = parameters.queries + (tag >> 4);
  // Two loads of 16 bytes: number, length and profile, and the bound.
  const uint4 facts = __ldg(reinterpret_cast<const uint4*>(query));
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(&query->bound));
  const u32 number = facts.x, length = facts.y, profile = facts.z;
  SuffixBound bound;
  memcpy(&bound, &words, sizeof(SuffixBound));
  const u32 whole = length + K - depth;
  row = RowBand<K>::step(row, equal<K>(parameters, profile, code, depth), whole);
  u32 wanted = tag & 15;
  const u32 distance = RowBand<K>::cell(row, whole);
  if (distance < wanted) {
    wanted = distance;
    const u32 slot = atomicAdd(shared.word, 1u);
    list.hits[slot] = TrieHit{number, child.interval.lo, child.interval.size, distance};
  }
  tag = (tag & ~15u) | wanted;
  return wanted > 0 && reaches<K>(row, depth, wanted, bound);
}

// The child that row `i` belongs to. Called by all lanes of a warp, converged, with consecutive rows; the result is
// valid in lanes with a row that exists. No barriers.
template <int K>
__device__ u32 child_of_row(const Children& children, bool is_large, const BlockMemory<K>& shared, u32 i) {
  const u32 first = i / 32 * 32;
  if (first >= children.rows) return 0;
  // A large pod has at most four children, so a search among them is cheap.
  const u32 part =
      is_large ? stream::find_part(shared.begin, children.count, first) : shared.part_of[first / 32];
  return stream::find_parts(shared.begin, children.count, first, part);
}

// Computes the rows of all children, a thread a row (explode), and packs the queries that stay live (collect). They
// replace their parents on the worklist if those are in shared memory, else they follow them. Returns their number. A
// barrier is needed between `traverse` and this call; the live queries and `kept` are valid when it returns.
template <int K>
__device__ u32 compute_rows(const PodParameters& parameters, const Worklist<K>& list, const PulledPods& pulled,
                            const Children& children, const BlockMemory<K>& shared) {
  const u32 first = list.end_live - pulled.live;
  const Row<K>* const parents = pulled.is_large ? list.rows + first : shared.rows;
  const u32* const tags = pulled.is_large ? list.tags + first : shared.tags;
  const u32 to = pulled.is_large ? list.end_live : first;
  u32 still_live = 0, parity = 0;
  for (u32 start = 0; start < children.rows; start += blockDim.x, parity ^= 1) {
    const u32 i = start + threadIdx.x;
    bool lives = false, leads = false;
    Row<K> row = 0;
    u32 tag = 0;
    const u32 part = child_of_row(children, pulled.is_large, shared, i);
    if (i < children.rows) {
      const Child& child = shared.children[part];
      const u32 offset = i - shared.begin[part];
      leads = offset == 0;
      row = parents[child.live + offset];
      tag = tags[child.live + offset];
      lives = visit<K>(parameters, list, shared, child, row, tag);
    }
    // Consecutive iterations use different sums, so one barrier for each is enough.
    const auto rank = stream::rank_block(lives, shared.sums + 8 * parity);
    if (leads) shared.kept[part] = still_live + rank.before;
    if (lives) {
      list.rows[to + still_live + rank.before] = row;
      list.tags[to + still_live + rank.before] = tag;
    }
    still_live += rank.all;
  }
  if (threadIdx.x == 0) shared.kept[children.count] = still_live;
  __syncthreads();
  return still_live;
}

// Moves the live queries [from, from + count) of the worklist down to `to`; the ranges may overlap.
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

// Pushes the children that have live queries, in the order of those queries. The worklist is valid after the next
// barrier.
template <int K>
__device__ void push(Worklist<K>& list, const Children& children, const BlockMemory<K>& shared) {
  // A thread has four neighbouring children, which is enough: there are at most four for each pulled pod.
  const u32 mine = 4 * threadIdx.x;
  u32 count = 0;
#pragma unroll
  for (u32 child = mine; child < mine + 4; child++) {
    if (child < children.count) count += shared.kept[child + 1] > shared.kept[child];
  }
  const auto scanned = stream::scan_block(count, shared.sums);
  TriePod* to = list.pods + list.end_pod + scanned.before;
#pragma unroll
  for (u32 child = mine; child < mine + 4; child++) {
    if (child >= children.count) break;
    const u32 queries = shared.kept[child + 1] - shared.kept[child];
    if (queries == 0) continue;
    const Child& from = shared.children[child];
    const uint16_t depth = static_cast<uint16_t>(from.depth_and_code >> 2);
    *to++ = TriePod{from.interval, depth, static_cast<uint16_t>(queries)};
  }
  list.end_pod += scanned.all;
}

// One main loop. Returns false, without doing anything, if there is no room for its hits. A barrier is needed between
// the last write to the worklist and this call; the worklist is valid when it returns.
template <int K, bool METRICS>
__device__ bool step(const PodParameters& parameters, const fm::IndexView& view, Worklist<K>& list,
                     const BlockMemory<K>& shared, Clock<METRICS>& clock) {
  clock.start();
  const PulledPods pulled = pull(parameters, list, shared);
  if (pulled.pods == 0) return false;
  if (!pulled.is_large) stage_live(list, pulled, shared);
  clock.lap(kPull);
  const Children children = traverse(view, pulled, shared);
  __syncthreads();
  clock.lap(kTraversal);
  const u32 still_live = compute_rows(parameters, list, pulled, children, shared);
  const u32 first = list.end_live - pulled.live;
  if (pulled.is_large) move_down(list, first, list.end_live, still_live);
  list.end_live = first + still_live;
  clock.lap(kRows);
  push(list, children, shared);
  __syncthreads();
  clock.lap(kPush);
  if (threadIdx.x == 0) {
    const u32 ensembles = (children.rows + blockDim.x - 1) / blockDim.x;
    shared.counts[kNodes] += pulled.pods;
    shared.counts[kRowsDone] += children.rows;
    shared.counts[kTraversalSlots] += blockDim.x;
    shared.counts[kRowSlots] += static_cast<u64>(ensembles) * blockDim.x;
  }
  return true;
}

}  // namespace woodstocc::pods
