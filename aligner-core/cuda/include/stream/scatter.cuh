// Scattering: moving the items that a warp's threads have pushed to the queues of their targets (Cole 2017, 3.2.2).
//
// `__match_any_sync` finds the lanes with the same target; one of them reserves slots for all by an atomic on shared
// memory, and each lane writes its item to the slot of its rank among them. Warps need no barrier between them, since
// the scheduler has made sure that all slots are free.
//
//   lane     0   1   2   3   4   5   6   7    queue A has its tail at slot 9, queue B at slot 15
//   target   A       A   B   A       B   A    lane 0 reserves 4 slots of A, lane 3 reserves 2 slots of B
//   rank     0       1   0   2       1   3
//   slot     9      10  15  11      16  12    modulo the capacity of the queue
#pragma once

#include "stream/block.cuh"
#include "stream/push.cuh"
#include "stream/scan.cuh"

namespace stream {

// Records that a stage has pushed more than its gamma, unless another fault of the launch was recorded before. The host
// turns it into an error after the launch. Any thread.
__device__ inline void report(const RunParameters& run, u32 module, u32 channel, u32 node) {
  if (atomicExch(&run.fault->set, 1u) == 0) {
    run.fault->module = module;
    run.fault->channel = channel;
    run.fault->node = node;
  }
}

// Writes one item of each lane in `mask` to the lane's target: a sink, or a node whose module does not explode. All
// lanes in `mask` call, converged.
template <class T>
__device__ void write_items(Block& b, const RunParameters& run, u32 mask, u32 target, const T& item) {
  const u32 peers = __match_any_sync(mask, target);
  const u32 rank = __popc(peers & lanes_before());
  const u32 leader = __ffs(peers) - 1;
  const u32 scheme = target < b.nodes ? 0 : b.scheme[target];
  u32 base = 0;
  u64 far = 0;
  if (lane_in_warp() == leader) {
    base = atomicAdd(reinterpret_cast<u32*>(&b.flow[target].pushed), __popc(peers));
    if (scheme == static_cast<u32>(SinkScheme::atomics)) {
      far = atomicAdd(run.sinks[target - b.nodes].cursor, static_cast<u64>(__popc(peers)));
    }
  }
  base = __shfl_sync(mask, base, leader) + rank;
  const u32 slot = wrapped(b.flow[target].tail, base, b.queue[target].capacity);
  if (target < b.nodes) {
    store_item(slot_at(b, target, slot, sizeof(T)), stride_of(b, target, sizeof(T)), item);
  } else if (scheme == static_cast<u32>(SinkScheme::regions) || scheme == static_cast<u32>(SinkScheme::exact)) {
    store_packed(b.ring[target] + static_cast<u64>(slot) * sizeof(T), item);
  }
  // Only experiments use shared arrays, so lanes may diverge here.
  if (__any_sync(mask, scheme == static_cast<u32>(SinkScheme::atomics))) {
    far = __shfl_sync(mask, far, leader) + rank;
    if (scheme == static_cast<u32>(SinkScheme::atomics) && far < run.sinks[target - b.nodes].room) {
      store_packed(b.ring[target] + far * sizeof(T), item);
    }
  }
}

// Writes one item of each lane with `weight > 0` to the lane's target, a node whose module explodes the item into
// `weight` elements. One atomic on slots and elements together keeps `ends` in the order of slots. All lanes of a warp
// call, converged.
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

// Elements of an item for module S, which receives it; 0 if S does not explode or takes another type. Any thread.
template <class T, class S>
__device__ u32 weight_for(const Block& b, const RunParameters& run, u32 target, const T& item) {
  if constexpr (has_elements(S::KIND) && std::is_same<typename S::In, T>::value) {
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

// Elements of an item for the module of its target, one of the modules M. Any thread.
template <class T, class... M>
__device__ u32 weight_of(const Block& b, const RunParameters& run, u32 target, const T& item) {
  u32 weight = 0, index = 0;
  const u32 module = b.node[target].module;
  ((weight = index++ == module ? weight_for<T, M>(b, run, target, item) : weight), ...);
  return weight;
}

// Whether any of the modules M takes items of type T and explodes them or takes them as pods.
template <class T, class... M>
constexpr bool explodes_any = ((has_elements(M::KIND) && std::is_same<typename M::In, T>::value) || ...);

// The list of an application's modules, an empty argument for functions that look one up by number.
template <class... M>
struct Modules {};

// The greatest gamma for which a lane's items are written together; code size grows with it.
constexpr u32 TOGETHER = 8;

// Writes up to G items of each lane to one target, a node whose module explodes them: one prefix sum over the warp and
// one atomic. Bit s of `filled` says that the lane has an item in slot s. All lanes of a warp call, converged, with the
// same target.
template <class T, u32 G, class... M>
__device__ void write_all_weighted(Modules<M...>, Block& b, const RunParameters& run, const T (&items)[G], u32 filled,
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

// Writes up to G items of each lane to one target, a node whose module does not explode: one atomic, and a lane's items
// side by side, since items of one input are often alike. Bit s of `filled` says that the lane has an item in slot s.
// All lanes of a warp call, converged, with the same target.
template <class T, u32 G>
__device__ void write_all(Block& b, const T (&items)[G], u32 filled, u32 target) {
  // Items of the lanes before this one, summed bit by bit of the lanes' numbers of items.
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

// The item in a slot. For few slots it is selected by comparisons, so that the items may stay in registers. Any thread.
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

// Writes the item of each lane with `is_one` set to the lane's target, of whatever kind. All lanes of a warp call,
// converged.
template <class T, class... M>
__device__ void write_one(Modules<M...>, Block& b, const RunParameters& run, const T& item, bool is_one, u32 target) {
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

// Writes the items in each lane's `filled` slots of channel I to the target of that channel at the lane's node. All
// lanes of a warp call, converged; `node` is read only in lanes with a filled slot.
template <u32 I, class T, u32 G, class... M>
__device__ void scatter_channel(Modules<M...> modules, Block& b, const RunParameters& run, const T (&items)[G],
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
    // Lanes with different targets are rare here. The loop is not unrolled, to keep the code small.
#pragma unroll 1
    for (u32 s = 0; s < G; ++s) {
      write_one(modules, b, run, item_at(items, s), (filled >> s & 1) != 0, target);
    }
  }
}

// Checks that the THREADS threads that share an input have pushed no more than GAMMA items on channel I together.
// Returns `filled`, or 0 after recording a fault. All lanes of a warp call, converged.
template <u32 I, u32 GAMMA, u32 THREADS>
__device__ u32 checked(const Block& b, const RunParameters& run, u32 filled, u32 count, u32 node) {
  u32 sum = count;
  for (u32 step = 1; step < THREADS; step *= 2) sum += __shfl_xor_sync(ALL_LANES, sum, step);
  if (sum <= GAMMA) return filled;
  report(run, b.node[node].module, I, node);
  return 0;
}

// Writes the items of the channels from I on, of which a list is the last argument. All lanes of a warp call,
// converged.
template <u32 THREADS, u32 I, class P, class M>
__device__ void scatter_from(M, Block&, const RunParameters&, P&, u32, Channels<>) {}

template <u32 THREADS, u32 I, class P, class M, class C, class... Rest>
__device__ void scatter_from(M modules, Block& b, const RunParameters& run, P& push, u32 node,
                             Channels<C, Rest...>) {
  auto& staged = staging<I>(push);
  const u32 filled = checked<I, C::GAMMA, THREADS>(b, run, staged.filled, staged.count, node);
  scatter_channel<I>(modules, b, run, staged.items, filled, node);
  scatter_from<THREADS, I + 1>(modules, b, run, push, node, Channels<Rest...>{});
}

// Writes all items of the lanes' pushes to their targets. All lanes of a warp call, converged; lanes without an input
// have an empty push. Valid for the block after the next barrier.
template <u32 THREADS, class... C, class... M>
__device__ void scatter(Modules<M...> modules, Block& b, const RunParameters& run, Push<Channels<C...>>& push,
                        u32 node) {
  scatter_from<THREADS, 0>(modules, b, run, push, node, Channels<C...>{});
}

}  // namespace stream
