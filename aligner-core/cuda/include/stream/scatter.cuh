// From what a warp's threads have pushed to the queues of the targets (000, section 3.2.2).
//
// Lanes with the same target are counted by `__match_any_sync`; one of them reserves the slots for
// all by an atomic on shared memory, and each writes its item to the slot of its rank. Warps need no
// barrier between them: the scheduler made sure that all slots are there.
#pragma once

#include "stream/block.cuh"
#include "stream/push.cuh"
#include "stream/scan.cuh"

namespace stream {

// Notes the first error of the launch; the host reports it. Any thread.
__device__ inline void report(const Run& run, u32 module, u32 channel, u32 node) {
  if (atomicExch(&run.fault->set, 1u) == 0) {
    run.fault->module = module;
    run.fault->channel = channel;
    run.fault->node = node;
  }
}

// Writes one item for each lane of `mask` to its target, a queue without ends or a sink. All lanes
// of `mask`, converged.
template <class T>
__device__ void write_items(Block& b, const Run& run, u32 mask, u32 target, const T& item) {
  const u32 peers = __match_any_sync(mask, target);
  const u32 rank = __popc(peers & lanes_before());
  const u32 leader = __ffs(peers) - 1;
  const u32 scheme = target < b.nodes ? 0 : b.scheme[target];
  u32 base = 0;
  u64 far = 0;
  if (lane_in_warp() == leader) {
    base = atomicAdd(reinterpret_cast<u32*>(&b.flow[target].pushed), __popc(peers));
    if (scheme == static_cast<u32>(Scheme::atomics)) {
      far = atomicAdd(run.sinks[target - b.nodes].cursor, static_cast<u64>(__popc(peers)));
    }
  }
  base = __shfl_sync(mask, base, leader) + rank;
  const u32 slot = wrapped(b.flow[target].tail, base, b.queue[target].capacity);
  if (target < b.nodes) {
    store_item(slot_at(b, target, slot, sizeof(T)), stride_of(b, target, sizeof(T)), item);
  } else if (scheme == static_cast<u32>(Scheme::regions) || scheme == static_cast<u32>(Scheme::exact)) {
    store_packed(b.ring[target] + static_cast<u64>(slot) * sizeof(T), item);
  }
  // A shared array is an experiment's: its lanes may part here.
  if (__any_sync(mask, scheme == static_cast<u32>(Scheme::atomics))) {
    far = __shfl_sync(mask, far, leader) + rank;
    if (scheme == static_cast<u32>(Scheme::atomics) && far < run.sinks[target - b.nodes].room) {
      store_packed(b.ring[target] + far * sizeof(T), item);
    }
  }
}

// The same for queues of modules that explode: an item of `weight` elements, or none if 0. One
// atomic on slots and elements together keeps `ends` in the order of slots. All lanes of a warp,
// converged; only those with `weight > 0` write.
template <class T>
__device__ void write_weighted(Block& b, u32 target, u32 weight, const T& item) {
  const u32 lane = lane_in_warp();
  u32 open = __ballot_sync(ALL_LANES, weight > 0);
  while (open != 0) {
    const u32 leader = __ffs(open) - 1;
    const u32 common = __shfl_sync(ALL_LANES, target, leader);
    const bool mine = weight > 0 && target == common;
    const u32 group = __ballot_sync(ALL_LANES, mine);
    u32 sum = mine ? weight : 0;
    for (u32 step = 1; step < WARP; step *= 2) {
      const u32 other = __shfl_up_sync(ALL_LANES, sum, step);
      if (lane >= step) sum += other;
    }
    const u32 all = __shfl_sync(ALL_LANES, sum, WARP - 1);
    u64 base = 0;
    if (lane == leader) {
      base = atomicAdd(&b.flow[common].pushed, static_cast<u64>(all) << 32 | __popc(group));
    }
    base = __shfl_sync(ALL_LANES, base, leader);
    if (mine) {
      const u32 rank = static_cast<u32>(base) + __popc(group & lanes_before());
      const u32 slot = wrapped(b.flow[target].tail, rank, b.queue[target].capacity);
      b.ends[target][slot] = b.ended[target] + static_cast<u32>(base >> 32) + sum;
      store_packed(b.ring[target] + static_cast<u64>(slot) * sizeof(T), item);
    }
    open &= ~group;
  }
}

// The elements of an item for the module that receives it, if it explodes and takes a `T`.
template <class T, class S>
__device__ u32 weight_for(const Block& b, const Run& run, u32 target, const T& item) {
  if constexpr (S::KIND != Kind::each && std::is_same<typename S::In, T>::value) {
    if constexpr (S::KIND == Kind::explode) {
      const Site<S> site{b.parameters[target], run.global, 0, 1, 0};
      return Code<S>::stage(b.module_parameters[b.node[target].module]).size(item, site);
    } else {
      return item.len;
    }
  } else {
    return 0;
  }
}

template <class T, class... M>
__device__ u32 weight_of(const Block& b, const Run& run, u32 target, const T& item) {
  u32 weight = 0, index = 0;
  const u32 module = b.node[target].module;
  ((weight = index++ == module ? weight_for<T, M>(b, run, target, item) : weight), ...);
  return weight;
}

// Whether any module takes a `T` and explodes it: if not, its items need no ends.
template <class T, class... M>
constexpr bool explodes_any = ((M::KIND != Kind::each && std::is_same<typename M::In, T>::value) || ...);

// Which modules there are; passed to functions that look one up by number.
template <class... M>
struct Modules {};

// Items that a lane may push for them to be written together: the code grows with it.
constexpr u32 TOGETHER = 8;

// What `write_weighted` does for one item a lane, for up to G of them at once, which all go to `target`: one
// prefix sum and one atomic, however few of the lanes have items. All lanes of a warp, converged.
template <class T, u32 G, class... M>
__device__ void write_all_weighted(Modules<M...>, Block& b, const Run& run, const T (&items)[G], u32 filled,
                                   u32 target) {
  // Slots in the low half, elements in the high half, as in `Flow`.
  u64 own = 0;
  u32 weights[G];
#pragma unroll
  for (u32 s = 0; s < G; ++s) {
    weights[s] = filled >> s & 1 ? weight_of<T, M...>(b, run, target, items[s]) : 0;
    own += weights[s] > 0 ? static_cast<u64>(weights[s]) << 32 | 1 : 0;
  }
  const u64 through = scan_warp(own);
  u64 base = 0;
  if (lane_in_warp() == WARP - 1) base = atomicAdd(&b.flow[target].pushed, through);
  base = __shfl_sync(ALL_LANES, base, WARP - 1) + through - own;
#pragma unroll
  for (u32 s = 0; s < G; ++s) {
    if (weights[s] == 0) continue;
    const u32 slot = wrapped(b.flow[target].tail, static_cast<u32>(base), b.queue[target].capacity);
    base += static_cast<u64>(weights[s]) << 32 | 1;
    b.ends[target][slot] = b.ended[target] + static_cast<u32>(base >> 32);
    store_packed(b.ring[target] + static_cast<u64>(slot) * sizeof(T), items[s]);
  }
}

// What `write_items` does for up to G items a lane, which all go to a queue without ends: one atomic, and a lane's items
// next to each other, as neighbours often are alike. All lanes of a warp, converged.
template <class T, u32 G>
__device__ void write_all(Block& b, const T (&items)[G], u32 filled, u32 target) {
  // Those of the lanes before, bit by bit of how many each has.
  const u32 own = __popc(filled);
  u32 rank = 0, all = 0;
#pragma unroll
  for (u32 bit = 1; bit <= G; bit *= 2) {
    const u32 lanes = __ballot_sync(ALL_LANES, (own & bit) != 0);
    rank += bit * __popc(lanes & lanes_before());
    all += bit * __popc(lanes);
  }
  if (lane_in_warp() == 0) all = atomicAdd(reinterpret_cast<u32*>(&b.flow[target].pushed), all);
  rank += __shfl_sync(ALL_LANES, all, 0);
  const u32 tail = b.flow[target].tail, capacity = b.queue[target].capacity;
  const u32 stride = stride_of(b, target, sizeof(T));
#pragma unroll
  for (u32 s = 0; s < G; ++s) {
    if ((filled >> s & 1) == 0) continue;
    store_item(slot_at(b, target, wrapped(tail, rank, capacity), sizeof(T)), stride, items[s]);
    ++rank;
  }
}

// The item of a slot, chosen from registers if there are so few that they may be there.
template <class T, u32 G>
__device__ T item_at(const T (&items)[G], u32 slot) {
  if constexpr (G > TOGETHER) {
    return items[slot];
  } else {
    T item = items[0];
#pragma unroll
    for (u32 s = 1; s < G; ++s) {
      if (s == slot) item = items[s];
    }
    return item;
  }
}

// Sends an item to its target from each lane for which `is_one`. All lanes of a warp, converged.
template <class T, class... M>
__device__ void write_one(Modules<M...>, Block& b, const Run& run, const T& item, bool is_one, u32 target) {
  const u32 mask = __ballot_sync(ALL_LANES, is_one);
  if (mask == 0) return;
  if constexpr (explodes_any<T, M...>) {
    const bool weighted = is_one && b.ends[target] != nullptr;
    if (__any_sync(ALL_LANES, weighted)) {
      const u32 weight = weighted ? weight_of<T, M...>(b, run, target, item) : 0;
      write_weighted(b, target, weight, item);
    }
    is_one = is_one && !weighted;
    const u32 rest = __ballot_sync(ALL_LANES, is_one);
    if (is_one) write_items(b, run, rest, target, item);
  } else {
    if (is_one) write_items(b, run, mask, target, item);
  }
  __syncwarp();
}

// Sends what is staged in each lane's `filled` slots of channel I to its target. All lanes of a warp,
// converged; `node` is meant only where a slot is filled.
template <u32 I, class T, u32 G, class... M>
__device__ void scatter_channel(Modules<M...> modules, Block& b, const Run& run, const T (&items)[G],
                                u32 filled, u32 node) {
  const u32 target = filled != 0 ? b.edge[b.node[node].first_edge + I].target : 0;
  if constexpr (G == 1) {
    write_one(modules, b, run, items[0], filled != 0, target);
  } else {
    const u32 pushing = __ballot_sync(ALL_LANES, filled != 0);
    if (pushing == 0) return;
    if constexpr (G <= TOGETHER) {
      const u32 common = __shfl_sync(ALL_LANES, target, __ffs(pushing) - 1);
      if (common < b.nodes && __all_sync(ALL_LANES, filled == 0 || target == common)) {
        if (b.ends[common] == nullptr) return write_all(b, items, filled, common);
        if constexpr (explodes_any<T, M...>) return write_all_weighted(modules, b, run, items, filled, common);
      }
    }
    // What is left is rare: the code for a slot stands here once, though its item may be in registers.
#pragma unroll 1
    for (u32 s = 0; s < G; ++s) {
      write_one(modules, b, run, item_at(items, s), (filled >> s & 1) != 0, target);
    }
  }
}

// Of which slots of a channel a thread may send the items, when `threads` threads share its input: of all or,
// if they pushed more than gamma together, of none. All lanes of a warp, converged.
template <u32 I, u32 GAMMA, u32 THREADS>
__device__ u32 checked(const Block& b, const Run& run, u32 filled, u32 count, u32 node) {
  u32 sum = count;
  for (u32 step = 1; step < THREADS; step *= 2) sum += __shfl_xor_sync(ALL_LANES, sum, step);
  if (sum <= GAMMA) return filled;
  report(run, b.node[node].module, I, node);
  return 0;
}

template <u32 THREADS, u32 I, class P, class M>
__device__ void scatter_from(M, Block&, const Run&, P&, u32, Channels<>) {}

template <u32 THREADS, u32 I, class P, class M, class C, class... Rest>
__device__ void scatter_from(M modules, Block& b, const Run& run, P& push, u32 node,
                             Channels<C, Rest...>) {
  auto& staged = staging<I>(push);
  const u32 filled = checked<I, C::GAMMA, THREADS>(b, run, staged.filled, staged.count, node);
  scatter_channel<I>(modules, b, run, staged.items, filled, node);
  scatter_from<THREADS, I + 1>(modules, b, run, push, node, Channels<Rest...>{});
}

// Sends everything of a `push`. All lanes of a warp, converged; lanes without an input come with an
// empty push.
template <u32 THREADS, class... C, class... M>
__device__ void scatter(Modules<M...> modules, Block& b, const Run& run, Push<Channels<C...>>& push,
                        u32 node) {
  scatter_from<THREADS, 0>(modules, b, run, push, node, Channels<C...>{});
}

}  // namespace stream
