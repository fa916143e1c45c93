// The header of a deflate block with dynamic codes (RFC 1951, 3.2.7): the lengths of all code words, in a code of their own.
#pragma once

#include "bgzf/bgzf.cuh"
#include "bgzf/bits.cuh"
#include "bgzf/huffman.cuh"

namespace bgzf {

// The most bits of the code words of lengths.
constexpr u32 MAX_CODE_LENGTH_BITS = 7;

// Bits before the code of lengths: kind of the block, and the three numbers of code words.
constexpr u32 FIXED_HEADER_BITS = 17;

// The symbol of lengths whose code word has its length at this place of the header.
__device__ inline u32 code_length_at(u32 place) {
  constexpr byte ORDER[CODE_LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  return ORDER[place];
}

// Extra bits of a symbol of lengths.
__device__ inline u32 extra_code_length_bits(u32 symbol) { return symbol < 16 ? 0 : symbol == 18 ? 7 : symbol - 14; }

// Number of lengths of code words that the header has, without zeros behind the last one.
__device__ inline u32 literals_of_header(const Shared& shared) {
  u32 count = LITERALS;
  while (shared.literals.lengths[count - 1] == 0) count--;
  return count;
}
__device__ inline u32 distances_of_header(const Shared& shared) {
  u32 count = DISTANCES;
  while (count > 1 && shared.distances.lengths[count - 1] == 0) count--;
  return count;
}
__device__ inline u32 code_lengths_of_header(const Shared& shared) {
  u32 count = CODE_LENGTHS;
  while (count > 4 && shared.code_lengths.lengths[code_length_at(count - 1)] == 0) count--;
  return count;
}

// Makes the symbols of all lengths of code words: runs of equal ones become one symbol. Each is stored with its extra bits in
// bits 8 and above. Counts the symbols; counts are 0 before.
//
// One thread calls.
__device__ inline void make_header_symbols(Shared& shared) {
  const u32 literals = literals_of_header(shared), all = literals + distances_of_header(shared);
  const auto length_at = [&](u32 i) -> u32 {
    return i < literals ? shared.literals.lengths[i] : shared.distances.lengths[i - literals];
  };
  u32 symbols = 0;
  const auto push = [&](u32 symbol, u32 extra) {
    shared.header[symbols++] = static_cast<u16>(symbol | extra << 8);
    shared.code_lengths.counts[symbol]++;
  };
  for (u32 i = 0; i < all;) {
    const u32 length = length_at(i);
    u32 run = 1;
    while (i + run < all && length_at(i + run) == length) run++;
    i += run;
    if (length == 0) {
      for (; run >= 11; run -= min(run, 138u)) push(18, min(run, 138u) - 11);
      if (run >= 3) {
        push(17, run - 3);
        run = 0;
      }
    } else {
      push(length, 0);
      for (run--; run >= 3; run -= min(run, 6u)) push(16, min(run, 6u) - 3);
    }
    for (; run > 0; run--) push(length, 0);
  }
  shared.header_symbols = symbols;
}

// Makes the code of lengths, and sets `shared.header_bits` to the size of the header.
//
// All threads call, after a barrier behind the making of the codes; has barriers, the last of which makes the results valid
// for all threads.
__device__ inline void make_header(Shared& shared) {
  if (threadIdx.x < CODE_LENGTHS) shared.code_lengths.counts[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) make_header_symbols(shared);
  __syncthreads();
  make_code(shared.code_lengths, MAX_CODE_LENGTH_BITS);
  if (threadIdx.x == 0) {
    u32 bits = FIXED_HEADER_BITS + 3 * code_lengths_of_header(shared);
    for (u32 symbol = 0; symbol < CODE_LENGTHS; symbol++) {
      bits += shared.code_lengths.counts[symbol] * (shared.code_lengths.lengths[symbol] + extra_code_length_bits(symbol));
    }
    shared.header_bits = bits;
  }
  __syncthreads();
}

// Writes the header from bit `at` of a block on.
//
// One thread calls.
__device__ inline void write_header(const Shared& shared, BitWriter writer, u32 at) {
  const u32 lengths = code_lengths_of_header(shared);
  // The last block, with dynamic codes.
  const u32 kind = 1 | 2 << 1;
  const u32 literals = literals_of_header(shared) - 257, distances = distances_of_header(shared) - 1;
  writer.put(at, kind | literals << 3 | distances << 8 | (lengths - 4) << 13, FIXED_HEADER_BITS);
  at += FIXED_HEADER_BITS;
  for (u32 place = 0; place < lengths; place++, at += 3) {
    writer.put(at, shared.code_lengths.lengths[code_length_at(place)], 3);
  }
  for (u32 i = 0; i < shared.header_symbols; i++) {
    const u32 symbol = shared.header[i] & 255, extra = shared.header[i] >> 8;
    const u32 bits = shared.code_lengths.lengths[symbol], extra_bits = extra_code_length_bits(symbol);
    writer.put(at, shared.code_lengths.words[symbol] | extra << bits, bits + extra_bits);
    at += bits + extra_bits;
  }
}

}  // namespace bgzf
