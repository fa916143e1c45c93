// Scheduling modules that walk: whether a walk can go on, and how many items it may visit.
//
// A firing takes at most one input, and none while pods of an earlier input wait in the node's stack. A step visits at
// most as many items as the targets have room for, if each visit pushes the most.
#pragma once

#include "stream/lane_node.cuh"

namespace stream {

// The most items that a step may take from a walk that may visit `visits` items at children: so many that all of them
// may stay live at all children. Any thread.
__device__ inline u32 most_items(const WalkRow& row, u32 end_item, u32 visits) {
  return min(row.items_at_once, min(visits, row.items_room - end_item) / row.fan);
}

// The most pods that a step may take. Any thread.
__device__ inline u32 most_pods(const WalkRow& row, const SavedWalk& stack) {
  return min(min(row.pods_at_once, stack.end_pod - stack.first_pod), (row.pods_room - stack.end_pod) / row.fan);
}

// The visits that targets must have room for before a walk with `items` items makes a step: those of a step of the usual
// size, or as many as the targets ever have room for. Smaller steps would cost as much time. Any thread.
__device__ inline u32 wanted_visits(const WalkRow& row, u32 items, u32 whole) {
  return min(row.fan * min(items, row.items_at_once), whole);
}

// Sets `feasible` and `queued` of node n, whose module walks, when its targets have room for the outputs of `visits`
// visits. Called by the lane of the node.
__device__ inline void count_walking(const Block& b, u32 n, u32 visits, LaneNode& own) {
  const WalkRow& row = b.walks[n].row;
  const SavedWalk stack = b.walks[n].stack;
  const bool queued = own.queue.count > 0;
  u32 whole = NONE;
  for (u32 c = 0; c < own.node.channels; ++c) {
    const EdgeRow edge = b.edge[own.node.first_edge + c];
    whole = min(whole, (b.queue[edge.target].capacity - b.queue[edge.target].reserve) / edge.gamma);
  }
  u32 items = 0;
  bool fits = true;
  if (!stack.is_empty()) {
    items = stack.end_item - stack.first_item;
    fits = most_items(row, stack.end_item, visits) > 0 && most_pods(row, stack) > 0;
  } else if (queued || (n == b.root && b.waiting > 0)) {
    items = row.items_at_once;
  }
  own.whole = whole;
  own.feasible = fits && visits >= wanted_visits(row, items, whole) ? items : 0;
  own.queued = stack.is_empty() && !queued ? 0 : own.feasible;
}

// Sets what a firing of module m, which walks, takes from its nodes. All lanes of warp 0 call.
__device__ inline void take_walks(Block& b, const LaneNode (&own)[PASSES], u32 m) {
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    if (own[pass].node.module != m) continue;
    const u32 n = pass * WARP + lane_in_warp();
    WalkState& walk = b.walks[n];
    const bool fires = own[pass].feasible > 0, enters = fires && walk.stack.is_empty();
    walk.fires = fires;
    walk.whole = own[pass].whole;
    b.flow[n].take = enters && own[pass].queue.count > 0 ? 1 : 0;
    if (enters && own[pass].queue.count == 0) b.window_take = b.window_moved = 1;
  }
}

}  // namespace stream
