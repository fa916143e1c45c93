// Scores and alignments of long pairs: the matrix of a pair is divided into strips, a warp for each, so that many warps work
// on one pair, in 16-bit words whatever its scores are.
#include <gpualign/cuda_or_cpu.cuh>

#include <nw_batch/long_walk.cuh>
#include <nw_batch/score_tables.cuh>
#include <nw_batch/strip.cuh>
#include <nw_batch/strip_layouts.cuh>

namespace nw {

// Rows of a lane in each half of a word.
constexpr int ROWS = 16;

// Warps of a block, at most.
constexpr uint32_t FILL_WARPS = 4, TRACE_WARPS = 16;

// A strip of a long pair, with its memory.
template <bool AFFINE>
__device__ StripPlace place_of(const StripParameters& launch, const LongPair& pair, uint32_t strip,
                               bool has_states) {
  StripPlace place{};
  place.span = span_of(launch.pairs[pair.pair], launch.sequences);
  place.strip = strip;
  place.queries = launch.sequences.queries;
  place.targets = launch.sequences.targets;
  uint32_t* rows = launch.words + pair.rows_start;
  const auto row = [&](uint32_t of) {
    return StripRow::at(rows + static_cast<uint64_t>(of) * pair.row_words, place.span.columns);
  };
  if (strip > 0) place.row_above = row(strip - 1);
  if ((strip + 1) * STRIP_ROWS<ROWS> < place.span.rows) place.last_row = row(strip);
  if (has_states) {
    const uint64_t words = static_cast<uint64_t>(saved_states(place.span.columns)) * (32 * STATE_WORDS<ROWS, AFFINE>);
    place.states = launch.words + pair.states_start + strip * words;
  }
  return place;
}

// Fills the strips of all tasks. A warp takes the next task when it is done with one, and waits for columns of the strip
// above, whose task must come before. Blocks of at most FILL_WARPS whole warps, in one dimension, all threads of which
// call it together. One block barrier at the begin.
//   next_task     counts the tasks taken; at first 0
//   columns_done  of each strip of all long pairs, the number of columns of its last row that are complete; at first 0
//   scores        output, by the index of the pair in the batch; or null
//   saves_states  whether there is memory for saved states
template <class PairScorer, bool AFFINE, int UNROLL>
__device__ void fill_strips(const FillStripsParameters& parameters) {
  __shared__ ScoreTables<PairScorer> tables;
  __shared__ ColumnWindow windows[FILL_WARPS];
  DYN_SMEM(uint8_t, profiles);
  const StripParameters& launch = parameters.launch;
  tables.write(launch.scoring, launch.table);
  __syncthreads();
  const ScoreMemory memory = tables.template memory<ROWS>(profiles, launch.letters, launch.one);
  const BiasedScoring& scoring = tables.scoring;
  const uint32_t lane = threadIdx.x % 32;
  for (;;) {
    uint32_t number = 0;
    if (lane == 0) number = atomicAdd(parameters.next_task, 1u);
    number = __shfl_sync(~0u, number, 0);
    if (number >= parameters.task_count) return;
    const StripTask task = parameters.tasks[number];
    const LongPair pair = launch.long_pairs[task.long_pair];
    StripPlace place = place_of<AFFINE>(launch, pair, task.strip, parameters.saves_states != 0);
    place.columns_done = parameters.columns_done + pair.first_strip + task.strip;
    if (task.strip > 0) place.columns_above = place.columns_done - 1;
    const uint32_t columns = place.span.columns;
    const AlignmentEnd found = fill_strip<PairScorer, ROWS, AFFINE, false, UNROLL>(
        scoring, place, memory, windows[threadIdx.x / 32], 0, strip_steps(columns), nullptr);
    // The end of the strips above is there: all columns of the last of them were waited for.
    if (lane == 31) {
      AlignmentEnd* end = launch.ends + pair.pair;
      AlignmentEnd best = border_end(scoring, place.span);
      if (task.strip > 0) {
        const uint32_t* words = reinterpret_cast<const uint32_t*>(end);
        best = {static_cast<int32_t>(read_now(words)), read_now(words + 1), read_now(words + 2)};
      }
      if (is_better(found, best)) best = found;
      *end = best;
      if (place.last_row.words == nullptr && parameters.scores != nullptr) parameters.scores[pair.pair] = best.score;
      __threadfence();  // the last columns, and the end, before the number of columns
      *static_cast<volatile uint32_t*>(place.columns_done) = columns;
    }
    __syncwarp();
  }
}

// Traces back the alignments of all long pairs, whose ends, last rows and saved states are there; a block takes the next
// pair when it is done with one. In each round the warps of the block fill, with directions, a square of segments up and
// left of the cell that the traceback has reached, and the first warp walks through them as far as it gets. Blocks of
// side * side warps, at most TRACE_WARPS, in one dimension. Block barriers: all threads of a block call it together.
//   directions_start  first word of the directions, which are those of side * side segments for each block
//   next_pair         counts the pairs taken; at first 0
//   run_room, run_count, runs, alignments  as for nw_traceback (warp.cu)
template <class PairScorer, bool AFFINE, int UNROLL>
__device__ void trace_long_pairs(const TraceStripsParameters& parameters) {
  __shared__ ScoreTables<PairScorer> tables;
  __shared__ ColumnWindow windows[TRACE_WARPS];
  __shared__ LongWalk walk;
  __shared__ uint32_t number;
  __shared__ uint64_t first_run;
  DYN_SMEM(uint8_t, profiles);
  constexpr uint32_t SEGMENT_WORDS = SEGMENT_STEPS * 32 * WORDS<ROWS, AFFINE>;
  const StripParameters& launch = parameters.launch;
  tables.write(launch.scoring, launch.table);
  __syncthreads();
  const ScoreMemory memory = tables.template memory<ROWS>(profiles, launch.letters, launch.one);
  const uint32_t warp = threadIdx.x / 32, side = parameters.side;
  uint32_t* directions =
      launch.words + parameters.directions_start + static_cast<uint64_t>(blockIdx.x) * (side * side) * SEGMENT_WORDS;
  for (;;) {
    if (threadIdx.x == 0) number = atomicAdd(parameters.next_pair, 1u);
    __syncthreads();
    if (number >= launch.count) return;
    const LongPair pair = launch.long_pairs[number];
    const PairSpan span = span_of(launch.pairs[pair.pair], launch.sequences);
    const AlignmentEnd end = launch.ends[pair.pair];
    if (threadIdx.x == 0) walk.begin(span, end, parameters.run_room + pair.runs_end);
    for (;;) {
      __syncthreads();
      if (walk.row == 0 || walk.column == 0) break;
      const SegmentSquare square = SegmentSquare::at<ROWS>(walk.row, walk.column, side);
      const uint32_t up = warp / side, left = warp % side;
      if (up <= square.strip && left <= square.last_segment(up)) {
        const uint32_t first_step = (square.last_segment(up) - left) * SEGMENT_STEPS;
        const uint32_t end_step = min(first_step + SEGMENT_STEPS, strip_steps(span.columns));
        const StripPlace place = place_of<AFFINE>(launch, pair, square.strip - up, true);
        fill_strip<PairScorer, ROWS, AFFINE, true, UNROLL>(tables.scoring, place, memory, windows[warp], first_step,
                                                          end_step, directions + warp * SEGMENT_WORDS);
      }
      __syncthreads();
      if (warp == 0) {
        walk.through<ROWS, AFFINE>(square, directions, launch.sequences, span, tables.scoring.unknown);
      }
    }
    if (threadIdx.x == 0) {
      walk.finish();
      first_run = atomicAdd(parameters.run_count, static_cast<unsigned long long>(walk.out.count));
      parameters.alignments[pair.pair] = TracedAlignment{end.score, walk.out.count, first_run};
    }
    __syncthreads();
    for (uint32_t run = threadIdx.x; run < walk.out.count; run += blockDim.x) {
      parameters.runs[first_run + run] = *(walk.out.end - walk.out.count + run);
    }
  }
}

}  // namespace nw

// Defines two kernels, nw_strips_NAME_score for scores, and the saved states for tracebacks, and nw_strips_NAME_trace for
// tracebacks. `blocks` limits registers so that as many blocks of `threads` threads fit on a multiprocessor. The loops over
// columns are unrolled `scores` and `traces` times.
#define NW_STRIPS(name, scorer, affine, threads, blocks, scores, traces)                      \
  extern "C" __global__ void __launch_bounds__(threads, blocks) nw_strips_##name##_score(     \
      const __grid_constant__ nw::FillStripsParameters parameters) {                          \
    nw::fill_strips<nw::scorer<nw::ROWS>, affine, scores>(parameters);                        \
  }                                                                                           \
  SIMT_EXPORT(nw_strips_##name##_score)                                                       \
  extern "C" __global__ void __launch_bounds__(512, 1) nw_strips_##name##_trace(              \
      const __grid_constant__ nw::TraceStripsParameters parameters) {                         \
    nw::trace_long_pairs<nw::scorer<nw::ROWS>, affine, traces>(parameters);                   \
  }                                                                                           \
  SIMT_EXPORT(nw_strips_##name##_trace)

NW_STRIPS(linear, Nucleotides, false, 128, 5, 4, 2)
NW_STRIPS(affine, Nucleotides, true, 128, 4, 2, 4)
NW_STRIPS(linear_unknown, NucleotidesOrUnknown, false, 128, 4, 2, 2)
NW_STRIPS(affine_unknown, NucleotidesOrUnknown, true, 128, 3, 2, 2)
NW_STRIPS(profile, Profile, true, 64, 4, 4, 4)
