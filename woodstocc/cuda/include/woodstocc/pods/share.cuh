// Between slices: blocks without work get half of another's.
#pragma once

#include <woodstocc/pods/search.cuh>

namespace woodstocc::pods {

struct Donation {
  u32 from, to;  // blocks
};

// Gives the first half of the pods of block `from` to block `to`, which has none: they are the
// highest in the trie and have the most below them. The giver keeps its place for what it has given.
// All threads of a block, one block a donation; no block gives or takes twice in a launch.
__device__ inline void share(const Search& search, const Donation& donation) {
  __shared__ u32 live;
  State& from = search.states[donation.from];
  State& to = search.states[donation.to];
  const u32 half = (from.end_pod - from.first_pod) / 2, first_live = from.first_live;
  const Pod* const pods = search.pods + static_cast<u64>(donation.from) * search.pods_room + from.first_pod;
  Pod* const new_pods = search.pods + static_cast<u64>(donation.to) * search.pods_room;
  if (threadIdx.x == 0) live = 0;
  __syncthreads();
  u32 own = 0;
  for (u32 i = threadIdx.x; i < half; i += blockDim.x) {
    new_pods[i] = pods[i];
    own += pods[i].reads;
  }
  atomicAdd(&live, own);
  __syncthreads();
  const u32 count = live;
  const u64 old_first = static_cast<u64>(donation.from) * search.live_room + first_live;
  const u64 new_first = static_cast<u64>(donation.to) * search.live_room;
  const u32* const old_tags = search.tags + old_first;
  u32* const new_tags = search.tags + new_first;
  for (u32 i = threadIdx.x; i < count; i += blockDim.x) new_tags[i] = old_tags[i];
  const u32 words = search.row_bytes / 8;
  const u64* const old_rows = static_cast<const u64*>(search.rows) + old_first * words;
  u64* const new_rows = static_cast<u64*>(search.rows) + new_first * words;
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
