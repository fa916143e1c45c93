// Firing modules over pods: collect and reduce by key (000, section 5.2.7, Figures 5.9 and 5.10).
//
// A firing takes whole pods that together fit the block: lane j works on one item, and the items of
// a pod are neighbouring lanes of the block, which may lie in two or more warps.
#pragma once

#include "stream/fire.cuh"

namespace stream {

// A lane's item, and the lanes of its pod.
template <class P>
struct PodLane {
  const P* pod;
  u32 node;
  u32 element;  // of the pod; the pod's first lane is `element` lanes before
  u32 len;      // 0 for lanes without an item
};

template <class P>
__device__ PodLane<P> pod_lane(const Block& b) {
  const u32 m = b.fired;
  const bool active = threadIdx.x < b.inputs;
  const Place place = find_node(b, b.module_first[m], b.module_nodes[m], active ? threadIdx.x : 0);
  if (!active) return {nullptr, place.node, 0, 0};
  const Element element = element_at(b, place);
  const P* pod = reinterpret_cast<const P*>(element.item);
  return {pod, place.node, pod->len - element.from_end, pod->len};
}

// Shared memory that a firing of the stage needs beside the block's state, in bytes, for blocks of
// `width` threads.
template <class S>
__device__ constexpr u32 scratch_bytes(u32 width) {
  if constexpr (S::KIND == Kind::collect) {
    return (width / WARP + width) * S::FAN * sizeof(u32);  // kept lanes; slots of new pods
  } else if constexpr (S::KIND == Kind::reduce) {
    return width * sizeof(typename S::Value);
  } else {
    return 0;
  }
}

// How many of the block's lanes in [from, to) are set in `masks`, one word a warp.
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

// Fires a collecting stage. All threads of the block; has barriers.
//
// First the lanes that keep an item for a key are noted, a bit each; then the first lane of each pod
// reserves a slot for every new pod that has an item and writes its header; then the items follow,
// each to the place that the bits before it give.
template <bool METRICS, class S, class All>
__device__ void fire_collecting(All modules, Block& b, const Run& run, Meter<METRICS>& meter,
                                byte* scratch) {
  using New = typename S::New;
  const u32 m = b.fired, lane = threadIdx.x, warps = blockDim.x / WARP;
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
  Push<typename OutOf<S>::Type> push;
  if (active) Code<S>::stage(parameters).run(place.pod->header, item, site, keep, push);
  __syncwarp();
  const long long t2 = Meter<METRICS>::now();
#pragma unroll
  for (u32 k = 0; k < S::FAN; ++k) {
    const u32 mask = __ballot_sync(ALL_LANES, keep.kept >> k & 1);
    if (lane_in_warp() == 0) masks[k * warps + lane / WARP] = mask;
  }
  __syncthreads();
  const u32 target_of_pods = active ? b.edge_target[b.first_edge[place.node]] : 0;
  const u32 begin = lane - place.element, end = begin + place.len;
  if (active && place.element == 0) {
    for (u32 k = 0; k < S::FAN; ++k) {
      const u32 live = count_lanes(masks + k * warps, begin, end);
      if (live == 0) continue;
      const u32 t = target_of_pods;
      const u64 base = atomicAdd(&b.pushed[t], static_cast<u64>(live) << 32 | 1);
      const u32 slot = wrapped(b.tail[t], static_cast<u32>(base), b.capacity[t]);
      if (b.ends[t] != nullptr) {
        b.ends[t][slot] = b.ended[t] + static_cast<u32>(base >> 32) + live;
      }
      New* pod = reinterpret_cast<New*>(b.ring[t] + static_cast<u64>(slot) * b.slot_bytes[t]);
      pod->header = Code<S>::stage(parameters).header(place.pod->header, k, site);
      pod->len = live;
      slots[k * blockDim.x + lane] = slot;
    }
  }
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < S::FAN; ++k) {
    if (keep.kept >> k & 1) {
      const u32 t = target_of_pods, slot = slots[k * blockDim.x + begin];
      New* pod = reinterpret_cast<New*>(b.ring[t] + static_cast<u64>(slot) * b.slot_bytes[t]);
      pod->items[count_lanes(masks + k * warps, begin, lane)] = keep.items[k];
    }
  }
  scatter<1>(modules, b, run, push, place.node);
  if (threadIdx.x == 0) meter.phases(m, t1 - t0, t2 - t1, Meter<METRICS>::now() - t2);
}

// Fires a reducing stage. All threads of the block; has barriers.
//
// A segmented scan in shared memory combines values with those of 1, 2, 4, ... lanes before, as far
// as the pod reaches; the pod's last lane then has the value of the whole.
template <bool METRICS, class S, class All>
__device__ void fire_reducing(All modules, Block& b, const Run& run, Meter<METRICS>& meter,
                              byte* scratch) {
  using Value = typename S::Value;
  const u32 m = b.fired, lane = threadIdx.x;
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
    stage.finish(place.pod->header, value, site, push);
  }
  __syncwarp();
  const long long t2 = Meter<METRICS>::now();
  scatter<1>(modules, b, run, push, place.node);
  if (threadIdx.x == 0) meter.phases(m, t1 - t0, t2 - t1, Meter<METRICS>::now() - t2);
}

}  // namespace stream
