// Items in memory.
//
// In the host's arrays and in pods, items follow each other without gaps. In a queue, an item is cut into chunks of up
// to 16 bytes, and the chunks of number c of all slots follow each other. So lanes of a warp, which work on
// neighbouring slots, read and write whole lines of memory.
//
//   an item of 24 bytes: 3 chunks of 8 bytes        queue of 4 slots: 0.0 1.0 2.0 3.0 | 0.1 1.1 2.1 3.1 | 0.2 ...
//                                                                     (slot.chunk)
#pragma once

#include "stream/stage.cuh"

#include <cstring>

namespace stream {

// Bytes of a chunk of an item of `item` bytes.
__device__ constexpr u32 chunk_bytes(u32 item) {
  return item % 16 == 0 ? 16 : item % 8 == 0 ? 8 : item % 4 == 0 ? 4 : item;
}

// A chunk of an item, aligned so that one instruction moves it.
template <u32 BYTES>
struct __align__(BYTES % 16 == 0 ? 16 : BYTES % 8 == 0 ? 8 : BYTES % 4 == 0 ? 4 : 1) Chunk {
  using Part = typename std::conditional<BYTES % 4 == 0, u32, byte>::type;
  Part parts[BYTES / sizeof(Part)];
};

// Copies a chunk in one access.
template <u32 BYTES>
__device__ inline void copy_chunk(byte* to, const byte* from) {
  *reinterpret_cast<Chunk<BYTES>*>(to) = *reinterpret_cast<const Chunk<BYTES>*>(from);
}

// Loads an item whose first chunk is at `from` and whose other chunks follow at a distance of `stride` bytes each.
template <class T>
__device__ T load_item(const byte* from, u32 stride) {
  constexpr u32 BYTES = chunk_bytes(sizeof(T));
  T item;
#pragma unroll
  for (u32 c = 0; c < sizeof(T) / BYTES; ++c) {
    const auto chunk = *reinterpret_cast<const Chunk<BYTES>*>(from + static_cast<u64>(c) * stride);
    memcpy(reinterpret_cast<byte*>(&item) + c * BYTES, &chunk, BYTES);
  }
  return item;
}

// Stores an item with its first chunk at `to` and the other chunks at a distance of `stride` bytes each.
template <class T>
__device__ void store_item(byte* to, u32 stride, const T& item) {
  constexpr u32 BYTES = chunk_bytes(sizeof(T));
#pragma unroll
  for (u32 c = 0; c < sizeof(T) / BYTES; ++c) {
    Chunk<BYTES> chunk;
    memcpy(&chunk, reinterpret_cast<const byte*>(&item) + c * BYTES, BYTES);
    *reinterpret_cast<Chunk<BYTES>*>(to + static_cast<u64>(c) * stride) = chunk;
  }
}

// Loads and stores an item that is in one piece.
template <class T>
__device__ T load_packed(const byte* from) {
  return load_item<T>(from, chunk_bytes(sizeof(T)));
}
template <class T>
__device__ void store_packed(byte* to, const T& item) {
  store_item(to, chunk_bytes(sizeof(T)), item);
}

// Copies an item of `bytes` bytes whose chunks are `from_stride` bytes apart at its source and `to_stride` at its
// target. Any thread.
__device__ inline void copy_item(byte* to, u32 to_stride, const byte* from, u32 from_stride, u32 bytes) {
  const u32 size = chunk_bytes(bytes);
  for (u32 c = 0; c < bytes / size; ++c) {
    byte* target = to + static_cast<u64>(c) * to_stride;
    const byte* source = from + static_cast<u64>(c) * from_stride;
    if (size == 16) {
      copy_chunk<16>(target, source);
    } else if (size == 8) {
      copy_chunk<8>(target, source);
    } else if (size == 4) {
      copy_chunk<4>(target, source);
    } else {
      for (u32 i = 0; i < size; ++i) target[i] = source[i];
    }
  }
}

}  // namespace stream
