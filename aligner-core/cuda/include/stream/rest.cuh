// The end of the input: blocks put their partial ensembles together in pools of rests.
//
// At the end, each block has less than an ensemble at each node, and with thousands of blocks these rests can take more
// firings than the input itself. So a block without a full ensemble gives its items to a pool in global memory, which
// it shares with 15 other blocks, and takes a full ensemble of one module out of the pool if there is one. If there is
// none, it ends.
//
//   block 0 ... block 15      block 16 ... block 31      ...
//          pool 0                    pool 1              ...      the last block of a pool moves the pool's items
//              `-------- common pool --------'                    to the common pool; the last block of that one
//                                                                 fires everything that is left
//
// There are two levels, because thousands of blocks would wait for each other's atomics on one pool. Only modules that
// neither explode nor walk take part; a block whose items do not fit the pool fires them as they are.
//
// Pools only grow. A block reserves slots by an atomic, writes them, and then marks them as written. A block that
// claims a slot waits for the mark; the writer is running, so the wait ends.
#pragma once

#include "stream/scheduler.cuh"

namespace stream {

// Counters of a node in a pool: slots reserved, and slots claimed.
__device__ inline u32* rest_reserved(const RunParameters& run, u32 pool, u32 node) {
  return run.rest_counters + 2 * (pool * run.node_count + node);
}
__device__ inline u32* rest_claimed(const RunParameters& run, u32 pool, u32 node) {
  return rest_reserved(run, pool, node) + 1;
}
// Number of blocks that still use a pool.
__device__ inline u32* rest_users(const RunParameters& run, u32 pool) {
  return run.rest_counters + 2 * run.rest_pools * run.node_count + pool;
}
// Slot `index` of a node in a pool, and the word that is 1 once the slot is written.
__device__ inline byte* rest_slot(const NodeRow& node, u32 pool, u32 index) {
  const u64 slot = static_cast<u64>(pool) * node.rest_slots + index;
  return node.rest + slot * node.slot_bytes;
}
__device__ inline u32* rest_mark(const NodeRow& node, u32 pool, u32 index) {
  return node.rest_ready + static_cast<u64>(pool) * node.rest_slots + index;
}

// Reserves `count` slots of a node in a pool and returns the first of them, or NONE if there may be no room. Each block
// of a pool adds at most an ensemble at a time, so the last quarter of the slots is enough for all blocks that read the
// counter at the same time. One thread.
__device__ inline u32 reserve_rest(const Block& b, const RunParameters& run, u32 pool, u32 n, u32 count) {
  const u32 slots = run.nodes[n].rest_slots;
  u32* reserved = rest_reserved(run, pool, n);
  if (count > b.node[n].ensemble || read_shared(reserved) > slots - slots / 4) return NONE;
  return slots == 0 ? NONE : atomicAdd(reserved, count);
}

// Whether pods of node n wait in its walk. Any thread.
__device__ inline bool waits_in_walk(const Block& b, u32 n) {
  return is_walk(b.node[n]) && !is_between_walks(b, n);
}

// Resets a node's queue to `count` items from slot 0 on. One thread.
__device__ inline void fill_queue(Block& b, u32 n, u32 count) {
  b.queue[n].head = 0;
  b.queue[n].count = count;
  b.flow[n] = {0, 0, wrapped(0, count, b.queue[n].capacity)};
}

// Gives all waiting items to a pool. Items of a node for which the pool has no room stay, and set `drain`. All threads
// of the block call; has barriers; valid at its end.
__device__ inline void give_rest(Block& b, const RunParameters& run, u32 pool) {
  if (threadIdx.x < WARP) {
    for (u32 n = threadIdx.x; n < b.nodes; n += WARP) {
      const u32 count = b.queue[n].count;
      const u32 place = count == 0 ? NONE : reserve_rest(b, run, pool, n, count);
      if ((count > 0 && place == NONE) || waits_in_walk(b, n)) b.drain = 1;
      b.prefix[n] = place;
    }
  }
  __syncthreads();
  for (u32 n = 0; n < b.nodes; ++n) {
    const u32 place = b.prefix[n];
    if (place == NONE) continue;
    const NodeRow& node = run.nodes[n];
    const u32 bytes = node.slot_bytes;
    for (u32 i = threadIdx.x; i < b.queue[n].count; i += blockDim.x) {
      const u32 slot = wrapped(b.queue[n].head, i, b.queue[n].capacity);
      copy_item(rest_slot(node, pool, place + i), chunk_bytes(bytes), slot_at(b, n, slot, bytes),
                stride_of(b, n, bytes), bytes);
    }
  }
  __threadfence();  // the items before their marks
  for (u32 n = 0; n < b.nodes; ++n) {
    const u32 place = b.prefix[n];
    if (place == NONE) continue;
    volatile u32* marks = rest_mark(run.nodes[n], pool, place);
    for (u32 i = threadIdx.x; i < b.queue[n].count; i += blockDim.x) marks[i] = 1;
  }
  __syncthreads();
  for (u32 n = threadIdx.x; n < b.nodes; n += blockDim.x) {
    if (b.prefix[n] != NONE) fill_queue(b, n, 0);
  }
  __syncthreads();
}

// Claims up to `most` items of a node from a pool and returns their number; `*place` is the first slot. One thread.
__device__ inline u32 claim_rest(const RunParameters& run, u32 pool, u32 n, u32 most, u32* place) {
  u32* claimed = rest_claimed(run, pool, n);
  u32 first = read_shared(claimed);
  while (most > 0) {
    __threadfence();  // reserved is read after claimed, so it is not less
    const u32 count = min(most, read_shared(rest_reserved(run, pool, n)) - first);
    if (count == 0) break;
    const u32 seen = atomicCAS(claimed, first, first + count);
    if (seen == first) {
      *place = first;
      return count;
    }
    first = seen;
  }
  return 0;
}

// Claims a full ensemble of one module from the block's pool or, if `all`, as much as fits the block's queues, which
// are empty. Stores first slot and number of each node in `prefix` and `take`. All lanes of warp 0 call, converged;
// returns whether anything was claimed.
__device__ inline bool choose_rest(Block& b, const RunParameters& run, bool all) {
  const u32 lane = lane_in_warp();
  LaneNode own[PASSES];
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 n = pass * WARP + lane;
    own[pass] = {};
    own[pass].node.module = NONE;
    if (n >= b.nodes) continue;
    own[pass].node = b.node[n];
    u32 there = 0;
    if (run.nodes[n].rest_slots > 0) {
      const u32 claimed = read_shared(rest_claimed(run, b.pool, n));
      __threadfence();
      there = read_shared(rest_reserved(run, b.pool, n)) - claimed;
    }
    // The head of a loop keeps its reserve, as though the items came from its parent.
    own[pass].feasible = min(there, b.queue[n].capacity - b.queue[n].reserve);
  }
  __syncwarp();
  sum_modules(own, run.flags & RunParameters::SINGLE_NODES);
  // The first declared module that has enough, which most often is the furthest upstream.
  u32 chosen = NONE;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    if (own[pass].node.last && own[pass].total >= own[pass].node.ensemble) {
      chosen = min(chosen, own[pass].node.module);
    }
  }
  chosen = ~largest(~chosen);
  if (!all && chosen == NONE) return false;
  bool any = false;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 n = pass * WARP + lane;
    if (n >= b.nodes) continue;
    u32 most = own[pass].feasible;
    if (!all) {
      const u32 wanted = own[pass].node.ensemble, before = own[pass].before;
      most = own[pass].node.module == chosen && before < wanted ? min(most, wanted - before) : 0;
    }
    const u32 claimed = claim_rest(run, b.pool, n, most, &b.prefix[n]);
    b.flow[n].take = claimed;
    any |= claimed > 0;
  }
  __syncwarp();
  return __any_sync(ALL_LANES, any);
}

// Claims items from the block's pool; if there are none, goes on to the common pool as the last block of its pool, or
// finishes. Sets `shared_word` to 1 if there are items to be moved. All lanes of warp 0 call, converged; the queues are
// empty.
__device__ inline void claim_or_finish(Block& b, const RunParameters& run) {
  const u32 common = run.rest_pools - 1;
  if (b.sweep) {
    const bool any = choose_rest(b, run, true);
    __syncwarp();
    if (threadIdx.x == 0 && !any) {
      b.sweep = 0;
      b.pool = common;
    }
    __syncwarp();
    if (any) {
      if (threadIdx.x == 0) b.shared_word = 1;
      return;
    }
  }
  bool any = choose_rest(b, run, b.last);
  const bool partial = any;
  bool ends = false;
  if (!any && !b.last) {
    __syncwarp();
    u32 users = 0;
    if (threadIdx.x == 0) users = atomicSub(rest_users(run, b.pool), 1u);
    users = __shfl_sync(ALL_LANES, users, 0);
    __threadfence();  // the last sees what the others gave before they went
    ends = users > 1;
    if (threadIdx.x == 0 && !ends) {
      b.sweep = b.pool != common;
      b.last = b.drain = b.pool == common;
    }
  } else {
    ends = !any;
  }
  if (threadIdx.x == 0) {
    b.shared_word = any;
    b.finished = ends;
    b.partial = partial;
  }
}

// The action `rest`: gives the block's items to its pool, then takes a full ensemble out of it, or finishes. All
// threads of the block call; has barriers, and the scheduler must be called after another one.
__device__ inline void share_rest(Block& b, const RunParameters& run) {
  const bool gives = !b.drain;
  const u32 pool = b.sweep ? run.rest_pools - 1 : b.pool;
  __syncthreads();  // giving may set `drain`
  if (gives) give_rest(b, run, pool);
  bool waits = false;
  for (u32 n = 0; n < b.nodes; ++n) waits |= b.queue[n].count > 0 || waits_in_walk(b, n);
  if (waits) return;  // the pool had no room: the block drains its queues first
  __syncthreads();
  if (threadIdx.x < WARP) claim_or_finish(b, run);
  __syncthreads();
  if (!b.shared_word) return;
  for (u32 n = 0; n < b.nodes; ++n) {
    const NodeRow& node = run.nodes[n];
    const u32 bytes = node.slot_bytes;
    for (u32 i = threadIdx.x; i < b.flow[n].take; i += blockDim.x) {
      const u32 from = b.prefix[n] + i;
      while (read_shared(rest_mark(node, b.pool, from)) == 0) __nanosleep(100);
      __threadfence();
      copy_item(slot_at(b, n, i, bytes), stride_of(b, n, bytes), rest_slot(node, b.pool, from),
                chunk_bytes(bytes), bytes);
    }
  }
  __syncthreads();
  for (u32 n = threadIdx.x; n < b.nodes; n += blockDim.x) fill_queue(b, n, b.flow[n].take);
}

}  // namespace stream
