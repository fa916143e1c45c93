// Biased scores of the residues of a lane's rows with the residue of a column.
#pragma once

#include "task.cuh"
#include "words.cuh"

namespace nw {

// Nucleotides by match and mismatch, two pairs. A register of each row holds its scores with A, C,
// G and T, a byte each, of either pair; one permutation picks a score of both and widens it. The
// targets have no unknown residue, and the biased scores fit into 8 bits.
template <int R>
struct Nucleotides {
  static constexpr bool TABLE = false;
  uint32_t first[R], second[R];

  __device__ __forceinline__ void row(int r, const Model& model, const int16_t*, uint32_t a,
                                      uint32_t b) {
    first[r] = profile(model, a);
    second[r] = profile(model, b);
  }
  // What picks a column's scores, from the codes of both targets.
  static __device__ __forceinline__ uint32_t column(uint32_t a, uint32_t b) {
    return a * 0x11u + b * 0x1100u + 0xc480u;
  }
  __device__ __forceinline__ uint32_t score(int r, uint32_t column, const int16_t*) const {
    return permute(first[r], second[r], column);
  }

 private:
  static __device__ __forceinline__ uint32_t profile(const Model& model, uint32_t code) {
    const uint32_t equal = static_cast<uint32_t>(model.equal) & 0xff;
    const uint32_t different = static_cast<uint32_t>(model.different) & 0xff;
    uint32_t bytes = different * 0x01010101u;
    if (code < 4) bytes += (equal - different) << (8 * code);
    return bytes;
  }
};

// The same if targets have unknown residues, of which no score is picked: two bits beside the picking
// ones tell in which pair.
template <int R>
struct NucleotidesOrUnknown : Nucleotides<R> {
  uint32_t different;  // the score of an unknown residue, of both pairs

  __device__ __forceinline__ void row(int r, const Model& model, const int16_t* table, uint32_t a,
                                      uint32_t b) {
    Nucleotides<R>::row(r, model, table, a, b);
    different = (static_cast<uint32_t>(model.different) & 0xffff) * 0x10001u;
  }
  static __device__ __forceinline__ uint32_t column(uint32_t a, uint32_t b) {
    return Nucleotides<R>::column(a & 3, b & 3) | (a & 4) << 14 | (b & 4) << 15;
  }
  __device__ __forceinline__ uint32_t score(int r, uint32_t column, const int16_t* table) const {
    const uint32_t unknown = ((column >> 16 & 1) * 0xffffu) | ((column >> 17) * 0xffff0000u);
    return (Nucleotides<R>::score(r, column & 0xffff, table) & ~unknown) | (different & unknown);
  }
};

// Any residues, by a table in shared memory; one pair or two.
template <int R>
struct Table {
  static constexpr bool TABLE = true;
  uint32_t rows[R];  // places of the rows in the table, 16 bits a pair

  __device__ __forceinline__ void row(int r, const Model&, const int16_t*, uint32_t a,
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
