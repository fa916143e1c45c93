// Structs of the kernels for long pairs (strips.cu) that are shared with the host: Rust declares the same in
// src/gpu/structs/strips.rs, and strip_layouts.cuh compares them.
#pragma once

#include "structs.cuh"

namespace nw {

// A long pair, and the memory of its matrix: positions are counted in words of StripMemory::words.
struct LongPair {
  uint64_t rows_start;    // of the last rows of its strips
  uint64_t states_start;  // of the saved states of its strips
  uint64_t runs_end;      // end of its memory for CIGAR runs, counted in runs
  uint32_t pair;          // index in the batch
  uint32_t row_words;     // words from the last row of a strip to that of the next; 0 if all strips share one
  uint32_t first_strip;   // index of its first strip among the strips of all long pairs of the launch
  uint32_t padding;
};

// A strip to fill.
struct StripTask {
  uint32_t long_pair;  // index of the pair among the long pairs of the launch
  uint32_t strip;      // from 0, the top
};

// Sequences, scoring and memory of a launch.
struct StripParameters {
  DeviceSequences sequences;
  BiasedScoring scoring;  // in 32 bits
  uint32_t letters;
  const int16_t* table;
  const SequencePair* pairs;
  const LongPair* long_pairs;
  uint32_t* words;     // last rows, saved states and directions
  AlignmentEnd* ends;  // by the index of the pair in the batch
  uint32_t one;        // 1, which the compiler does not know (lane_words.cuh)
  uint32_t count;      // long pairs
};

// Parameters of the kernels of strips.cu that fill strips; fill_strips there explains them.
struct FillStripsParameters {
  StripParameters launch;
  const StripTask* tasks;
  uint32_t* next_task;
  uint32_t* columns_done;
  int32_t* scores;
  uint32_t task_count;
  uint32_t saves_states;
};

// Parameters of the kernels of strips.cu that trace alignments back; trace_long_pairs there explains them.
struct TraceStripsParameters {
  StripParameters launch;
  uint64_t directions_start;
  uint32_t* next_pair;
  uint32_t* run_room;
  unsigned long long* run_count;
  uint32_t* runs;
  TracedAlignment* alignments;
  uint32_t side;
  uint32_t padding;
};

}  // namespace nw
