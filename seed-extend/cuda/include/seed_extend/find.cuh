// Parameters of the kernels of find.cu.
#pragma once

#include <seed_extend/outscored.cuh>

namespace seed_extend {

// Parameters of find_codes.
struct FindCodesParameters {
  PackedQueries queries;
  uint8_t* codes;  // of all queries, a byte each
  uint64_t count;  // number of queries
};

// Parameters of find_tally.
struct FindTallyParameters {
  const Seed* found;      // in any order
  uint32_t* seed_counts;  // seeds of each query; 0 before
  uint64_t count;         // number of seeds
};

// Parameters of find_places.
struct FindPlacesParameters {
  const Seed* found;            // in any order
  const uint64_t* seed_starts;  // seeds before each query, and all seeds
  uint32_t* seed_counts;        // seeds of each query; 0 afterwards
  Seed* seeds;                  // query after query
  uint64_t count;               // number of seeds
};

// Parameters of find_counts.
struct FindCountsParameters {
  const Seed* seeds;            // query after query
  const uint64_t* seed_starts;  // seeds before each query, and all seeds
  uint32_t* anchors;            // number of anchors of each query
  uint32_t* repeat_bases;       // bases of each read in seeds too frequent to be located completely
  uint32_t reads;               // number of reads
  uint32_t max_occurrences;     // of a seed that are located
};

// Parameters of find_totals.
struct FindTotalsParameters {
  const uint32_t* counts;
  uint64_t* totals;  // sum of each block's part
  uint32_t count;    // number of counts
  uint32_t part;     // counts of a part
};

// Parameters of find_sums.
struct FindSumsParameters {
  const uint32_t* counts;
  const uint64_t* totals;  // sum of each block's part
  uint64_t* sums;          // sum of the counts before each one, and of all
  uint64_t* total;         // sum of all counts
  uint32_t count;          // number of counts
  uint32_t part;           // counts of a part
};

// Parameters of find_order.
struct FindOrderParameters {
  const RankedChain* kept;       // in any order
  const uint64_t* chain_starts;  // chains before each read, and all chains
  Chain* chains;                 // read after read, the best first
  uint32_t count;                // number of chains
  uint32_t first_read;
};

// A chain of a read with what it scores at least, as one number: the greater, the more it scores, and of equal ones the lower its
// number among those of the read is. Of several, atomicMax keeps the best.
struct ScoredChain {
  using Word = unsigned long long;
  static constexpr Word NONE = 0;  // less than any

  static __device__ Word of(int32_t at_least, uint32_t number) {
    return Word{static_cast<uint32_t>(at_least) ^ 0x80000000} << 32 | ~number;
  }
  static __device__ int32_t at_least(Word chain) {
    return static_cast<int32_t>(static_cast<uint32_t>(chain >> 32) ^ 0x80000000);
  }
  // Of NONE, the number of no chain.
  static __device__ uint32_t number(Word chain) { return ~static_cast<uint32_t>(chain); }
};

// The score of a chain that is not compared with others.
constexpr int32_t NOT_COMPARED = static_cast<int32_t>(0x80000000);

// Parameters of find_best and find_outscored.
struct FindOutscoredParameters {
  fm::IndexView index;
  PackedQueries queries;
  const uint64_t* chain_starts;       // chains before each read, and all chains
  const Chain* chains;                // read after read
  int32_t* at_least;                  // room for what each chain scores at least, or NOT_COMPARED
  ScoredChain::Word* best;            // of each read the best chain that is compared; NONE before
  ScoredChain::Word* best_outscored;  // of each read the best chain that is outscored; NONE before
  uint8_t* is_outscored;              // room for whether each chain is outscored
  uint32_t* counts;                   // number of chains of each read, afterwards without the outscored ones but the best of them
  OutscoringRules rules;
  uint32_t count;  // number of chains
  uint32_t first_read;
  uint32_t padding;
};

// What stands for a place: that there is none, and the bit that tells a score from a place.
constexpr uint32_t NO_PLACE = ~0u, OUTSCORED = 1u << 31;

// Parameters of find_whole_matches.
struct FindWholeMatchesParameters {
  fm::IndexView index;
  PackedQueries queries;
  const uint64_t* chain_starts;             // chains before each read in `chains`, and all of them
  const uint64_t* kept_starts;              // chains that are kept before each read, and all of them
  const Chain* chains;                      // read after read
  const uint8_t* is_outscored;              // whether each of these is
  const ScoredChain::Word* best_outscored;  // of each read the one of these that is kept
  Chain* kept;                              // room for those that are kept, read after read
  // Of the only difference of each chain's query: its length if there is none, NO_PLACE if there are more. OUTSCORED and the
  // best score of what the chain keeps without gaps, if another one outscores it.
  uint32_t* places;
  OutscoringRules rules;
  uint32_t reads;  // number of reads
};

}  // namespace seed_extend
