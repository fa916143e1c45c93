// What alignments of queries with chunks score at most (src/pairs/bounds.rs).
#pragma once

#include <blastn/context.cuh>
#include <blastn/hits.cuh>

namespace blastn {

// Bases of a word, and how many words there are.
constexpr uint32_t kWord = 7, kWords = 1 << (2 * kWord);

// As a bound: there is none.
constexpr uint32_t kUnbounded = 0xFFFFFFFF;

// What kernels are given. Mirrors `BoundsTask`.
struct Bounds {
  const uint32_t* packed;      // the database, as in `Context`
  const Chunk* chunks;
  const uint32_t* is_bounded;  // of each chunk
  const PairStrand* strands;
  const uint16_t* words;  // that begin at each letter of the strands, or `kNoWord`
  uint32_t* bounds;       // of each chunk with each query
  const ChunkHit* found;
  const uint32_t* floors;  // of each query, the least bound that is wanted
  ChunkHit* promising;     // hits of pairs that may score so much
  uint32_t* cursors;       // how many these are
  uint32_t chunk_count, strand_count, query_count, hit_count;
  int32_t reward, difference;  // twice what a letter scores at most, and what a difference costs at least
  uint32_t with_unbounded;     // whether pairs without a bound are wanted
  uint32_t padding;
};
static_assert(sizeof(Bounds) == 112, "mirrored in Rust");

// As a word: some letter of it is no base.
constexpr uint16_t kNoWord = 0xFFFF;

// A set of words.
struct WordSet {
  uint32_t bits[kWords / 32];

  __device__ bool has(uint32_t word) const { return (bits[word / 32] >> word % 32 & 1) != 0; }
};

// The bound of a strand with a chunk of these words, doubled.
static __device__ int32_t bound(const Bounds& task, const PairStrand& strand, const WordSet& present) {
  const uint16_t* const words = task.words + strand.first;
  // The best of all stretches so far, and of those that end here.
  int32_t best = 0, current = 0;
  uint32_t place = 0;
  while (place + kWord <= strand.length) {
    const uint16_t word = __ldg(words + place);
    if (word == kNoWord || present.has(word)) {
      current += task.reward;
      place++;
      continue;
    }
    constexpr int32_t kBefore = kWord - 1;
    best = max(best, current + task.reward * kBefore);
    current = max(current + task.reward - task.difference, 0) + task.reward * kBefore;
    place += kWord;
  }
  return max(best, current + task.reward * static_cast<int32_t>(strand.length - place));
}

}  // namespace blastn
