// Ungapped alignments (src/hits.rs).
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

}  // namespace blastn
