// The scheduler: chooses the module to fire, and how many of its inputs (Cole 2017, 4.4 and 4.5).
//
// One warp decides while the other warps of its block wait, so the latency of a decision counts. Lane j holds node j in
// registers; sums over the nodes of a module are segmented scans by shuffles, as in Cole 2017, fig. 4.8.
//
//   settle            book the last firing: one lane for each target
//   count_feasible    inputs of each node whose outputs fit: one lane for each node
//   sum_modules       ... and of each module: segmented scan
//   best              the best module, as a number to compare: one maximum over the warp
//   take              inputs that the firing takes from each node of that module
#pragma once

#include "stream/booking.cuh"
#include "stream/moving.cuh"
#include "stream/walking.cuh"
#include "stream/whole_pods.cuh"

namespace stream {

// The largest multiple of the ensemble that is at most `total`. Any thread. The multiplication by the inverse is exact
// below 2^19, and totals are far smaller.
__device__ inline u32 full_part(const NodeFacts& node, u32 total) {
  if (node.ensemble == 1) return total;
  return __umulhi(min(total, 1u << 19), node.inverse) * node.ensemble;
}

// Number of inputs for whose outputs on an edge the queue of the target has room. Any thread.
__device__ inline u32 room_behind(const Block& b, const EdgeRow& edge) {
  const Queue queue = b.queue[edge.target];
  const u32 held = edge.flags & EdgeRow::BACK ? 0 : queue.reserve;
  const u32 free = max(queue.open(), held) - held;
  const u32 slots = edge.flags & EdgeRow::SHARED ? min(free, queue.reserve) : free;
  return edge.gamma == 1 ? slots : slots / edge.gamma;
}

// Sets `feasible` and `queued` of a depth-first node n, when its other targets have room for the outputs of `inputs`
// inputs, and the descent of one item, with one slot more, may fill `descent` free slots. The host's
// plan/depth_first.rs has the rule and its proof. Called by the lane of the node.
__device__ inline void count_descending(const Block& b, u32 n, u32 inputs, u32 descent, LaneNode& own) {
  const Queue queue = own.queue;
  const int gamma = own.node.descent, open = queue.open(), over = open - static_cast<int>(descent);
  // Slots that the firing may add to the stack.
  const int added = over + gamma - 1;
  const u32 wide = max(max(over, 0) / descent, own.node.ensemble);
  const u32 most = min(wide, static_cast<u32>(open / gamma));
  const u32 deep = max(added / (gamma - 1), 1);
  own.queued = min(min(queue.count, inputs), min(most, deep));
  own.feasible = own.queued;
  if (n == b.root) {
    const int left = max(added - static_cast<int>(own.queued) * (gamma - 1), 0);
    const u32 enter = max(queue.open(), queue.reserve) - queue.reserve;
    const u32 window = min(min(static_cast<u32>(left / gamma), enter), most - own.queued);
    own.feasible += min(window, min(b.waiting, inputs - own.queued));
  }
}

// Sets `feasible` and `queued` of node n: how many of its inputs can be fired so that all their outputs fit. Called by
// the lane of the node. PODS: whether the application has modules that explode or take pods; STACKS: whether it has
// depth-first modules; WALKS: whether it has modules that walk.
template <bool PODS, bool STACKS, bool WALKS>
__device__ void count_feasible(const Block& b, u32 n, LaneNode& own) {
  u32 inputs = NONE, pods = NONE;  // bounds by the free slots of targets
  u32 descent = 0;
  EdgeRow edge = own.edge;
#pragma unroll 1
  for (u32 c = 0; c < own.node.channels;) {
    if (STACKS && (edge.flags & EdgeRow::DESCENT)) {
      descent = edge.spare;
    } else {
      const u32 fit = room_behind(b, edge);
      if (!PODS || (edge.flags & EdgeRow::PER_ELEMENT)) inputs = min(inputs, fit);
      else pods = min(pods, fit);
    }
    if (++c < own.node.channels) edge = b.edge[own.node.first_edge + c];
  }
  const Queue queue = own.queue;
  if constexpr (WALKS) {
    if (is_walk(own.node)) return count_walking(b, n, min(inputs, pods), own);
  }
  if constexpr (PODS) {
    if (own.node.kind != static_cast<u32>(Kind::each)) return count_pods(b, n, inputs, pods, own);
    inputs = min(inputs, pods);
  }
  if constexpr (STACKS) {
    if (own.node.descent > 0) return count_descending(b, n, inputs, descent, own);
  }
  own.feasible = own.queued = min(queue.count, inputs);
  if (n == b.root) {
    u32 window = min(b.waiting, inputs - own.queued);
    if (queue.reserve > 0) {
      // The root is a loop's head: input enters the loop only where its queue would let it in.
      window = min(window, max(queue.open(), queue.reserve) - queue.reserve);
    }
    own.feasible += window;
  }
}

// Sums `feasible` over the nodes of each module, which sets `before`, `total` and `full`. `single`: every module has
// one node, so that there is nothing to sum. All lanes of warp 0 call, converged.
__device__ inline void sum_modules(LaneNode (&own)[PASSES], bool single) {
  u32 carry = 0, carrier = NONE;  // sum and module of the last node of the previous pass
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 m = own[pass].node.module;
    u32 sum = own[pass].feasible;
    if (!single) {
      for (u32 step = 1; step < WARP; step *= 2) {
        const u32 other = __shfl_up_sync(ALL_LANES, sum, step);
        const u32 module = __shfl_up_sync(ALL_LANES, m, step);
        if (lane_in_warp() >= step && module == m) sum += other;
      }
      if (m == carrier) sum += carry;
      if (pass + 1 < PASSES) {
        carry = __shfl_sync(ALL_LANES, sum, WARP - 1);
        carrier = __shfl_sync(ALL_LANES, m, WARP - 1);
      }
    }
    own[pass].before = sum - own[pass].feasible;
    own[pass].total = own[pass].node.last ? sum : 0;
    own[pass].full = full_part(own[pass].node, own[pass].total);
  }
}

// The rank of a module as one number, its key, of which the greatest wins; 0 if it cannot fire.
//
//   bit 31       it is the source's module and can fill an ensemble with inputs from the window among them
//   bit 30       it has full ensembles, under the lazy policy
//   bits 9-29    inputs that it fires
//   bit 8        all ensembles of the firing are full
//   bits 0-7     255 - module: of equals, the module declared first
constexpr u32 SOURCE = 1u << 31, FULL = 1u << 30, MOST = (1u << 21) - 1;
__device__ inline u32 key_of(u32 module, u32 inputs, bool full) {
  if (inputs == 0) return 0;
  return min(inputs, MOST) << 9 | (full ? 1 << 8 : 0) | (255 - min(module, 255u));
}
__device__ inline u32 module_of(u32 key) { return 255 - (key & 255); }
__device__ inline u32 inputs_of(u32 key) { return key >> 9 & MOST; }
__device__ inline bool is_full(u32 key) { return key >> 8 & 1; }

// The key of firing everything that is feasible at a node's module. Any thread.
__device__ inline u32 key_of_all(const LaneNode& own) {
  const bool full = takes_whole_pods(own.node) ? own.full > 0 : own.full == own.total;
  return key_of(own.node.module, own.total, full);
}

// The key of the module to fire. `lazy`: modules with full ensembles fire these alone. All lanes of warp 0 call,
// converged; valid in all lanes.
__device__ inline u32 best(const Block& b, const LaneNode (&own)[PASSES], bool lazy) {
  bool input = false;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    input |= pass * WARP + lane_in_warp() == b.root && own[pass].feasible > own[pass].queued;
  }
  input = __any_sync(ALL_LANES, input) && b.waiting > 0;
  u32 key = 0;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 m = own[pass].node.module, full = own[pass].full;
    const u32 first = input && full > 0 && m == b.source ? SOURCE : 0;
    const u32 own_key = lazy && full > 0 ? key_of(m, full, true) | FULL : key_of_all(own[pass]);
    key = max(key, own_key | first);
  }
  return largest(key);
}

// The key of the best module among those that explode, take pods or walk, counting everything feasible. All lanes of warp 0
// call, converged; valid in all lanes.
__device__ inline u32 best_unshared(const LaneNode (&own)[PASSES]) {
  u32 key = 0;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const bool is_unshared = own[pass].node.kind != static_cast<u32>(Kind::each);
    if (is_unshared) key = max(key, key_of_all(own[pass]));
  }
  return largest(key);
}

// Decides when no ensemble is full, and the input is at its end or nothing can fire; `any` is the key of the best
// module all the same, or 0. If blocks share rests, the block shares its items, but fires pods and items of modules
// that explode or walk as they are. All lanes of warp 0 call, converged; returns the key of the module to fire, or 0 after it
// has set another action.
__device__ inline u32 end_of_input(Block& b, const RunParameters& run, const LaneNode (&own)[PASSES], u32 any) {
  const bool input = b.waiting > 0;
  bool waits = input;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    waits |= own[pass].node.module != NONE && own[pass].queue.count > 0;
    waits |= is_walk(own[pass].node) && !is_between_walks(b, pass * WARP + lane_in_warp());
  }
  waits = __any_sync(ALL_LANES, waits);
  const bool shares = run.flags & RunParameters::LAZY && run.flags & RunParameters::SHARE_REST && b.exhausted && !input;
  const bool gives = shares && !b.drain && !b.partial;
  const u32 chosen = gives ? best_unshared(own) : any;
  if (chosen == 0 && lane_in_warp() == 0) {
    // If nothing can fire although items wait, a sink is full.
    const bool rest = (gives && any != 0) || (shares && !waits);
    const bool ends = !rest && !waits && b.exhausted, takes = ends && run.flags & RunParameters::MOVE_WORK;
    b.next.action = rest ? Action::rest : takes ? Action::take : Action::stop;
    b.finished = b.finished || (ends && !takes);
  }
  return chosen;
}

// Sets what the firing takes from node n, whose module fires `inputs` inputs. Called by the lane of the node.
__device__ inline void take(Block& b, u32 n, const LaneNode& own, u32 inputs) {
  const u32 all = min(max(inputs, own.before) - own.before, own.feasible);
  const u32 queued = min(all, own.queued);
  b.prefix[n] = min(own.before, inputs);
  b.flow[n].take = queued;
  if (all > queued) {
    b.window_take = all - queued;
    b.window_moved = 1;
    b.claims = claims_meanwhile(b, all - queued);
  }
}

// Books the last firing and decides on the next action. All lanes of warp 0 call, converged; the decision is valid for
// the block after the next barrier. PODS: whether the application has modules that explode or take pods; STACKS: whether
// it has depth-first modules; WALKS: whether it has modules that walk.
template <bool PODS, bool STACKS, bool WALKS>
__device__ void schedule(Block& b, const RunParameters& run) {
  const u32 lane = lane_in_warp(), nodes = b.nodes;
  LaneNode own[PASSES];
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 t = pass * WARP + lane;
    own[pass] = {};
    own[pass].node.module = NONE;
    if (t < nodes) own[pass].node = b.node[t];
    if (t < b.targets) own[pass].queue = settle<PODS, STACKS>(b, t);
    if (own[pass].node.channels > 0) own[pass].edge = b.edge[own[pass].node.first_edge];
  }
  // Volatile: otherwise the compiler may let all lanes read the word while lane 0 writes it.
  if (lane == 0 && *static_cast<const volatile u32*>(&b.window_moved)) move_window<WALKS>(b, run);
  __syncwarp();

  if (b.firings >= b.firings_limit) {
    if (lane == 0) b.next.action = Action::stop;
    return;
  }
  if constexpr (PODS) {
    if (loads_first(b)) {
      __syncwarp();
      if (lane == 0) {
        b.next.action = Action::load;
        ++b.firings;
      }
      return;
    }
  }

  if (b.hungry && choose_gift(b, own)) return;

#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 n = pass * WARP + lane;
    if (n < nodes) count_feasible<PODS, STACKS, WALKS>(b, n, own[pass]);
  }
  const u32 flags = run.flags;
  sum_modules(own, flags & RunParameters::SINGLE_NODES);
  u32 chosen = best(b, own, flags & RunParameters::LAZY);
  if (chosen == 0 || (chosen < FULL && flags & RunParameters::SHARE_REST)) {
    chosen = end_of_input(b, run, own, chosen);
    if (chosen == 0) return;
  }
  const u32 m = module_of(chosen);
  u32 inputs = inputs_of(chosen);
  if (WALKS && is_walk(b.node[b.module[m].first])) {
    take_walks(b, own, m);
  } else if (PODS && takes_whole_pods(b.node[b.module[m].first])) {
    inputs = take_pods(b, own, m);
  } else {
#pragma unroll
    for (u32 pass = 0; pass < PASSES; ++pass) {
      if (own[pass].node.module == m) take(b, pass * WARP + lane, own[pass], inputs);
    }
  }
  __syncwarp();
  if (lane == 0) {
    b.next = {Action::fire, m, inputs, is_full(chosen)};
    b.partial = 0;
    ++b.firings;
  }
}

}  // namespace stream
