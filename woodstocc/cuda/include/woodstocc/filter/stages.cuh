// Structs of the filter: items and data of its application, and parameters of the kernel that cuts queries.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>

namespace woodstocc {

// Parameters of filter_cuts.
struct CutParameters {
  fm::IndexView index;
  const uint8_t* codes;     // codes of all queries
  const uint32_t* offsets;  // query q has the codes offsets[q] to offsets[q + 1]
  const uint32_t* wanted;   // numbers of the queries to cut, each of more than k codes
  uint32_t* bounds;         // output, k + 2 values for each query: where its pieces begin, and the end of the last one
  uint32_t wanted_count;
  uint32_t k;               // greatest edit distance, at most 15
};

// The data that all nodes of the filter share.
struct FilterDeviceContext {
  fm::IndexView index;
  const uint8_t* codes;     // codes of all queries
  const uint32_t* offsets;  // query q has the codes offsets[q] to offsets[q + 1]
  const uint32_t* bounds;   // k + 2 values for each query: where its pieces begin, and the end of the last one
  uint32_t k;               // greatest edit distance
  uint32_t padding;
};

// A piece of a query, and a range of its occurrences.
struct QueryPiece {
  uint32_t query;   // number of the query in its batch
  uint32_t number;  // number of the piece in the query, from 0
  uint32_t first;   // the first occurrence to process
};

// Suffix-array rows whose suffixes begin with a piece.
struct PieceSeed {
  uint32_t query, number;
  uint32_t lo;    // first row
  uint32_t size;  // number of rows, at least 1
};

// A diagonal where a query may match.
struct PieceCandidate {
  uint32_t query, number;
  // Position in the indexed text, modulo 2^32, where the query starts without insertions or deletions.
  uint32_t diagonal;
};

}  // namespace woodstocc
