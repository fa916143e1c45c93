// What a kernel was compiled for, as a list of words that the host reads (`cuda/describe.rs`).
#pragma once

#include "stream/pods.cuh"

namespace stream {

// Appends words as long as there is room; counts all.
struct Words {
  u32* words;
  u32 room;
  u32 count;

  __device__ void add(u32 word) {
    if (count < room) words[count] = word;
    ++count;
  }
};

__device__ inline void describe_channels(Words&, Channels<>) {}
template <class C, class... Rest>
__device__ void describe_channels(Words& to, Channels<C, Rest...>) {
  to.add(sizeof(typename C::Item));
  to.add(C::GAMMA);
  describe_channels(to, Channels<Rest...>{});
}

template <class S>
__device__ constexpr u32 fan_of() {
  if constexpr (S::KIND == Kind::collect) return S::FAN;
  else return 0;
}

// Input bytes, parameter bytes of module, nodes and application, kind, threads, items, fan,
// channels; then bytes and gamma of each channel.
template <class S>
__device__ void describe_module(Words& to) {
  using Out = typename OutOf<S>::Type;
  to.add(sizeof(typename S::In));
  to.add(Code<S>::PARAMETERS);
  to.add(Code<S>::NODE);
  to.add(bytes_of<typename S::Global>);
  to.add(static_cast<u32>(S::KIND));
  to.add(S::THREADS);
  to.add(S::ITEMS);
  to.add(fan_of<S>());
  to.add(Out::COUNT);
  describe_channels(to, Out{});
}

// Words used, limits, sizes of the tables' structs, scratch bytes at this width, modules; each
// module; then the modules' names as written, one character a word. One thread does all.
template <class... M>
__device__ void describe(Modules<M...>, const char* names, u32* words, u32 room, u32 width) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  Words to{words, room, 1};
  to.add(MAX_TARGETS);
  to.add(MAX_EDGES);
  to.add(STREAM_MAX_WIDTH);
  const u32 sizes[] = {sizeof(Node), sizeof(Edge), sizeof(Module), sizeof(Sink), sizeof(SavedQueue),
                       sizeof(SavedBlock), sizeof(ModuleCounters), sizeof(Counters), sizeof(Fault),
                       sizeof(Run)};
  for (const u32 size : sizes) to.add(size);
  u32 scratch = 0;
  ((scratch = max(scratch, scratch_bytes<M>(width))), ...);
  to.add((scratch + 15) / 16 * 16);
  to.add(sizeof...(M));
  (describe_module<M>(to), ...);
  for (u32 i = 0; names[i] != 0; ++i) to.add(static_cast<byte>(names[i]));
  if (room > 0) words[0] = to.count;
}

}  // namespace stream
