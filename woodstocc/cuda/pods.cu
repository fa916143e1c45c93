// Complete search over the virtual suffix trie, a block a worklist of pods of live reads: the aligner
// of the dissertation, chapter 2. woodstocc/src/pods explains it and drives it:
//
//   pods_prepare_K   profiles and bounds of all reads
//   pods_K           a slice of the walk; again and again, until no block has work
//   pods_share       between slices, from blocks with work to blocks without
#include <woodstocc/pods/share.cuh>
#include <woodstocc/pods/walk.cuh>

using namespace woodstocc::pods;

// One block a donation, of any size.
extern "C" __global__ void pods_share(const Search* search, const Donation* donations) {
  share(*search, donations[blockIdx.x]);
}
SIMT_EXPORT(pods_share)

// One kernel for each K, so that a row stays in registers. The grid of `pods_prepare` may have any
// shape of one dimension.
#define PODS(K)                                                                                   \
  extern "C" __global__ void pods_prepare_##K(const Search* search) {                             \
    const u32 threads = gridDim.x * blockDim.x;                                                   \
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < search->read_count; i += threads) {   \
      prepare<K>(*search, i);                                                                     \
    }                                                                                             \
  }                                                                                               \
  SIMT_EXPORT(pods_prepare_##K)                                                                   \
  extern "C" __global__ void __launch_bounds__(256, 4) pods_##K(const Search* search) {           \
    walk<K, false>(search);                                                                       \
  }                                                                                               \
  SIMT_EXPORT(pods_##K)                                                                           \
  extern "C" __global__ void __launch_bounds__(256, 4) pods_metrics_##K(const Search* search) {   \
    walk<K, true>(search);                                                                        \
  }                                                                                               \
  SIMT_EXPORT(pods_metrics_##K)

PODS(0)
PODS(1)
PODS(2)
PODS(3)
PODS(4)
PODS(5)
PODS(6)
PODS(7)
