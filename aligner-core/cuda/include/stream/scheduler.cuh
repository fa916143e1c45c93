// Which module to fire, and how many of its inputs (000, sections 4.4 and 4.5).
//
// One warp decides: a lane looks after a node, sums over the nodes of a module are segmented scans
// by shuffles, as in Figure 4.8.
#pragma once

#include "stream/block.cuh"

namespace stream {

// Books what the last firing took from and pushed to a target. One thread.
__device__ inline void settle(Block& b, u32 t) {
  const u64 pushed = b.pushed[t];
  const u32 capacity = b.capacity[t];
  u32 count = b.count[t] + static_cast<u32>(pushed);
  u32 done = t < b.nodes ? b.take[t] : 0;
  b.pushed[t] = 0;
  if (b.ends[t] != nullptr) {
    b.ended[t] += static_cast<u32>(pushed >> 32);
    const u32 consumed = b.consumed[t] + done;
    done = done == 0 ? 0 : pods_ended(b, t, count, consumed);
    b.consumed[t] = consumed;
  }
  b.take[t] = 0;
  const u32 head = wrapped(b.head[t], done, capacity);
  count -= done;
  b.head[t] = head;
  b.count[t] = count;
  b.tail[t] = wrapped(head, count, capacity);
}

// Claims the part of the input after the window. One thread; the part before is empty.
__device__ inline void claim_ahead(Block& b, const Run& run) {
  u64 first;
  if (run.flags & Run::STATIC_INPUT) {
    first = b.next_chunk * run.chunk;
    b.next_chunk += gridDim.x;
    if (first < run.inputs) atomicAdd(run.cursor, run.chunk);  // for the host's report
  } else {
    first = atomicAdd(run.cursor, run.chunk);
  }
  b.exhausted = first + run.chunk >= run.inputs;
  b.ahead = min(first, run.inputs);
  b.ahead_end = min(first + run.chunk, run.inputs);
}

// Books what the last firing took from the window, and claims more input if the block has less than
// an ensemble of it. One thread.
__device__ inline void move_window(Block& b, const Run& run) {
  b.window += b.window_take;
  b.window_take = 0;
  b.claims = 0;
  const u32 ensemble = b.module_ensemble[b.module[b.root]];
  for (;;) {
    if (b.window >= b.window_end) {
      b.window = b.ahead + (b.window - b.window_end);
      b.window_end = b.ahead_end;
      b.ahead = b.ahead_end;
    }
    if (b.exhausted || b.ahead < b.ahead_end || waiting_input(b) >= ensemble) return;
    claim_ahead(b, run);
  }
}

// Whether the firing that was decided on leaves less than an ensemble of input: then the last thread
// claims more meanwhile, and the scheduler need not wait for the atomic. One thread.
__device__ inline bool claims_meanwhile(const Block& b) {
  return !b.exhausted && b.ahead == b.ahead_end && b.window + b.window_take <= b.window_end &&
         waiting_input(b) - b.window_take < b.module_ensemble[b.module[b.root]];
}

// `total` cut to full ensembles of a module. Totals are far below 2^19, which the inverse is exact for.
__device__ inline u32 full_part(const Block& b, u32 m, u32 total) {
  if (b.module_ensemble[m] == 1) return total;
  return __umulhi(min(total, 1u << 19), b.module_inverse[m]) * b.module_ensemble[m];
}

// How many inputs of node `n` can be fired: those whose outputs fit. Whole pods count up to one
// ensemble, and as a full one if only the ensemble's width keeps more from being fired. One thread;
// writes `feasible` and `queued`.
__device__ inline void count_feasible(Block& b, u32 n) {
  u32 inputs = NONE, pods = NONE;  // bounds by the free slots of targets
#pragma unroll 1
  for (u32 c = 0; c < b.channels[n]; ++c) {
    const u32 edge = b.first_edge[n] + c;
    const u32 t = b.edge_target[edge], gamma = b.edge_gamma[edge], flags = b.edge_flags[edge];
    const u32 held = flags & Edge::BACK ? 0 : b.reserve[t];
    const u32 open = b.capacity[t] - b.count[t];
    const u32 free = open > held ? open - held : 0;
    const u32 slots = flags & Edge::SHARED ? min(free, b.reserve[t]) : free;
    const u32 fit = gamma == 1 ? slots : slots / gamma;
    if (flags & Edge::PER_ELEMENT) inputs = min(inputs, fit);
    else pods = min(pods, fit);
  }
  const u32 m = b.module[n];
  const Kind kind = static_cast<Kind>(b.module_kind[m]);
  u32 queued, feasible;
  if (kind == Kind::each) {
    inputs = min(inputs, pods);
    queued = feasible = min(b.count[n], inputs);
    if (n == b.root) {
      u64 window = min(waiting_input(b), static_cast<u64>(inputs - queued));
      if (b.reserve[n] > 0) {
        // The root is a loop's head: input enters the loop only where its queue would let it in.
        const u32 open = b.capacity[n] - b.count[n];
        window = min(window, static_cast<u64>(open > b.reserve[n] ? open - b.reserve[n] : 0));
      }
      feasible += static_cast<u32>(window);
    }
  } else if (kind == Kind::explode) {
    queued = feasible = min(b.ended[n] - b.consumed[n], min(inputs, pods));
  } else {
    const u32 width = b.module_ensemble[m];
    const u32 limit = min(min(width, inputs), b.ended[n] - b.consumed[n]);
    const u32 whole = min(pods, pods_ended(b, n, b.count[n], b.consumed[n] + limit));
    const u32 last = wrapped(b.head[n], whole - 1, b.capacity[n]);
    queued = whole == 0 ? 0 : b.ends[n][last] - b.consumed[n];
    const bool more = limit == width && whole < min(pods, b.count[n]);
    feasible = more ? width : queued;
  }
  b.queued[n] = queued;
  b.feasible[n] = feasible;
}

// Sums `feasible` over each module's nodes into `module_total`, and over those before into
// `prefix`. All lanes of warp 0; valid after it, for all of them.
__device__ inline void sum_modules(Block& b, const Run& run) {
  const u32 lane = lane_in_warp();
  if (run.flags & Run::SINGLE_NODES) {
    for (u32 n = lane; n < b.nodes; n += WARP) {
      b.prefix[n] = 0;
      b.module_total[b.module[n]] = b.feasible[n];
    }
    __syncwarp();
    return;
  }
  for (u32 m = lane; m < b.modules; m += WARP) b.module_total[m] = 0;
  __syncwarp();
#pragma unroll 1
  for (u32 base = 0; base < b.nodes; base += WARP) {
    const u32 n = base + lane;
    const u32 own = n < b.nodes ? b.feasible[n] : 0;
    const u32 m = n < b.nodes ? b.module[n] : NONE;
    u32 sum = own;
    for (u32 step = 1; step < WARP; step *= 2) {
      const u32 other = __shfl_up_sync(ALL_LANES, sum, step);
      const u32 module = __shfl_up_sync(ALL_LANES, m, step);
      if (lane >= step && module == m) sum += other;
    }
    const u32 next = __shfl_down_sync(ALL_LANES, m, 1);
    const u32 carry = m == NONE ? 0 : b.module_total[m];
    __syncwarp();
    if (m != NONE) {
      b.prefix[n] = carry + sum - own;
      if (lane == WARP - 1 || next != m) b.module_total[m] = carry + sum;
    }
    __syncwarp();
  }
}

__device__ inline u32 largest(u32 value) {
  for (u32 step = WARP / 2; step > 0; step /= 2) {
    value = max(value, __shfl_xor_sync(ALL_LANES, value, step));
  }
  return value;
}

// The largest inputs that a choice compares; more compare as this many.
constexpr u32 MOST = (1u << 24) - 2;

// Decides what the chosen module takes from each of its nodes. All lanes of warp 0.
__device__ inline void take(Block& b, u32 m, u32 inputs) {
  const u32 lane = lane_in_warp();
  const u32 first = b.module_first[m], ensemble = b.module_ensemble[m];
  const Kind kind = static_cast<Kind>(b.module_kind[m]);
  const bool divides = kind == Kind::each || kind == Kind::explode;
  const u32 n = first + lane;
  const bool mine = lane < b.module_nodes[m];
  u32 whole = mine && !divides ? b.queued[n] : 0;
  if (!divides) {
    // Nodes in order, as long as their pods fit; `feasible` may count more than fits.
    u32 sum = whole;
    for (u32 step = 1; step < WARP; step *= 2) {
      const u32 other = __shfl_up_sync(ALL_LANES, sum, step);
      if (lane >= step) sum += other;
    }
    const bool fits = sum <= ensemble;
    const u32 cut = __ffs(__ballot_sync(ALL_LANES, !fits));
    const u32 taken = __shfl_sync(ALL_LANES, sum, cut == 0 ? WARP - 1 : (cut == 1 ? 0 : cut - 2));
    if (mine) {
      b.prefix[n] = min(sum - whole, taken);
      b.take[n] = fits ? whole : 0;
    }
    if (lane == 0) b.full = inputs >= ensemble;
    inputs = taken;
  } else {
    if (mine) {
      const u32 before = b.prefix[n];
      const u32 all = before < inputs ? min(inputs - before, b.feasible[n]) : 0;
      const u32 queued = min(all, b.queued[n]);
      b.prefix[n] = min(before, inputs);
      b.take[n] = queued;
      if (n == b.root) b.window_take = all - queued;
    }
    if (lane == 0) b.full = full_part(b, m, inputs) == inputs;
  }
  if (lane == 0) {
    b.action = Action::fire;
    b.fired = m;
    b.inputs = inputs;
    b.partial = 0;
    ++b.firings;
  }
}

// The key by which modules are chosen: more inputs first, then the module declared first; 0 if there
// is nothing to fire.
__device__ inline u32 key_of(u32 module, u32 inputs) {
  return inputs == 0 ? 0 : min(inputs, MOST) << 8 | (255 - min(module, 255u));
}
__device__ inline u32 module_of(u32 key) { return 255 - (key & 255); }

// The best module, counting only full ensembles; the source's, if it can fire one with input.
__device__ inline u32 best_full(const Block& b, bool input) {
  const u32 root_module = b.module[b.root];
  u32 best = 0;
  for (u32 m = lane_in_warp(); m < b.modules; m += WARP) {
    const u32 full = full_part(b, m, b.module_total[m]);
    const bool source = m == root_module && input && b.feasible[b.root] > b.queued[b.root];
    const u32 key = source && full > 0 ? (MOST + 1) << 8 | (255 - min(m, 255u)) : key_of(m, full);
    best = max(best, key);
  }
  return largest(best);
}

// The best module, counting everything; only those that explode, if so asked.
__device__ inline u32 best_partial(const Block& b, bool exploding) {
  u32 best = 0;
  for (u32 m = lane_in_warp(); m < b.modules; m += WARP) {
    const bool counts = !exploding || b.module_kind[m] != static_cast<u32>(Kind::each);
    if (counts) best = max(best, key_of(m, b.module_total[m]));
  }
  return largest(best);
}

// Books the last firing and decides on the next action. All lanes of warp 0 call; the decision is
// valid for the block after the next barrier.
__device__ inline void schedule(Block& b, const Run& run) {
  const u32 lane = lane_in_warp();
#pragma unroll 1
  for (u32 t = lane; t < b.targets; t += WARP) settle(b, t);
  if (lane == 0) move_window(b, run);
  __syncwarp();

  if (run.slice > 0 && b.firings >= run.slice) {
    if (lane == 0) b.action = Action::stop;
    return;
  }
  const u32 root = b.root, root_module = b.module[root];
  const bool input = waiting_input(b) > 0;
  if (b.module_kind[root_module] != static_cast<u32>(Kind::each) && input) {
    const bool room = b.capacity[root] - b.count[root] > b.reserve[root];
    if (room && b.ended[root] - b.consumed[root] < 2 * b.module_ensemble[root_module]) {
      if (lane == 0) {
        b.action = Action::load;
        b.fired = NONE;
        ++b.firings;
      }
      return;
    }
  }

  bool waits = input;
#pragma unroll 1
  for (u32 n = lane; n < b.nodes; n += WARP) {
    count_feasible(b, n);
    waits |= b.count[n] > 0;
  }
  // Read before a lane that is ahead can change them.
  const bool tail = b.exhausted && !input;
  const bool keeps = b.drain || b.partial;
  __syncwarp();
  sum_modules(b, run);

  const bool lazy = run.flags & Run::LAZY;
  u32 chosen = best_full(b, input);
  const bool full = lazy && chosen != 0;
  if (!full && !(chosen >> 8 > MOST)) {
    // No ensemble is full, or that is not asked for: fire everything of some module. At the end,
    // items are shared instead, but for pods and what explodes, of which a block fires what it has.
    waits = __any_sync(ALL_LANES, waits);
    const bool shares = lazy && tail && (run.flags & Run::SHARE_REST);
    const bool gives = shares && !keeps;
    const u32 any = best_partial(b, false);
    chosen = gives ? best_partial(b, true) : any;
    if (chosen == 0) {
      // Nothing fires and something waits: then a sink is full.
      const bool rest = (gives && any != 0) || (shares && !waits);
      if (lane == 0) {
        b.action = rest ? Action::rest : Action::stop;
        b.finished = b.finished || (!rest && !waits && b.exhausted);
      }
      return;
    }
  }
  const u32 m = module_of(chosen), total = b.module_total[m];
  take(b, m, full ? full_part(b, m, total) : total);
  __syncwarp();
  if (lane == 0) b.claims = claims_meanwhile(b);
}

}  // namespace stream
