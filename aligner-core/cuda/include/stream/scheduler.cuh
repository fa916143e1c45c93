// Which module to fire, and how many of its inputs (000, sections 4.4 and 4.5).
//
// One warp decides, while the others of its block wait: so what counts is how many instructions it
// takes, and how many of them wait for each other. A lane looks after the node of its number, in
// registers; sums over the nodes of a module are segmented scans by shuffles, as in Figure 4.8.
#pragma once

#include "stream/booking.cuh"

namespace stream {

// What a lane knows of its node.
struct Own {
  NodeFacts node;  // `module` is NONE where there is no node
  u32 waits;       // items in its queue
  u32 feasible;    // inputs or elements that can be fired, for choosing
  u32 queued;      // of these, the ones in the queue; whole pods only, where pods are whole
  u32 before;      // feasible ones of the module's nodes before
  u32 total;       // of the whole module, at its last node; 0 elsewhere
  u32 full;        // that much of `total` which is full ensembles
};

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

// Of a node that takes pods. Whole pods count up to one ensemble, and as a full one if only the
// ensemble's width keeps more from being fired. One thread.
__device__ inline void count_pods(const Block& b, u32 n, u32 inputs, u32 pods, Own& own) {
  const u32 elements = b.ended[n] - b.consumed[n];
  if (own.node.kind == static_cast<u32>(Kind::explode)) {
    own.feasible = own.queued = min(elements, min(inputs, pods));
    return;
  }
  const Queue queue = b.queue[n];
  const u32 width = own.node.ensemble;
  const u32 limit = min(min(width, inputs), elements);
  const u32 whole = min(pods, pods_ended(b, n, queue.count, b.consumed[n] + limit));
  const u32 last = wrapped(queue.head, whole - 1, queue.capacity);
  own.queued = whole == 0 ? 0 : b.ends[n][last] - b.consumed[n];
  const bool more = limit == width && whole < min(pods, queue.count);
  own.feasible = more ? width : own.queued;
}

// How many inputs of node `n` can be fired: those whose outputs fit. One thread.
template <bool PODS>
__device__ void count_feasible(const Block& b, u32 n, Own& own) {
  u32 inputs = NONE, pods = NONE;  // bounds by the free slots of targets
#pragma unroll 1
  for (u32 c = 0; c < own.node.channels; ++c) {
    const Edge edge = b.edge[own.node.first_edge + c];
    const u32 fit = room_behind(b, edge);
    if (!PODS || (edge.flags & Edge::PER_ELEMENT)) inputs = min(inputs, fit);
    else pods = min(pods, fit);
  }
  const Queue queue = b.queue[n];
  own.waits = queue.count;
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

// The largest value of the warp's lanes. All lanes, converged.
__device__ inline u32 largest(u32 value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(ALL_LANES, value);
#else
  for (u32 step = WARP / 2; step > 0; step /= 2) {
    value = max(value, __shfl_xor_sync(ALL_LANES, value, step));
  }
  return value;
#endif
}

// The most inputs that a choice compares; the source with input counts as one more.
constexpr u32 MOST = (1u << 24) - 2;

// The key by which modules are chosen: more inputs first, then the module declared first; 0 if there
// is nothing to fire.
__device__ inline u32 key_of(u32 module, u32 inputs) {
  return inputs == 0 ? 0 : min(inputs, MOST + 1) << 8 | (255 - min(module, 255u));
}
__device__ inline u32 module_of(u32 key) { return 255 - (key & 255); }

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
    const bool source = input && m == b.source;
    best = max(best, key_of(m, source && full > 0 ? MOST + 1 : full));
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

// Nothing is full: fires everything of some module. At the end, items are shared instead, but for
// pods and what explodes, of which a block fires what it has. All lanes of warp 0; returns the key of
// the module, or 0 when it has decided not to fire.
__device__ inline u32 best_rest(Block& b, const Run& run, const Own (&own)[PASSES]) {
  const bool input = b.waiting > 0;
  bool waits = input;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) waits |= own[pass].waits > 0;
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

// Takes whole pods from the nodes of a module, in order, as long as they fit the ensemble; `feasible`
// may count more than fits. All lanes of warp 0; returns the elements taken.
__device__ inline u32 take_pods(Block& b, const Own (&own)[PASSES], u32 m) {
  const u32 width = b.node[b.module[m].first].ensemble;
  u32 taken = 0, sum = 0;
  bool open = true;  // no node before had pods that do not fit
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

__device__ inline bool takes_whole_pods(const Block& b, u32 m) {
  const Kind kind = static_cast<Kind>(b.node[b.module[m].first].kind);
  return kind == Kind::collect || kind == Kind::reduce;
}

// Whether a root that explodes is to move input to its queue first. One warp.
__device__ inline bool loads_first(const Block& b) {
  const u32 root = b.root;
  if (b.waiting == 0 || b.node[root].kind == static_cast<u32>(Kind::each)) return false;
  const bool room = b.queue[root].open() > b.queue[root].reserve;
  return room && b.ended[root] - b.consumed[root] < 2 * b.node[root].ensemble;
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
    if (t < b.targets) settle<PODS>(b, t);
  }
  if (lane == 0 && b.window_moved) move_window(b, run);
  __syncwarp();

  if (b.firings >= b.firings_limit) {
    if (lane == 0) b.next.action = Action::stop;
    return;
  }
  if constexpr (PODS) {
    if (loads_first(b)) {
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
  __syncwarp();
  const u32 flags = run.flags;
  sum_modules(own, flags & Run::SINGLE_NODES);
  u32 chosen = best_full(b, own);
  const bool lazy = flags & Run::LAZY && chosen != 0;
  if (!lazy && !(chosen >> 8 > MOST)) chosen = best_rest(b, run, own);
  if (chosen == 0) return;

  const u32 m = module_of(chosen);
  u32 total = 0, full = 0;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    if (own[pass].node.module != m) continue;
    total = max(total, own[pass].total);
    full = max(full, own[pass].full);
  }
  total = lazy ? 0 : largest(total);
  full = largest(full);
  u32 inputs = lazy ? full : total;
  bool whole = inputs == full;
  if (PODS && takes_whole_pods(b, m)) {
    whole = full > 0;
    inputs = take_pods(b, own, m);
  } else {
#pragma unroll
    for (u32 pass = 0; pass < PASSES; ++pass) {
      if (own[pass].node.module == m) take(b, pass * WARP + lane, own[pass], inputs);
    }
  }
  if (lane == 0) {
    b.next = {Action::fire, m, inputs, whole};
    b.partial = 0;
    ++b.firings;
  }
}

}  // namespace stream
