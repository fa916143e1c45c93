// CRC-32 of a content (RFC 1952, section 8), by all threads of a block.
//
// The CRC is the remainder of a polynomial over GF(2) whose coefficients are the content's bits. Each thread computes that of a
// slice, as if the slice were all there is, and multiplies it by x to the number of bits behind the slice; the sum, which
// is an exclusive or, is the CRC of the whole.
#pragma once

#include "bgzf/bgzf.cuh"

namespace bgzf {

// The generator, without x^32. Polynomials have their constant coefficient in bit 31.
constexpr u32 CRC_POLYNOMIAL = 0xedb88320;
constexpr u32 CRC_ONE = 1u << 31;

// The polynomial times x, modulo the generator.
__device__ inline u32 times_x(u32 polynomial) {
  return polynomial >> 1 ^ ((polynomial & 1) != 0 ? CRC_POLYNOMIAL : 0);
}

// The product of two polynomials, modulo the generator.
__device__ inline u32 multiply(u32 a, u32 b) {
  u32 product = 0;
  for (u32 bit = CRC_ONE; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = times_x(b);
  }
  return product;
}

// x to the power of eight times `bytes`, modulo the generator.
__device__ inline u32 power_of_bytes(u32 bytes) {
  u32 power = CRC_ONE, base = CRC_ONE >> 8;
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) power = multiply(power, base);
    base = multiply(base, base);
  }
  return power;
}

// Sets `shared.crc` to the CRC-32 of the content's first `length` bytes.
//
// All threads call, after a barrier behind the writing of the content; has barriers. The result is valid for all threads
// when it returns, and the table may be overwritten.
__device__ inline void compute_crc(Shared& shared, u32 length) {
  if (threadIdx.x < 256) {
    u32 entry = threadIdx.x;
    for (u32 bit = 0; bit < 8; bit++) entry = times_x(entry);
    shared.crc_table[threadIdx.x] = entry;
  }
  if (threadIdx.x == 0) shared.crc = ~0u;  // The result is complemented.
  __syncthreads();
  // An odd number of words, so that lanes read different banks.
  const u32 words = (length + 4 * THREADS - 1) / (4 * THREADS) | 1;
  const u32 first = min(threadIdx.x * words * 4, length), end = min(first + words * 4, length);
  u32 crc = threadIdx.x == 0 ? ~0u : 0;
  for (u32 i = first; i < end; i++) crc = crc >> 8 ^ shared.crc_table[(crc ^ shared.byte_at(i)) & 255];
  if (first < end) crc = multiply(crc, power_of_bytes(length - end));
  for (u32 step = WARP / 2; step > 0; step /= 2) crc ^= __shfl_xor_sync(ALL_LANES, crc, step);
  if (threadIdx.x % WARP == 0) atomicXor(&shared.crc, crc);
  __syncthreads();
}

}  // namespace bgzf
