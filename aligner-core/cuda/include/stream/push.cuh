// What a thread has pushed and the warp has not yet scattered.
#pragma once

#include "stream/stage.cuh"

namespace stream {

// The items of one channel, in registers when there is at most one.
template <u32 I, class C>
struct Staging {
  using Item = typename C::Item;
  static constexpr u32 GAMMA = C::GAMMA;
  // Set, though only what is pushed is read: the compiler keeps what is never set for the kernel's life.
  Item items[GAMMA] = {};
  u32 count = 0;  // pushed; more than GAMMA is an error that scatter reports

  __device__ void add(const Item& item) {
    if constexpr (GAMMA == 1) {
      items[0] = item;
    } else if (count < GAMMA) {
      items[count] = item;
    }
    ++count;
  }
};

template <u32 I, class... C>
struct Stagings;
template <u32 I>
struct Stagings<I> {};
template <u32 I, class First, class... Rest>
struct Stagings<I, First, Rest...> : Staging<I, First>, Stagings<I + 1, Rest...> {};

template <u32 I, class C>
__device__ Staging<I, C>& staging(Staging<I, C>& of) {
  return of;
}

// The `push` of a stage with these channels.
template <class Out>
struct Push;
template <class... C>
struct Push<Channels<C...>> : Stagings<0, C...> {
  template <u32 I, class T>
  __device__ void operator()(To<I>, const T& item) {
    staging<I>(*this).add(item);
  }
};

// The `keep` of a collecting stage: at most one item a key.
template <class T, u32 FAN>
struct Keep {
  T items[FAN] = {};
  u32 kept = 0;  // bit k: an item for key k

  static_assert(FAN >= 1 && FAN <= 32, "keys are bits of a word");

  __device__ void operator()(u32 key, const T& item) {
#pragma unroll
    for (u32 k = 0; k < FAN; ++k) {
      if (k == key) items[k] = item;
    }
    kept |= 1u << key;
  }
};

}  // namespace stream
