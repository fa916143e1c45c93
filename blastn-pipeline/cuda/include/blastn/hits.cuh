// Ungapped alignments (src/hits.rs), and the strands that they are of.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace blastn {

// Mirrors `ChunkHit`.
struct ChunkHit {
  uint32_t chunk, query, subject, length;
  int32_t score;
  uint32_t seed_query, seed_subject;
};
static_assert(sizeof(ChunkHit) == 28, "mirrored in Rust");

// Mirrors `PairStrand` of src/pairs/device.rs.
struct PairStrand {
  uint32_t first, length;  // its letters
  uint32_t query;
  int32_t cutoff;  // the least score of an alignment with gaps
};

}  // namespace blastn
