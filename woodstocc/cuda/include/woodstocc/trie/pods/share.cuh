// Sharing of work between slices: blocks without work get half of the worklist of others.
#pragma once

#include <woodstocc/trie/pods/parameters.cuh>

namespace woodstocc::pods {

// Moves the first half of the pods of block `from` to block `to`, which has none. These pods are the highest in the
// trie, so there is most work below them. The part of the stacks of block `from` where they were stays unused.
//
// Called by all threads of a block with the same arguments, one block for each donation; contains barriers. The
// worklists are valid after the kernel. No block may occur in two donations of a launch.
__device__ inline void share(const PodParameters& parameters, const PodDonation& donation) {
  __shared__ u32 live;
  WorklistState& from = parameters.states[donation.from];
  WorklistState& to = parameters.states[donation.to];
  const u32 half = (from.end_pod - from.first_pod) / 2, first_live = from.first_live;
  const TriePod* const pods = parameters.pods + static_cast<u64>(donation.from) * parameters.pods_room + from.first_pod;
  TriePod* const new_pods = parameters.pods + static_cast<u64>(donation.to) * parameters.pods_room;
  if (threadIdx.x == 0) live = 0;
  __syncthreads();
  u32 own = 0;
  for (u32 i = threadIdx.x; i < half; i += blockDim.x) {
    new_pods[i] = pods[i];
    own += pods[i].queries;
  }
  atomicAdd(&live, own);
  __syncthreads();
  const u32 count = live;
  const u64 old_first = static_cast<u64>(donation.from) * parameters.live_room + first_live;
  const u64 new_first = static_cast<u64>(donation.to) * parameters.live_room;
  const u32* const old_tags = parameters.tags + old_first;
  u32* const new_tags = parameters.tags + new_first;
  for (u32 i = threadIdx.x; i < count; i += blockDim.x) new_tags[i] = old_tags[i];
  const u32 words = parameters.row_bytes / 8;
  const u64* const old_rows = static_cast<const u64*>(parameters.rows) + old_first * words;
  u64* const new_rows = static_cast<u64*>(parameters.rows) + new_first * words;
  for (u32 i = threadIdx.x; i < count * words; i += blockDim.x) new_rows[i] = old_rows[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  to.first_pod = 0;
  to.end_pod = half;
  to.first_live = 0;
  to.end_live = count;
  from.first_pod += half;
  from.first_live += count;
}

}  // namespace woodstocc::pods
