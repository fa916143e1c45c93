// A scheduler lane's view of its node, in registers.
#pragma once

#include "stream/block.cuh"

namespace stream {

// A node as its lane of the scheduler's warp sees it during one decision.
struct LaneNode {
  NodeFacts node;  // node.module is NONE if the lane has no node
  Queue queue;     // of the node, or of the sink if the lane's target is one
  EdgeRow edge;    // of its first channel, if it has one
  u32 feasible;    // inputs, or elements, that can be fired, as the choice between modules counts them
  u32 queued;      // of these, the ones in the queue; for modules that take whole pods, elements of whole pods
  u32 before;      // sum of `feasible` over the nodes of the module that precede this one
  u32 total;       // at the last node of a module, sum of `feasible` over all its nodes; 0 elsewhere
  u32 full;        // the part of `total` that makes full ensembles
  u32 whole;       // for modules that walk, the items that it might visit if its targets were empty
};

// The largest value of the warp's lanes. All lanes of a warp call, converged; valid in all lanes.
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
