// Two stages as one, without a queue between them: what the first pushes to CHANNEL, the second gets
// at once, in the same thread (000, section 5.1.2). A thread whose item is dropped early idles until
// its warp is done, which is what queues avoid.
#pragma once

#include "stream/push.cuh"

namespace stream {

template <class A, u32 CHANNEL, class B>
struct Fused;

// The channels of a list without number I; those of a list with gammas times G; two lists in one.
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

// The push of the first part of a fused stage: what goes to CHANNEL, the second part gets at once;
// its channels follow the others of the first.
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

// Parameters of both parts lie one after the other.
template <class A, u32 CHANNEL, class B>
struct Code<Fused<A, CHANNEL, B>> {
  using F = Fused<A, CHANNEL, B>;
  static constexpr u32 PARAMETERS = Code<A>::PARAMETERS + Code<B>::PARAMETERS;
  static constexpr u32 NODE = Code<A>::NODE + Code<B>::NODE;

  // What is asked for an item's elements: the first part.
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
