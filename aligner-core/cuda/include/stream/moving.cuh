// Work that moves between blocks during the run, under RunParameters::MOVE_WORK.
//
// Blocks share nothing but the input, and when that is exhausted, some are done while others have thousands of items that
// still multiply. So a block that has run dry is *hungry*: it waits for a *packet*, items of one node that another block
// gives away. Packets wait in a ring in global memory.
//
//   hungry block   adds itself to HUNGRY, and waits as long as a block works or a packet waits
//   other block    reads HUNGRY during each firing; if there are more hungry blocks than packets, it gives up to an
//                  ensemble, and at most half, of the items of its longest queue, the oldest: at a depth-first node these
//                  have the largest trees below them
//
// Queues cannot overflow. To give only frees slots. A block takes a packet only while all its queues are empty: the queue
// has room, as the giver's had, and the head of a loop keeps its reserve, because a packet has no more items than the
// queue without its reserve. So a loop has as many free slots as if the items had entered from outside. The items of a stack go from its first slots
// to the first slots of another stack, and those above them move down: no item's slot becomes a later one, so the invariant of
// the host's plan/depth_first.rs holds for all of them.
//
// No block waits for one that may not have started. WORKING counts blocks that have started in this launch, and are
// neither hungry nor stopped. They make progress without the others, so their number gets to 0 unless they give.
//
// No item is lost. A block ends, or stops hungry, only after it has seen no packet, and a packet is given only by a block
// that works, which becomes hungry afterwards, or stops with items and goes on in the next launch. So the last block to
// end has seen that no packet is left. HOLDING counts blocks that have stopped with items: as long as there are any, a
// hungry block ends its launch but is not finished, for they may give in the next one. If a block ends although another
// one still claims a packet, it might have helped, and nothing else is wrong.
//
// The ring is that of D. Vyukov's bounded queue: packet `at` has turn `at` while it is free, `at + 1` once it is written,
// and `at + packet_count` when it is free again. Neither side waits for the other.
#pragma once

#include "stream/lane_node.cuh"

namespace stream {

// Words of RunParameters::moving, each in a cache line of its own: blocks that wait for packets, blocks that work, blocks
// that have stopped with items, packets given, and packets taken.
constexpr u32 HUNGRY = 0, WORKING = 32, HOLDING = 64, GIVEN = 96, TAKEN = 128;

// The most nanoseconds between two looks of a hungry block: thousands of them share the words that they look at.
constexpr u32 LONGEST_PAUSE = 8000;

// Number of packets that wait. One thread.
__device__ inline u32 packets_waiting(const RunParameters& run) {
  const u32 taken = read_shared(run.moving + TAKEN);
  __threadfence();  // given is read after taken, so it is not less
  return read_shared(run.moving + GIVEN) - taken;
}

__device__ inline PacketRow& packet_row(const RunParameters& run, u32 at) {
  return run.packet_rows[at & (run.packet_count - 1)];
}
__device__ inline byte* packet_items(const RunParameters& run, u32 at) {
  return run.packets + static_cast<u64>(at & (run.packet_count - 1)) * run.packet_bytes;
}

// Reserves the next packet whose turn is `ahead` more than its number, by moving `counter` on: GIVEN with 0, or TAKEN
// with 1. Sets `at` to its number; false if there is none. One thread.
__device__ inline bool reserve_packet(const RunParameters& run, u32 counter, u32 ahead, u32* at) {
  u32 next = read_shared(run.moving + counter);
  for (;;) {
    const int turn = static_cast<int>(read_shared(&packet_row(run, next).turn) - (next + ahead));
    if (turn < 0) return false;
    if (turn > 0) {
      next = read_shared(run.moving + counter);  // another block was faster
      continue;
    }
    const u32 seen = atomicCAS(run.moving + counter, next, next + 1);
    if (seen == next) break;
    next = seen;
  }
  __threadfence();  // the turn before the items
  *at = next;
  return true;
}

// Sets the turn of a packet, after a barrier behind all accesses to its items. One thread.
__device__ inline void set_turn(const RunParameters& run, u32 at, u32 turn) {
  __threadfence();
  *static_cast<volatile u32*>(&packet_row(run, at).turn) = turn;
}

// Sets a node's queue to `count` items from slot `head` on. One thread.
__device__ inline void set_queue(Block& b, u32 n, u32 head, u32 count) {
  b.queue[n].head = head;
  b.queue[n].count = count;
  b.flow[n] = {0, 0, wrapped(head, count, b.queue[n].capacity)};
}

// Chooses the node of which the block gives items, and sets the action `give`; false if no node has more than an ensemble.
// Items of modules that explode or take pods stay. All lanes of warp 0 call, converged, after settling.
__device__ inline bool choose_gift(Block& b, const LaneNode (&own)[PASSES]) {
  u32 key = 0;
#pragma unroll
  for (u32 pass = 0; pass < PASSES; ++pass) {
    const u32 n = pass * WARP + lane_in_warp();
    if (n >= b.nodes || b.ends[n] != nullptr) continue;
    const u32 count = own[pass].queue.count;
    if (count > own[pass].node.ensemble) key = max(key, min(count, 1u << 23) << 8 | (255 - n));
  }
  key = largest(key);
  if (key == 0) return false;
  if (lane_in_warp() == 0) {
    const u32 n = 255 - (key & 255);
    const Queue queue = b.queue[n];
    u32 items = min(queue.count / 2, b.node[n].ensemble);
    if (b.node[n].descent == 0) items = min(items, queue.capacity - queue.reserve);
    b.next = {Action::give, n, items, 0};
  }
  return true;
}

// The action `give`: moves the oldest items of a node to a packet, unless others were faster. All threads of the block
// call; has barriers; the queue is valid after the next one.
__device__ inline void give_work(Block& b, const RunParameters& run) {
  const u32 n = b.next.module, items = b.next.inputs;
  if (threadIdx.x == 0) {
    b.hungry = 0;
    b.shared_word = packets_waiting(run) < read_shared(run.moving + HUNGRY) && reserve_packet(run, GIVEN, 0, &b.packet);
  }
  __syncthreads();
  if (!b.shared_word) return;
  const Queue queue = b.queue[n];
  const u32 at = b.packet, bytes = b.slot_bytes[n], stride = stride_of(b, n, bytes);
  byte* packet = packet_items(run, at);
  for (u32 i = threadIdx.x; i < items; i += blockDim.x) {
    const u32 slot = wrapped(queue.head, i, queue.capacity);
    copy_item(packet + static_cast<u64>(i) * bytes, chunk_bytes(bytes), slot_at(b, n, slot, bytes), stride, bytes);
  }
  __threadfence();  // the items before the turn
  __syncthreads();
  const u32 left = queue.count - items;
  if (threadIdx.x == 0) {
    packet_row(run, at).node = n;
    packet_row(run, at).items = items;
    set_turn(run, at, at + 1);
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

// Waits for a packet; false if the launch ends for the block. One thread.
__device__ inline bool wait_for_packet(Block& b, const RunParameters& run) {
  u32* const moving = run.moving;
  atomicAdd(moving + HUNGRY, 1u);
  __threadfence();
  atomicSub(moving + WORKING, 1u);
  bool found = false;
  for (u32 pause = 500;; pause = min(2 * pause, LONGEST_PAUSE)) {
    if (packets_waiting(run) > 0) {
      atomicAdd(moving + WORKING, 1u);  // before the packet is taken, so that the others go on waiting
      if (reserve_packet(run, TAKEN, 1, &b.packet)) {
        found = true;
        break;
      }
      atomicSub(moving + WORKING, 1u);
    } else if (read_shared(moving + WORKING) == 0) {
      __threadfence();
      if (packets_waiting(run) == 0) break;
    }
    __nanosleep(pause);
  }
  atomicSub(moving + HUNGRY, 1u);
  if (!found) {
    b.works = 0;
    __threadfence();
    b.finished = read_shared(moving + HOLDING) == 0;
  }
  return found;
}

// The action `take`: waits for a packet and moves its items to the block's queues, which are empty. All threads of the
// block call; has barriers; the queues are valid after the next one. Returns whether the block goes on.
__device__ inline bool take_work(Block& b, const RunParameters& run) {
  if (threadIdx.x == 0) b.shared_word = wait_for_packet(b, run);
  __syncthreads();
  if (!b.shared_word) return false;
  const u32 at = b.packet;
  const u32 n = read_shared(&packet_row(run, at).node), items = read_shared(&packet_row(run, at).items);
  const u32 bytes = b.slot_bytes[n], stride = stride_of(b, n, bytes);
  const byte* packet = packet_items(run, at);
  for (u32 i = threadIdx.x; i < items; i += blockDim.x) {
    copy_item(slot_at(b, n, i, bytes), stride, packet + static_cast<u64>(i) * bytes, chunk_bytes(bytes), bytes);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    set_turn(run, at, at + run.packet_count);
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
