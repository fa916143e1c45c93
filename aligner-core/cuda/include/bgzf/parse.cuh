// Parsing a content into literals and matches.
//
// Of each segment, a lane finds the parse that takes the fewest bits, if each literal and each match takes as many as a given
// code says: from the end of the segment back, the least costs of a position follow from those of later positions. A match
// is taken as long as it is, or not at all. The code for the parse's tokens then gives the costs for a better parse.
#pragma once

#include "bgzf/bgzf.cuh"
#include "bgzf/symbols.cuh"

namespace bgzf {

// Costs of the code words of all lengths and distances before there is a code for them.
constexpr u32 FIRST_LENGTH_COST = 6;
constexpr u32 FIRST_DISTANCE_COST = 4;

// Costs of symbols that have no code word.
constexpr u32 ABSENT_LITERAL_COST = 13;
constexpr u32 ABSENT_DISTANCE_COST = 11;

// Cost that stands for no match, more than any match has.
constexpr u32 NO_MATCH_COST = 1 << 16;

// Sets the costs of literals to those of the code of literals, and with `has_matches` those of matches, too. Literals are never
// more expensive than absent ones.
//
// All threads call, after a barrier behind the making of the codes; results are valid after the next barrier.
__device__ inline void set_costs(Shared& shared, bool has_matches) {
  const auto cost_of = [](u32 length, u32 absent) { return length == 0 ? absent : min(length, absent); };
  for (u32 i = threadIdx.x; i < 256; i += THREADS) {
    shared.literal_costs[i] = static_cast<byte>(cost_of(shared.literals.lengths[i], ABSENT_LITERAL_COST));
  }
  for (u32 length = MIN_MATCH + threadIdx.x; length <= MAX_MATCH; length += THREADS) {
    const Symbol symbol = length_symbol(length);
    const u32 bits =
        has_matches ? cost_of(shared.literals.lengths[symbol.number], ABSENT_LITERAL_COST) : FIRST_LENGTH_COST;
    shared.length_costs[length] = static_cast<byte>(bits + symbol.extra_bits);
  }
  for (u32 i = threadIdx.x; i < DISTANCES; i += THREADS) {
    const u32 bits = has_matches ? cost_of(shared.distances.lengths[i], ABSENT_DISTANCE_COST) : FIRST_DISTANCE_COST;
    shared.distance_costs[i] = static_cast<byte>(bits + (i < 4 ? 0 : i / 2 - 1));
  }
}

// Decides for each position of the lane's segment whether its match is cheaper than a literal. `length` is that of the content.
//
// The lanes of the first warp call, after a barrier behind the setting of costs; results are valid for the same lane at once.
__device__ inline void choose_matches(Shared& shared, const u32* matches, u32 length) {
  constexpr u32 GROUP = 4;  // positions whose matches and bytes are read together
  const u32 lane = threadIdx.x;
  const u32 first = min(lane * SEGMENT_BYTES, length), end = min(first + SEGMENT_BYTES, length);
  const uint4* const groups = reinterpret_cast<const uint4*>(matches);
  shared.costs[end % COST_ROWS][lane] = 0;
  u32 cost = 0, chosen = 0;
  // Matches are read one group ahead, so that their way from device memory is not waited for.
  uint4 ahead = groups[end > first ? (end - 1) / GROUP : 0];
  for (u32 group = (end + GROUP - 1) / GROUP; first < end && group-- > first / GROUP;) {
    const u32 group_matches[GROUP] = {ahead.x, ahead.y, ahead.z, ahead.w}, bytes = shared.content[group];
    if (group > first / GROUP) ahead = groups[group - 1];
    u32 literal_costs[GROUP], match_costs[GROUP];
#pragma unroll
    for (u32 i = 0; i < GROUP; i++) {
      const u32 match = group * GROUP + i < end ? group_matches[i] : 0;
      literal_costs[i] = shared.literal_costs[bytes >> 8 * i & 255];
      match_costs[i] = match == 0 ? NO_MATCH_COST
                                  : shared.length_costs[length_of(match)] +
                                        shared.distance_costs[distance_symbol(distance_of(match)).number];
    }
#pragma unroll
    for (u32 i = GROUP; i-- > 0;) {
      const u32 position = group * GROUP + i;
      if (position >= end) continue;
      cost += literal_costs[i];
      if (match_costs[i] < NO_MATCH_COST) {
        const u32 with_match =
            match_costs[i] + shared.costs[(position + length_of(group_matches[i])) % COST_ROWS][lane];
        if (with_match < cost) {
          cost = with_match;
          chosen |= 1u << position % 32;
        }
      }
      shared.costs[position % COST_ROWS][lane] = static_cast<u16>(cost);
    }
    if (group % (32 / GROUP) == 0) {
      shared.is_match[group / (32 / GROUP)] = chosen;
      chosen = 0;
    }
  }
}

// Writes the tokens of the lane's segment to `tokens`, at the index of the segment's first position, and counts their symbols.
//
// As `choose_matches`, which the lane called before; counts are 0 before. Results are valid after the next barrier.
__device__ inline void write_tokens(Shared& shared, const u32* matches, u32* tokens, u32 length) {
  const u32 lane = threadIdx.x;
  const u32 first = min(lane * SEGMENT_BYTES, length), end = min(first + SEGMENT_BYTES, length);
  u32 count = 0;
  for (u32 i = first; i < end; count++) {
    u32 token;
    if ((shared.is_match[i / 32] >> i % 32 & 1) != 0) {
      token = matches[i];
      atomicAdd(shared.literals.counts + length_symbol(length_of(token)).number, 1u);
      atomicAdd(shared.distances.counts + distance_symbol(distance_of(token)).number, 1u);
      i += length_of(token);
    } else {
      token = shared.byte_at(i);
      atomicAdd(shared.literals.counts + token, 1u);
      i++;
    }
    tokens[first + count] = token;
  }
  shared.segment_tokens[lane] = count;
}

}  // namespace bgzf
