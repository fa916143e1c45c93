// A description of the stages that a kernel was compiled for, as a list of words; src/stream/cuda/describe.rs reads it
// and compares it with the topology.
#pragma once

#include "stream/walk.cuh"

namespace stream {

// A list of words in memory. Words beyond its room are counted and not written.
struct Words {
  u32* words;
  u32 room;
  u32 count;

  __device__ void add(u32 word) {
    if (count < room) words[count] = word;
    ++count;
  }
};

// Adds item size and gamma of each channel. One thread.
__device__ inline void describe_channels(Words&, Channels<>) {}
template <class C, class... Rest>
__device__ void describe_channels(Words& to, Channels<C, Rest...>) {
  to.add(sizeof(typename C::Item));
  to.add(C::GAMMA);
  describe_channels(to, Channels<Rest...>{});
}

// The most new pods that one pod yields, or children of a node; 0 for stages that neither collect nor walk.
template <class S>
__device__ constexpr u32 fan_of() {
  if constexpr (S::KIND == Kind::collect || S::KIND == Kind::walk) return S::FAN;
  else return 0;
}

// Bytes of a node of the tree, and of an item, of stages that walk; 0 for others.
template <class S>
__device__ constexpr u32 header_bytes_of() {
  if constexpr (S::KIND == Kind::walk) return sizeof(typename S::Header);
  else return 0;
}
template <class S>
__device__ constexpr u32 element_bytes_of() {
  if constexpr (S::KIND == Kind::walk) return sizeof(typename S::Element);
  else return 0;
}

// Adds a module: bytes of an input; bytes of the parameters of the module, a node and the application; kind, threads,
// items and fan; bytes of a node of a tree and of an item, of walks; number of channels; then bytes and gamma of each
// channel. One thread.
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
  to.add(header_bytes_of<S>());
  to.add(element_bytes_of<S>());
  to.add(Out::COUNT);
  describe_channels(to, Out{});
}

// Writes the description: number of words, limits, sizes of the tables' structs, scratch bytes of a block, number of
// modules; then each module; then the modules' names as written in STREAM_APP, one character in each word. All threads
// may call; the first thread of the grid writes, and the words are valid when the kernel ends.
template <class... M>
__device__ void describe(Modules<M...>, const char* names, const DescribeParameters& parameters) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  Words to{parameters.words, parameters.capacity, 1};
  to.add(MAX_TARGETS);
  to.add(MAX_EDGES);
  to.add(STREAM_MAX_WIDTH);
  const u32 sizes[] = {sizeof(NodeRow),        sizeof(EdgeRow),       sizeof(ModuleRow),
                       sizeof(SinkRow),        sizeof(SavedQueue),    sizeof(SavedBlock),
                       sizeof(ModuleCounters), sizeof(CycleCounters), sizeof(Fault),
                       sizeof(PacketRow),      sizeof(WalkRow),       sizeof(SavedWalk),    sizeof(RunParameters)};
  for (const u32 size : sizes) to.add(size);
  u32 scratch = 0;
  ((scratch = max(scratch, scratch_bytes<M>(parameters.width))), ...);
  to.add((scratch + 15) / 16 * 16);
  to.add(sizeof...(M));
  (describe_module<M>(to), ...);
  for (u32 i = 0; names[i] != 0; ++i) to.add(static_cast<byte>(names[i]));
  if (parameters.capacity > 0) parameters.words[0] = to.count;
}

}  // namespace stream
