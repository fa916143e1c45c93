// Moving the outputs of all blocks together.
#pragma once

#include "stream/block.cuh"

namespace stream {

// Copies what every block has in its region of a sink to one array, where that of block i begins at
// item `first[i]`. Any number of blocks of any size.
__device__ inline void pack(const Run& run, u32 sink, const u64* first, byte* packed) {
  const Sink& of = run.sinks[sink];
  const u64 item = of.item_bytes;
  for (u32 block = blockIdx.x; block < run.block_count; block += gridDim.x) {
    const byte* from = of.items + of.first[block] * item;
    byte* to = packed + first[block] * item;
    const u64 bytes = run.outputs[static_cast<u64>(block) * run.sink_count + sink] * item;
    if (item % 4 == 0) {
      copy_words(to, from, bytes);
    } else {
      for (u64 i = threadIdx.x; i < bytes; i += blockDim.x) to[i] = from[i];
    }
  }
}

}  // namespace stream
