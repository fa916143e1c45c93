// Booking what a firing took and pushed, and claiming input.
#pragma once

#include "stream/block.cuh"

namespace stream {

// Books what the last firing took from and pushed to a target; how its queue is then. One thread.
template <bool PODS>
__device__ Queue settle(Block& b, u32 t) {
  const Flow flow = b.flow[t];
  Queue queue = b.queue[t];
  queue.count += static_cast<u32>(flow.pushed);
  u32 done = flow.take;
  if constexpr (PODS) {
    if (b.ends[t] != nullptr) {
      b.ended[t] += static_cast<u32>(flow.pushed >> 32);
      const u32 consumed = b.consumed[t] + done;
      done = done == 0 ? 0 : pods_ended(b, t, queue.count, consumed);
      b.consumed[t] = consumed;
    }
  }
  queue.head = wrapped(queue.head, done, queue.capacity);
  queue.count -= done;
  b.queue[t] = queue;
  b.flow[t] = {0, 0, wrapped(queue.head, queue.count, queue.capacity)};
  return queue;
}

// Claims of each block that would make up what is left of the input.
constexpr u32 CLAIMS = 4;

// Claims another part of the input: less and less, so that all blocks end together (guided
// self-scheduling: Polychronopoulos and Kuck, IEEE Trans. Comput. 36, 1987). One thread; nothing else reads
// it until the next decision.
__device__ inline void claim_input(Block& b, const Run& run) {
  u64 first;
  u32 size = run.chunk;
  if (run.flags & Run::STATIC_INPUT) {
    first = b.next_chunk * size;
    b.next_chunk += gridDim.x;
    if (first < run.inputs) atomicAdd(run.cursor, size);  // for the host's report
  } else {
    // Others may claim meanwhile: then this is more than it would have to be.
    const u64 left = run.inputs - min(*static_cast<const volatile u64*>(run.cursor), run.inputs);
    const u64 part = left / (CLAIMS * gridDim.x);
    const u32 least = b.ends[b.root] == nullptr ? b.source_ensemble : 1;
    if (part < size) size = max(static_cast<u32>(part) / least, 1u) * least;
    first = atomicAdd(run.cursor, size);
  }
  const u64 left = run.inputs - min(first, run.inputs);
  b.claimed = first;
  b.claimed_count = static_cast<u32>(min(left, static_cast<u64>(size)));
  b.claimed_last = left <= size;
}

// Books what the last firing took from the window, and claims more input if the block has less than
// an ensemble of it. One thread.
__device__ inline void move_window(Block& b, const Run& run) {
  u64 window = b.window + b.window_take;
  u32 left = b.window_left - b.window_take;  // below 0 when part of what comes after was taken, too
  u32 ahead = b.ahead_count, exhausted = b.exhausted;
  bool claims = b.claims;
  for (;;) {
    if (claims) {
      b.ahead = b.claimed;
      ahead = b.claimed_count;
      exhausted = b.claimed_last;
    }
    if (static_cast<int>(left) <= 0) {
      window = b.ahead - static_cast<int>(left);
      left += ahead;
      ahead = 0;
    }
    if (exhausted || ahead > 0 || left >= b.source_ensemble) break;
    claim_input(b, run);
    claims = true;
  }
  b.window = window;
  b.window_left = left;
  b.ahead_count = ahead;
  b.waiting = left + ahead;
  b.exhausted = exhausted;
  b.window_take = b.window_moved = b.claims = 0;
}

// Whether taking `inputs` from the window leaves less than an ensemble of it: then the last thread
// claims more meanwhile, and the scheduler need not wait for the atomic. One thread.
__device__ inline bool claims_meanwhile(const Block& b, u32 inputs) {
  return !b.exhausted && b.ahead_count == 0 && b.waiting - inputs < b.source_ensemble;
}

}  // namespace stream
