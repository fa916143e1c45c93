// Search of the virtual suffix trie by pods of live queries: the aligner of Cole 2017, chapter 2, as an application of the
// streaming runtime. src/trie/pods explains it. For each K there are two programs, so that a row stays in registers:
//
//   pods_prepare_K   profiles and bounds of all queries
//   pods_K           the application, with one stage, which walks
#include <gpualign/cuda_or_cpu.cuh>

// 64 registers a thread.
#define STREAM_MAX_WIDTH 256
#define STREAM_MIN_BLOCKS 4
// The node and its sink; the state of a block is in shared memory.
#define STREAM_MAX_TARGETS 2

#include <woodstocc/trie/pods/stage.cuh>

using woodstocc::PrepareParameters;
using woodstocc::pods::TrieWalk;

// The grid of `pods_prepare_K` may have any shape of one dimension.
#define PODS(K)                                                                                              \
  extern "C" __global__ void pods_prepare_##K(const __grid_constant__ PrepareParameters parameters) {        \
    const uint32_t threads = gridDim.x * blockDim.x;                                                         \
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < parameters.query_count; i += threads) {     \
      woodstocc::pods::prepare<K>(parameters, i);                                                            \
    }                                                                                                        \
  }                                                                                                          \
  SIMT_EXPORT(pods_prepare_##K)                                                                              \
  STREAM_APP(pods_##K, TrieWalk<K>)

PODS(0)
PODS(1)
PODS(2)
PODS(3)
PODS(4)
PODS(5)
PODS(6)
PODS(7)
