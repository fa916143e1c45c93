// Firing modules over pods: collect and reduce by key (Cole 2017, 5.2.7, figs. 5.9 and 5.10).
//
// A firing takes whole pods that together fit the block. Each thread works on one item; the items of a pod have
// neighbouring threads, which may lie in two or more warps.
#pragma once

#include "stream/fire.cuh"

#include <cstddef>

namespace stream {

// The pod of a thread, and the thread's item in it.
template <class P>
struct PodLane {
  const P* pod;
  u32 node;
  u32 element;  // number of the item in the pod; the pod's first thread is `element` threads before this one
  u32 len;      // items of the pod; 0 for threads without an item
};

// Finds the calling thread's pod and item of the current firing. All lanes of a warp call, converged.
template <class P>
__device__ PodLane<P> pod_lane(const Block& b) {
  const u32 m = b.next.module;
  const bool active = threadIdx.x < b.next.inputs;
  const InputPlace place = find_node(b, b.module[m].first, b.module[m].nodes, active ? threadIdx.x : 0);
  if (!active) return {nullptr, place.node, 0, 0};
  const Element element = element_at(b, place);
  const P* pod = reinterpret_cast<const P*>(element.item);
  return {pod, place.node, pod->len - element.from_end, pod->len};
}

// Dynamic shared memory that a firing of stage S needs, in bytes, for blocks of `width` threads.
template <class S>
__device__ constexpr u32 scratch_bytes(u32 width) {
  if constexpr (S::KIND == Kind::collect) {
    return (width / WARP + width) * S::FAN * sizeof(u32);  // masks of kept lanes; slots of new pods
  } else if constexpr (S::KIND == Kind::reduce) {
    return width * sizeof(typename S::Value);
  } else {
    return 0;
  }
}

// Number of set bits of the block's threads [from, to) in `masks`, which has one word for each warp. Any thread.
__device__ inline u32 count_lanes(const u32* masks, u32 from, u32 to) {
  u32 count = 0;
  for (u32 word = from / WARP; word * WARP < to; ++word) {
    u32 mask = masks[word];
    if (word == from / WARP) mask &= ~0u << from % WARP;
    if (to - word * WARP < WARP) mask &= (1u << (to - word * WARP)) - 1;
    count += __popc(mask);
  }
  return count;
}

// Reserves a slot for a pod of `live` items in a target. Returns NONE if the pod is not to be written, because the
// target is a sink that only counts or whose array is full. Any thread.
__device__ inline u32 reserve_pod(Block& b, const RunParameters& run, u32 target, u32 live) {
  const u64 base = atomicAdd(&b.flow[target].pushed, static_cast<u64>(live) << 32 | 1);
  const u32 slot = wrapped(b.flow[target].tail, static_cast<u32>(base), b.queue[target].capacity);
  if (target < b.nodes) {
    if (b.ends[target] != nullptr) {
      b.ends[target][slot] = b.ended[target] + static_cast<u32>(base >> 32) + live;
    }
    return slot;
  }
  const SinkRow& sink = run.sinks[target - b.nodes];
  if (sink.scheme == static_cast<u32>(SinkScheme::count)) return NONE;
  if (sink.scheme != static_cast<u32>(SinkScheme::atomics)) return slot;
  const u64 far = atomicAdd(sink.cursor, u64{1});
  return far < sink.room ? static_cast<u32>(far) : NONE;
}

// Writes a field that begins `offset` bytes into the pod of type P in a slot of a target. The pod is cut into chunks
// (items.cuh) if the target's module takes it as an ordinary item. Any thread.
template <class P, class T>
__device__ void write_field(const Block& b, u32 target, u32 slot, u32 offset, const T& field) {
  constexpr u32 CHUNK = chunk_bytes(sizeof(P));
  constexpr u32 UNIT = sizeof(T) % 4 == 0 ? 4 : 1;  // bytes that lie in one chunk
  const bool cut = target < b.nodes && b.ends[target] == nullptr;
  byte* first = b.ring[target] + static_cast<u64>(slot) * (cut ? CHUNK : sizeof(P));
  const u64 stride = cut ? static_cast<u64>(b.queue[target].capacity) * CHUNK : CHUNK;
#pragma unroll
  for (u32 i = 0; i < sizeof(T); i += UNIT) {
    const u32 at = offset + i;
    memcpy(first + at / CHUNK * stride + at % CHUNK, reinterpret_cast<const byte*>(&field) + i, UNIT);
  }
}

// Fires a collecting stage. All threads of the block call; has barriers.
//
//   1. Each warp notes, for each key, which of its lanes keep an item: a bit each.
//   2. The first thread of each pod counts these bits over the pod, reserves a slot for each new pod that has an item,
//      and writes header and length.
//   3. Each thread writes its items, at the index that is the number of bits set before its own.
template <bool METRICS, class S, class All>
__device__ void fire_collecting(All modules, Block& b, const RunParameters& run, Meter<METRICS>& meter,
                                byte* scratch) {
  using New = typename S::New;
  static_assert(S::In::CAPACITY <= New::CAPACITY, "a stage may keep all items of a pod for one key");
  const u32 m = b.next.module, lane = threadIdx.x, warps = blockDim.x / WARP;
  const byte* parameters = b.module_parameters[m];
  u32* masks = reinterpret_cast<u32*>(scratch);  // [FAN][warps]
  u32* slots = masks + S::FAN * warps;           // [FAN][threads], at the pod's first lane
  const long long t0 = Meter<METRICS>::now();
  const auto place = pod_lane<typename S::In>(b);
  const bool active = place.len > 0;
  typename S::In::Element item = {};
  if (active) item = place.pod->items[place.element];
  await<METRICS>(item);
  const long long t1 = Meter<METRICS>::now();
  const Site<S> site = site_at<S>(b, run, place.node, 0, 1, place.element);
  Keep<typename New::Element, S::FAN> keep;
  // New pods are not pushed, but their channel has index 0: a byte is its item here.
  Push<typename WithPods<byte, 1, typename S::Others>::Type> push;
  if (active) Code<S>::stage(parameters).run(place.pod->header, item, site, keep, push);
  __syncwarp();
  const long long t2 = Meter<METRICS>::now();
#pragma unroll
  for (u32 k = 0; k < S::FAN; ++k) {
    const u32 mask = __ballot_sync(ALL_LANES, keep.kept >> k & 1);
    if (lane_in_warp() == 0) masks[k * warps + lane / WARP] = mask;
  }
  __syncthreads();
  const u32 target_of_pods = active ? b.edge[b.node[place.node].first_edge].target : 0;
  const u32 begin = lane - place.element, end = begin + place.len;
  if (active && place.element == 0) {
    for (u32 k = 0; k < S::FAN; ++k) {
      const u32 live = count_lanes(masks + k * warps, begin, end);
      if (live == 0) continue;
      const u32 slot = reserve_pod(b, run, target_of_pods, live);
      slots[k * blockDim.x + lane] = slot;
      if (slot == NONE) continue;
      const auto header = Code<S>::stage(parameters).header(place.pod->header, k, site);
      write_field<New>(b, target_of_pods, slot, offsetof(New, header), header);
      write_field<New>(b, target_of_pods, slot, offsetof(New, len), live);
    }
  }
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < S::FAN; ++k) {
    const u32 slot = keep.kept >> k & 1 ? slots[k * blockDim.x + begin] : NONE;
    if (slot == NONE) continue;
    const u32 index = count_lanes(masks + k * warps, begin, lane);
    const u32 offset = offsetof(New, items) + index * sizeof(typename New::Element);
    write_field<New>(b, target_of_pods, slot, offset, keep.items[k]);
  }
  scatter_from<1, 1>(modules, b, run, push, place.node, typename S::Others{});
  if (lane_in_warp() == 0) meter.phases(m, t1 - t0, t2 - t1, Meter<METRICS>::now() - t2);
}

// Fires a reducing stage. All threads of the block call; has barriers.
//
// A segmented inclusive scan in shared memory combines each thread's value with the value 1, 2, 4, ... threads before
// it, within the pod. Then the last thread of a pod has the value of the whole pod.
template <bool METRICS, class S, class All>
__device__ void fire_reducing(All modules, Block& b, const RunParameters& run, Meter<METRICS>& meter,
                              byte* scratch) {
  using Value = typename S::Value;
  const u32 m = b.next.module, lane = threadIdx.x;
  const S stage = Code<S>::stage(b.module_parameters[m]);
  Value* values = reinterpret_cast<Value*>(scratch);
  const long long t0 = Meter<METRICS>::now();
  const auto place = pod_lane<typename S::In>(b);
  const bool active = place.len > 0;
  typename S::In::Element item = {};
  if (active) item = place.pod->items[place.element];
  await<METRICS>(item);
  const long long t1 = Meter<METRICS>::now();
  const Site<S> site = site_at<S>(b, run, place.node, 0, 1, place.element);
  Value value = {};
  if (active) value = stage.value(place.pod->header, item, site);
  for (u32 step = 1; step < S::In::CAPACITY; step *= 2) {
    if (active) values[lane] = value;
    __syncthreads();
    if (active && place.element >= step) value = stage.combine(values[lane - step], value);
    __syncthreads();
  }
  Push<typename OutOf<S>::Type> push;
  if (active && place.element == place.len - 1) {
    Site<S> whole = site;
    whole.element = 0;
    stage.finish(place.pod->header, value, whole, push);
  }
  __syncwarp();
  const long long t2 = Meter<METRICS>::now();
  scatter<1>(modules, b, run, push, place.node);
  if (lane_in_warp() == 0) meter.phases(m, t1 - t0, t2 - t1, Meter<METRICS>::now() - t2);
}

}  // namespace stream
