// The longest match of each position among the last positions with the same first bytes.
//
// Positions are sorted by a hash of the bytes that begin there. The sort is stable, so a position comes directly behind the
// earlier positions of its hash, the nearest of which is the last: candidates are neighbours in memory, and each thread looks
// at those of its own positions. The result depends on nothing but the content.
#pragma once

#include "bgzf/bgzf.cuh"
#include "stream/scan.cuh"

namespace bgzf {

// The most candidates that are looked at for a position and a hash, and a length that ends the search.
constexpr u32 CANDIDATES = 8;
constexpr u32 NICE_LENGTH = 64;

// A hash, of 16 bits, of the bytes of a word. Any thread.
__device__ inline u32 hash_of(u32 word) {
  static_assert(MIN_MATCH == 4, "bytes of a word");
  return word * 0x9e3779b1u >> 16;
}

// Sorts positions by eight bits of their hash from bit `shift` on, and keeps the order of those with equal bits. Without
// `from`, sorts the positions below `count`. Each warp moves its share of the positions, in order.
//
// All threads call with the same arguments; has barriers, the last of which makes `to` valid for all threads.
__device__ inline void sort_positions(Shared& shared, u32 count, u32 shift, const u16* from, u16* to) {
  const u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  const u32 share = (count + THREADS - 1) / THREADS * WARP;
  const u32 first = min(warp * share, count), end = min(first + share, count);
  const auto position = [&](u32 i) -> u32 { return from == nullptr || i >= end ? i : from[i]; };
  const auto digit = [&](u32 position) { return hash_of(shared.word_at(position)) >> shift & 255; };
  for (u32 i = lane; i < 256; i += WARP) shared.digits[warp][i] = 0;
  __syncwarp();
  for (u32 i = first + lane; i < end; i += WARP) atomicAdd(&shared.digits[warp][digit(position(i))], 1u);
  __syncthreads();
  // Counts become the places of the first position of each warp with each digit.
  u32 total = 0;
  if (threadIdx.x < 256) {
    for (u32 w = 0; w < WARPS; w++) total += shared.digits[w][threadIdx.x];
  }
  u32 next = stream::scan_block(total, shared.sums).before;
  if (threadIdx.x < 256) {
    for (u32 w = 0; w < WARPS; w++) {
      const u32 of_warp = shared.digits[w][threadIdx.x];
      shared.digits[w][threadIdx.x] = next;
      next += of_warp;
    }
  }
  __syncthreads();
  // Positions are read one step ahead, so that their way from device memory is not waited for.
  u32 ahead = position(first + lane);
  for (u32 start = first; start < end; start += WARP) {
    const bool has_position = start + lane < end;
    const u32 own = ahead;
    ahead = position(start + WARP + lane);
    const u32 value = has_position ? digit(own) : 256;
    const u32 equal = __match_any_sync(ALL_LANES, value), rank = __popc(equal & ((1u << lane) - 1));
    if (has_position) to[shared.digits[warp][value] + rank] = static_cast<u16>(own);
    __syncwarp();
    if (has_position && rank == 0) shared.digits[warp][value] += __popc(equal);
    __syncwarp();
  }
  __syncthreads();
}

// Length of the match of two positions whose first MIN_MATCH bytes are equal, `limit` at most. Any thread.
__device__ inline u32 match_length(const Shared& shared, u32 earlier, u32 position, u32 limit) {
  u32 e = earlier / 4 + 1, p = position / 4 + 1;
  u32 of_earlier = shared.content[e], of_position = shared.content[p];
  for (u32 length = MIN_MATCH; length < limit; length += 4) {
    const u32 next_of_earlier = shared.content[++e], next_of_position = shared.content[++p];
    const u32 different = __funnelshift_r(of_earlier, next_of_earlier, earlier % 4 * 8) ^
                          __funnelshift_r(of_position, next_of_position, position % 4 * 8);
    if (different != 0) return min(limit, length + (__ffs(static_cast<int>(different)) - 1) / 8);
    of_earlier = next_of_earlier;
    of_position = next_of_position;
  }
  return limit;
}

// Sets matches[p] to the match of each position p below `length`: its length in bits 16 and above, its distance below; 0 if
// there is none. `sorted` are two arrays of BLOCK_BYTES positions, which are overwritten.
//
// All threads call with the same arguments, after a barrier behind the writing of the content; has barriers, the last of which
// makes `matches` valid for all threads.
__device__ inline void find_matches(Shared& shared, u32 length, u16* sorted, u32* matches) {
  const u32 count = length < MIN_MATCH ? 0 : length - (MIN_MATCH - 1);
  const u16* const by_hash = sorted + BLOCK_BYTES;
  sort_positions(shared, count, 0, nullptr, sorted);
  sort_positions(shared, count, 8, sorted, sorted + BLOCK_BYTES);
  for (u32 i = threadIdx.x; i < count; i += THREADS) {
    const u32 position = by_hash[i], word = shared.word_at(position);
    const u32 segment_end = (position / SEGMENT_BYTES + 1) * SEGMENT_BYTES;
    const u32 limit = min(MAX_MATCH, min(length, segment_end) - position);
    u32 best = 0, longest = MIN_MATCH - 1, behind = 0;
    for (u32 back = 1; back <= min(CANDIDATES, i) && longest < min(NICE_LENGTH, limit); back++) {
      const u32 earlier = by_hash[i - back], other = shared.word_at(earlier);
      if (other != word && hash_of(other) == hash_of(word)) continue;
      if (other != word || position - earlier > MAX_DISTANCE) break;
      // A longer match has another byte in common.
      if (best != 0 && shared.byte_at(earlier + longest) != behind) continue;
      const u32 common = match_length(shared, earlier, position, limit);
      if (common > longest) {
        longest = common;
        best = common << 16 | (position - earlier);
        behind = shared.byte_at(position + longest);
      }
    }
    matches[position] = best;
  }
  if (threadIdx.x < length - count) matches[count + threadIdx.x] = 0;
  __syncthreads();
}

}  // namespace bgzf
