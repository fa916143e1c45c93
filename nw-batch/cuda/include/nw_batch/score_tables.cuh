// Scores of residues in shared memory, which the threads of a block write together.
#pragma once

#include "pair_scores.cuh"
#include "structs.cuh"

namespace nw {

// `times` the scores of a residue with A, C, G and T, a byte each.
static __device__ __forceinline__ uint32_t nucleotide_scores(const BiasedScoring& scoring, uint32_t code,
                                                             uint32_t times) {
  const uint32_t equal = times * static_cast<uint32_t>(scoring.match_score) & 0xff;
  const uint32_t different = times * static_cast<uint32_t>(scoring.mismatch_score) & 0xff;
  const uint32_t all_different = different * 0x01010101u;
  return code < 4 ? all_different + ((equal - different) << (8 * code)) : all_different;
}

// What the scorer of a block's pairs reads, and the costs of gaps. It lies in shared memory.
template <class PairScorer>
struct ScoreTables {
  int16_t table[PairScorer::HAS_TABLE && !PairScorer::HAS_PROFILE ? CODES * CODES : 1];
  int8_t bytes[PairScorer::HAS_PROFILE ? CODES * CODES : 1];
  uint32_t nucleotides[PairScorer::HAS_NUCLEOTIDES ? 2 * TWICE : 1];
  // Costs are read from shared memory once for each task and then stay in registers. Read from the parameters, the
  // compiler would fetch them from constant memory for each cell instead.
  BiasedScoring scoring;

  // Writes it. All threads of a block call it together; a block barrier has to follow before anything is read.
  //   biased  biased scores of all pairs of codes, CODES rows of CODES
  __device__ void write(const BiasedScoring& of, const int16_t* biased) {
    if (threadIdx.x == 0) scoring = of;
    if (PairScorer::HAS_PROFILE) {
      for (uint32_t i = threadIdx.x; i < CODES * CODES; i += blockDim.x) {
        bytes[i % CODES * CODES + i / CODES] = static_cast<int8_t>(biased[i]);
      }
    } else if (PairScorer::HAS_TABLE) {
      for (uint32_t i = threadIdx.x; i < CODES * CODES; i += blockDim.x) table[i] = biased[i];
    }
    if (PairScorer::HAS_NUCLEOTIDES && threadIdx.x < 2 * TWICE) {
      nucleotides[threadIdx.x] = nucleotide_scores(of, threadIdx.x % TWICE, 1 + threadIdx.x / TWICE);
    }
  }

  // The scores as scorers read them. `profiles` has room for the profiles of the block's warps, of R rows a lane, if the
  // scorer has any.
  template <int R>
  __device__ ScoreMemory memory(uint8_t* profiles, uint32_t letters, uint32_t one) const {
    uint8_t* profile = PairScorer::HAS_PROFILE ? profiles + threadIdx.x / 32 * letters * (2 * 32 * R) : nullptr;
    return {table, bytes, nucleotides, profile, letters, one};
  }
};

}  // namespace nw
