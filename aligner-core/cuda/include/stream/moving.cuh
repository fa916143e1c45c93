// Work that moves between blocks during the run, under RunParameters::MOVE_WORK.
//
// Blocks share nothing but the input, and when that is exhausted, some are done while others have thousands of items that
// still multiply. So a block that has run dry is *hungry*: it sets its bit in a mask, and waits for a *packet*, items of
// one node that another block gives away. Each block has one packet in global memory, which others fill.
//
//   hungry block   sets its bit, counts itself in HUNGRY, and waits until its packet is filled or no block works
//   other block    reads HUNGRY during each firing; if it is not 0 and the block has more than GENEROUS ensembles at a
//                  node, it clears the bit of a hungry block, and fills that block's packet with an ensemble of items,
//                  the oldest: at a depth-first node these have the largest trees below them
//
// Queues cannot overflow. To give only frees slots. A block takes a packet only while all its queues are empty: the queue
// has room, as the giver's had, and the head of a loop keeps its reserve, because a packet has no more items than the
// queue without its reserve. So a loop has as many free slots as if the items had entered from outside. The items of a
// stack go from its first slots to the first slots of another stack, and those above them move down: no item's slot
// becomes a later one, so the invariant of the host's plan/depth_first.rs holds for all of them.
//
// No block waits for one that may not have started. WORKING counts blocks that have started in this launch, and are
// neither hungry nor stopped; a giver counts the block to which it gives from when it clears the bit. These blocks make
// progress without the others, so their number gets to 0 unless they give.
//
// No item is lost. The one who clears a bit decides: a giver, and then the block waits for its packet, which is being
// filled by a block that runs; or the block itself, when no block works, and then nobody gives to it. HOLDING counts
// blocks that have stopped with items: as long as there are any, a hungry block ends its launch but is not finished, for
// they may give in the next one.
#pragma once

#include "stream/lane_node.cuh"

namespace stream {

// Words of RunParameters::moving, each in a cache line of its own: blocks that wait for packets, blocks that work, blocks
// that have stopped with items, and packets given. The mask of hungry blocks follows, a bit for each block.
constexpr u32 HUNGRY = 0, WORKING = 32, HOLDING = 64, GIVEN = 96, MASK = 128;

// A block gives items of a node at which more than so many ensembles wait.
constexpr u32 GENEROUS = 2;

// The most nanoseconds between two looks of a hungry block at its packet. It looks at WORKING, which all hungry blocks
// share, every fourth time.
constexpr u32 LONGEST_PAUSE = 2000;

// The items of a block's packet.
__device__ inline byte* packet_items(const RunParameters& run, u32 block) {
  return run.packets + static_cast<u64>(block) * run.packet_bytes;
}

// Whether this block is to give, if so many blocks are hungry and so many work: about twice as many try as there are
// hungry ones. One thread.
__device__ inline u32 is_to_give(const Block& b, u32 hungry, u32 working) {
  if (hungry == 0) return 0;
  u32 draw = blockIdx.x * 0x9E3779B1u ^ b.firings * 0x85EBCA6Bu;
  draw = (draw ^ draw >> 16) * 0x7FEB352Du;
  return (draw ^ draw >> 15) % max(working, 1u) < 2 * hungry;
}

// Clears the bit of a hungry block, and returns its number, or NONE if there is none. All lanes of warp 0 call,
// converged; valid in all lanes.
__device__ inline u32 claim_hungry(const RunParameters& run) {
  const u32 lane = lane_in_warp(), words = (run.block_count + WARP - 1) / WARP;
  const u32 first = blockIdx.x * 0x9E3779B1u % words;  // givers begin at different words
  u32* const masks = run.moving + MASK;
  for (u32 base = 0; base < words; base += WARP) {
    const u32 word = (first + base + lane) % words;
    u32 mask = base + lane < words ? read_shared(masks + word) : 0;
    for (u32 some = __ballot_sync(ALL_LANES, mask != 0); some != 0; some &= some - 1) {
      const u32 chosen = __ffs(some) - 1;
      u32 found = NONE;
      if (lane == chosen) {
        for (; mask != 0 && found == NONE; mask &= mask - 1) {
          const u32 bit = mask & (0 - mask);
          if (atomicAnd(masks + word, ~bit) & bit) found = word * WARP + __ffs(bit) - 1;
        }
      }
      found = __shfl_sync(ALL_LANES, found, chosen);
      if (found != NONE) return found;
    }
  }
  return NONE;
}

// Sets a node's queue to `count` items from slot `head` on. One thread.
__device__ inline void set_queue(Block& b, u32 n, u32 head, u32 count) {
  b.queue[n].head = head;
  b.queue[n].count = count;
  b.flow[n] = {0, 0, wrapped(head, count, b.queue[n].capacity)};
}

// Chooses the node of which the block gives items, and sets the action `give`; false if no node has enough.
// Items of modules that explode or take pods stay. All lanes of warp 0 call, converged, after settling.
__device__ inline bool choose_gift(Block& b, const LaneNode (&own)[PASSES]) {
  u32 key = 0;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 n = pass * WARP + lane_in_warp();
    if (n >= b.nodes || b.ends[n] != nullptr) continue;
    const u32 count = own[pass].queue.count;
    if (count > GENEROUS * own[pass].node.ensemble) key = max(key, min(count, 1u << 23) << 8 | (255 - n));
  }
  key = largest(key);
  if (key == 0) return false;
  if (lane_in_warp() == 0) {
    const u32 n = 255 - (key & 255);
    const Queue queue = b.queue[n];
    u32 items = b.node[n].ensemble;
    if (b.node[n].descent == 0) items = min(items, queue.capacity - queue.reserve);
    b.next = {Action::give, n, items, 0};
  }
  return true;
}

// The action `give`: fills the packet of a hungry block with the oldest items of a node, unless there is no hungry block
// any more. All threads of the block call; has barriers; the queue is valid after the next one.
__device__ inline void give_work(Block& b, const RunParameters& run) {
  const u32 n = b.next.module, items = b.next.inputs;
  if (threadIdx.x < WARP) {
    const u32 claimed = claim_hungry(run);
    if (threadIdx.x == 0) {
      b.hungry = 0;
      b.shared_word = claimed;
      if (claimed != NONE) {
        atomicAdd(run.moving + WORKING, 1u);
        atomicSub(run.moving + HUNGRY, 1u);
        atomicAdd(run.moving + GIVEN, 1u);
      }
    }
  }
  __syncthreads();
  const u32 block = b.shared_word;
  if (block == NONE) return;
  const Queue queue = b.queue[n];
  const u32 bytes = b.slot_bytes[n], stride = stride_of(b, n, bytes);
  byte* packet = packet_items(run, block);
  for (u32 i = threadIdx.x; i < items; i += blockDim.x) {
    const u32 slot = wrapped(queue.head, i, queue.capacity);
    copy_item(packet + static_cast<u64>(i) * bytes, chunk_bytes(bytes), slot_at(b, n, slot, bytes), stride, bytes);
  }
  __threadfence();  // the items before the word that tells of them
  __syncthreads();
  const u32 left = queue.count - items;
  if (threadIdx.x == 0) {
    PacketRow& row = run.packet_rows[block];
    row.node = n;
    row.items = items;
    __threadfence();
    *static_cast<volatile u32*>(&row.filled) = 1;
  }
  if (b.node[n].descent == 0) {
    if (threadIdx.x == 0) set_queue(b, n, wrapped(queue.head, items, queue.capacity), left);
    return;
  }
  // A stack moves down, so many items at a time that they do not overlap the slots that they come from.
  const u32 step = min(items, blockDim.x);
  for (u32 base = 0; base < left; base += step) {
    const u32 slot = base + threadIdx.x;
    if (threadIdx.x < step && slot < left) {
      copy_item(slot_at(b, n, slot, bytes), stride, slot_at(b, n, slot + items, bytes), stride, bytes);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) set_queue(b, n, 0, left);
}

// Waits until the block's packet is filled; false if the launch ends for the block. One thread.
__device__ inline bool wait_for_packet(Block& b, const RunParameters& run) {
  u32* const moving = run.moving;
  u32* const mask = moving + MASK + blockIdx.x / WARP;
  const u32 bit = 1u << blockIdx.x % WARP;
  atomicAdd(moving + HUNGRY, 1u);
  __threadfence();  // the packet is empty before the bit is set
  atomicOr(mask, bit);
  __threadfence();
  atomicSub(moving + WORKING, 1u);
  for (u32 look = 0, pause = 200;; ++look, pause = min(2 * pause, LONGEST_PAUSE)) {
    if (read_shared(&run.packet_rows[blockIdx.x].filled)) break;
    if (look % 4 == 0 && read_shared(moving + WORKING) == 0 && (atomicAnd(mask, ~bit) & bit)) {
      atomicSub(moving + HUNGRY, 1u);
      b.works = 0;
      __threadfence();
      b.finished = read_shared(moving + HOLDING) == 0;
      return false;
    }
    __nanosleep(pause);
  }
  __threadfence();  // the word before the items
  return true;
}

// The action `take`: waits for a packet and moves its items to the block's queues, which are empty. All threads of the
// block call; has barriers; the queues are valid after the next one. Returns whether the block goes on.
__device__ inline bool take_work(Block& b, const RunParameters& run) {
  if (threadIdx.x == 0) b.shared_word = wait_for_packet(b, run);
  __syncthreads();
  if (!b.shared_word) return false;
  PacketRow& row = run.packet_rows[blockIdx.x];
  const u32 n = read_shared(&row.node), items = read_shared(&row.items);
  const u32 bytes = b.slot_bytes[n], stride = stride_of(b, n, bytes);
  const byte* packet = packet_items(run, blockIdx.x);
  for (u32 i = threadIdx.x; i < items; i += blockDim.x) {
    copy_item(slot_at(b, n, i, bytes), stride, packet + static_cast<u64>(i) * bytes, chunk_bytes(bytes), bytes);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *static_cast<volatile u32*>(&row.filled) = 0;
    set_queue(b, n, 0, items);
  }
  return true;
}

// Counts the block among those that work, at the start of a launch. One thread, after restoring.
__device__ inline void start_working(Block& b, const RunParameters& run) {
  b.works = 1;
  atomicAdd(run.moving + WORKING, 1u);
  __threadfence();
  if (run.blocks[blockIdx.x].flags & SavedBlock::HOLDS) atomicSub(run.moving + HOLDING, 1u);
}

// Counts the block out at the end of a launch, unless it was hungry, and returns whether it holds items or input. One thread.
__device__ inline bool stop_working(const Block& b, const RunParameters& run) {
  if (!b.works) return false;
  bool holds = b.waiting > 0;
  for (u32 n = 0; n < b.nodes; ++n) holds |= b.queue[n].count > 0;
  if (holds) atomicAdd(run.moving + HOLDING, 1u);
  __threadfence();
  atomicSub(run.moving + WORKING, 1u);
  return holds;
}

}  // namespace stream
