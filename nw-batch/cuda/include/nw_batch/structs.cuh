// Structs that kernels share with the host: Rust declares the same in src/gpu/structs.rs, src/alignment and
// src/batch.rs, and layouts.cuh compares them. Scores are biased as src/scoring/bias.rs explains.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace nw {

// Number of residue codes; codes are below it.
constexpr int CODES = 32;

// Bits of BiasedScoring::free_ends.
constexpr uint32_t QUERY_BEGIN = 1, QUERY_END = 2, TARGET_BEGIN = 4, TARGET_END = 8;

// Scoring as kernels compute with it: the parameters of the biased recurrence.
struct BiasedScoring {
  int32_t base;            // value of the first cell, H'(0, 0)
  int32_t opening;         // the first residue of a gap costs opening + extend
  int32_t extend;          // cost of each further residue of a gap
  int32_t match_score;     // biased
  int32_t mismatch_score;  // biased
  uint32_t unknown;        // code that never counts as a match, or more than any code
  uint32_t free_ends;      // QUERY_BEGIN | ...
};

// Pair of sequences to align, by their indices in the sets of queries and targets.
struct SequencePair {
  uint32_t query, target;
};

// Codes of all sequences. Sequence n of a set is codes[offsets[n]] to codes[offsets[n + 1] - 1].
struct DeviceSequences {
  const uint8_t* queries;
  const uint64_t* query_offsets;
  const uint8_t* targets;
  const uint64_t* target_offsets;
};

// Position of the two sequences of a pair among the codes of all sequences. Neither sequence is empty.
struct PairSpan {
  uint64_t query, target;  // index of the first residue
  uint32_t rows, columns;  // residues of the query and of the target
};

// Cell where an alignment ends, and its score.
struct AlignmentEnd {
  int32_t score;
  uint32_t row, column;
};

// Score of an alignment, and the position of its CIGAR runs in the array of all runs.
struct TracedAlignment {
  int32_t score;
  uint32_t run_count;
  uint64_t first_run;
};

// Position of a pair's directions and CIGAR runs in memory, for its traceback.
struct TracebackTask {
  uint64_t directions_start;  // first word of the directions of its task
  uint64_t runs_end;          // end of its memory for runs
  uint32_t pair;              // index of the pair in the batch
  uint32_t steps;             // of its task in each strip of rows
  uint16_t rows_per_lane;     // rows that a lane fills in each strip
  uint8_t half;               // 0 for the first pair of the task, 1 for the second
  uint8_t is_affine;          // whether directions are of affine gaps
  uint32_t padding;
};

// Parameters of the kernels of warp.cu that fill matrices; all_tasks there explains them.
struct WarpParameters {
  DeviceSequences sequences;
  BiasedScoring scoring;
  uint32_t tasks;
  const int16_t* table;
  const SequencePair* pairs;
  const uint32_t* order;
  uint32_t* next_task;
  uint32_t* strip_rows;
  AlignmentEnd* ends;
  const uint64_t* directions_starts;
  uint32_t* directions;
  uint32_t row_words;
  uint32_t letters;
  uint32_t one;
  uint32_t padding;
};

// Parameters of nw_traceback of warp.cu, which explains them.
struct TracebackParameters {
  DeviceSequences sequences;
  const SequencePair* pairs;
  const TracebackTask* tasks;
  const AlignmentEnd* ends;
  const uint32_t* directions;
  uint32_t* run_room;
  unsigned long long* run_count;
  uint32_t* runs;
  TracedAlignment* alignments;
  uint32_t count;
  uint32_t unknown;
};

// Parameters of the kernels of edit.cu; edit_distances there explains them.
struct EditParameters {
  DeviceSequences sequences;
  const SequencePair* pairs;
  const uint32_t* order;
  uint32_t* next_task;
  uint8_t* strip_rows;
  int32_t* scores;
  uint32_t tasks;
  uint32_t row_bytes;
};

// Pairs whose full matrices are in device memory together (full.cu).
struct MatrixGroupParameters {
  const uint8_t* queries;
  const uint8_t* targets;
  const int16_t* table;   // biased scores of all pairs of codes, CODES rows of CODES
  const PairSpan* spans;  // of each pair
  const uint64_t* starts; // index of the first value of each pair's matrix
  int32_t* matrices;
  int32_t* scores;        // of each pair
  uint32_t count;         // pairs
  uint32_t gap;           // cost of each residue of a gap
};

// Parameters of nw_tiles of full.cu: one diagonal of tiles of some of the pairs of a group.
struct TilesParameters {
  MatrixGroupParameters group;
  uint32_t first, count;  // the pairs
  uint32_t tiles;         // blocks for each pair: the most tiles that it may have on the diagonal
  uint32_t diagonal;      // of tiles, from 0
};

// Parameters of nw_dscan of full.cu.
struct DscanParameters {
  MatrixGroupParameters group;
  uint32_t strip;  // rows that a block fills at a time
  uint32_t padding;
};

// Position of a pair's sequences among the codes of all. Any thread may call it.
static __device__ __forceinline__ PairSpan span_of(const SequencePair& pair, const DeviceSequences& all) {
  const uint64_t query = all.query_offsets[pair.query], target = all.target_offsets[pair.target];
  return PairSpan{query, target, static_cast<uint32_t>(all.query_offsets[pair.query + 1] - query),
                  static_cast<uint32_t>(all.target_offsets[pair.target + 1] - target)};
}

// Whether `a` is the better end: by score, then row, then column.
static __device__ __forceinline__ bool is_better(const AlignmentEnd& a, const AlignmentEnd& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.row != b.row ? a.row > b.row : a.column > b.column;
}

// Biased score of a sequence's first `length` residues against nothing: H'(length, 0) with `end` QUERY_BEGIN, or
// H'(0, length) with TARGET_BEGIN.
static __device__ __forceinline__ int border(const BiasedScoring& scoring, uint32_t end, uint32_t length) {
  if (length == 0) return scoring.base;
  if ((scoring.free_ends & end) != 0) {
    return scoring.base + scoring.extend * static_cast<int>(length);
  }
  return scoring.base - scoring.opening;
}

// Score of a cell from its biased value.
static __device__ __forceinline__ int unbias(const BiasedScoring& scoring, int value, uint32_t row,
                                             uint32_t column) {
  return value - scoring.base - scoring.extend * static_cast<int>(row + column);
}

}  // namespace nw
