// Two stages as one, without a queue between them: the second stage takes each item that the first pushes to CHANNEL at
// once, in the same thread (Cole 2017, 5.1.2). A thread whose item the first stage drops idles until its warp is done;
// queues avoid that.
#pragma once

#include "stream/push.cuh"

namespace stream {

// Stages A and B as one stage, joined at channel CHANNEL of A.
template <class A, u32 CHANNEL, class B>
struct Fused;

// Type functions on lists of channels: `Without` removes channel I and keeps its gamma, `Times` multiplies all gammas
// by G, `Joined` puts two lists together.
template <u32 I, class List, class Kept = Channels<>>
struct Without;
template <u32 I, class First, class... Rest, class... Kept>
struct Without<I, Channels<First, Rest...>, Channels<Kept...>>
    : Without<I - 1, Channels<Rest...>, Channels<Kept..., First>> {};
template <class First, class... Rest, class... Kept>
struct Without<0, Channels<First, Rest...>, Channels<Kept...>> {
  using Type = Channels<Kept..., Rest...>;
  static constexpr u32 GAMMA = First::GAMMA;
};
template <u32 G, class List>
struct Times;
template <u32 G, class... C>
struct Times<G, Channels<C...>> {
  using Type = Channels<Channel<typename C::Item, G * C::GAMMA>...>;
};
template <class X, class Y>
struct Joined;
template <class... X, class... Y>
struct Joined<Channels<X...>, Channels<Y...>> {
  using Type = Channels<X..., Y...>;
};

// Parameters of a node of a fused stage: those of A's node, then those of B's, read by `Code` below.
template <class A, u32 CHANNEL, class B>
struct FusedNode {};

template <class A, u32 CHANNEL, class B>
struct Fused : Stage {
  using In = typename A::In;
  using Global = typename A::Global;
  using Node = FusedNode<A, CHANNEL, B>;
  using Own = Without<CHANNEL, typename A::Out>;  // the channels of A that stay
  using Out = typename Joined<typename Own::Type,
                              typename Times<Own::GAMMA, typename B::Out>::Type>::Type;
  static constexpr Kind KIND = A::KIND;
  static_assert((KIND == Kind::each || KIND == Kind::explode) && B::KIND == Kind::each && A::THREADS == 1 &&
                    B::THREADS == 1,
                "only stages of one item, or element, a thread can be fused");
};

// The push of stage A in a fused stage: an item for CHANNEL runs stage B at once; the channels of B follow the other
// channels of A.
template <class A, u32 CHANNEL, class B, class P>
struct FusedPush {
  P& push;
  const byte* parameters;  // of the second part
  Site<B> site;

  template <u32 OFFSET>
  struct Shifted {
    P& push;
    template <u32 I, class T>
    __device__ void operator()(To<I>, const T& item) {
      push(to<I + OFFSET>(), item);
    }
    template <u32 I, class T>
    __device__ void operator()(To<I>, const T& item, u32 slot) {
      push(to<I + OFFSET>(), item, slot);
    }
  };

  template <u32 I, class T>
  __device__ void operator()(To<I>, const T& item) {
    if constexpr (I == CHANNEL) {
      Shifted<A::Out::COUNT - 1> rest{push};
      Code<B>::run(parameters, item, site, rest);
    } else {
      push(to<(I < CHANNEL ? I : I - 1)>(), item);
    }
  }
  template <u32 I, class T>
  __device__ void operator()(To<I>, const T& item, u32 slot) {
    if constexpr (I == CHANNEL) {
      (*this)(to<I>(), item);
    } else {
      push(to<(I < CHANNEL ? I : I - 1)>(), item, slot);
    }
  }
};

// Calls of a fused stage. The parameters of A and B follow each other in memory.
template <class A, u32 CHANNEL, class B>
struct Code<Fused<A, CHANNEL, B>> {
  using F = Fused<A, CHANNEL, B>;
  static constexpr u32 PARAMETERS = Code<A>::PARAMETERS + Code<B>::PARAMETERS;
  static constexpr u32 NODE = Code<A>::NODE + Code<B>::NODE;

  // Stands for the fused stage where the number of an item's elements is asked, which stage A knows.
  struct Sizes {
    const byte* parameters;
    __device__ u32 size(const typename F::In& item, const Site<F>& site) const {
      return Code<A>::stage(parameters).size(item, site_of_first(site));
    }
  };
  __device__ static Sizes stage(const byte* parameters) { return {parameters}; }

  __device__ static Site<A> site_of_first(const Site<F>& site) {
    return {site.node_parameters, site.global_parameters, 0, 1, site.element};
  }

  template <class P>
  __device__ static void run(const byte* parameters, const typename F::In& item, const Site<F>& site,
                             P& push) {
    const Site<A> site_a = site_of_first(site);
    const Site<B> site_b{site.node_parameters + Code<A>::NODE, site.global_parameters, 0, 1, 0};
    FusedPush<A, CHANNEL, B, P> first{push, parameters + Code<A>::PARAMETERS, site_b};
    Code<A>::run(parameters, item, site_a, first);
  }
};

}  // namespace stream
