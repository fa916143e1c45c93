// The end of the input: what blocks have left over goes to whoever can fill an ensemble with it.
//
// Each block ends with a partial ensemble at every node, and on a wide device these are more work
// than the input itself. So a block without a full ensemble gives its items to pools in global
// memory, one a node, and takes a full ensemble of one module out of them if there is one. Else it
// ends; the last block takes all that is left. Only modules that do not explode take part; a block
// whose rest does not fit into a pool fires it as it is.
//
// Pools only grow. A slot is reserved by an atomic, written, and then marked as written; whoever
// claims it waits for the mark, that is for a block that runs.
#pragma once

#include "stream/block.cuh"

namespace stream {

__device__ inline u32* rest_reserved(const Run& run, u32 node) { return run.rest_counters + 2 * node; }
__device__ inline u32* rest_claimed(const Run& run, u32 node) { return run.rest_counters + 2 * node + 1; }
__device__ inline u32* active_blocks(const Run& run) { return run.rest_counters + 2 * run.node_count; }

// Reads what other blocks may write.
__device__ inline u32 read_shared(u32* address) { return atomicAdd(address, 0u); }

// Adds `count` to `*counter` unless it then exceeds `limit`; returns the old value, or NONE.
__device__ inline u32 add_up_to(u32* counter, u32 count, u32 limit) {
  u32 old = read_shared(counter);
  while (count <= limit && old <= limit - count) {
    const u32 seen = atomicCAS(counter, old, old + count);
    if (seen == old) return old;
    old = seen;
  }
  return NONE;
}

// Copies a slot; its bytes are a multiple of 4 or copied one by one.
__device__ inline void copy_slot(byte* to, const byte* from, u32 bytes) {
  if (bytes % 4 == 0) {
    for (u32 i = 0; i < bytes / 4; ++i) {
      reinterpret_cast<u32*>(to)[i] = reinterpret_cast<const u32*>(from)[i];
    }
  } else {
    for (u32 i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

// Gives all waiting items to the pools. All threads of the block; has barriers.
__device__ inline void give_rest(Block& b, const Run& run) {
  for (u32 n = 0; n < b.nodes; ++n) {
    if (b.count[n] == 0) continue;
    const Node& node = run.nodes[n];
    if (threadIdx.x == 0) {
      b.shared_word = add_up_to(rest_reserved(run, n), b.count[n], node.rest_slots);
      if (b.shared_word == NONE) b.drain = 1;
    }
    __syncthreads();
    const u32 place = b.shared_word;
    const u32 count = place == NONE ? 0 : b.count[n];
    for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
      const u32 slot = wrapped(b.head[n], i, b.capacity[n]);
      copy_slot(node.rest + static_cast<u64>(place + i) * node.slot_bytes,
                b.ring[n] + static_cast<u64>(slot) * node.slot_bytes, node.slot_bytes);
      __threadfence();
      atomicExch(node.rest_ready + place + i, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0 && place != NONE) b.count[n] = b.head[n] = b.tail[n] = 0;
    __syncthreads();
  }
}

// Claims up to `most` items of a node's pool for the node's queue, which is empty. One thread.
// Returns how many; `*place` is the first of them.
__device__ inline u32 claim_rest(const Block& b, const Run& run, u32 n, u32 most, u32* place) {
  if (run.nodes[n].rest_slots == 0) return 0;
  // The head of a loop keeps its reserve, as though the items came from its parent.
  most = min(most, b.capacity[n] - b.reserve[n]);
  u32 first = read_shared(rest_claimed(run, n));
  for (;;) {
    const u32 count = min(most, read_shared(rest_reserved(run, n)) - first);
    if (count == 0) return 0;
    const u32 seen = atomicCAS(rest_claimed(run, n), first, first + count);
    if (seen == first) {
      *place = first;
      return count;
    }
    first = seen;
  }
}

// Decides what to claim: a full ensemble of one module or, for the last block, all that fits. Notes
// place and count of each node in `prefix` and `take`. One thread; whether there is anything.
__device__ inline bool choose_rest(Block& b, const Run& run) {
  bool any = false;
  for (u32 n = 0; n < b.nodes; ++n) b.take[n] = 0;
  for (u32 m = 0; m < b.modules && (b.last || !any); ++m) {
    const u32 first = b.module_first[m], end = first + b.module_nodes[m];
    u32 there = 0;
    for (u32 n = first; n < end; ++n) {
      if (run.nodes[n].rest_slots == 0) continue;
      const u32 claimed = read_shared(rest_claimed(run, n));
      there += read_shared(rest_reserved(run, n)) - claimed;
    }
    u32 wanted = b.last ? NONE : b.module_ensemble[m];
    if (there == 0 || (!b.last && there < wanted)) continue;
    for (u32 n = first; n < end && wanted > 0; ++n) {
      b.take[n] = claim_rest(b, run, n, wanted, &b.prefix[n]);
      if (!b.last) wanted -= b.take[n];
      any |= b.take[n] > 0;
    }
  }
  return any;
}

// Gives, and takes again or ends. All threads of the block; has barriers, and the next schedule
// must come after another.
__device__ inline void share_rest(Block& b, const Run& run) {
  const bool gives = !b.drain;
  __syncthreads();  // giving may set `drain`
  if (gives) give_rest(b, run);
  bool waits = false;
  for (u32 n = 0; n < b.nodes; ++n) waits |= b.count[n] > 0;
  if (waits) return;  // no pool had room: the block drains its queues first
  __syncthreads();
  if (threadIdx.x == 0) {
    bool any = choose_rest(b, run);
    if (!any && !b.last && atomicSub(active_blocks(run), 1u) == 1) {
      b.last = b.drain = 1;
      __threadfence();
      any = choose_rest(b, run);
    }
    b.shared_word = any;
    b.finished = !any;
    b.partial = any;
  }
  __syncthreads();
  if (!b.shared_word) return;
  for (u32 n = 0; n < b.nodes; ++n) {
    const Node& node = run.nodes[n];
    for (u32 i = threadIdx.x; i < b.take[n]; i += blockDim.x) {
      const u32 from = b.prefix[n] + i;
      while (read_shared(node.rest_ready + from) == 0) __nanosleep(100);
      __threadfence();
      copy_slot(b.ring[n] + static_cast<u64>(i) * node.slot_bytes,
                node.rest + static_cast<u64>(from) * node.slot_bytes, node.slot_bytes);
    }
  }
  __syncthreads();
  for (u32 n = threadIdx.x; n < b.nodes; n += blockDim.x) {
    b.count[n] = b.take[n];
    b.take[n] = 0;
    b.head[n] = 0;
  }
}

}  // namespace stream
