// Barriers and warp collectives.
//
// As on the hardware, lanes that have exited (or that the block does not have) are not waited for.
// Each collective needs all other lanes of its mask in the same operation with the same mask. What
// is read from a lane that takes no part is undefined in CUDA and poison (0xCD bytes) here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "block.h"

namespace simt {

template <class T>
std::uint64_t to_bits(T value) {
  static_assert(std::is_arithmetic_v<T>, "collectives exchange numbers of 4 or 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Small integers are widened to int, as by CUDA's overloads.
template <class T>
using Promoted = decltype(+T());

inline unsigned lane() { return current->running->number % WARP; }

// The last lane of this lane's segment of `width` lanes.
inline unsigned segment_end(int width, Site site) {
  if (width < 1 || width > WARP || (width & (width - 1)) != 0) {
    current->fault("shuffle width is no power of two up to 32", site);
  }
  return lane() | (width - 1);
}

template <class T, class Combine>
T reduce(unsigned mask, T value, Combine combine, Site site) {
  const Exchange& met = current->meet(Operation::reduce, mask, to_bits(value), site);
  T result = value;
  for (unsigned i = 0; i < WARP; ++i) {
    if ((met.present >> i & 1) != 0 && i != lane()) {
      result = combine(result, from_bits<T>(met.lanes[i]));
    }
  }
  return result;
}

}  // namespace simt

inline void __syncthreads(simt::Site site = simt::Site::here()) {
  simt::current->barrier(false, site);
}
inline int __syncthreads_count(int predicate, simt::Site site = simt::Site::here()) {
  return static_cast<int>(simt::current->barrier(predicate != 0, site).yes);
}
inline int __syncthreads_and(int predicate, simt::Site site = simt::Site::here()) {
  const simt::Votes votes = simt::current->barrier(predicate != 0, site);
  return votes.yes == votes.threads;
}
inline int __syncthreads_or(int predicate, simt::Site site = simt::Site::here()) {
  return simt::current->barrier(predicate != 0, site).yes != 0;
}

inline void __syncwarp(unsigned mask = ~0u, simt::Site site = simt::Site::here()) {
  simt::current->meet(simt::Operation::syncwarp, mask, 0, site);
}

// The shuffles follow PTX `shfl.sync`: offsets count modulo 32; a lane whose source lies outside
// of its segment gets its own value.

template <class T>
simt::Promoted<T> __shfl_sync(unsigned mask, T value, int source, int width = simt::WARP,
                              simt::Site site = simt::Site::here()) {
  using Value = simt::Promoted<T>;
  const unsigned last = simt::segment_end(width, site);
  const unsigned first = last - (width - 1);
  const simt::Exchange& met =
      simt::current->meet(simt::Operation::shfl, mask, simt::to_bits<Value>(value), site);
  return simt::from_bits<Value>(met.lanes[first | (source & (width - 1))]);
}

template <class T>
simt::Promoted<T> __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = simt::WARP,
                                 simt::Site site = simt::Site::here()) {
  using Value = simt::Promoted<T>;
  const int first = static_cast<int>(simt::segment_end(width, site)) - (width - 1);
  const int source = static_cast<int>(simt::lane()) - static_cast<int>(delta % simt::WARP);
  const simt::Exchange& met =
      simt::current->meet(simt::Operation::shfl_up, mask, simt::to_bits<Value>(value), site);
  return source < first ? Value(value) : simt::from_bits<Value>(met.lanes[source]);
}

template <class T>
simt::Promoted<T> __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = simt::WARP,
                                   simt::Site site = simt::Site::here()) {
  using Value = simt::Promoted<T>;
  const unsigned last = simt::segment_end(width, site);
  const unsigned source = simt::lane() + delta % simt::WARP;
  const simt::Exchange& met =
      simt::current->meet(simt::Operation::shfl_down, mask, simt::to_bits<Value>(value), site);
  return source > last ? Value(value) : simt::from_bits<Value>(met.lanes[source]);
}

template <class T>
simt::Promoted<T> __shfl_xor_sync(unsigned mask, T value, int lanes, int width = simt::WARP,
                                  simt::Site site = simt::Site::here()) {
  using Value = simt::Promoted<T>;
  const unsigned last = simt::segment_end(width, site);
  const unsigned source = simt::lane() ^ (static_cast<unsigned>(lanes) % simt::WARP);
  const simt::Exchange& met =
      simt::current->meet(simt::Operation::shfl_xor, mask, simt::to_bits<Value>(value), site);
  return source > last ? Value(value) : simt::from_bits<Value>(met.lanes[source]);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, simt::Site site = simt::Site::here()) {
  const simt::Exchange& met =
      simt::current->meet(simt::Operation::vote, mask, predicate != 0, site);
  unsigned votes = 0;
  for (unsigned i = 0; i < simt::WARP; ++i) {
    if ((met.present >> i & 1) != 0 && met.lanes[i] != 0) votes |= 1u << i;
  }
  return votes;
}
inline int __any_sync(unsigned mask, int predicate, simt::Site site = simt::Site::here()) {
  return __ballot_sync(mask, predicate, site) != 0;
}
inline int __all_sync(unsigned mask, int predicate, simt::Site site = simt::Site::here()) {
  return __ballot_sync(mask, predicate, site) == simt::current->running->exchange->present;
}

template <class T>
unsigned __match_any_sync(unsigned mask, T value, simt::Site site = simt::Site::here()) {
  const std::uint64_t bits = simt::to_bits(value);
  const simt::Exchange& met = simt::current->meet(simt::Operation::match, mask, bits, site);
  unsigned equal = 0;
  for (unsigned i = 0; i < simt::WARP; ++i) {
    if ((met.present >> i & 1) != 0 && met.lanes[i] == bits) equal |= 1u << i;
  }
  return equal;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* predicate,
                          simt::Site site = simt::Site::here()) {
  const unsigned equal = __match_any_sync(mask, value, site);
  *predicate = equal == simt::current->running->exchange->present;
  return *predicate ? equal : 0;
}

// Warp reductions need compute capability 8.0: nvcc refuses them for older targets.
#define SIMT_REDUCE(name, type, expression)                                                  \
  inline type __reduce_##name##_sync(unsigned mask, type value,                              \
                                     simt::Site site = simt::Site::here()) {                 \
    return simt::reduce(mask, value, [](type a, type b) -> type { return expression; }, site); \
  }
SIMT_REDUCE(add, unsigned, a + b)
SIMT_REDUCE(add, int, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
SIMT_REDUCE(min, unsigned, std::min(a, b))
SIMT_REDUCE(min, int, std::min(a, b))
SIMT_REDUCE(max, unsigned, std::max(a, b))
SIMT_REDUCE(max, int, std::max(a, b))
SIMT_REDUCE(and, unsigned, a & b)
SIMT_REDUCE(or, unsigned, a | b)
SIMT_REDUCE(xor, unsigned, a ^ b)
#undef SIMT_REDUCE
