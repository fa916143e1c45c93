// Parameters, constants and shared memory of the kernel that compresses blocks of BGZF (deflate.cu). The host declares the
// same structs in src/bgzf/compressor.rs, and layouts.cuh asserts that they agree.
#pragma once

#include "stream/stage.cuh"

namespace bgzf {

using stream::ALL_LANES;
using stream::byte;
using stream::u32;
using stream::u64;
using stream::WARP;
using u16 = unsigned short;

// Threads of a block of the grid.
constexpr u32 THREADS = 512;
constexpr u32 WARPS = THREADS / WARP;

// The most bytes of a block's content, and of a block.
constexpr u32 CONTENT_BYTES = 0xff00;
constexpr u32 BLOCK_BYTES = 1 << 16;

// A content is parsed in segments of so many bytes, one a lane of a warp. No match crosses the end of a segment.
constexpr u32 SEGMENT_BYTES = 2048;

// Words of a bit for each position of a segment.
constexpr u32 SEGMENT_WORDS = SEGMENT_BYTES / 32;

// The greatest length of a match and its greatest distance (RFC 1951, 3.2.5), and the least length of those that are looked
// for: matches of three bytes, which deflate has, too, save next to nothing.
constexpr u32 MAX_MATCH = 258;
constexpr u32 MAX_DISTANCE = 1 << 15;
constexpr u32 MIN_MATCH = 4;

// Words of 32 bits of scratch memory for each block of the grid: matches, and tokens.
constexpr u32 SCRATCH_WORDS = 2 * BLOCK_BYTES;

// Where a block lies among all blocks.
struct BlockExtent {
  u32 offset;  // of its first byte, a multiple of 16
  u32 size;    // in bytes
};

struct CompressParameters {
  const uint4* contents;  // [count][BLOCK_BYTES / 16]
  const u32* lengths;     // [count], bytes of each content, CONTENT_BYTES at most
  u32* scratch;           // [blocks of the grid][SCRATCH_WORDS]
  u32* blocks;            // [count][BLOCK_BYTES / 4], filled from the front
  BlockExtent* extents;   // [count]
  u32* cursor;            // bytes of `blocks` that are in use; 0 before
  u32 count;              // below 2^16
  u32 padding;
};

// Bytes in device memory that are part of a content.
struct ContentSource {
  const byte* bytes;
  u32 target;  // where they go among all contents: the first byte, from that of the first content on
  u16 size;
  u16 bits;    // to be set in the two bytes from `bits_offset` of the source on, the lower byte first
};

struct GatherParameters {
  const ContentSource* sources;  // [count]
  byte* contents;
  u32 count;
  u32 bits_offset;
};

// A prefix code of an alphabet, and the memory that making it takes (huffman.cuh).
template <u32 SYMBOLS>
struct PrefixCode {
  u32 counts[SYMBOLS];    // how often each symbol occurs
  u32 weights[SYMBOLS];   // of the occurring symbols, the rarest first; then what the tree is made of
  u32 of_length[16];      // how many code words have each length
  u32 occurring;          // number of symbols that occur
  u16 words[SYMBOLS];     // code words, whose first bit is the lowest
  byte lengths[SYMBOLS];  // bits of each code word; 0 if the symbol does not occur
};

// Symbols of literals, the end of the block and lengths; of distances; and of the lengths of code words.
constexpr u32 LITERALS = 286;
constexpr u32 DISTANCES = 30;
constexpr u32 CODE_LENGTHS = 19;
constexpr u32 END_OF_BLOCK = 256;

// Consecutive positions whose costs are found together, and rows for the costs of these and of all positions at which their
// matches can end. No match ends in the group in which it begins.
constexpr u32 GROUP = 4;
constexpr u32 COST_ROWS = (MAX_MATCH + 2 * GROUP - 1) / GROUP * GROUP;
static_assert(GROUP <= MIN_MATCH, "length of a match");

// Shared memory of a block of the grid.
struct Shared {
  // The content, and words behind it that may be read with its last bytes.
  u32 content[CONTENT_BYTES / 4 + 4];
  // Memory of one step at a time.
  union {
    u32 crc_table[256];                 // crc.cuh
    u32 digits[WARPS][256];             // matches.cuh: counts of digits, then places
    u16 costs[COST_ROWS][WARP];         // parse.cuh: bits from a position to the end of the segment of each lane
    u32 is_token[SEGMENT_WORDS][WARP];  // parse.cuh: for each position of each segment a bit: whether a token begins there
    u16 header[LITERALS + DISTANCES];   // header.cuh: symbols of code lengths, each with its extra bits
  };
  // Such bits: whether a match is cheaper than a literal.
  u32 is_match[SEGMENT_WORDS][WARP];
  u32 sums[WARPS];
  u32 segment_tokens[WARP];  // tokens of each segment
  u32 segment_bits[WARP];    // their bits
  u32 crc;
  u32 unmatched;  // bytes at which no match begins
  u32 header_symbols, header_bits;
  u32 offset;  // of the block among all blocks, in bytes
  PrefixCode<LITERALS> literals;
  PrefixCode<DISTANCES> distances;
  PrefixCode<CODE_LENGTHS> code_lengths;
  // What a literal, a length and a distance cost, with their extra bits (parse.cuh).
  byte literal_costs[256], length_costs[MAX_MATCH + 1], distance_costs[DISTANCES];

  // The byte at a position of the content. Any thread.
  __device__ u32 byte_at(u32 position) const { return content[position / 4] >> position % 4 * 8 & 255; }

  // Four bytes from a position on, the first one lowest. Any thread.
  __device__ u32 word_at(u32 position) const {
    const u32 index = position / 4;
    return __funnelshift_r(content[index], content[index + 1], position % 4 * 8);
  }
};

// Two of them fit into an H100's multiprocessor, one into those of all GPUs since compute capability 8.0.
static_assert(sizeof(Shared) <= 99 << 10, "shared memory of a block of the grid");

}  // namespace bgzf
