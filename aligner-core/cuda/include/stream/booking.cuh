// Booking: updating queues and input window by what a firing took and pushed; claiming input.
#pragma once

#include "stream/block.cuh"

namespace stream {

// Updates the queue of a target by what the last firing took from it and pushed to it, and returns the queue. Called by
// one thread for each target, after the barrier that ends the firing.
template <bool PODS, bool STACKS>
__device__ Queue settle(Block& b, u32 t) {
  const Flow flow = b.flow[t];
  Queue queue = b.queue[t];
  queue.count += static_cast<u32>(flow.pushed);
  u32 done = flow.take;
  if constexpr (STACKS) {
    if (t < b.nodes && b.node[t].descent > 0) {
      // The firing has closed the gap that its inputs left.
      queue.count -= done;
      b.queue[t] = queue;
      b.flow[t] = {0, 0, wrapped(0, queue.count, queue.capacity)};
      return queue;
    }
  }
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

// The rest of the input is divided by this many claims of each block.
constexpr u32 CLAIMS = 4;

// Claims another part of the input for the block. Parts get smaller towards the end, so that all blocks end together
// (guided self-scheduling: Polychronopoulos and Kuck, IEEE Trans. Comput. 36, 1987). Called by one thread; the other
// threads of the block read the result in the next decision.
__device__ inline void claim_input(Block& b, const RunParameters& run) {
  u64 first;
  u32 size = run.chunk;
  if (run.flags & RunParameters::STATIC_INPUT) {
    first = b.next_chunk * size;
    b.next_chunk += gridDim.x;
    if (first < run.inputs) atomicAdd(run.cursor, size);  // only for the host's report of progress
  } else {
    // Other blocks may claim after this read: then the part is larger than it should be, which is harmless.
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

// Whether the root walks and has not come to the end of its input, so that claims of more input are left to blocks that
// need it now. Any thread.
template <bool WALKS>
__device__ bool is_root_walking(const Block& b) {
  if constexpr (WALKS) return is_walk(b.node[b.root]) && !is_between_walks(b, b.root);
  else return false;
}

// Advances the window by what the last firing took from it, and claims more input if less than an ensemble is left.
// Called by one thread.
template <bool WALKS>
__device__ void move_window(Block& b, const RunParameters& run) {
  u64 window = b.window + b.window_take;
  u32 left = b.window_left - b.window_take;  // below 0, as a signed number, if the firing went on into the part ahead
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
    if (exhausted || ahead > 0 || left >= b.source_ensemble || is_root_walking<WALKS>(b)) break;
    claim_input(b, run);
    claims = true;
  }
  b.window = window;
  b.window_left = left;
  b.ahead_count = ahead;
  b.waiting = left + ahead;
  b.exhausted = exhausted;
  b.window_take = b.claims = 0;
  // A root that walks claims when it has come to the end.
  b.window_moved = !exhausted && left == 0 && is_root_walking<WALKS>(b);
}

// Whether the last thread of the block should claim more input during the firing, because taking `inputs` leaves less
// than an ensemble. So the scheduler does not wait for the atomic on global memory. Called by one thread.
__device__ inline bool claims_meanwhile(const Block& b, u32 inputs) {
  return !b.exhausted && b.ahead_count == 0 && b.waiting - inputs < b.source_ensemble;
}

}  // namespace stream
