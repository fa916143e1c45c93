// What the kernels of diagonals.cu share with the host.
#pragma once

#include <blastn/hits.cuh>
#include <blastn/pipeline/ungapped.cuh>

namespace blastn {

// Place of a seed in the order in which the rule of diagonals looks at seeds: by chunk, diagonal and probe.
struct __align__(16) DiagonalKey {
  uint32_t chunk, diagonal, probe;
  uint32_t place;  // index among the extended seeds, or behind them among the unaligned ones

  __device__ bool is_along(const DiagonalKey& other) const { return chunk == other.chunk && diagonal == other.diagonal; }
};

// Parameters of the kernels that apply the rule of diagonals.
struct DiagonalParameters {
  PipelineTables tables;
  const ExtendedSeed* extended;    // seeds with alignments
  const UnalignedSeed* unaligned;  // seeds without
  uint32_t* marked_diagonals;      // hashed set of diagonals, a bit each: those of seeds that must be looked at, and few others
  DiagonalKey* keys;               // of the seeds on marked diagonals
  uint32_t* cursors;               // counts of what a kernel lists
  ChunkHit* hits;                  // alignments that the rule admits
  UnalignedSeed* carried;          // how far diagonals are explored behind the end of the piece
  uint32_t extended_count, unaligned_count;
  uint32_t marked_mask;  // words of `marked_diagonals`, a power of two, minus 1
  uint32_t key_count;
  uint32_t piece_end;    // one behind the last letter of the batch whose words are in this piece
  uint32_t padding;
};

}  // namespace blastn
