// CIGAR runs as kernels write them: the words of `CigarRun` in aligner-core/src/cigar.rs.
#pragma once

#include "cuda_or_cpu.cuh"

namespace gpualign {

// Operations of a run: =, X, I and D.
constexpr uint32_t EQUAL = 0, DIFFERENT = 1, INSERTION = 2, DELETION = 3;

// The word of a run of `length` columns, which must be below 2^30.
static __device__ __forceinline__ uint32_t cigar_run(uint32_t op, uint32_t length) {
  return length << 2 | op;
}

// Collects the runs of one alignment in a thread of its own, from the last run to the first, as a traceback finds them.
// Words beyond `room` are counted but not written, so that a second walk can write all of them.
struct BackwardRuns {
  uint32_t* end;    // end of the memory for words: the first run to come is written just before it
  uint32_t room;    // words that may be written before `end`
  uint32_t count;   // runs that are complete; at first 0
  uint32_t op;      // of the run under way
  uint32_t length;  // of the run under way; at first 0

  // Adds `columns` columns of one kind in front of the others.
  __device__ void push(uint32_t next, uint32_t columns) {
    if (columns == 0) return;
    if (next != op) {
      flush();
      op = next;
      length = 0;
    }
    length += columns;
  }

  // Completes the run under way. To be called once, after the last push.
  __device__ void flush() {
    if (length == 0) return;
    count++;
    if (count <= room) *(end - count) = cigar_run(op, length);
  }
};

}  // namespace gpualign
