// What alignments of queries with chunks score at most (src/pairs/bounds).
#pragma once

#include <blastn/pipeline/tables.cuh>
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

// The bound of a strand with a chunk, doubled, on its way along the strand: that of what was looked at.
// Called by single threads.
class StrandBound {
 public:
  // Goes on to `end`, given which of 32 words from `first` on are absent, the first in the lowest bit.
  __device__ void go_on(const Bounds& task, uint32_t absent, uint32_t first, uint32_t end) {
    constexpr int32_t kWithin = kWord - 1;
    while (place_ < end) {
      const uint32_t left = absent & (stream::ALL_LANES << (place_ - first));
      const uint32_t next = left != 0 ? first + __ffs(static_cast<int>(left)) - 1 : end;
      current_ += task.reward * static_cast<int32_t>(next - place_);
      place_ = next;
      if (left == 0) break;
      // A stretch may end or begin within the word.
      best_ = max(best_, current_ + task.reward * kWithin);
      current_ = max(current_ + task.reward - task.difference, 0) + task.reward * kWithin;
      place_ += kWord;
    }
  }

  // That of all `length` letters, once all words were looked at.
  __device__ int32_t of_all(const Bounds& task, uint32_t length) const {
    return max(best_, current_ + task.reward * static_cast<int32_t>(length - place_));
  }

 private:
  // The best of all stretches so far, and of those that end at `place_`.
  int32_t best_ = 0, current_ = 0;
  uint32_t place_ = 0;
};

// Of up to 32 strands from `first_strand` on, one a lane, the bound with a chunk of these words, doubled.
//
// Called by all lanes of a warp; valid in those that have a strand.
static __device__ int32_t bound(const Bounds& task, uint32_t first_strand, const WordSet& present) {
  const uint32_t lane = threadIdx.x % stream::WARP;
  const uint32_t strands = min(stream::WARP, task.strand_count - first_strand);
  const PairStrand own = task.strands[first_strand + min(lane, strands - 1)];
  const uint32_t count = own.length < kWord ? 0 : own.length - kWord + 1;
  uint32_t longest = count;
  for (uint32_t step = stream::WARP / 2; step > 0; step /= 2) {
    longest = max(longest, __shfl_xor_sync(stream::ALL_LANES, longest, step));
  }
  StrandBound bound;
  for (uint32_t first = 0; first < longest; first += stream::WARP) {
    // All lanes look at the words of one strand after the other; each goes on along its own.
    uint32_t own_absent = 0;
    for (uint32_t strand = 0; strand < strands; strand++) {
      const uint32_t from = __shfl_sync(stream::ALL_LANES, own.first, strand);
      const uint32_t words = __shfl_sync(stream::ALL_LANES, count, strand);
      const uint16_t word = first + lane < words ? __ldg(task.words + from + first + lane) : kNoWord;
      const uint32_t absent = __ballot_sync(stream::ALL_LANES, word != kNoWord && !present.has(word));
      if (lane == strand) own_absent = absent;
    }
    bound.go_on(task, own_absent, first, min(first + stream::WARP, count));
  }
  return bound.of_all(task, own.length);
}

}  // namespace blastn
