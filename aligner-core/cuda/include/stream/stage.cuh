// What the author of an application writes: stages, their channels, and what a stage is given.
//
// A stage is a struct with one function that receives an item and a `push`:
//
//   struct Filter : stream::Stage {                   // the fields are the module's parameters
//     using In = Token;
//     using Out = stream::Channels<stream::Channel<Token, 1>>;          // type and gamma
//     using Node = Threshold;                                           // of each node
//     using Global = Scale;                                             // of the application
//     template <class Push>
//     __device__ void run(const Token& token, const stream::Site<Filter>& site, Push& push) const {
//       if (token.score >= site.node().least) push(stream::to<0>(), token);
//     }
//   };
//   STREAM_APP(filter, Filter)
//
// Contract of `run`: called by threads of a warp that need not have converged, each with an item of
// its own; it must not wait for other threads (no barrier, no warp collective), because lanes
// without an item do not call it. Where THREADS is 32 a warp has one item, and its lanes may use warp
// collectives. Structs have the layout of their `#[repr(C)]` counterparts.
//
// Items of a channel with a gamma of 2 or more stay in registers if `push(to<I>(), item, slot)` names
// their slots, less than gamma and each at most once, by constants or variables of unrolled loops.
#pragma once

#include "gpualign/cuda_or_cpu.cuh"

#include <type_traits>

namespace stream {

using byte = unsigned char;
using u32 = unsigned;
using u64 = unsigned long long;

constexpr u32 WARP = 32;
constexpr u32 ALL_LANES = 0xFFFFFFFFu;

// How items are dealt to threads; the numbers are those of the host's `Mapping`.
enum class Kind : u32 { each, explode, collect, reduce };

// No parameters.
struct Nothing {};

// The base of stages that map items one by one, with the defaults.
struct Stage {
  using Node = Nothing;
  using Global = Nothing;
  static constexpr Kind KIND = Kind::each;
  static constexpr u32 THREADS = 1;  // threads an item: a power of two up to 32
  static constexpr u32 ITEMS = 1;    // items a thread
};

// The base of stages that run once for each of the `size(item, site)` elements of an item.
struct Exploding : Stage {
  static constexpr Kind KIND = Kind::explode;
};

// A header and up to `C` items, in one queue slot.
template <class H, class T, u32 C>
struct Pod {
  using Header = H;
  using Element = T;
  static constexpr u32 CAPACITY = C;
  H header;
  u32 len;
  T items[C];
};

// One output: what it carries, and the most items that one input yields on it: up to 32.
template <class T, u32 G>
struct Channel {
  using Item = T;
  static constexpr u32 GAMMA = G;
};

template <class... C>
struct Channels {
  static constexpr u32 COUNT = sizeof...(C);
};

// The base of stages that run on the items of a pod and pack those they keep into new pods, at most
// `FAN` a pod. Instead of `Out` they have `using New = Pod<...>`, the type of the new pods, and
// `using Others = Channels<...>`, the channels from index 1 on, whose gammas are per item. They
// define
//   void run(const Header&, const Element&, const Site&, Keep& keep, Push& push): `keep(key, item)`
//     puts an item into the new pod of this key; keys must be compile-time constants or small loops;
//   New::Header header(const Header&, u32 key, const Site&): called once a new pod.
template <class P, class N, u32 F = 1, class O = Channels<>>
struct Collecting : Stage {
  using In = P;
  using New = N;
  using Others = O;
  static constexpr u32 FAN = F;
  static constexpr Kind KIND = Kind::collect;
};

// The base of stages that reduce the items of a pod to one `Value`. They define
//   Value value(const Header&, const Element&, const Site&), Value combine(Value, Value) and
//   void finish(const Header&, const Value&, const Site&, Push&); gammas are per pod.
template <class P, class V>
struct Reducing : Stage {
  using In = P;
  using Value = V;
  static constexpr Kind KIND = Kind::reduce;
};

// Names the channel of index I: `push(stream::to<I>(), item)`.
template <u32 I>
struct To {};
template <u32 I>
__device__ constexpr To<I> to() {
  return {};
}

// Bytes of a type's fields: 0 for a struct without any.
template <class T>
constexpr u32 bytes_of = std::is_empty<T>::value ? 0 : sizeof(T);

// Reads parameters; a type without fields is not read.
template <class T>
__device__ T parameters_at(const byte* address) {
  if constexpr (bytes_of<T> == 0) {
    return T{};
  } else {
    return *reinterpret_cast<const T*>(address);
  }
}

// Where a stage runs.
template <class S>
struct Site {
  const byte* node_parameters;
  const byte* global_parameters;
  u32 lane;     // which of the item's threads this is
  u32 lanes;    // threads that share the item
  u32 element;  // which element of an exploded item, or item of a pod, this is

  __device__ typename S::Node node() const { return parameters_at<typename S::Node>(node_parameters); }
  __device__ typename S::Global global() const {
    return parameters_at<typename S::Global>(global_parameters);
  }
};

// How an executor calls a stage; specialised for fused stages, which have parts.
template <class S>
struct Code {
  static constexpr u32 PARAMETERS = bytes_of<S>;
  static constexpr u32 NODE = bytes_of<typename S::Node>;

  __device__ static S stage(const byte* parameters) { return parameters_at<S>(parameters); }

  template <class Push>
  __device__ static void run(const byte* parameters, const typename S::In& item,
                             const Site<S>& site, Push& push) {
    stage(parameters).run(item, site, push);
  }
};

// The channels of a stage: for collecting stages, the new pods and the others.
template <class S, Kind K = S::KIND>
struct OutOf {
  using Type = typename S::Out;
};
template <class N, u32 F, class O>
struct WithPods;
template <class N, u32 F, class... C>
struct WithPods<N, F, Channels<C...>> {
  using Type = Channels<Channel<N, F>, C...>;
};
template <class S>
struct OutOf<S, Kind::collect> {
  using Type = typename WithPods<typename S::New, S::FAN, typename S::Others>::Type;
};

}  // namespace stream
