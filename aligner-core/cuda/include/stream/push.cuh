// What a thread has pushed and the warp has not yet scattered.
#pragma once

#include "stream/stage.cuh"

namespace stream {

// The items of one channel: in registers when there is at most one, or when slots are named.
template <u32 I, class C>
struct Staging {
  using Item = typename C::Item;
  static constexpr u32 GAMMA = C::GAMMA;
  static_assert(GAMMA <= 32, "filled slots are bits of a word");
  // Set, though only what is pushed is read: the compiler keeps what is never set for the kernel's life.
  Item items[GAMMA] = {};
  u32 filled = 0;  // slots with an item, a bit each
  u32 count = 0;   // pushed; more than GAMMA is an error that scatter reports

  // Adds an item to the slot after the last.
  __device__ void add(const Item& item) { put(item, GAMMA == 1 ? 0 : count); }

  // Puts an item into a slot.
  __device__ void put(const Item& item, u32 slot) {
    if (GAMMA == 1 || slot < GAMMA) {
      items[GAMMA == 1 ? 0 : slot] = item;
      filled |= 1u << slot % 32;
    }
    ++count;
  }
};

template <u32 I, class... C>
struct Stagings;
template <u32 I>
struct Stagings<I> {
  __device__ bool has_any() const { return false; }
};
template <u32 I, class First, class... Rest>
struct Stagings<I, First, Rest...> : Staging<I, First>, Stagings<I + 1, Rest...> {
  // Whether anything was pushed.
  __device__ bool has_any() const {
    return Staging<I, First>::filled != 0 || Stagings<I + 1, Rest...>::has_any();
  }
};

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
  template <u32 I, class T>
  __device__ void operator()(To<I>, const T& item, u32 slot) {
    staging<I>(*this).put(item, slot);
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
