// Pair scorers: biased scores of the residues of a lane's R rows with the residue of a column, of two pairs or one.
//
// A pair scorer is a thread's own. fill_matrices (wave.cuh) calls `set_row` once for each row, with the codes of both
// pairs' queries; then, for each column, `column` with the codes of both targets, and `score` for each row with its
// result.
#pragma once

#include "lane_words.cuh"
#include "structs.cuh"

namespace nw {

// Match and mismatch scores of nucleotides, two pairs. For each row a register of each pair holds the row's scores with
// A, C, G and T, a byte each; one permutation picks a score of both pairs and widens it to 16 bits. The targets must
// have no unknown residue, and biased scores must fit into 8 bits.
template <int R>
struct Nucleotides {
  static constexpr bool HAS_TABLE = false;
  uint32_t first[R], second[R];

  __device__ __forceinline__ void set_row(int r, const BiasedScoring& scoring, const int16_t*, uint32_t a,
                                      uint32_t b) {
    first[r] = profile(scoring, a);
    second[r] = profile(scoring, b);
  }
  // Selector of the permutation that picks a column's scores.
  static __device__ __forceinline__ uint32_t column(uint32_t a, uint32_t b) {
    return a * 0x11u + b * 0x1100u + 0xc480u;
  }
  __device__ __forceinline__ uint32_t score(int r, uint32_t column, const int16_t*) const {
    return permute(first[r], second[r], column);
  }

 private:
  // Scores of a residue with A, C, G and T, a byte each.
  static __device__ __forceinline__ uint32_t profile(const BiasedScoring& scoring, uint32_t code) {
    const uint32_t equal = static_cast<uint32_t>(scoring.match_score) & 0xff;
    const uint32_t different = static_cast<uint32_t>(scoring.mismatch_score) & 0xff;
    uint32_t bytes = different * 0x01010101u;
    if (code < 4) bytes += (equal - different) << (8 * code);
    return bytes;
  }
};

// Match and mismatch scores for targets with unknown residues: two more bits of the selector tell in which pair's
// column an unknown residue is, which scores a mismatch with every row.
template <int R>
struct NucleotidesOrUnknown : Nucleotides<R> {
  uint32_t different;  // score of a mismatch, of both pairs

  __device__ __forceinline__ void set_row(int r, const BiasedScoring& scoring, const int16_t* table, uint32_t a,
                                      uint32_t b) {
    Nucleotides<R>::set_row(r, scoring, table, a, b);
    different = (static_cast<uint32_t>(scoring.mismatch_score) & 0xffff) * 0x10001u;
  }
  static __device__ __forceinline__ uint32_t column(uint32_t a, uint32_t b) {
    return Nucleotides<R>::column(a & 3, b & 3) | (a & 4) << 14 | (b & 4) << 15;
  }
  __device__ __forceinline__ uint32_t score(int r, uint32_t column, const int16_t* table) const {
    const uint32_t unknown = ((column >> 16 & 1) * 0xffffu) | ((column >> 17) * 0xffff0000u);
    return (Nucleotides<R>::score(r, column & 0xffff, table) & ~unknown) | (different & unknown);
  }
};

// Scores of any residues, from a table in shared memory; one pair or two.
template <int R>
struct Table {
  static constexpr bool HAS_TABLE = true;
  uint32_t rows[R];  // first index of each row in the table, 16 bits for each pair

  __device__ __forceinline__ void set_row(int r, const BiasedScoring&, const int16_t*, uint32_t a,
                                      uint32_t b) {
    rows[r] = a * CODES | (b * CODES) << 16;
  }
  static __device__ __forceinline__ uint32_t column(uint32_t a, uint32_t b) { return a | b << 16; }
  __device__ __forceinline__ uint32_t score(int r, uint32_t column, const int16_t* table) const {
    const uint32_t places = rows[r] + column;
    const uint32_t a = static_cast<uint16_t>(table[places & 0xffff]);
    const uint32_t b = static_cast<uint16_t>(table[places >> 16]);
    return a | b << 16;
  }
};

// The same of one pair in 32 bits.
template <int R>
struct WideTable : Table<R> {
  __device__ __forceinline__ uint32_t score(int r, uint32_t column, const int16_t* table) const {
    const int value = table[(this->rows[r] + column) & 0xffff];
    return static_cast<uint32_t>(value);
  }
};

}  // namespace nw
