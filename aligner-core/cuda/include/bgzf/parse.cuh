// Parsing a content into literals and matches.
//
// Of each segment, a lane finds the parse that costs least, if each literal and each match has a given cost: from the end of the
// segment back, the least costs of a position follow from those of later positions. A match is taken as long as it is, or not
// at all. A literal costs the bits that its frequency among the bytes without a match is worth, most of which become literals;
// a length and a distance, which are known later, cost what they usually do.
//
// That lane alone has a long way through its segment, so all threads do what can be done for positions by themselves: they
// prepare the costs, and then write the tokens.
#pragma once

#include "bgzf/bgzf.cuh"
#include "bgzf/symbols.cuh"

namespace bgzf {

// Costs are in halves of a bit.
constexpr u32 BIT = 2;

// Costs of the symbols of all lengths and distances.
constexpr u32 LENGTH_COST = 5 * BIT;
constexpr u32 DISTANCE_COST = 4 * BIT;

// The most that a literal costs, as does one that does not occur.
constexpr u32 MAX_LITERAL_COST = 13 * BIT;

// What a position costs: a literal in the lowest bits, its match in the highest ones; between them, the length of the match.
// Without a match the length is 0.
constexpr u32 LITERAL_COST_BITS = 5;
constexpr u32 LENGTH_BITS = 9;
constexpr u32 NO_MATCH_COST = 1 << 16;  // more than all costs of a segment
static_assert(MAX_LITERAL_COST < 1 << LITERAL_COST_BITS && MAX_MATCH < 1 << LENGTH_BITS, "bits of costs");
static_assert(SEGMENT_BYTES * MAX_LITERAL_COST <= NO_MATCH_COST, "costs of a segment");

// The logarithm of a number to the base 2, in halves, rounded down; 0 for 0.
__device__ inline u32 half_logarithm(u32 number) {
  if (number == 0) return 0;
  const u32 whole = 31 - __clz(static_cast<int>(number));
  constexpr u32 ROOT = 0xb504f333;  // 2^31.5
  return BIT * whole + (number << (31 - whole) >= ROOT);
}

// Counts the bytes of the content at which no match begins.
//
// All threads call, after a barrier behind `find_matches`; has a barrier, and results are valid after the next one.
__device__ inline void count_unmatched(Shared& shared, const u32* matches, u32 length) {
  for (u32 i = threadIdx.x; i < 256; i += THREADS) shared.literals.counts[i] = 0;
  if (threadIdx.x == 0) shared.unmatched = 0;
  __syncthreads();
  u32 count = 0;
  for (u32 i = threadIdx.x; i < length; i += THREADS) {
    if (matches[i] != 0) continue;
    atomicAdd(shared.literals.counts + shared.byte_at(i), 1u);
    count++;
  }
  atomicAdd(&shared.unmatched, count);
}

// What a literal costs that occurs `count` times among so many: its information.
__device__ inline u32 literal_cost(u32 count, u32 total) {
  if (count == 0) return MAX_LITERAL_COST;
  return min(max(half_logarithm(total) - half_logarithm(count), 1u), MAX_LITERAL_COST);
}

// Sets the costs of literals by the counts of bytes without a match, and those of lengths and distances with their extra bits.
//
// All threads call, after a barrier behind `count_unmatched`; results are valid after the next barrier.
__device__ inline void set_costs(Shared& shared) {
  for (u32 i = threadIdx.x; i < 256; i += THREADS) {
    shared.literal_costs[i] = static_cast<byte>(literal_cost(shared.literals.counts[i], shared.unmatched));
  }
  for (u32 length = MIN_MATCH + threadIdx.x; length <= MAX_MATCH; length += THREADS) {
    shared.length_costs[length] = static_cast<byte>(LENGTH_COST + BIT * length_symbol(length).extra_bits);
  }
  for (u32 i = threadIdx.x; i < DISTANCES; i += THREADS) {
    shared.distance_costs[i] = static_cast<byte>(DISTANCE_COST + BIT * (i < 4 ? 0 : i / 2 - 1));
  }
}

// Writes what each position costs, those of a segment in a column: costs[i * WARP + lane] has the positions of the lane's
// segment from GROUP * i on. Those behind the content cost nothing, up to a multiple of 32.
//
// All threads call, after a barrier behind the setting of costs; results are valid after the next barrier.
__device__ inline void write_costs(const Shared& shared, const u32* matches, u32 length, uint4* costs) {
  const uint4* const groups = reinterpret_cast<const uint4*>(matches);
  for (u32 group = threadIdx.x; group < (length + 31) / 32 * (32 / GROUP); group += THREADS) {
    const uint4 own = groups[group];
    const u32 of_group[GROUP] = {own.x, own.y, own.z, own.w}, bytes = shared.content[group];
    u32 packed[GROUP];
#pragma unroll
    for (u32 i = 0; i < GROUP; i++) {
      const bool is_content = group * GROUP + i < length;
      const u32 match = is_content ? of_group[i] : 0;
      const u32 literal = is_content ? shared.literal_costs[bytes >> 8 * i & 255] : 0;
      const u32 cost = match == 0 ? NO_MATCH_COST
                                  : shared.length_costs[length_of(match)] +
                                        shared.distance_costs[distance_symbol(distance_of(match)).number];
      packed[i] = literal | length_of(match) << LITERAL_COST_BITS | cost << (LITERAL_COST_BITS + LENGTH_BITS);
    }
    constexpr u32 OF_SEGMENT = SEGMENT_BYTES / GROUP;
    costs[group % OF_SEGMENT * WARP + group / OF_SEGMENT] = {packed[0], packed[1], packed[2], packed[3]};
  }
}

// Decides for each position of the lane's segment whether its match is cheaper than a literal. `length` is that of the content.
//
// The lanes of the first warp call, after a barrier behind the writing of costs; results are valid for the same lane at once.
__device__ inline void choose_matches(Shared& shared, const uint4* costs, u32 length) {
  constexpr u32 OF_WORD = 32 / GROUP, AHEAD = 4;  // groups of a word of bits; on their way from device memory
  static_assert(OF_WORD % AHEAD == 0, "groups that are loaded ahead");
  const u32 lane = threadIdx.x, first = min(lane * SEGMENT_BYTES, length);
  const u32 words = (min(SEGMENT_BYTES, length - first) + 31) / 32;
  u32 left = words * OF_WORD;
  uint4 ahead[AHEAD];
#pragma unroll
  for (u32 i = 0; i < AHEAD; i++) ahead[i] = left > 0 ? costs[(left - 1 - i) * WARP + lane] : uint4{};
  // The row of a position is its number in the segment modulo the number of rows.
  u32 row = left * GROUP % COST_ROWS, cost = 0;
  shared.costs[row][lane] = 0;
  for (u32 word = words; word-- > 0;) {
    u32 chosen = 0;
#pragma unroll
    for (u32 group = OF_WORD; group-- > 0;) {
      const uint4 own = ahead[AHEAD - 1 - group % AHEAD];
      left--;
      if (left >= AHEAD) ahead[AHEAD - 1 - group % AHEAD] = costs[(left - AHEAD) * WARP + lane];
      row = row == 0 ? COST_ROWS - GROUP : row - GROUP;
      const u32 of_group[GROUP] = {own.x, own.y, own.z, own.w};
      u32 with_match[GROUP];
#pragma unroll
      for (u32 i = 0; i < GROUP; i++) {
        const u32 end = row + i + (of_group[i] >> LITERAL_COST_BITS & ((1u << LENGTH_BITS) - 1));
        // One of both is a row, and the other one is larger.
        with_match[i] = (of_group[i] >> (LITERAL_COST_BITS + LENGTH_BITS)) + shared.costs[min(end, end - COST_ROWS)][lane];
      }
#pragma unroll
      for (u32 i = GROUP; i-- > 0;) {
        cost += of_group[i] & ((1u << LITERAL_COST_BITS) - 1);
        if (with_match[i] < cost) chosen |= 1u << (group * GROUP + i);
        cost = min(cost, with_match[i]);
        shared.costs[row + i][lane] = static_cast<u16>(cost);
      }
    }
    shared.is_match[word][lane] = chosen;
  }
}

// Marks the positions of the lane's segment at which a token begins.
//
// The lanes of the first warp call, after `choose_matches`.
__device__ inline void mark_tokens(Shared& shared, const u32* matches, u32 length) {
  // The bits are where lanes had costs.
  __syncwarp();
  const u32 lane = threadIdx.x;
  const u32 first = min(lane * SEGMENT_BYTES, length), bytes = min(SEGMENT_BYTES, length - first);
  for (u32 word = 0; word < SEGMENT_WORDS; word++) shared.is_token[word][lane] = 0;
  for (u32 i = 0; i < bytes;) {
    const u32 word = i / 32, bit = i % 32;
    const u32 left = shared.is_match[word][lane] >> bit;
    if (left == 0) {
      shared.is_token[word][lane] |= ~0u << bit;
      i += 32 - bit;
      continue;
    }
    const u32 literals = __ffs(static_cast<int>(left)) - 1;
    shared.is_token[word][lane] |= ((2u << literals) - 1) << bit;
    i += literals;
    i += length_of(matches[first + i]);
  }
}

// Writes the tokens of each segment to `tokens`, at the index of the segment's first position, and counts their symbols.
//
// All threads call, after a barrier behind the marking; counts are 0 before. Results are valid after the next barrier.
__device__ inline void write_tokens(Shared& shared, const u32* matches, u32* tokens, u32 length) {
  const u32 lane = threadIdx.x % WARP;
  for (u32 segment = threadIdx.x / WARP; segment < WARP; segment += WARPS) {
    const u32 first = segment * SEGMENT_BYTES;
    u32 count = 0;
    for (u32 word = 0; word < SEGMENT_WORDS; word++) {
      const u32 i = first + word * 32 + lane;
      const u32 begins = __ballot_sync(ALL_LANES, i < length && (shared.is_token[word][segment] >> lane & 1) != 0);
      if ((begins >> lane & 1) != 0) {
        u32 token;
        if ((shared.is_match[word][segment] >> lane & 1) != 0) {
          token = matches[i];
          atomicAdd(shared.literals.counts + length_symbol(length_of(token)).number, 1u);
          atomicAdd(shared.distances.counts + distance_symbol(distance_of(token)).number, 1u);
        } else {
          token = shared.byte_at(i);
          atomicAdd(shared.literals.counts + token, 1u);
        }
        tokens[first + count + __popc(begins & ((1u << lane) - 1))] = token;
      }
      count += __popc(begins);
    }
    if (lane == 0) shared.segment_tokens[segment] = count;
  }
}

}  // namespace bgzf
