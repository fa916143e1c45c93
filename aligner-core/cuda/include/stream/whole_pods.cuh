// Scheduling modules that collect or reduce pods: a firing takes whole pods only.
#pragma once

#include "stream/lane_node.cuh"

namespace stream {

// Whether the node's module collects or reduces pods. Any thread.
__device__ inline bool takes_whole_pods(const NodeFacts& node) {
  return node.kind == static_cast<u32>(Kind::collect) || node.kind == static_cast<u32>(Kind::reduce);
}

// Sets `feasible` and `queued` of a node whose module explodes or takes pods, when its targets have room for `inputs`
// elements and `pods` items. A module that takes whole pods gets at most one ensemble; it counts as full if the next
// pod is left out only because it does not fit the ensemble. Called by the lane of the node.
__device__ inline void count_pods(const Block& b, u32 n, u32 inputs, u32 pods, LaneNode& own) {
  const u32 elements = b.ended[n] - b.consumed[n];
  if (own.node.kind == static_cast<u32>(Kind::explode)) {
    own.feasible = own.queued = min(elements, min(inputs, pods));
    return;
  }
  const Queue queue = own.queue;
  const u32 width = own.node.ensemble;
  const u32 limit = min(min(width, inputs), elements);
  const u32 whole = min(pods, pods_ended(b, n, queue.count, b.consumed[n] + limit));
  const u32 last = wrapped(queue.head, whole - 1, queue.capacity);
  own.queued = whole == 0 ? 0 : b.ends[n][last] - b.consumed[n];
  const bool more = limit == width && whole < min(pods, queue.count);
  own.feasible = more ? width : own.queued;
}

// Takes whole pods from the nodes of module m, in order, as long as they fit the ensemble, and returns the number of
// elements taken; `feasible` may count more than fits. All lanes of warp 0 call, converged; valid in all lanes.
__device__ inline u32 take_pods(Block& b, const LaneNode (&own)[PASSES], u32 m) {
  const u32 width = b.node[b.module[m].first].ensemble;
  u32 taken = 0, sum = 0;
  bool open = true;  // all pods of the nodes so far fit
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const bool mine = own[pass].node.module == m;
    const u32 n = pass * WARP + lane_in_warp(), whole = mine ? own[pass].queued : 0;
    u32 upto = whole;
    for (u32 step = 1; step < WARP; step *= 2) {
      const u32 other = __shfl_up_sync(ALL_LANES, upto, step);
      if (lane_in_warp() >= step) upto += other;
    }
    upto += sum;
    const bool fits = open && upto <= width;
    const u32 before = upto - whole;
    taken = max(taken, largest(fits ? upto : 0));
    if (mine) {
      b.prefix[n] = min(before, taken);
      b.flow[n].take = fits ? whole : 0;
    }
    sum = __shfl_sync(ALL_LANES, upto, WARP - 1);
    open = __all_sync(ALL_LANES, fits);
  }
  return taken;
}

// Whether a root that explodes is to move input to its queue before anything is fired. Any thread.
__device__ inline bool loads_first(const Block& b) {
  const u32 root = b.root;
  if (b.waiting == 0 || !has_elements(static_cast<Kind>(b.node[root].kind))) return false;
  const bool room = b.queue[root].open() > b.queue[root].reserve;
  return room && b.ended[root] - b.consumed[root] < 2 * b.node[root].ensemble;
}

}  // namespace stream
