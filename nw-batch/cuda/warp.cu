// Scores and alignments of many pairs, a warp for two pairs at a time, or for one if 16 bits do not hold their scores.
#include <gpualign/cuda_or_cpu.cuh>

#include <gpualign/cigar.cuh>

#include <nw_batch/layouts.cuh>
#include <nw_batch/score_tables.cuh>
#include <nw_batch/wave.cuh>

namespace nw {

// Warps of a block.
constexpr uint32_t BLOCK_WARPS = 4;

// Fills the matrices of all tasks. Task t is of the Word::PAIRS pairs from order[t * Word::PAIRS] on; if the pairs are
// odd in number, the last is repeated. A warp takes the next task when it is done with one. Blocks of whole warps, in
// one dimension, all threads of which call it together. One block barrier at the begin.
//   next_task   counts the tasks taken; at first 0
//   strip_rows  2 * row_words words for each warp of the grid, where row_words is at least the columns of the longest
//               target; unused if no query has more than 32 R residues
//   ends        output, by the index of the pair
//   directions  with TRACE, output: the words of task t begin at directions_starts[t]
template <class Word, class PairScorer, int R, bool AFFINE, bool TRACE, int UNROLL>
__device__ void all_tasks(const WarpParameters& parameters) {
  __shared__ ScoreTables<PairScorer> tables;
  __shared__ ColumnWindow windows[BLOCK_WARPS];
  DYN_SMEM(uint8_t, profiles);
  tables.write(parameters.scoring, parameters.table);
  __syncthreads();
  const ScoreMemory memory = tables.template memory<R>(profiles, parameters.letters, parameters.one);
  const BiasedScoring& scoring = tables.scoring;
  const uint32_t warp_of_block = threadIdx.x / 32;
  const DeviceSequences& sequences = parameters.sequences;
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const uint64_t first_of_row = static_cast<uint64_t>(warp) * parameters.row_words;
  WordPair* strip_row = reinterpret_cast<WordPair*>(parameters.strip_rows) + first_of_row;
  for (;;) {
    uint32_t task = 0;
    if (lane == 0) task = atomicAdd(parameters.next_task, 1u);
    task = __shfl_sync(~0u, task, 0);
    if (task >= parameters.tasks) return;
    PairSpan span[Word::PAIRS];
    for (int pair = 0; pair < Word::PAIRS; pair++) {
      const uint32_t index = parameters.order[task * Word::PAIRS + pair];
      span[pair] = span_of(parameters.pairs[index], sequences);
    }
    const BestEnds<Word> ends = fill_matrices<Word, PairScorer, R, AFFINE, TRACE, UNROLL>(
        scoring, span, sequences.queries, sequences.targets, memory, windows[warp_of_block], strip_row,
        TRACE ? parameters.directions + parameters.directions_starts[task] : nullptr);
    if (lane == 0) {
      for (int pair = 0; pair < Word::PAIRS; pair++) {
        parameters.ends[parameters.order[task * Word::PAIRS + pair]] = ends.best[pair];
      }
    }
  }
}

using gpualign::DELETION;
using gpualign::DIFFERENT;
using gpualign::EQUAL;
using gpualign::INSERTION;

// Traces back the alignments of `count` pairs, a thread for each. A traceback finds runs from the last to the first, in
// unknown number: it writes them to memory of its own, which ends at run_room[runs_end] and has room for max_runs
// (src/alignment/cigar.rs), and then copies them to the next free words of `runs`, of which *run_count are taken (at
// first 0). `runs` has room for the runs of all pairs.
//   ends, alignments  by the index of the pair
// Any grid of one-dimensional blocks; no barrier.
extern "C" __global__ void __launch_bounds__(128)
    nw_traceback(const __grid_constant__ TracebackParameters parameters) {
  for (uint32_t number = blockIdx.x * blockDim.x + threadIdx.x; number < parameters.count;
       number += gridDim.x * blockDim.x) {
    const TracebackTask task = parameters.tasks[number];
    const PairSpan span = span_of(parameters.pairs[task.pair], parameters.sequences);
    const uint32_t bits = task.is_affine != 0 ? 4 : 2;
    const uint32_t rows = task.rows_per_lane, rows_of_word = 16 / bits;
    const uint32_t words = (rows + rows_of_word - 1) / rows_of_word;
    const uint32_t* task_words = parameters.directions + task.directions_start;
    const AlignmentEnd end = parameters.ends[task.pair];
    uint32_t i = end.row, j = end.column;
    gpualign::BackwardRuns out{parameters.run_room + task.runs_end, ~0u, 0, ~0u, 0};
    out.push(INSERTION, span.rows - i);
    out.push(DELETION, span.columns - j);
    uint32_t state = EQUAL;  // EQUAL: not within a gap; else the kind of the gap
    while (i > 0 && j > 0) {
      const uint32_t strip = (i - 1) / (32 * rows), lane = (i - 1) / rows % 32, r = (i - 1) % rows;
      const uint64_t step = static_cast<uint64_t>(strip) * task.steps + (j - 1 + lane);
      const uint32_t word = task_words[(step * words + r / rows_of_word) * 32 + lane];
      const uint32_t cell = word >> (16 * task.half + r % rows_of_word * bits);
      if (state == EQUAL) {
        if ((cell & NOT_DIAGONAL) == 0) {
          const uint32_t query_residue = parameters.sequences.queries[span.query + i - 1];
          const uint32_t target_residue = parameters.sequences.targets[span.target + j - 1];
          const bool is_match = query_residue == target_residue && query_residue != parameters.unknown;
          out.push(is_match ? EQUAL : DIFFERENT, 1);
          i--;
          j--;
          continue;
        }
        state = (cell & NOT_DELETION) == 0 ? DELETION : INSERTION;
      }
      const uint32_t longer = state == DELETION ? LONGER_DELETION : LONGER_INSERTION;
      const bool continues = task.is_affine != 0 && (cell & longer) != 0;
      out.push(state, 1);
      if (state == DELETION) j--; else i--;
      if (!continues) state = EQUAL;
    }
    out.push(INSERTION, i);
    out.push(DELETION, j);
    out.flush();
    const uint64_t first = atomicAdd(parameters.run_count, static_cast<unsigned long long>(out.count));
    for (uint32_t run = 0; run < out.count; run++) {
      parameters.runs[first + run] = *(out.end - out.count + run);
    }
    parameters.alignments[task.pair] = TracedAlignment{end.score, out.count, first};
  }
}
SIMT_EXPORT(nw_traceback)

}  // namespace nw

#define NW_WARP(name, word, scorer, R, affine, trace, threads, blocks, unroll)                   \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(                            \
      const __grid_constant__ nw::WarpParameters parameters) {                                   \
    nw::all_tasks<nw::word, nw::scorer<R>, R, affine, trace, unroll>(parameters);                \
  }                                                                                              \
  SIMT_EXPORT(name)

// Defines two kernels, nw_NAME_score_R for scores and nw_NAME_trace_R for alignments. `blocks` limits registers so that
// as many blocks of `threads` threads fit on a multiprocessor; without it, the compiler computes scores of residues far
// ahead, in too many registers. The loops over columns are unrolled `scores` and `traces` times.
#define NW_WARP_BOTH(name, word, scorer, R, affine, threads, blocks, scores, traces)              \
  NW_WARP(nw_##name##_score_##R, word, scorer, R, affine, false, threads, blocks, scores)         \
  NW_WARP(nw_##name##_trace_##R, word, scorer, R, affine, true, threads, blocks, traces)

// The same of nucleotides, whose scores Added##scorer adds to both pairs at once. Directions need the scores by themselves.
#define NW_WARP_NUCLEOTIDES(name, scorer, R, affine, blocks, scores, traces)                                \
  NW_WARP(nw_##name##_score_##R, PackedUnsigned, Added##scorer, R, affine, false, 128, blocks, scores)    \
  NW_WARP(nw_##name##_trace_##R, PackedUnsigned, scorer, R, affine, true, 128, blocks, traces)

NW_WARP_NUCLEOTIDES(linear, Nucleotides, 8, false, 7, 4, 2)
NW_WARP_NUCLEOTIDES(linear, Nucleotides, 16, false, 6, 4, 2)
NW_WARP_NUCLEOTIDES(linear, Nucleotides, 32, false, 4, 4, 2)
NW_WARP_NUCLEOTIDES(linear, Nucleotides, 48, false, 3, 4, 2)
NW_WARP_NUCLEOTIDES(affine, Nucleotides, 8, true, 6, 4, 4)
NW_WARP_NUCLEOTIDES(affine, Nucleotides, 16, true, 4, 4, 4)
NW_WARP_NUCLEOTIDES(affine, Nucleotides, 24, true, 3, 4, 4)
NW_WARP(nw_affine_score_48, PackedUnsigned, AddedNucleotides, 48, true, false, 128, 2, 2)
NW_WARP_NUCLEOTIDES(linear_unknown, NucleotidesOrUnknown, 8, false, 7, 2, 2)
NW_WARP_NUCLEOTIDES(linear_unknown, NucleotidesOrUnknown, 32, false, 3, 2, 2)
NW_WARP_NUCLEOTIDES(affine_unknown, NucleotidesOrUnknown, 8, true, 6, 2, 2)
NW_WARP_NUCLEOTIDES(affine_unknown, NucleotidesOrUnknown, 24, true, 3, 2, 2)
NW_WARP_BOTH(profile, PackedUnsigned, Profile, 8, true, 64, 8, 4, 4)
NW_WARP_BOTH(profile, PackedUnsigned, Profile, 16, true, 64, 4, 4, 4)
NW_WARP_BOTH(table, PackedUnsigned, Table, 8, true, 128, 6, 1, 1)
NW_WARP_BOTH(wide, Wide, WideTable, 8, true, 128, 7, 1, 1)
NW_WARP_BOTH(wide, Wide, WideTable, 32, true, 128, 3, 1, 1)
