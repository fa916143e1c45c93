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

// Parameters of find_outscored.
struct FindOutscoredParameters {
  fm::IndexView index;
  PackedQueries queries;
  const uint64_t* chain_starts;  // chains before each read, and all chains
  Chain* chains;                 // read after read; afterwards those that are kept are first among those of their read
  uint8_t* is_outscored;         // room for a byte of each chain: afterwards whether it is outscored, of those that are kept
  uint32_t* counts;              // number of chains of each read, afterwards of those that are kept
  OutscoringRules rules;
  uint32_t reads;  // number of reads
};

// What stands for a place: that there is none, and the bit that tells a score from a place.
constexpr uint32_t NO_PLACE = ~0u, OUTSCORED = 1u << 31;

// Parameters of find_whole_matches.
struct FindWholeMatchesParameters {
  fm::IndexView index;
  PackedQueries queries;
  const uint64_t* chain_starts;  // chains before each read in `chains`
  const uint64_t* kept_starts;   // chains that are kept before each read, and all of them
  const Chain* chains;           // those that are kept are first among those of their read
  const uint8_t* is_outscored;   // whether each of these is
  Chain* kept;                   // room for those that are kept, read after read
  // Of the only difference of each chain's query: its length if there is none, NO_PLACE if there are more. OUTSCORED and the
  // best score of what the chain keeps without gaps, if another one outscores it.
  uint32_t* places;
  OutscoringRules rules;
  uint32_t reads;  // number of reads
};

}  // namespace seed_extend
