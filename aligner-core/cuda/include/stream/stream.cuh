// An irregular streaming application on a GPU, after MERCATOR (Cole 2017, chapters 3 and 4).
//
//   #include "stream/stream.cuh"
//   struct Filter : stream::Stage { ... };                       // stage.cuh says how
//   STREAM_APP(my_app, Filter, ...)
//
// defines five kernels:
//
//   my_app           runs the application; every block is a copy of it with its own queues
//   my_app_metrics   the same, and measures as it runs
//   my_app_pack      moves the outputs of all blocks together
//   my_app_share     moves walks between blocks, between launches
//   my_app_describe  tells the host which stages were compiled, to be compared with its topology
//
// Modules are numbered in the order given. The nodes, their edges and the lengths of their queues are known at run
// time only: the host writes them to tables (tables.cuh).
//
//   stage.cuh       what an author writes             push.cuh        outputs of a thread
//   tables.cuh      structs shared with the host      items.cuh       items in memory
//   block.cuh       a block's queues and decision     booking.cuh     updating queues after a firing
//   scheduler.cuh   choosing what to fire             lane_node.cuh   a scheduler lane's view of its node
//   whole_pods.cuh  scheduling modules over pods      fire.cuh        gather, run, scatter
//   scatter.cuh     outputs to their queues           pods.cuh        firing modules over pods
//   walking.cuh     scheduling walks                  walk.cuh        firing walks
//   fused.cuh       two stages as one                 rest.cuh        the end of the input
//   moving.cuh      work that moves between blocks    pack.cuh        outputs of all blocks as one
//   share.cuh       walks of other blocks
//   describe.cuh    what was compiled                 metrics.cuh     clocks and counters
//   scan.cuh        prefix sums
#pragma once

#include "stream/describe.cuh"
#include "stream/fused.cuh"
#include "stream/layouts.cuh"
#include "stream/pack.cuh"
#include "stream/pods.cuh"
#include "stream/rest.cuh"
#include "stream/scheduler.cuh"
#include "stream/share.cuh"

namespace stream {

// Fires module S by its kind. All threads of the block call; may have barriers.
template <bool METRICS, class S, class All>
__device__ void fire(All modules, Block& b, const RunParameters& run, Meter<METRICS>& meter, byte* scratch) {
  if constexpr (S::KIND == Kind::each || S::KIND == Kind::depth_first) fire_each<METRICS, S>(modules, b, run, meter);
  if constexpr (S::KIND == Kind::depth_first) {
    __syncthreads();
    close_gaps<S>(b);
  }
  if constexpr (S::KIND == Kind::explode) fire_exploding<METRICS, S>(modules, b, run, meter);
  if constexpr (S::KIND == Kind::collect) fire_collecting<METRICS, S>(modules, b, run, meter, scratch);
  if constexpr (S::KIND == Kind::reduce) fire_reducing<METRICS, S>(modules, b, run, meter, scratch);
  if constexpr (S::KIND == Kind::walk) fire_walking<METRICS, S>(modules, b, run, meter, scratch);
}

// Fires the module of index `chosen` in the list First, Rest... All threads of the block call, with the same `chosen`.
// Branches exclude each other, so that registers are allocated for one module at a time.
template <bool METRICS, class First, class... Rest, class All>
__device__ void fire_chosen(u32 chosen, All modules, Block& b, const RunParameters& run, Meter<METRICS>& meter,
                            byte* scratch) {
  if constexpr (sizeof...(Rest) == 0) {
    fire<METRICS, First>(modules, b, run, meter, scratch);
  } else if (chosen == 0) {
    fire<METRICS, First>(modules, b, run, meter, scratch);
  } else {
    fire_chosen<METRICS, Rest...>(chosen - 1, modules, b, run, meter, scratch);
  }
}

// Moves input to the queue of the root, whose module is S, if S explodes. All threads of the block.
template <class S, class All>
__device__ void load_root(All modules, Block& b, const RunParameters& run) {
  if constexpr (has_elements(S::KIND)) load_window<S>(modules, b, run);
}

// Moves input to the queue of the root. All threads of the block; valid after the next barrier.
template <class... M>
__device__ void load(Modules<M...> modules, Block& b, const RunParameters& run) {
  u32 index = 0;
  const u32 root = b.node[b.root].module;
  ((index++ == root ? load_root<M>(modules, b, run) : void()), ...);
}

// Copies the kernel's parameter to shared memory, where a block looks at it in every decision. All threads of the
// block call; has a barrier, after which `run` is valid.
__device__ inline void load_parameters(RunParameters& run, const RunParameters& parameters) {
  copy_words(reinterpret_cast<byte*>(&run), reinterpret_cast<const byte*>(&parameters), sizeof(RunParameters));
  __syncthreads();
}

// Runs a block from the start of a launch to its end: restores its state, then schedules and fires until the scheduler
// stops it, then saves its state. All threads of the block call; `scratch` is the launch's dynamic shared memory.
template <bool METRICS, class... M>
__device__ void run_block(Modules<M...> modules, Block& b, Meter<METRICS>& meter, const RunParameters& run,
                          byte* scratch) {
  constexpr bool PODS = (has_elements(M::KIND) || ...);
  constexpr bool STACKS = ((M::KIND == Kind::depth_first) || ...);
  constexpr bool WALKS = ((M::KIND == Kind::walk) || ...);
  if (run.blocks[blockIdx.x].finished) {
    for (u32 s = threadIdx.x; s < run.sink_count; s += blockDim.x) {
      run.outputs[blockIdx.x * run.sink_count + s] = 0;
    }
    return;
  }
  byte* shared_rings = scratch + run.scratch_bytes;
  meter.clear();
  restore<STACKS, WALKS>(b, run, shared_rings, scratch);
  if constexpr (WALKS) scratch += walk_bytes(run.node_count);
  __syncthreads();
  const bool moves = run.flags & RunParameters::MOVE_WORK;
  if (moves && threadIdx.x == 0) start_working(b, run);
  for (;;) {
    if (threadIdx.x < WARP) {
      meter.pushed(b);
      const long long start = Meter<METRICS>::now();
      schedule<PODS, STACKS, WALKS>(b, run);
      if (threadIdx.x == 0) meter.scheduled(b, Meter<METRICS>::now() - start);
    }
    __syncthreads();
    const Action action = b.next.action;
    if (action == Action::fire) {
      // The last thread reads how many blocks are hungry while the block fires, so that no decision waits for it.
      const bool looks = moves && threadIdx.x == blockDim.x - 1;
      const u32 hungry = looks ? read_shared(run.moving + HUNGRY) : 0;
      const u32 working = looks ? read_shared(run.moving + WORKING) : 0;
      if (b.claims && threadIdx.x == blockDim.x - 1) claim_input(b, run);
      fire_chosen<METRICS, M...>(b.next.module, modules, b, run, meter, scratch);
      if (looks) b.hungry = is_to_give(b, hungry, working);
    } else if (action == Action::load) {
      load(modules, b, run);
    } else if (action == Action::rest) {
      share_rest(b, run);
    } else if (action == Action::give) {
      give_work(b, run);
    } else if (action == Action::take) {
      if (!take_work(b, run)) break;
    } else {
      break;
    }
    __syncthreads();
    if (action == Action::rest && b.finished) break;
  }
  const bool holds = threadIdx.x == 0 && stop_working(b, run);
  save(b, run, shared_rings, holds);
  __syncthreads();
  meter.flush(run, b);
}

}  // namespace stream

// Defines the kernels of an application, which is named `app` and has the given stages as modules; see above.
#define STREAM_APP(app, ...)                                                                   \
  extern "C" __global__ void __launch_bounds__(STREAM_MAX_WIDTH, STREAM_MIN_BLOCKS)            \
      app(const __grid_constant__ stream::RunParameters parameters) {                          \
    __shared__ stream::RunParameters run;                                                      \
    __shared__ stream::Block block;                                                            \
    __shared__ stream::Meter<false> meter;                                                     \
    DYN_SMEM(stream::byte, scratch);                                                           \
    stream::load_parameters(run, parameters);                                                  \
    stream::run_block(stream::Modules<__VA_ARGS__>{}, block, meter, run, scratch);             \
  }                                                                                            \
  extern "C" __global__ void __launch_bounds__(STREAM_MAX_WIDTH, STREAM_MIN_BLOCKS)            \
      app##_metrics(const __grid_constant__ stream::RunParameters parameters) {                \
    __shared__ stream::RunParameters run;                                                      \
    __shared__ stream::Block block;                                                            \
    __shared__ stream::Meter<true> meter;                                                      \
    DYN_SMEM(stream::byte, scratch);                                                           \
    stream::load_parameters(run, parameters);                                                  \
    stream::run_block(stream::Modules<__VA_ARGS__>{}, block, meter, run, scratch);             \
  }                                                                                            \
  extern "C" __global__ void app##_pack(const __grid_constant__ stream::PackParameters p) {    \
    stream::pack(p);                                                                           \
  }                                                                                            \
  extern "C" __global__ void app##_share(const __grid_constant__ stream::ShareParameters p) {  \
    stream::share(p);                                                                          \
  }                                                                                            \
  extern "C" __global__ void app##_describe(                                                   \
      const __grid_constant__ stream::DescribeParameters p) {                                  \
    stream::describe(stream::Modules<__VA_ARGS__>{}, #__VA_ARGS__, p);                         \
  }                                                                                            \
  SIMT_EXPORT(app)                                                                             \
  SIMT_EXPORT(app##_metrics)                                                                   \
  SIMT_EXPORT(app##_pack)                                                                      \
  SIMT_EXPORT(app##_share)                                                                     \
  SIMT_EXPORT(app##_describe)
