// What the lanes of the scheduler's warp know, each of its nodes.
#pragma once

#include "stream/block.cuh"

namespace stream {

// What a lane knows of its node.
struct Own {
  NodeFacts node;  // `module` is NONE where there is no node
  Queue queue;     // its own, or that of the sink
  Edge edge;       // of its first channel, if it has one
  u32 feasible;    // inputs or elements that can be fired, for choosing
  u32 queued;      // of these, the ones in the queue; whole pods only, where pods are whole
  u32 before;      // feasible ones of the module's nodes before
  u32 total;       // of the whole module, at its last node; 0 elsewhere
  u32 full;        // that much of `total` which is full ensembles
};

// The largest value of the warp's lanes. All lanes, converged.
__device__ inline u32 largest(u32 value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(ALL_LANES, value);
#else
  for (u32 step = WARP / 2; step > 0; step /= 2) {
    value = max(value, __shfl_xor_sync(ALL_LANES, value, step));
  }
  return value;
#endif
}

}  // namespace stream
