// An irregular streaming application on a GPU, after MERCATOR (000, chapters 3 and 4).
//
//   #include "stream/stream.cuh"
//   struct Filter : stream::Stage { ... };                       // stage.cuh says how
//   STREAM_APP(my_app, Filter, ...)
//
// defines four kernels. `my_app` runs the application: every block is a copy of it with its own
// queues. `my_app_metrics` measures as it runs. `my_app_pack` moves the outputs of all blocks
// together. `my_app_describe` tells the host what was compiled, which it compares with its topology. Modules are numbered in the order given. Which nodes there
// are, how they are connected and how long their queues are comes at run time, in tables (run.cuh).
//
//   block.cuh      the block's queues and decision    scatter.cuh     outputs to their queues
//   booking.cuh    what a firing did to them          pods.cuh        collect and reduce
//   scheduler.cuh  what to fire                       whole_pods.cuh  what of it, of pods
//   fire.cuh       gather, run, scatter               rest.cuh        sharing what is left at the end
//   fuse.cuh       two stages as one                  pack.cuh        outputs of all blocks as one
//   describe.cuh   what was compiled
#pragma once

#include "stream/describe.cuh"
#include "stream/fuse.cuh"
#include "stream/pack.cuh"
#include "stream/pods.cuh"
#include "stream/rest.cuh"
#include "stream/scheduler.cuh"

namespace stream {

template <bool METRICS, class S, class All>
__device__ void fire(All modules, Block& b, const Run& run, Meter<METRICS>& meter, byte* scratch) {
  if constexpr (S::KIND == Kind::each) fire_each<METRICS, S>(modules, b, run, meter);
  if constexpr (S::KIND == Kind::explode) fire_exploding<METRICS, S>(modules, b, run, meter);
  if constexpr (S::KIND == Kind::collect) fire_collecting<METRICS, S>(modules, b, run, meter, scratch);
  if constexpr (S::KIND == Kind::reduce) fire_reducing<METRICS, S>(modules, b, run, meter, scratch);
}

// Fires the module `chosen` modules after First. One branch excludes the others, so that the compiler
// need not keep anything for more than one of them.
template <bool METRICS, class First, class... Rest, class All>
__device__ void fire_chosen(u32 chosen, All modules, Block& b, const Run& run, Meter<METRICS>& meter,
                            byte* scratch) {
  if constexpr (sizeof...(Rest) == 0) {
    fire<METRICS, First>(modules, b, run, meter, scratch);
  } else if (chosen == 0) {
    fire<METRICS, First>(modules, b, run, meter, scratch);
  } else {
    fire_chosen<METRICS, Rest...>(chosen - 1, modules, b, run, meter, scratch);
  }
}

template <class S, class All>
__device__ void load_root(All modules, Block& b, const Run& run) {
  if constexpr (S::KIND != Kind::each) load_window<S>(modules, b, run);
}

template <class... M>
__device__ void load(Modules<M...> modules, Block& b, const Run& run) {
  u32 index = 0;
  const u32 root = b.node[b.root].module;
  ((index++ == root ? load_root<M>(modules, b, run) : void()), ...);
}

// Copies what the host tells to shared memory: a block looks at it in every decision, and global memory
// would often have to be asked again. All threads; has a barrier.
__device__ inline void listen(Run& run, const Run* told) {
  copy_words(reinterpret_cast<byte*>(&run), reinterpret_cast<const byte*>(told), sizeof(Run));
  __syncthreads();
}

// A block's life in one launch. All threads; `scratch` is the launch's dynamic shared memory.
template <bool METRICS, class... M>
__device__ void run_block(Modules<M...> modules, Block& b, Meter<METRICS>& meter, const Run& run,
                          byte* scratch) {
  constexpr bool PODS = ((M::KIND != Kind::each) || ...);
  if (run.blocks[blockIdx.x].finished) {
    for (u32 s = threadIdx.x; s < run.sink_count; s += blockDim.x) {
      run.outputs[blockIdx.x * run.sink_count + s] = 0;
    }
    return;
  }
  byte* shared_rings = scratch + run.scratch_bytes;
  meter.clear();
  restore(b, run, shared_rings);
  __syncthreads();
  for (;;) {
    if (threadIdx.x < WARP) {
      meter.pushed(b);
      const long long start = Meter<METRICS>::now();
      schedule<PODS>(b, run);
      if (threadIdx.x == 0) meter.scheduled(b, Meter<METRICS>::now() - start);
    }
    __syncthreads();
    const Action action = b.next.action;
    if (action == Action::fire) {
      if (b.claims && threadIdx.x == blockDim.x - 1) claim_input(b, run);
      fire_chosen<METRICS, M...>(b.next.module, modules, b, run, meter, scratch);
    } else if (action == Action::load) {
      load(modules, b, run);
    } else if (action == Action::rest) {
      share_rest(b, run);
    } else {
      break;
    }
    __syncthreads();
    if (action == Action::rest && b.finished) break;
  }
  save(b, run, shared_rings);
  __syncthreads();
  meter.flush(run, b);
}

}  // namespace stream

// Defines the kernels of an application; see above.
#define STREAM_APP(app, ...)                                                                   \
  extern "C" __global__ void __launch_bounds__(STREAM_MAX_WIDTH, STREAM_MIN_BLOCKS)            \
      app(const stream::Run* told) {                                                           \
    __shared__ stream::Run run;                                                                \
    __shared__ stream::Block block;                                                            \
    __shared__ stream::Meter<false> meter;                                                     \
    DYN_SMEM(stream::byte, scratch);                                                           \
    stream::listen(run, told);                                                                 \
    stream::run_block(stream::Modules<__VA_ARGS__>{}, block, meter, run, scratch);             \
  }                                                                                            \
  extern "C" __global__ void __launch_bounds__(STREAM_MAX_WIDTH, STREAM_MIN_BLOCKS)            \
      app##_metrics(const stream::Run* told) {                                                 \
    __shared__ stream::Run run;                                                                \
    __shared__ stream::Block block;                                                            \
    __shared__ stream::Meter<true> meter;                                                      \
    DYN_SMEM(stream::byte, scratch);                                                           \
    stream::listen(run, told);                                                                 \
    stream::run_block(stream::Modules<__VA_ARGS__>{}, block, meter, run, scratch);             \
  }                                                                                            \
  extern "C" __global__ void app##_pack(const stream::Run* run, stream::u32 sink,              \
                                        const stream::u64* first, stream::byte* packed) {      \
    stream::pack(*run, sink, first, packed);                                                   \
  }                                                                                            \
  extern "C" __global__ void app##_describe(stream::u32* words, stream::u32 room,              \
                                            stream::u32 width) {                               \
    stream::describe(stream::Modules<__VA_ARGS__>{}, #__VA_ARGS__, words, room, width);        \
  }                                                                                            \
  SIMT_EXPORT(app)                                                                             \
  SIMT_EXPORT(app##_metrics)                                                                   \
  SIMT_EXPORT(app##_pack)                                                                      \
  SIMT_EXPORT(app##_describe)
