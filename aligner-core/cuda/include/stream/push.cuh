// Items that a thread has pushed and its warp has not scattered yet.
#pragma once

#include "stream/stage.cuh"

namespace stream {

// The pushed items of one channel, in registers if there is at most one or if the stage names slots (stage.cuh).
template <u32 I, class C>
struct Staging {
  using Item = typename C::Item;
  static constexpr u32 GAMMA = C::GAMMA;
  static_assert(GAMMA <= 32, "filled slots are bits of a word");
  // Initialised although only pushed items are read: the compiler would keep registers that are not always set for as
  // long as the kernel runs.
  Item items[GAMMA] = {};
  u32 filled = 0;  // bit s: slot s has an item
  u32 count = 0;   // pushes; more than GAMMA is a fault that scatter reports

  // Adds an item behind the last one.
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

// The pushed items of the channels from I on: a base class for each of them.
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

// The pushed items of channel I.
template <u32 I, class C>
__device__ Staging<I, C>& staging(Staging<I, C>& of) {
  return of;
}

// The object that a stage with channels `Out` calls to push items: push(to<I>(), item) or push(to<I>(), item, slot).
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

// The object that a collecting stage calls to keep an item for a new pod: keep(key, item), at most once for each key.
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
