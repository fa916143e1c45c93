// Compresses contents into blocks of BGZF (src/bgzf, whose front page has the design).
#include <gpualign/cuda_or_cpu.cuh>

#include "bgzf/bgzf.cuh"
#include "bgzf/bits.cuh"
#include "bgzf/crc.cuh"
#include "bgzf/header.cuh"
#include "bgzf/huffman.cuh"
#include "bgzf/layouts.cuh"
#include "bgzf/matches.cuh"
#include "bgzf/parse.cuh"
#include "stream/scan.cuh"

namespace bgzf {
namespace {

// The most bits of code words of literals, lengths and distances.
constexpr u32 MAX_BITS = 15;

// Bytes of a block before and after the compressed data (SAM specification, 4.1).
constexpr u32 HEADER_BYTES = 18;
constexpr u32 FOOTER_BYTES = 8;

// Bytes before a stored content (RFC 1951, 3.2.4).
constexpr u32 STORED_HEADER_BYTES = 5;

// Copies a content to shared memory.
//
// All threads call; the content is valid after the next barrier.
__device__ void load_content(Shared& shared, const uint4* content, u32 length) {
  static_assert(offsetof(Shared, content) % 16 == 0, "alignment of uint4");
  for (u32 i = threadIdx.x; i < (length + 15) / 16; i += THREADS) {
    reinterpret_cast<uint4*>(shared.content)[i] = content[i];
  }
  // Bytes behind the last one are read together with it, and then ignored.
  const u32 end = (length + 15) / 16 * 4;
  if (threadIdx.x < 4 && end + threadIdx.x < CONTENT_BYTES / 4 + 4) shared.content[end + threadIdx.x] = 0;
}

// Bits of a token.
__device__ u32 token_bits(const Shared& shared, u32 token) {
  if (is_literal(token)) return shared.literals.lengths[token];
  const Symbol length = length_symbol(length_of(token)), distance = distance_symbol(distance_of(token));
  return shared.literals.lengths[length.number] + length.extra_bits + shared.distances.lengths[distance.number] +
         distance.extra_bits;
}

// Writes a token from bit `at` of a block on. Any thread.
__device__ void write_token(const Shared& shared, BitWriter writer, u32 at, u32 token) {
  if (is_literal(token)) {
    writer.put(at, shared.literals.words[token], shared.literals.lengths[token]);
    return;
  }
  const Symbol length = length_symbol(length_of(token)), distance = distance_symbol(distance_of(token));
  u32 bits = shared.literals.lengths[length.number];
  writer.put(at, shared.literals.words[length.number] | length.extra << bits, bits + length.extra_bits);
  at += bits + length.extra_bits;
  bits = shared.distances.lengths[distance.number];
  writer.put(at, shared.distances.words[distance.number] | distance.extra << bits, bits + distance.extra_bits);
}

// Parses the content, makes the codes of its tokens and the header, and counts the bits of each segment.
//
// All threads call, after a barrier behind `find_matches`; has barriers, the last of which makes the results valid for all
// threads.
__device__ void parse(Shared& shared, const u32* matches, u32* tokens, u32 length) {
  count_unmatched(shared, matches, length);
  __syncthreads();
  set_costs(shared);
  __syncthreads();
  // Until there are tokens, their memory has what positions cost.
  uint4* const costs = reinterpret_cast<uint4*>(tokens);
  write_costs(shared, matches, length, costs);
  for (u32 i = threadIdx.x; i < LITERALS; i += THREADS) shared.literals.counts[i] = i == END_OF_BLOCK;
  if (threadIdx.x < DISTANCES) shared.distances.counts[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < WARP) {
    choose_matches(shared, costs, length);
    mark_tokens(shared, matches, length);
  }
  __syncthreads();
  write_tokens(shared, matches, tokens, length);
  __syncthreads();
  make_code(shared.literals, MAX_BITS);
  make_code(shared.distances, MAX_BITS);
  make_header(shared);
  const u32 lane = threadIdx.x % WARP;
  for (u32 segment = threadIdx.x / WARP; segment < WARP; segment += WARPS) {
    const u32* const own = tokens + segment * SEGMENT_BYTES;
    u32 bits = 0;
    for (u32 i = lane; i < shared.segment_tokens[segment]; i += WARP) bits += token_bits(shared, own[i]);
    for (u32 step = WARP / 2; step > 0; step /= 2) bits += __shfl_xor_sync(ALL_LANES, bits, step);
    if (lane == 0) shared.segment_bits[segment] = bits;
  }
  __syncthreads();
}

// Writes all tokens from bit `at` of a block on, and the symbol that ends them.
//
// All threads call, after `parse`; no barriers.
__device__ void write_all_tokens(const Shared& shared, BitWriter writer, const u32* tokens, u32 at) {
  const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const u32 through = stream::scan_warp(shared.segment_bits[lane]);
  for (u32 segment = warp; segment < WARP; segment += WARPS) {
    const u32* const own = tokens + segment * SEGMENT_BYTES;
    const u32 count = shared.segment_tokens[segment];
    u32 next = at + __shfl_sync(ALL_LANES, through, static_cast<int>(segment)) - shared.segment_bits[segment];
    for (u32 first = 0; first < count; first += WARP) {
      const bool has_token = first + lane < count;
      const u32 token = has_token ? own[first + lane] : 0;
      const u32 bits = has_token ? token_bits(shared, token) : 0;
      const u32 end = stream::scan_warp(bits);
      if (has_token) write_token(shared, writer, next + end - bits, token);
      next += __shfl_sync(ALL_LANES, end, WARP - 1);
    }
  }
  if (threadIdx.x == WARP - 1) {
    writer.put(at + through, shared.literals.words[END_OF_BLOCK], shared.literals.lengths[END_OF_BLOCK]);
  }
}

// Writes the content as it is, as a stored block of deflate, from bit `at` of a block on.
//
// All threads call; no barriers.
__device__ void write_stored(const Shared& shared, BitWriter writer, u32 at, u32 length) {
  if (threadIdx.x == 0) {
    writer.put(at, 1, 8);
    writer.put(at + 8, length | (~length << 16), 32);
  }
  at += STORED_HEADER_BYTES * 8;
  for (u32 i = 4 * threadIdx.x; i < length; i += 4 * THREADS) {
    const u32 bytes = min(4u, length - i);
    writer.put(at + 8 * i, shared.word_at(i) & ~0u >> (32 - 8 * bytes), 8 * bytes);
  }
}

// Writes what a block has before and after its compressed data: the header of gzip, whose extra field has the size of the
// block, and CRC-32 and length of the content.
//
// One thread calls.
__device__ void write_frame(const Shared& shared, BitWriter writer, u32 size, u32 length) {
  writer.put(0, 0x04088b1f, 32);                      // magic, deflate, an extra field
  writer.put(64, 0x0006ff00, 32);                     // no time; unknown system; an extra field of six bytes
  writer.put(96, 'B' | 'C' << 8 | 2 << 16, 32);       // the subfield of two bytes that holds
  writer.put(128, size - 1, 16);                      // the size of the block less one
  writer.put(8 * (size - FOOTER_BYTES), shared.crc, 32);
  writer.put(8 * (size - FOOTER_BYTES) + 32, length, 32);
}

}  // namespace
}  // namespace bgzf

// Copies sources, which may lie at any address, to contents. No two have a byte of a content in common.
//
// Any number of blocks of any whole number of warps, each of which takes one source after the other; no barriers.
extern "C" __global__ void gather_contents(const __grid_constant__ bgzf::GatherParameters parameters) {
  using namespace bgzf;
  const u32 lane = threadIdx.x % WARP, warps = gridDim.x * (blockDim.x / WARP);
  for (u32 number = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; number < parameters.count; number += warps) {
    const ContentSource source = parameters.sources[number];
    byte* const target = parameters.contents + source.target;
    for (u32 i = lane; i < source.size; i += WARP) {
      const u32 of_bits = i - parameters.bits_offset;
      const u32 bits = of_bits < 2 ? source.bits >> of_bits * 8 & 255 : 0;
      target[i] = static_cast<byte>(source.bytes[i] | bits);
    }
  }
}
SIMT_EXPORT(gather_contents)

// Compresses each content into a block of BGZF, and notes where it is. The bytes of a block depend on nothing but its content;
// blocks are in any order.
//
// Any number of blocks of THREADS threads, with sizeof(Shared) bytes of dynamic shared memory; with barriers.
extern "C" __global__ void __launch_bounds__(bgzf::THREADS, 2)
    compress_blocks(const __grid_constant__ bgzf::CompressParameters parameters) {
  using namespace bgzf;
  DYN_SMEM(Shared, memory);
  Shared& shared = *memory;
  u32* const matches = parameters.scratch + static_cast<u64>(blockIdx.x) * SCRATCH_WORDS;
  u32* const tokens = matches + BLOCK_BYTES;
  for (u32 number = blockIdx.x; number < parameters.count; number += gridDim.x) {
    const u32 length = parameters.lengths[number];
    load_content(shared, parameters.contents + static_cast<u64>(number) * (BLOCK_BYTES / 16), length);
    __syncthreads();
    compute_crc(shared, length);
    // Until there are tokens, their memory has the sorted positions.
    find_matches(shared, length, reinterpret_cast<u16*>(tokens), matches);
    parse(shared, matches, tokens, length);

    u32 bits = shared.header_bits + shared.literals.lengths[END_OF_BLOCK];
    for (u32 segment = 0; segment < WARP; segment++) bits += shared.segment_bits[segment];
    const u32 stored_bytes = STORED_HEADER_BYTES + length;
    const bool is_stored = (bits + 7) / 8 >= stored_bytes;
    const u32 size = HEADER_BYTES + (is_stored ? stored_bytes : (bits + 7) / 8) + FOOTER_BYTES;
    const u32 words = (size + 15) / 16 * 4;
    if (threadIdx.x == 0) {
      shared.offset = atomicAdd(parameters.cursor, 4 * words);
      parameters.extents[number] = {shared.offset, size};
    }
    __syncthreads();
    const BitWriter writer{parameters.blocks + shared.offset / 4};
    for (u32 i = threadIdx.x; i < words; i += THREADS) writer.words[i] = 0;
    __syncthreads();
    const u32 data = 8 * HEADER_BYTES;
    if (is_stored) {
      write_stored(shared, writer, data, length);
    } else {
      if (threadIdx.x == 0) write_header(shared, writer, data);
      write_all_tokens(shared, writer, tokens, data + shared.header_bits);
    }
    if (threadIdx.x == 0) write_frame(shared, writer, size, length);
    __syncthreads();
  }
}
SIMT_EXPORT(compress_blocks)
