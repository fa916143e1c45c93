// Search of the virtual suffix trie, a block a worklist of pods of live queries: the aligner of Cole 2017, chapter 2.
// src/trie/pods explains it and launches these kernels:
//
//   pods_prepare_K   profiles and bounds of all queries
//   pods_K           a slice of the search; again and again, until no block has work
//   pods_metrics_K   the same, with cycles measured
//   pods_share       between slices, moves work from blocks that have some to blocks that have none
#include <gpualign/cuda_or_cpu.cuh>

#include <woodstocc/trie/pods/share.cuh>
#include <woodstocc/trie/pods/walk.cuh>

using woodstocc::PodParameters;

// One block for each donation, of any size.
extern "C" __global__ void pods_share(const __grid_constant__ PodParameters parameters) {
  woodstocc::pods::share(parameters, parameters.donations[blockIdx.x]);
}
SIMT_EXPORT(pods_share)

// One kernel for each K, so that a row stays in registers. The grid of `pods_prepare_K` may have any shape of one
// dimension.
#define PODS(K)                                                                                              \
  extern "C" __global__ void pods_prepare_##K(const __grid_constant__ PodParameters parameters) {            \
    const uint32_t threads = gridDim.x * blockDim.x;                                                         \
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < parameters.query_count; i += threads) {     \
      woodstocc::pods::prepare<K>(parameters, i);                                                            \
    }                                                                                                        \
  }                                                                                                          \
  SIMT_EXPORT(pods_prepare_##K)                                                                              \
  extern "C" __global__ void __launch_bounds__(256, 4)                                                       \
      pods_##K(const __grid_constant__ PodParameters parameters) {                                           \
    woodstocc::pods::walk<K, false>(parameters);                                                             \
  }                                                                                                          \
  SIMT_EXPORT(pods_##K)                                                                                      \
  extern "C" __global__ void __launch_bounds__(256, 4)                                                       \
      pods_metrics_##K(const __grid_constant__ PodParameters parameters) {                                   \
    woodstocc::pods::walk<K, true>(parameters);                                                              \
  }                                                                                                          \
  SIMT_EXPORT(pods_metrics_##K)

PODS(0)
PODS(1)
PODS(2)
PODS(3)
PODS(4)
PODS(5)
PODS(6)
PODS(7)
