// Firing a module: gather an ensemble, run the stage, scatter its outputs (Cole 2017, fig. 3.2).
//
// Each warp works through a firing without waiting for the others: warp w takes inputs w * 32 to w * 32 + 31 of each
// ensemble.
#pragma once

#include "stream/metrics.cuh"
#include "stream/scatter.cuh"

namespace stream {

// The place of one input of a firing.
struct InputPlace {
  u32 node;
  u32 offset;  // its number among the inputs, or elements, that the firing takes from this node
};

// Finds the place of input `index` of a firing of the module whose `nodes` nodes begin at `first`: a binary search over
// the nodes' prefix sums, which the lanes of the warp hold in registers (Cole 2017, fig. 3.4). All lanes of a warp
// call, converged, each with its own index.
__device__ inline InputPlace find_node(const Block& b, u32 first, u32 nodes, u32 index) {
  if (nodes == 1) return {first, index};
  const u32 lane = lane_in_warp();
  const u32 before = lane < nodes ? b.prefix[first + lane] : NONE;
  u32 found = 0;
#pragma unroll
  for (u32 step = WARP / 2; step > 0; step /= 2) {
    const u32 start = __shfl_sync(ALL_LANES, before, found + step);
    if (start <= index) found += step;
  }
  return {first + found, index - __shfl_sync(ALL_LANES, before, found)};
}

// Loads an input of a module that does not explode, from the node's queue or, behind the queue's inputs, from the
// window. STACK: whether the module is depth-first, so that the queue's last inputs are taken. Any thread.
template <class T, bool STACK>
__device__ T load_input(const Block& b, const RunParameters& run, InputPlace place) {
  const u32 n = place.node, queued = b.flow[n].take;
  if (place.offset >= queued) {
    const u32 offset = place.offset - queued, left = b.window_left;
    const u64 index = offset < left ? b.window + offset : b.ahead + (offset - left);
    return load_packed<T>(run.input + index * sizeof(T));
  }
  const Queue queue = b.queue[n];
  u32 slot;
  if constexpr (STACK) slot = queue.count - queued + place.offset;
  else slot = wrapped(queue.head, place.offset, queue.capacity);
  return load_item<T>(slot_at(b, n, slot, sizeof(T)), stride_of(b, n, sizeof(T)));
}

// The item that an element belongs to, and the distance of the element from the item's end: 1 for the last element.
struct Element {
  const byte* item;
  u32 from_end;
};

// Finds the element at a place. Any thread.
__device__ inline Element element_at(const Block& b, InputPlace place) {
  const u32 n = place.node;
  const u32 position = b.consumed[n] + place.offset;
  const Queue queue = b.queue[n];
  const u32 slot = wrapped(queue.head, pods_ended(b, n, queue.count, position), queue.capacity);
  return {b.ring[n] + static_cast<u64>(slot) * b.slot_bytes[n], b.ends[n][slot] - position};
}

// Finds the elements of all lanes of a warp together. If they are of one node and follow each other, the warp reads 32
// ends at a time, where `element_at` in each lane would read one after the other. All lanes of a warp call, converged;
// neighbouring lanes have consecutive elements, or the last lanes the same one.
__device__ inline Element elements_along(const Block& b, InputPlace place) {
  const u32 n = place.node, lane = lane_in_warp();
  if (!__all_sync(ALL_LANES, n == __shfl_sync(ALL_LANES, n, 0))) return element_at(b, place);
  const Queue queue = b.queue[n];
  const u32* ends = b.ends[n];
  const u32 origin = b.consumed[n], first = __shfl_sync(ALL_LANES, place.offset, 0);
  const auto end_of = [&](u32 item) { return ends[wrapped(queue.head, item, queue.capacity)] - origin; };
  // Items from `low` to `high` may be the item of the first lane.
  u32 low = 0, high = queue.count - 1;
  while (low < high) {
    const u32 step = (high - low + WARP - 1) / WARP, item = low + step * (lane + 1) - 1;
    const bool ends_before = item < high && end_of(item) <= first;
    low += step * __popc(__ballot_sync(ALL_LANES, ends_before));
    high = min(high, low + step - 1);
  }
  // The items of the other lanes are among the 32 items from `low` on.
  const u32 end = low + lane < queue.count ? end_of(low + lane) : NONE;
  u32 item = 0;
#pragma unroll
  for (u32 step = WARP / 2; step > 0; step /= 2) {
    if (__shfl_sync(ALL_LANES, end, item + step - 1) <= place.offset) item += step;
  }
  const u32 from_end = __shfl_sync(ALL_LANES, end, item) - place.offset;
  const u32 slot = wrapped(queue.head, low + item, queue.capacity);
  return {b.ring[n] + static_cast<u64>(slot) * b.slot_bytes[n], from_end};
}

// The site of a stage at a node. Any thread.
template <class S>
__device__ Site<S> site_at(const Block& b, const RunParameters& run, u32 node, u32 lane, u32 lanes, u32 element) {
  return {b.parameters[node], run.global, lane, lanes, element};
}

// Wait until a gathered item has arrived, and until a stage's pushes are known, before the clock is read: otherwise the
// loads of one phase would be measured in the next. Empty in kernels that do not measure. All lanes of a warp call,
// converged.
template <bool METRICS, class T>
__device__ void await(const T& item) {
  if constexpr (METRICS) {
    __ballot_sync(ALL_LANES, *reinterpret_cast<const byte*>(&item) == 0);
  }
}
template <bool METRICS, class... C>
__device__ void await_push(const Push<Channels<C...>>& push) {
  if constexpr (METRICS) __ballot_sync(ALL_LANES, push.has_any());
}

// Closes the gaps that a firing of the depth-first module S has left in its nodes' stacks: the last items that were
// pushed move to the slots of the inputs. All threads of the block call, after a barrier; valid after the next one.
//
//   before   0 1 2 3 4            2 inputs are taken from the end
//   fired    0 1 2 . . a b c      and push 3 items
//   after    0 1 2 b c a          count - take + pushed = 6
template <class S>
__device__ void close_gaps(const Block& b) {
  using In = typename S::In;
  const u32 m = b.next.module, first = b.module[m].first, nodes = b.module[m].nodes;
  for (u32 n = first; n < first + nodes; ++n) {
    const u32 count = b.queue[n].count, take = b.flow[n].take, pushed = static_cast<u32>(b.flow[n].pushed);
    const u32 moved = min(take, pushed), stride = stride_of(b, n, sizeof(In));
    for (u32 i = threadIdx.x; i < moved; i += blockDim.x) {
      const In item = load_item<In>(slot_at(b, n, count + pushed - moved + i, sizeof(In)), stride);
      store_item(slot_at(b, n, count - take + i, sizeof(In)), stride, item);
    }
  }
}

// Fires a module that takes items one by one. All threads of the block call; has no barrier of the block.
template <bool METRICS, class S, class All>
__device__ void fire_each(All modules, Block& b, const RunParameters& run, Meter<METRICS>& meter) {
  const u32 m = b.next.module, first = b.module[m].first, nodes = b.module[m].nodes;
  const u32 threads = blockDim.x, inputs = b.next.inputs;
  const byte* parameters = b.module_parameters[m];
  long long gather = 0, running = 0, scattering = 0;
  // The first input of this warp in an ensemble.
  const u32 warp_first = (threadIdx.x - lane_in_warp()) / S::THREADS;
  for (u32 base = 0; base + warp_first < inputs; base += threads / S::THREADS * S::ITEMS) {
    const long long t0 = Meter<METRICS>::now();
    typename S::In items[S::ITEMS];
    u32 node[S::ITEMS];
    bool active[S::ITEMS];
#pragma unroll
    for (u32 i = 0; i < S::ITEMS; ++i) {
      const u32 index = base + i * threads + threadIdx.x / S::THREADS;
      active[i] = index < inputs;
      const InputPlace place = find_node(b, first, nodes, active[i] ? index : 0);
      node[i] = place.node;
      // Lanes without an input read the first input of the firing: the compiler would keep a variable that is not
      // always set in registers for as long as the kernel runs.
      items[i] = load_input<typename S::In, S::KIND == Kind::depth_first>(b, run, place);
    }
    await<METRICS>(items[S::ITEMS - 1]);
    const long long t1 = Meter<METRICS>::now();
    gather += t1 - t0;
#pragma unroll
    for (u32 i = 0; i < S::ITEMS; ++i) {
      const long long t2 = Meter<METRICS>::now();
      Push<typename OutOf<S>::Type> push;
      if (active[i]) {
        const u32 lane = threadIdx.x % S::THREADS;
        Code<S>::run(parameters, items[i], site_at<S>(b, run, node[i], lane, S::THREADS, 0), push);
      }
      __syncwarp();
      await_push<METRICS>(push);
      const long long t3 = Meter<METRICS>::now();
      scatter<S::THREADS>(modules, b, run, push, node[i]);
      running += t3 - t2;
      scattering += Meter<METRICS>::now() - t3;
    }
  }
  if (lane_in_warp() == 0) meter.phases(m, gather, running, scattering);
}

// Fires a module that explodes its items. All threads of the block call; has no barrier of the block.
template <bool METRICS, class S, class All>
__device__ void fire_exploding(All modules, Block& b, const RunParameters& run, Meter<METRICS>& meter) {
  const u32 m = b.next.module, first = b.module[m].first, nodes = b.module[m].nodes;
  const u32 threads = blockDim.x, inputs = b.next.inputs;
  const byte* parameters = b.module_parameters[m];
  long long gather = 0, running = 0, scattering = 0;
  for (u32 base = threadIdx.x - lane_in_warp(); base < inputs; base += threads) {
    const long long t0 = Meter<METRICS>::now();
    const u32 index = base + lane_in_warp();
    const bool active = index < inputs;
    // Lanes without an element read the last element of the firing.
    const InputPlace place = find_node(b, first, nodes, min(index, inputs - 1));
    const Element element = elements_along(b, place);
    const typename S::In item = load_packed<typename S::In>(element.item);
    await<METRICS>(item);
    const long long t1 = Meter<METRICS>::now();
    Push<typename OutOf<S>::Type> push;
    if (active) {
      Site<S> site = site_at<S>(b, run, place.node, 0, 1, 0);
      site.element = Code<S>::stage(parameters).size(item, site) - element.from_end;
      Code<S>::run(parameters, item, site, push);
    }
    __syncwarp();
    await_push<METRICS>(push);
    const long long t2 = Meter<METRICS>::now();
    scatter<1>(modules, b, run, push, place.node);
    gather += t1 - t0;
    running += t2 - t1;
    scattering += Meter<METRICS>::now() - t2;
  }
  if (lane_in_warp() == 0) meter.phases(m, gather, running, scattering);
}

// Moves input from the window to the queue of a root that explodes: as much as there is room for, at most one item for
// each thread. All threads of the block call; has no barrier, and the queue is valid after the next one.
template <class S, class... M>
__device__ void load_window(Modules<M...>, Block& b, const RunParameters& run) {
  const u32 r = b.root;
  const u64 room = b.queue[r].open() - b.queue[r].reserve;
  const u64 length = min(min(static_cast<u64>(b.window_left), room), static_cast<u64>(blockDim.x));
  const bool active = threadIdx.x < length;
  typename S::In item = {};
  u32 weight = 0;
  if (active) {
    item = load_packed<typename S::In>(run.input + (b.window + threadIdx.x) * sizeof(item));
    weight = weight_for<typename S::In, S>(b, run, r, item);
  }
  write_weighted(b, r, weight, item);
  if (threadIdx.x == 0) {
    b.window_take = static_cast<u32>(length);
    b.window_moved = 1;
  }
}

}  // namespace stream
