// Moving the outputs of all blocks together.
#pragma once

#include "stream/block.cuh"

namespace stream {

// Copies the items of every block's region of a sink to one array, where those of block i begin at item first[i].
// Called by all threads of a grid of any size; `packed` is valid when the kernel ends.
__device__ inline void pack(const PackParameters& parameters) {
  const SinkRow& sink = parameters.sinks[parameters.sink];
  const u64 item = sink.item_bytes;
  for (u32 block = blockIdx.x; block < parameters.block_count; block += gridDim.x) {
    const byte* from = sink.items + sink.first[block] * item;
    byte* to = parameters.packed + parameters.first[block] * item;
    const u64 bytes = parameters.outputs[static_cast<u64>(block) * parameters.sink_count + parameters.sink] * item;
    if (item % 4 == 0) {
      copy_words(to, from, bytes);
    } else {
      for (u64 i = threadIdx.x; i < bytes; i += blockDim.x) to[i] = from[i];
    }
  }
}

}  // namespace stream
