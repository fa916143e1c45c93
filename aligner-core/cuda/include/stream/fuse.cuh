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
  static_assert(A::KIND == Kind::each && B::KIND == Kind::each && A::THREADS == 1 && B::THREADS == 1,
                "only stages of one item a thread can be fused");
};

// Pushes to channels that are numbered from OFFSET in another push.
template <u32 OFFSET, class P>
struct Shifted {
  P& push;
  template <u32 I, class T>
  __device__ void operator()(To<I>, const T& item) {
    push(to<I + OFFSET>(), item);
  }
  __device__ void fail() { push.fail(); }
};

// Parameters of both parts lie one after the other.
template <class A, u32 CHANNEL, class B>
struct Code<Fused<A, CHANNEL, B>> {
  using F = Fused<A, CHANNEL, B>;
  static constexpr u32 PARAMETERS = Code<A>::PARAMETERS + Code<B>::PARAMETERS;
  static constexpr u32 NODE = Code<A>::NODE + Code<B>::NODE;

  template <class P>
  __device__ static void run(const byte* parameters, const typename F::In& item, const Site<F>& site,
                             P& push) {
    Push<typename A::Out> first;
    const Site<A> site_a{site.node_parameters, site.global_parameters, 0, 1, 0};
    Code<A>::run(parameters, item, site_a, first);
    forward<0>(first, push, typename A::Out{});
    const Site<B> site_b{site.node_parameters + Code<A>::NODE, site.global_parameters, 0, 1, 0};
    Shifted<A::Out::COUNT - 1, P> rest{push};
    auto& between = staging<CHANNEL>(first);
    for (u32 i = 0; i < between.count && i < Own::GAMMA; ++i) {
      Code<B>::run(parameters + Code<A>::PARAMETERS, between.items[i], site_b, rest);
    }
    if (between.count > Own::GAMMA) push.fail();
  }

 private:
  using Own = typename F::Own;

  template <u32 I, class P>
  __device__ static void forward(Push<typename A::Out>&, P&, Channels<>) {}
  template <u32 I, class P, class C, class... Rest>
  __device__ static void forward(Push<typename A::Out>& first, P& push, Channels<C, Rest...>) {
    if constexpr (I != CHANNEL) {
      auto& staged = staging<I>(first);
      for (u32 i = 0; i < staged.count && i < C::GAMMA; ++i) {
        push(to<(I < CHANNEL ? I : I - 1)>(), staged.items[i]);
      }
      if (staged.count > C::GAMMA) push.fail();
    }
    forward<I + 1>(first, push, Channels<Rest...>{});
  }
};

}  // namespace stream
