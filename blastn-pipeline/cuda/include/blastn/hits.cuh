// Ungapped alignments, as the pipeline hands them to the kernels for gapped extensions, and strands of queries.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace blastn {

// An ungapped alignment of a strand and a chunk. Query coordinates count from 0 through all letters of the batch,
// subject coordinates from 0 within the chunk.
struct UngappedHit {
  uint32_t query, subject;            // where the alignment begins
  uint32_t length;                    // columns
  int32_t score;                      // sum of the columns' scores
  uint32_t seed_query, seed_subject;  // where the exact match begins that it was extended from
};

// An ungapped alignment with one of several chunks.
struct ChunkHit {
  uint32_t chunk;  // index of the chunk
  UngappedHit hit;
};

// A strand of a query, as the kernels for gapped extensions need it.
struct PairStrand {
  uint32_t first, length;  // its letters among those of the batch
  uint32_t query;          // index of the query
  int32_t cutoff;          // least score of a gapped alignment that is kept
};

}  // namespace blastn
