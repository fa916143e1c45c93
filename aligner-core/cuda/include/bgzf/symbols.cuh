// Symbols of deflate for lengths and distances (RFC 1951, 3.2.5), and tokens.
#pragma once

#include "bgzf/bgzf.cuh"

namespace bgzf {

// A symbol with its extra bits.
struct Symbol {
  u32 number;
  u32 extra_bits;
  u32 extra;  // their value
};

// The length of the shortest match that has a symbol.
constexpr u32 LEAST_LENGTH = 3;

// The symbol of the length of a match. Four symbols share each number of extra bits.
__device__ inline Symbol length_symbol(u32 length) {
  const u32 value = length - LEAST_LENGTH;
  if (length == MAX_MATCH) return {LITERALS - 1, 0, 0};
  if (value < 4) return {END_OF_BLOCK + 1 + value, 0, 0};
  const u32 bits = 29 - __clz(static_cast<int>(value));
  return {END_OF_BLOCK + 5 + 4 * bits + (value >> bits & 3), bits, value & ((1u << bits) - 1)};
}

// The symbol of the distance of a match. Two symbols share each number of extra bits.
__device__ inline Symbol distance_symbol(u32 distance) {
  const u32 value = distance - 1;
  if (value < 2) return {value, 0, 0};
  const u32 bits = 30 - __clz(static_cast<int>(value));
  return {2 + 2 * bits + (value >> bits & 1), bits, value & ((1u << bits) - 1)};
}

// A token is a literal, a number below 256, or a match: length << 16 | distance.

__device__ inline bool is_literal(u32 token) { return token < 1u << 16; }
__device__ inline u32 length_of(u32 match) { return match >> 16; }
__device__ inline u32 distance_of(u32 match) { return match & 0xffff; }

}  // namespace bgzf
