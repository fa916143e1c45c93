// Structs of search schemes: items and data of their application.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <woodstocc/scheme/branch.cuh>

namespace woodstocc {

constexpr uint32_t kStackRoom = 16;    // open branches that a stack has room for: STACK_ROOM of stages.rs
constexpr uint32_t kOpens = 8;         // greatest number of branches that extending one opens: OPENS
constexpr uint32_t kSteps = 32;        // greatest number of branches that one firing extends for a search: STEPS
constexpr uint32_t kSeedsAtOnce = 16;  // greatest number of seeds that one firing yields for a search: SEEDS_AT_ONCE

// One search of the scheme for one query.
struct SearchId {
  uint32_t query;   // number of the query in its batch
  uint32_t search;  // number of the search in the scheme
};

// An unfinished search: the stack of its open branches.
struct BranchStack {
  SearchId id;
  uint32_t count;  // number of open branches
  uint32_t padding;
  Branch branches[kStackRoom];  // the last one of `count` is extended next
};

// Suffix-array rows of a word to verify.
struct SchemeSeed {
  SearchId id;
  uint32_t lo;      // first row
  uint32_t size;    // number of rows
  uint32_t offset;  // query position, modulo 2^32, where the word begins without insertions or deletions
};

// A diagonal where a query may match.
struct SchemeCandidate {
  uint32_t query;
  // Position in the indexed text, modulo 2^32, where the query starts without insertions or deletions.
  uint32_t diagonal;
};

// Work of searches, to which all threads add.
struct SchemeCounts {
  unsigned long long nodes;  // branches extended
  unsigned long long lines;  // 64-byte lines of the index read for that
};

// The data that all nodes share.
struct SchemeDeviceContext {
  fm::IndexView index;
  const uint8_t* codes;     // codes of all queries
  const uint32_t* offsets;  // query q has the codes offsets[q] to offsets[q + 1]
  const SearchPlan* plans;  // the searches of the scheme
  SchemeCounts* counts;
  uint32_t k;           // greatest edit distance
  uint32_t pieces;      // number of pieces of a query
  uint32_t inverse;     // 2^32 / pieces, rounded up
  uint32_t rare_limit;  // words with no more occurrences than this are verified
};

}  // namespace woodstocc
