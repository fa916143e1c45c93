// Which module to fire, and how many of its inputs (000, sections 4.4 and 4.5).
//
// One warp decides, while the others of its block wait: so what counts is how many instructions it
// takes, and how many of them wait for each other. A lane looks after the node of its number, in
// registers; sums over the nodes of a module are segmented scans by shuffles, as in Figure 4.8.
#pragma once

#include "stream/booking.cuh"
#include "stream/whole_pods.cuh"

namespace stream {

// `total` cut to full ensembles. Totals are far below 2^19, which the inverse is exact for.
__device__ inline u32 full_part(const NodeFacts& node, u32 total) {
  if (node.ensemble == 1) return total;
  return __umulhi(min(total, 1u << 19), node.inverse) * node.ensemble;
}

// How many more inputs the queue of an edge's target has room for.
__device__ inline u32 room_behind(const Block& b, const Edge& edge) {
  const Queue queue = b.queue[edge.target];
  const u32 held = edge.flags & Edge::BACK ? 0 : queue.reserve;
  const u32 free = max(queue.open(), held) - held;
  const u32 slots = edge.flags & Edge::SHARED ? min(free, queue.reserve) : free;
  return edge.gamma == 1 ? slots : slots / edge.gamma;
}

// How many inputs of node `n` can be fired: those whose outputs fit. One thread.
template <bool PODS>
__device__ void count_feasible(const Block& b, u32 n, Own& own) {
  u32 inputs = NONE, pods = NONE;  // bounds by the free slots of targets
  Edge edge = own.edge;
#pragma unroll 1
  for (u32 c = 0; c < own.node.channels;) {
    const u32 fit = room_behind(b, edge);
    if (!PODS || (edge.flags & Edge::PER_ELEMENT)) inputs = min(inputs, fit);
    else pods = min(pods, fit);
    if (++c < own.node.channels) edge = b.edge[own.node.first_edge + c];
  }
  const Queue queue = own.queue;
  if constexpr (PODS) {
    if (own.node.kind != static_cast<u32>(Kind::each)) return count_pods(b, n, inputs, pods, own);
    inputs = min(inputs, pods);
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

// Sums what is feasible over each module's nodes. All lanes of warp 0, converged.
__device__ inline void sum_modules(Own (&own)[PASSES], bool single) {
  u32 carry = 0, carrier = NONE;  // of the last node of the pass before
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

// The most inputs of a firing.
constexpr u32 MOST = (1u << 23) - 1;

// The key by which modules are chosen: more inputs first, then the module declared first; 0 if there
// is nothing to fire. Before all others comes the key of the source.
constexpr u32 SOURCE = 1u << 31;
__device__ inline u32 key_of(u32 module, u32 inputs) {
  return inputs == 0 ? 0 : min(inputs, MOST) << 8 | (255 - min(module, 255u));
}
__device__ inline u32 module_of(u32 key) { return 255 - (key & 255); }
__device__ inline u32 inputs_of(u32 key) { return key >> 8 & MOST; }

// The best module, counting only full ensembles; the source's, if it can fire one with input.
__device__ inline u32 best_full(const Block& b, const Own (&own)[PASSES]) {
  bool input = false;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    input |= pass * WARP + lane_in_warp() == b.root && own[pass].feasible > own[pass].queued;
  }
  input = __any_sync(ALL_LANES, input) && b.waiting > 0;
  u32 best = 0;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 m = own[pass].node.module, full = own[pass].full;
    const u32 source = input && full > 0 && m == b.source ? SOURCE : 0;
    best = max(best, key_of(m, full) | source);
  }
  return largest(best);
}

// The best module, counting everything; only those that explode, if so asked.
__device__ inline u32 best_partial(const Own (&own)[PASSES], bool exploding) {
  u32 best = 0;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const bool counts = !exploding || own[pass].node.kind != static_cast<u32>(Kind::each);
    if (counts) best = max(best, key_of(own[pass].node.module, own[pass].total));
  }
  return largest(best);
}

// The key of a module, counting everything.
__device__ inline u32 key_of_all(const Own (&own)[PASSES], u32 m) {
  u32 key = 0;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    if (own[pass].node.module == m) key = max(key, key_of(m, own[pass].total));
  }
  return largest(key);
}

// Chooses the module of which to fire everything, when ensembles need not be full or none is: that
// with most, or the source if it is `best`. At the end, items are shared instead, but for pods and
// what explodes, of which a block fires what it has. All lanes of warp 0; returns the key of the
// module, or 0 when it has decided not to fire.
__device__ inline u32 choose_any(Block& b, const Run& run, const Own (&own)[PASSES], u32 best) {
  if (best >= SOURCE) return key_of_all(own, module_of(best));
  const bool input = b.waiting > 0;
  bool waits = input;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) waits |= own[pass].node.module != NONE && own[pass].queue.count > 0;
  waits = __any_sync(ALL_LANES, waits);
  const bool shares = run.flags & Run::LAZY && run.flags & Run::SHARE_REST && b.exhausted && !input;
  const bool gives = shares && !b.drain && !b.partial;
  const u32 any = best_partial(own, false);
  const u32 chosen = gives ? best_partial(own, true) : any;
  if (chosen == 0 && lane_in_warp() == 0) {
    // Nothing fires and something waits: then a sink is full.
    const bool rest = (gives && any != 0) || (shares && !waits);
    b.next.action = rest ? Action::rest : Action::stop;
    b.finished = b.finished || (!rest && !waits && b.exhausted);
  }
  return chosen;
}

// Takes its part of the module's `inputs` from node `n`. One thread.
__device__ inline void take(Block& b, u32 n, const Own& own, u32 inputs) {
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

// Whether so many inputs are full ensembles; of pods, some may be left over that do not fit.
__device__ inline bool are_full(const NodeFacts& node, u32 inputs) {
  return takes_whole_pods(node) ? inputs >= node.ensemble : full_part(node, inputs) == inputs;
}

// Books the last firing and decides on the next action. All lanes of warp 0 call; the decision is
// valid for the block after the next barrier. PODS: whether there are modules that explode.
template <bool PODS>
__device__ void schedule(Block& b, const Run& run) {
  const u32 lane = lane_in_warp(), nodes = b.nodes;
  Own own[PASSES];
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 t = pass * WARP + lane;
    own[pass] = {};
    own[pass].node.module = NONE;
    if (t < nodes) own[pass].node = b.node[t];
    if (t < b.targets) own[pass].queue = settle<PODS>(b, t);
    if (own[pass].node.channels > 0) own[pass].edge = b.edge[own[pass].node.first_edge];
  }
  // Volatile, as other lanes might read it, too, and not use it, while it is written.
  if (lane == 0 && *static_cast<const volatile u32*>(&b.window_moved)) move_window(b, run);
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

#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 n = pass * WARP + lane;
    if (n < nodes) count_feasible<PODS>(b, n, own[pass]);
  }
  const u32 flags = run.flags;
  sum_modules(own, flags & Run::SINGLE_NODES);
  u32 chosen = best_full(b, own);
  bool full = flags & Run::LAZY && chosen != 0;
  if (!full) chosen = choose_any(b, run, own, chosen);
  if (chosen == 0) return;

  const u32 m = module_of(chosen);
  u32 inputs = inputs_of(chosen);
  if (!full) full = are_full(b.node[b.module[m].first], inputs);
  if (PODS && takes_whole_pods(b.node[b.module[m].first])) {
    inputs = take_pods(b, own, m);
  } else {
#pragma unroll
    for (u32 pass = 0; pass < PASSES; ++pass) {
      if (own[pass].node.module == m) take(b, pass * WARP + lane, own[pass], inputs);
    }
  }
  __syncwarp();
  if (lane == 0) {
    b.next = {Action::fire, m, inputs, full};
    b.partial = 0;
    ++b.firings;
  }
}

}  // namespace stream
