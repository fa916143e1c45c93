// What alignments of queries with chunks score at most (src/pairs/bounds.rs).
#pragma once

#include <blastn/context.cuh>
#include <blastn/hits.cuh>

#include "stream/scan.cuh"

namespace blastn {

// Bases of a word, and how many words there are.
constexpr uint32_t kWord = 7, kWords = 1 << (2 * kWord);

// As a bound: there is none.
constexpr uint32_t kUnbounded = 0xFFFFFFFF;

// Heights of bounds, the last of which has all that are greater.
constexpr uint32_t kHeights = 4096;

// What kernels are given. Mirrors `BoundsTask`.
struct Bounds {
  const uint32_t* packed;      // the database, as in `Context`
  const Chunk* chunks;
  const uint32_t* is_bounded;  // of each chunk
  const PairStrand* strands;
  const uint16_t* words;  // that begin at each letter of the strands, or `kNoWord`
  uint32_t* bounds;       // of each chunk with each query
  uint32_t* histograms;   // of each query, how many chunks have a bound of each height
  const ChunkHit* found;
  const uint32_t* floors;  // of each query, the least bound that is wanted
  ChunkHit* promising;     // hits of pairs that may score so much
  uint32_t* cursors;       // how many these are
  uint32_t chunk_count, strand_count, query_count, hit_count;
  int32_t reward, difference;  // twice what a letter scores at most, and what a difference costs at least
  uint32_t with_unbounded;     // whether pairs without a bound are wanted
  uint32_t shift;              // bits of a bound within its height
};
static_assert(sizeof(Bounds) == 120, "mirrored in Rust");

// As a word: some letter of it is no base.
constexpr uint16_t kNoWord = 0xFFFF;

// A set of words.
struct WordSet {
  uint32_t bits[kWords / 32];

  __device__ bool has(uint32_t word) const { return (bits[word / 32] >> word % 32 & 1) != 0; }
};

// The bound of a strand with a chunk of these words, doubled.
//
// Called by all lanes of a warp, which all have the result.
static __device__ int32_t bound(const Bounds& task, const PairStrand& strand, const WordSet& present) {
  const uint16_t* const words = task.words + strand.first;
  const uint32_t lane = threadIdx.x % stream::WARP;
  const uint32_t count = strand.length < kWord ? 0 : strand.length - kWord + 1;
  constexpr int32_t kWithin = kWord - 1;
  // The best of all stretches so far, and of those that end at `place`.
  int32_t best = 0, current = 0;
  uint32_t place = 0;
  for (uint32_t first = 0; first < count; first += stream::WARP) {
    const uint16_t word = first + lane < count ? __ldg(words + first + lane) : kNoWord;
    const uint32_t absent = __ballot_sync(stream::ALL_LANES, word != kNoWord && !present.has(word));
    const uint32_t end = min(first + stream::WARP, count);
    while (place < end) {
      const uint32_t left = absent & (stream::ALL_LANES << (place - first));
      const uint32_t next = left != 0 ? first + __ffs(static_cast<int>(left)) - 1 : end;
      current += task.reward * static_cast<int32_t>(next - place);
      place = next;
      if (left == 0) break;
      // A stretch may end or begin within the word.
      best = max(best, current + task.reward * kWithin);
      current = max(current + task.reward - task.difference, 0) + task.reward * kWithin;
      place += kWord;
    }
  }
  return max(best, current + task.reward * static_cast<int32_t>(strand.length - place));
}

}  // namespace blastn
