// Stages, channels and sites: the part of the runtime that an application's author uses.
//
// A stage is a struct with one function that receives an item and pushes others:
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
// Contract of `run`: threads of a warp call it that need not have converged, each with an item of its own. It must not
// wait for other threads (no barrier, no warp collective), because lanes without an item do not call it. Only if
// THREADS is 32 do all lanes of a warp share an item and may use warp collectives. Structs have the layout of their
// `#[repr(C)]` counterparts in Rust.
//
// Items of a channel with a gamma of 2 or more stay in registers if they are pushed by `push(to<I>(), item, slot)`,
// where `slot` is below gamma, used at most once, and a constant or the variable of an unrolled loop.
#pragma once

#include "gpualign/cuda_or_cpu.cuh"

#include <type_traits>

namespace stream {

using byte = unsigned char;
using u32 = unsigned;
using u64 = unsigned long long;

constexpr u32 WARP = 32;
constexpr u32 ALL_LANES = 0xFFFFFFFFu;

// Ways in which items are mapped to threads; the numbers are those of the host's `Mapping`.
enum class Kind : u32 { each, explode, collect, reduce, depth_first, walk };

// Whether inputs of such a module take as many lanes as they have elements.
__device__ constexpr bool has_elements(Kind kind) {
  return kind == Kind::explode || kind == Kind::collect || kind == Kind::reduce;
}

// Parameters of a node or application that has none.
struct Nothing {};

// Base of stages that take items one by one, with defaults for what they may define.
struct Stage {
  using Node = Nothing;
  using Global = Nothing;
  static constexpr Kind KIND = Kind::each;
  static constexpr u32 THREADS = 1;  // threads an item: a power of two up to 32
  static constexpr u32 ITEMS = 1;    // items a thread
};

// Base of stages that run once for each of the `size(item, site)` elements of an item, in a lane each.
struct Exploding : Stage {
  static constexpr Kind KIND = Kind::explode;
};

// Base of stages that take items one by one, the latest first, and may multiply them: a channel leads back to the
// node itself, and carries up to gamma items for an input. The other channels are as those of any stage.
struct DepthFirst : Stage {
  static constexpr Kind KIND = Kind::depth_first;
};

// A pod: a header and up to `C` items, in one slot of a queue.
template <class H, class T, u32 C>
struct Pod {
  using Header = H;
  using Element = T;
  static constexpr u32 CAPACITY = C;
  H header;
  u32 len;
  T items[C];
};

// An output of a stage that carries items of type T; G, its gamma, is the most that one input yields, 1 to 32.
template <class T, u32 G>
struct Channel {
  using Item = T;
  static constexpr u32 GAMMA = G;
};

// The channels of a stage, by index.
template <class... C>
struct Channels {
  static constexpr u32 COUNT = sizeof...(C);
};

// Base of stages that run on each item of a pod and pack the items that they keep into new pods, at most F for each
// pod. P is the type of pod that they take, N that of the new pods, and O has their channels from index 1 on, whose
// gammas count for each item; channel 0 carries the new pods. They define
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

// Base of stages that reduce the items of a pod of type P to one value of type V. They define
//   Value value(const Header&, const Element&, const Site&), Value combine(Value, Value) and
//   void finish(const Header&, const Value&, const Site&, Push&); gammas are per pod.
template <class P, class V>
struct Reducing : Stage {
  using In = P;
  using Value = V;
  static constexpr Kind KIND = Kind::reduce;
};

// Base of stages that walk down a tree from each input, with the items that are live at each of its nodes (walk.cuh). I
// is the type of an input, H that of a node of the tree, T that of an item, F the most children of a node, and O has the
// channels, whose gammas count for each call of `visit`. They define
//   u32 enter(const I&, const WalkSite&, H& root): sets the node that the walk begins at, and returns the number of the
//     input's elements; 0 drops the input. Called by one thread for each input;
//   bool element(const I&, const WalkSite&, T& item): whether element `site.element` of an input is live at the root, and
//     its item, if so. A thread an element;
//   void children(const H& node, const WalkSite&, Children& add): `add(key, child)` for each child of a node, at most once
//     for each key below F. Keys must be compile-time constants or the variables of unrolled loops. A thread a node;
//   bool visit(const H& child, T& item, const WalkSite&, Push& push): whether an item of a node stays live at a child,
//     where it becomes `item`. A thread for each child and item.
// The contract of all of them is that of `run` above.
template <class I, class H, class T, u32 F, class O>
struct Walking : Stage {
  using In = I;
  using Header = H;
  using Element = T;
  using Out = O;
  static constexpr u32 FAN = F;
  static constexpr Kind KIND = Kind::walk;
};

// The channel of index I, as in `push(stream::to<I>(), item)`.
template <u32 I>
struct To {};
template <u32 I>
__device__ constexpr To<I> to() {
  return {};
}

// Bytes of a type's fields: 0 for a struct without fields, whose C++ size is 1.
template <class T>
constexpr u32 bytes_of = std::is_empty<T>::value ? 0 : sizeof(T);

// Reads parameters from memory; types without fields take no memory.
template <class T>
__device__ T parameters_at(const byte* address) {
  if constexpr (bytes_of<T> == 0) {
    return T{};
  } else {
    return *reinterpret_cast<const T*>(address);
  }
}

// The place where a stage runs: its node, and its thread among the threads that share the item.
template <class S>
struct Site {
  const byte* node_parameters;
  const byte* global_parameters;
  u32 lane;     // number of this thread among the threads that share the item, from 0
  u32 lanes;    // threads that share the item
  u32 element;  // number of this element of an exploded item, or of this item of a pod, from 0

  __device__ typename S::Node node() const { return parameters_at<typename S::Node>(node_parameters); }
  __device__ typename S::Global global() const {
    return parameters_at<typename S::Global>(global_parameters);
  }
};

// The place where a walking stage runs: its node in the application, and the number of the element that `element` is
// asked for. It holds the application's parameters, so that a loop over many items reads them from memory once.
template <class S>
struct WalkSite {
  const byte* node_parameters;
  typename S::Global global_parameters;
  u32 element;

  __device__ typename S::Node node() const { return parameters_at<typename S::Node>(node_parameters); }
  __device__ const typename S::Global& global() const { return global_parameters; }
};

// Calls of a stage by the executor, and the sizes of its parameters; specialised for fused stages (fused.cuh).
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

// The channels of a stage. For collecting stages, channel 0 is that of the new pods.
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
