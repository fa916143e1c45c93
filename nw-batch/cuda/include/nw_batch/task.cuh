// What every kernel is given: sequences, pairs, and the biased recurrence (see src/bias.rs).
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace nw {

// Mirrors `Model` of src/gpu/model.rs.
struct Model {
  int32_t base;       // H'(0, 0)
  int32_t opening;    // beyond each further residue, what the first of a gap costs
  int32_t extend;     // what each residue in a gap costs
  int32_t equal;      // biased scores of equal and different residues
  int32_t different;
  uint32_t unknown;   // a code that is identical to nothing, or more than any code
  uint32_t free;      // ends that cost nothing: 1, 2 of the query, 4, 8 of the target
  uint32_t reserved;
};
static_assert(sizeof(Model) == 32, "mirrored in Rust");

constexpr uint32_t QUERY_BEGIN = 1, QUERY_END = 2, TARGET_BEGIN = 4, TARGET_END = 8;

// A pair, by the places of its sequences' codes. Mirrors `Place` of src/gpu/model.rs. Neither
// sequence is empty.
struct Place {
  uint64_t query, target;  // of the first code
  uint32_t rows, columns;  // lengths
};
static_assert(sizeof(Place) == 24, "mirrored in Rust");

// A pair, by the numbers of its sequences. Mirrors `Pair` of src/batch.rs.
struct Pair {
  uint32_t query, target;
};
static_assert(sizeof(Pair) == 8, "mirrored in Rust");

// Number n of a set of sequences is codes[offsets[n]] to codes[offsets[n + 1]].
static __device__ __forceinline__ Place place_of(const Pair& pair, const uint64_t* query_offsets,
                                                 const uint64_t* target_offsets) {
  const uint64_t query = query_offsets[pair.query], target = target_offsets[pair.target];
  return Place{query, target, static_cast<uint32_t>(query_offsets[pair.query + 1] - query),
               static_cast<uint32_t>(target_offsets[pair.target + 1] - target)};
}

// Where an alignment ends, and its score.
struct End {
  int32_t score;
  uint32_t row, column;
};
static_assert(sizeof(End) == 12, "mirrored in Rust");

// The best end: the greatest score, then row, then column.
static __device__ __forceinline__ bool better(const End& a, const End& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.row != b.row ? a.row > b.row : a.column > b.column;
}

// H'(length, 0) or H'(0, length).
static __device__ __forceinline__ int border(const Model& model, uint32_t free, uint32_t length) {
  if (length == 0) return model.base;
  if ((model.free & free) != 0) {
    return model.base + model.extend * static_cast<int>(length);
  }
  return model.base - model.opening;
}

static __device__ __forceinline__ int unbias(const Model& model, int value, uint32_t row,
                                             uint32_t column) {
  return value - model.base - model.extend * static_cast<int>(row + column);
}

constexpr int CODES = 32;

}  // namespace nw
