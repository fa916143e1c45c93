// What seeds are, for the stages that find them (seeds.cu) and the kernels that chain them (find.cu).
#pragma once

#include "queries.cuh"

namespace find {

// Mirrors `Seed` of src/seeds.rs.
struct Seed {
  uint32_t query;
  uint16_t begin, length;
  uint32_t first, size;
};
static_assert(sizeof(Seed) == 16, "mirrored in Rust");

// Mirrors `SeedOptions` of src/seeds.rs.
struct SeedOptions {
  uint32_t min_length, split_length, split_occurrences, rare;
};

}  // namespace find
