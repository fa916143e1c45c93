// Upper bounds of the scores of alignments of queries with chunks, by shared words; how they are proved and an example are in
// src/gpu/pairs/upper_bounds.
#pragma once

#include <blastn/hits.cuh>
#include <blastn/pipeline/tables.cuh>

#include "stream/scan.cuh"

namespace blastn {

// Bases of a word, and how many different words there are.
constexpr uint32_t kWord = 7, kWords = 1 << (2 * kWord);

// As an upper bound: there is none.
constexpr uint32_t kUnbounded = 0xFFFFFFFF;

// Bins of a histogram of upper bounds; the last bin has all that are greater.
constexpr uint32_t kBins = 4096;

// Parameters of the kernels for upper bounds.
struct UpperBoundParameters {
  const uint32_t* packed_bases;  // database, as in `PipelineTables`
  const DatabaseChunk* chunks;
  const uint32_t* is_bounded;    // of each chunk, 1 if it gets upper bounds
  const PairStrand* strands;
  const uint16_t* words;         // words that begin at each letter of the strands, or kNoWord
  uint32_t* bounds;              // of each chunk, those of all queries
  uint32_t* histograms;          // of each query, kBins counts of chunks by upper bound
  const ChunkHit* found;         // hits to choose from
  const uint32_t* floors;        // of each query, the least upper bound that is wanted
  ChunkHit* chosen;              // hits of pairs whose upper bound is wanted
  uint32_t* cursor;              // count of chosen hits
  uint32_t chunk_count, strand_count, query_count, hit_count;
  int32_t reward;                // twice the greatest score of a letter
  int32_t difference;            // twice the least cost of a difference
  uint32_t with_unbounded;       // 1 if pairs without an upper bound are wanted, too
  uint32_t bin_shift;            // an upper bound's bin is the bound shifted right by so many bits
};

// As a word: some letter of it is ambiguous.
constexpr uint16_t kNoWord = 0xFFFF;

// A set of words.
struct WordSet {
  uint32_t bits[kWords / 32];

  __device__ bool has(uint32_t word) const { return (bits[word / 32] >> word % 32 & 1) != 0; }
};

// Twice the upper bound of a strand with a chunk, computed along the strand: the best of all stretches of the strand, where each
// word that the chunk does not have costs a difference. Called by single threads.
class StrandBound {
 public:
  // Goes on along the words up to `end`. `absent` tells which of the 32 words from `first` on the chunk does not have, the
  // first in the lowest bit.
  __device__ void go_on(const UpperBoundParameters& parameters, uint32_t absent, uint32_t first, uint32_t end) {
    constexpr int32_t kWithin = kWord - 1;
    while (place_ < end) {
      const uint32_t left = absent & (stream::ALL_LANES << (place_ - first));
      const uint32_t next = left != 0 ? first + __ffs(static_cast<int>(left)) - 1 : end;
      current_ += parameters.reward * static_cast<int32_t>(next - place_);
      place_ = next;
      if (left == 0) break;
      // A stretch may end or begin within the absent word. Words that overlap it are skipped.
      best_ = max(best_, current_ + parameters.reward * kWithin);
      current_ = max(current_ + parameters.reward - parameters.difference, 0) + parameters.reward * kWithin;
      place_ += kWord;
    }
  }

  // Twice the upper bound of the whole strand, of `length` letters, once all its words were passed.
  __device__ int32_t of_all(const UpperBoundParameters& parameters, uint32_t length) const {
    return max(best_, current_ + parameters.reward * static_cast<int32_t>(length - place_));
  }

 private:
  // The best score of all stretches so far, and of those that end at `place_`; both doubled.
  int32_t best_ = 0, current_ = 0;
  uint32_t place_ = 0;
};

// Twice the upper bounds of up to 32 strands from `first_strand` on, a lane each, with the chunk that has these words.
//
// Called by all lanes of a warp, converged, with the same arguments; the result is valid in lanes that have a strand.
static __device__ int32_t bound(const UpperBoundParameters& parameters, uint32_t first_strand, const WordSet& present) {
  const uint32_t lane = threadIdx.x % stream::WARP;
  const uint32_t strands = min(stream::WARP, parameters.strand_count - first_strand);
  const PairStrand own = parameters.strands[first_strand + min(lane, strands - 1)];
  const uint32_t count = own.length < kWord ? 0 : own.length - kWord + 1;
  uint32_t longest = count;
  for (uint32_t step = stream::WARP / 2; step > 0; step /= 2) {
    longest = max(longest, __shfl_xor_sync(stream::ALL_LANES, longest, step));
  }
  StrandBound bound;
  for (uint32_t first = 0; first < longest; first += stream::WARP) {
    // All lanes look up the words of one strand after the other; then each goes on along its own strand.
    uint32_t own_absent = 0;
    for (uint32_t strand = 0; strand < strands; strand++) {
      const uint32_t from = __shfl_sync(stream::ALL_LANES, own.first, strand);
      const uint32_t words = __shfl_sync(stream::ALL_LANES, count, strand);
      const uint16_t word = first + lane < words ? __ldg(parameters.words + from + first + lane) : kNoWord;
      const uint32_t absent = __ballot_sync(stream::ALL_LANES, word != kNoWord && !present.has(word));
      if (lane == strand) own_absent = absent;
    }
    bound.go_on(parameters, own_absent, first, min(first + stream::WARP, count));
  }
  return bound.of_all(parameters, own.length);
}

}  // namespace blastn
