// Sharing of walks between launches: blocks that have nothing left to do get half of the pods of others.
#pragma once

#include "stream/block.cuh"

namespace stream {

// Moves the first half of the pods of a donation's walk to the block that takes, which may go on with them. These pods
// are the nearest to the root, so there is most work below them. The part of the giver's stacks where they were stays
// unused until its walk has come to an end.
//
// Called by all threads of a block with the same arguments, one block of the grid for each donation; has barriers. Valid
// when the kernel ends. No block of the application may occur in two donations of a launch.
__device__ inline void share(const ShareParameters& parameters) {
  __shared__ u32 moved;
  const Donation donation = parameters.donations[blockIdx.x];
  const WalkRow& row = parameters.walk_rows[donation.node];
  SavedWalk& from = parameters.walks[static_cast<u64>(donation.from) * parameters.node_count + donation.node];
  SavedWalk& to = parameters.walks[static_cast<u64>(donation.to) * parameters.node_count + donation.node];
  byte* const old_memory = parameters.rings + donation.from * parameters.ring_stride;
  byte* const new_memory = parameters.rings + donation.to * parameters.ring_stride;
  const u32 half = (from.end_pod - from.first_pod) / 2, first_pod = from.first_pod, first_item = from.first_item;
  const u32* const old_counts = reinterpret_cast<const u32*>(old_memory + row.counts) + first_pod;
  u32* const new_counts = reinterpret_cast<u32*>(new_memory + row.counts);
  if (threadIdx.x == 0) moved = 0;
  __syncthreads();
  const u32 header_chunk = chunk_bytes(row.header_bytes), header_stride = row.pods_room * header_chunk;
  u32 own = 0;
  for (u32 i = threadIdx.x; i < half; i += blockDim.x) {
    copy_item(new_memory + row.headers + static_cast<u64>(i) * header_chunk, header_stride,
              old_memory + row.headers + static_cast<u64>(first_pod + i) * header_chunk, header_stride, row.header_bytes);
    new_counts[i] = old_counts[i];
    own += old_counts[i];
  }
  atomicAdd(&moved, own);
  __syncthreads();
  const u32 items = moved, item_chunk = chunk_bytes(row.item_bytes), item_stride = row.items_room * item_chunk;
  for (u32 i = threadIdx.x; i < items; i += blockDim.x) {
    copy_item(new_memory + row.items + static_cast<u64>(i) * item_chunk, item_stride,
              old_memory + row.items + static_cast<u64>(first_item + i) * item_chunk, item_stride, row.item_bytes);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  to.first_pod = 0;
  to.end_pod = half;
  to.first_item = 0;
  to.end_item = items;
  from.first_pod += half;
  from.first_item += items;
  parameters.blocks[donation.to].finished = 0;
}

}  // namespace stream
