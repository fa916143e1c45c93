// Atomic operations on 32- and 64-bit numbers, with relaxed order as in CUDA; each returns the old
// value. They also are the places where the scheduler may switch to another thread of the block.
#pragma once

#include <algorithm>
#include <type_traits>

#include "block.h"

namespace simt {

// Keeps `T` from being deduced from an argument, so that `atomicAdd(&counter, 1)` converts the 1.
template <class T>
struct Identity {
  using type = T;
};
template <class T>
using Same = typename Identity<T>::type;

// Replaces `*address` by `next(*address)`.
template <class T, class Next>
T atomic_update(T* address, Next next) {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "atomics work on numbers of 4 or 8 bytes");
  current->pause_at_random();
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  T desired = next(old);
  while (!__atomic_compare_exchange(address, &old, &desired, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
    desired = next(old);
  }
  return old;
}

// Wraps instead of overflowing.
template <class T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

}  // namespace simt

template <class T>
T atomicAdd(T* address, simt::Same<T> value) {
  return simt::atomic_update(address, [=](T old) { return simt::wrapping_add(old, value); });
}
template <class T>
T atomicSub(T* address, simt::Same<T> value) {
  return simt::atomic_update(address, [=](T old) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(old) - static_cast<Unsigned>(value));
  });
}
template <class T>
T atomicMin(T* address, simt::Same<T> value) {
  return simt::atomic_update(address, [=](T old) { return std::min(old, value); });
}
template <class T>
T atomicMax(T* address, simt::Same<T> value) {
  return simt::atomic_update(address, [=](T old) { return std::max(old, value); });
}
template <class T>
T atomicAnd(T* address, simt::Same<T> value) {
  return simt::atomic_update(address, [=](T old) { return old & value; });
}
template <class T>
T atomicOr(T* address, simt::Same<T> value) {
  return simt::atomic_update(address, [=](T old) { return old | value; });
}
template <class T>
T atomicXor(T* address, simt::Same<T> value) {
  return simt::atomic_update(address, [=](T old) { return old ^ value; });
}
template <class T>
T atomicExch(T* address, simt::Same<T> value) {
  return simt::atomic_update(address, [=](T) { return value; });
}
template <class T>
T atomicCAS(T* address, simt::Same<T> expected, simt::Same<T> desired) {
  return simt::atomic_update(address, [=](T old) { return old == expected ? desired : old; });
}
