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
  b.pushed[t] = 0;
  if (t < b.nodes) {
    u32 done = b.take[t];
    if (b.ends[t] != nullptr) {
      b.ended[t] += static_cast<u32>(pushed >> 32);
      const u32 consumed = b.consumed[t] + done;
      done = done == 0 ? 0 : pods_ended(b, t, count, consumed);
      b.consumed[t] = consumed;
    }
    b.take[t] = 0;
    b.head[t] = wrapped(b.head[t], done, capacity);
    count -= done;
  }
  b.count[t] = count;
  b.tail[t] = wrapped(b.head[t], count, capacity);
}

// Claims the next part of the input, if the block has none. One thread.
__device__ inline void claim_input(Block& b, const Run& run) {
  b.window += b.window_take;
  b.window_take = 0;
  if (b.window < b.window_end || b.exhausted) return;
  u64 first;
  if (run.flags & Run::STATIC_INPUT) {
    first = b.next_chunk * run.chunk;
    b.next_chunk += gridDim.x;
  } else {
    first = atomicAdd(run.cursor, run.chunk);
  }
  b.exhausted = first + run.chunk >= run.inputs;
  if (first < run.inputs) {
    b.window = first;
    b.window_end = min(first + run.chunk, run.inputs);
  }
}

// How many inputs of node `n` can be fired: those whose outputs fit. Whole pods count up to one
// ensemble, and as a full one if only the ensemble's width keeps more from being fired. One thread;
// writes `feasible` and `queued`.
__device__ inline void count_feasible(Block& b, u32 n) {
  u32 inputs = NONE, pods = NONE;  // bounds by the free slots of targets
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
      u64 window = min(b.window_end - b.window, static_cast<u64>(inputs - queued));
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
// `prefix`. All lanes of warp 0; valid after the next __syncwarp.
__device__ inline void sum_modules(Block& b) {
  const u32 lane = lane_in_warp();
  for (u32 m = lane; m < b.modules; m += WARP) b.module_total[m] = 0;
  __syncwarp();
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
    if (lane == 0) b.full = inputs % ensemble == 0;
  }
  if (lane == 0) {
    b.action = Action::fire;
    b.fired = m;
    b.inputs = inputs;
    b.partial = 0;
    ++b.firings;
  }
}

// Books the last firing and decides on the next action. All lanes of warp 0 call; the decision is
// valid for the block after the next barrier.
__device__ inline void schedule(Block& b, const Run& run) {
  const u32 lane = lane_in_warp();
  for (u32 t = lane; t < b.targets; t += WARP) settle(b, t);
  if (lane == 0) claim_input(b, run);
  __syncwarp();

  if (run.slice > 0 && b.firings >= run.slice) {
    if (lane == 0) b.action = Action::stop;
    return;
  }
  const u32 root_module = b.module[b.root];
  const bool input = b.window < b.window_end;
  if (b.module_kind[root_module] != static_cast<u32>(Kind::each) && input) {
    const u32 r = b.root;
    const bool room = b.capacity[r] - b.count[r] > b.reserve[r];
    if (room && b.ended[r] - b.consumed[r] < 2 * b.module_ensemble[root_module]) {
      if (lane == 0) {
        b.action = Action::load;
        b.fired = NONE;
        ++b.firings;
      }
      return;
    }
  }

  u32 waiting = 0;
  for (u32 n = lane; n < b.nodes; n += WARP) {
    count_feasible(b, n);
    waiting |= b.count[n];
  }
  __syncwarp();
  sum_modules(b);

  // The best module, twice: counting only what fills ensembles, and counting everything. The key's
  // low byte prefers modules declared first.
  const bool tail = b.exhausted && !input;
  const bool keeps = b.drain || b.partial;  // read before a lane that is ahead can change them
  u32 best_full = 0, best = 0, best_whole = 0;
  for (u32 m = lane; m < b.modules; m += WARP) {
    const u32 total = b.module_total[m], ensemble = b.module_ensemble[m];
    const u32 order = 255 - min(m, 255u);
    const u32 full = total - total % ensemble;
    if (full > 0) {
      const bool source = m == root_module && input && b.feasible[b.root] > b.queued[b.root];
      best_full = max(best_full, (source ? MOST + 1 : min(full, MOST)) << 8 | order);
    }
    if (total > 0) {
      best = max(best, min(total, MOST) << 8 | order);
      if (b.module_kind[m] != static_cast<u32>(Kind::each)) {
        best_whole = max(best_whole, min(total, MOST) << 8 | order);
      }
    }
  }
  best_full = largest(best_full);
  best = largest(best);
  best_whole = largest(best_whole);
  const bool any_waiting = __any_sync(ALL_LANES, waiting != 0) || input;

  const bool lazy = run.flags & Run::LAZY;
  const bool shares = lazy && (run.flags & Run::SHARE_REST);
  u32 chosen = best_full;
  bool partial = false;
  if (!lazy || chosen == 0) {
    const bool give = shares && tail && !keeps;
    if (!lazy && best_full != 0 && best_full >> 8 == MOST + 1) {
      partial = true;  // the source's module first, and everything that it can fire
    } else {
      // Exploded items and pods are not shared, so a block fires what it has of them.
      chosen = give ? best_whole : best;
      partial = true;
    }
    if (chosen == 0 && (give || (shares && tail && !any_waiting)) && (best != 0 || !any_waiting)) {
      if (lane == 0) b.action = Action::rest;
      return;
    }
  }
  if (chosen == 0) {
    if (lane == 0) {
      b.action = Action::stop;
      b.finished = b.finished || (!any_waiting && b.exhausted);
    }
    return;
  }
  const u32 m = 255 - (chosen & 255);
  const u32 total = b.module_total[m];
  take(b, m, partial ? total : total - total % b.module_ensemble[m]);
}

}  // namespace stream
