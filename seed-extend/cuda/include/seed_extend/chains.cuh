// Chains, and what the stages that find them pass on and share: the device side of src/chain/.
#pragma once

#include <seed_extend/seeds.cuh>

namespace seed_extend {

// Options of occurrences and chains; `Options` and `ChainOptions` of the host explain the fields.
struct ChainThresholds {
  uint32_t max_occurrences;
  uint32_t band_width;
  float min_overlap, drop_ratio;
  uint32_t drop_weight, max_chains;
};

// Anchors of one query that may belong to one alignment.
struct Chain {
  int64_t low, high;  // least and greatest diagonal of its anchors
  uint32_t query;     // twice the read's number, plus 1 for its reverse complement
  uint32_t segment;   // of the text
  uint32_t begin, end;  // in the query; the end is exclusive
  uint32_t gap;       // bases of the query in the longest stretch without an anchor
  uint32_t weight;    // bases covered by anchors, of the query or of the text, whichever are fewer
};

// A read, with the number of chains of each of its queries.
struct ChainCounts {
  uint32_t read, forward, reverse, padding;
};

// A read, with the number of its chains that are kept.
struct SelectedChains {
  uint32_t read, count;
};

// A chain that is kept, and the number of better chains of the same read.
struct RankedChain {
  Chain chain;
  uint32_t rank, padding;
};

// What the stages that find chains share: all reads of a batch with their seeds, and room for the anchors and chains of
// the consecutive reads that are chained in one run.
struct ChainParameters {
  fm::IndexView index;
  ChainThresholds thresholds;
  const Seed* seeds;              // query after query
  const uint64_t* seed_starts;    // seeds before each query, and all seeds
  const uint64_t* anchor_starts;  // anchors before each query, and all anchors
  const uint32_t* offsets;        // bases before each query, and all bases
  const uint32_t* segment_ends;   // of the text
  uint64_t first_anchor;          // anchors before the first read of the run
  uint64_t* keys;                 // room for a sort key of each anchor of the run
  Chain* chains;                  // room for a chain for each anchor of the run
  uint32_t* kept;                 // room for the number of a chain for each anchor of the run
  uint32_t* counts;               // number of chains that are kept of each read of the run; 0 before
  uint32_t segment_count;
  uint32_t first_read;  // of the run

  // Index of the first anchor of a query among those of the run.
  __device__ uint64_t start(uint32_t query) const { return anchor_starts[query] - first_anchor; }

  // Number of anchors of a query.
  __device__ uint32_t anchors(uint32_t query) const {
    return static_cast<uint32_t>(anchor_starts[query + 1] - anchor_starts[query]);
  }

  // Number of bases of a query.
  __device__ uint32_t length(uint32_t query) const {
    return __ldg(offsets + query + 1) - __ldg(offsets + query);
  }
};

}  // namespace seed_extend
