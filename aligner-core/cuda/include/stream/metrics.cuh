// Clocks and counters of a block. Meter<false>, for kernels that do not measure, is empty and costs nothing.
#pragma once

#include "stream/block.cuh"

namespace stream {

template <bool METRICS>
struct Meter {
  __device__ void clear() {}
  __device__ void pushed(const Block&) {}
  __device__ void flush(const RunParameters&, const Block&) {}
  __device__ void scheduled(const Block&, long long) {}
  __device__ void walked(u32, u32, u32, u32) {}
  __device__ void phases(u32, long long, long long, long long) {}
  __device__ static long long now() { return 0; }
};

// A firing lasts until its last warp is done, so the cycles of that warp count as those of the block. The remaining
// cycles of the block are those of the scheduler and of barriers.
template <>
struct Meter<true> {
  ModuleCounters modules[MAX_TARGETS];
  CycleCounters counters;
  long long start;
  u32 done;  // warps that are done with their part of a firing, counted over all firings

  // All threads call; valid after the next barrier.
  __device__ void clear() {
    for (u32 m = threadIdx.x; m < MAX_TARGETS; m += blockDim.x) modules[m] = {};
    if (threadIdx.x == 0) {
      counters = {};
      done = 0;
      start = clock64();
    }
  }

  // Counts a decision, which took `cycles`, and the firing that it begins. One thread.
  __device__ void scheduled(const Block& b, long long cycles) {
    const Decision next = b.next;
    counters.scheduler += cycles;
    if (next.action != Action::fire) return;
    ModuleCounters& module = modules[next.module];
    const u32 ensemble = b.node[b.module[next.module].first].ensemble;
    ++module.firings;
    module.full_firings += next.full;
    if (is_walk(b.node[b.module[next.module].first])) return;  // counted by `walked`
    module.ensembles += (next.inputs + ensemble - 1) / ensemble;
    module.lanes += next.inputs;
    module.items_in += next.inputs;
  }

  // Counts the items that the last firing pushed. All lanes of warp 0, before the firing is booked.
  __device__ void pushed(const Block& b) {
    if (b.next.action != Action::fire) return;
    u32 slots = 0;
    for (u32 t = lane_in_warp(); t < b.targets; t += WARP) slots += static_cast<u32>(b.flow[t].pushed);
    for (u32 step = WARP / 2; step > 0; step /= 2) slots += __shfl_xor_sync(ALL_LANES, slots, step);
    if (lane_in_warp() == 0) modules[b.next.module].items_out += slots;
  }

  // Counts a step of a walk: pods looked up, and items visited in ensembles of so many lanes. One thread.
  __device__ void walked(u32 m, u32 pods, u32 visits, u32 lanes) {
    modules[m].ensembles += lanes / blockDim.x;
    modules[m].lanes += visits;
    modules[m].items_in += pods;
  }

  // Adds the cycles of a firing if the calling warp is the last one to be done with it. One lane of every warp.
  __device__ void phases(u32 module, long long gather, long long run, long long scatter) {
    if ((atomicAdd(&done, 1u) + 1) % (blockDim.x / WARP) != 0) return;
    modules[module].gather += gather;
    modules[module].run += run;
    modules[module].scatter += scatter;
  }

  // Adds the block's counters to the launch's. All threads call, after a barrier.
  __device__ void flush(const RunParameters& run, const Block& b) {
    constexpr u32 WORDS = sizeof(ModuleCounters) / sizeof(u64);
    if (threadIdx.x == 0) counters.total = clock64() - start;
    const u64* own = reinterpret_cast<const u64*>(modules);
    u64* all = reinterpret_cast<u64*>(run.module_counters);
    for (u32 i = threadIdx.x; i < b.modules * WORDS; i += blockDim.x) atomicAdd(all + i, own[i]);
    if (threadIdx.x == 0) {
      atomicAdd(&run.counters->scheduler, counters.scheduler);
      atomicAdd(&run.counters->total, counters.total);
    }
  }

  __device__ static long long now() { return clock64(); }
};

}  // namespace stream
