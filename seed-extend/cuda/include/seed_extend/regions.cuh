// Regions of reads: the device side of src/region/gpu/. src/region/regions.rs explains what a region is.
#pragma once

#include <gpualign/cigar.cuh>
#include <seed_extend/align.cuh>
#include <seed_extend/find.cuh>

namespace seed_extend {

// A range of places in a read or in the text.
struct Places {
  uint32_t begin, end;  // the end is exclusive
};

// A region of a read, without what only regions on ALT contigs have.
struct FoundRegion {
  uint64_t first_run;
  uint32_t query, segment;
  int32_t score;
  uint32_t query_begin, query_end;  // the end is exclusive
  uint32_t begin, end;              // in the text; the end is exclusive
  uint32_t run_count;
  uint32_t is_supported;  // 1 if it is, else 0
  int32_t second_best_score;
  uint32_t second_best_count;
  uint32_t secondary_to;  // number of a region of the read and 1, or 0

  // First base and exclusive end of the region in the read as sequenced, which has `length` bases.
  __device__ Places in_read(uint32_t length) const {
    return query % 2 != 0 ? Places{length - query_end, length - query_begin} : Places{query_begin, query_end};
  }
};

// What becomes of a chain: nothing, a region, or an alignment task.
enum Outcome : uint8_t { NOTHING, IS_REGION, IS_TASK };

// Parameters of regions_of_chains.
struct RegionsOfChainsParameters {
  const Chain* chains;
  const uint32_t* places;    // of the only difference of each chain's query; see FindWholeMatchesParameters
  const uint32_t* offsets;   // bases before each query, and all bases
  const uint32_t* segments;  // begin and exclusive end of each segment of the text
  uint8_t* outcomes;         // of each chain
  FoundRegion* regions;      // of the chains that are regions
  AlignmentTask* tasks;      // of each chain: the task, or one without bases
  uint32_t* runs;            // CIGAR runs of regions: room for three of each chain
  uint32_t* run_count;       // number of these runs; 0 before
  AlignmentCosts costs;
  uint32_t prefers_a_mismatch;  // 1 if no gap scores more than one mismatch, else 0
  uint32_t band_margin;
  uint32_t min_chain_weight;
  uint32_t count;  // number of chains
};

// How regions of a read are compared; `RankOptions` of the host explains the fields.
struct RankingRules {
  float min_overlap;
  int32_t score_margin;
  int32_t min_score;  // regions that score less are dropped
};

// Parameters of regions_rank.
struct RegionsRankParameters {
  const Chain* chains;
  const uint64_t* chain_starts;  // chains before each read, and all chains
  const uint8_t* outcomes;       // of each chain
  FoundRegion* regions;          // of the chains that are regions, and room for those of the others
  const AlignmentTask* tasks;    // of each chain; only those of the others have bases
  const AlignmentSpan* spans;    // of the tasks
  const uint32_t* offsets;       // bases before each query, and all bases
  const uint64_t* tie_breakers;  // of each read
  FoundRegion* ranked;           // room for a region of each chain: the regions of each read together
  uint32_t* ranked_count;        // number of these; 0 before
  uint32_t* firsts;              // of each read the place of its first region in `ranked`
  uint32_t* counts;              // of each read the number of its regions, and UNRANKED if they are not ranked
  uint64_t task_runs;            // number of CIGAR runs of tasks, which those of regions_of_chains follow
  RankingRules rules;
  uint32_t first_read;  // number of the first of these reads in the batch
  uint32_t reads;       // number of reads
  uint32_t padding;
};

// The bit of a count of regions that are not ranked, but in the order of chains: first the regions that needed no alignment.
constexpr uint32_t UNRANKED = 1u << 31;

// Regions of a read that are ranked, at most.
constexpr uint32_t MOST_RANKED = 64;

}  // namespace seed_extend
