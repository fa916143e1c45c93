// Scores of very many tasks, a thread for two of them; and alignments, which the applications of fill.cu and walk.cu
// make in any order, in the order of tasks.
#include <gpualign/cuda_or_cpu.cuh>

#include <seed_extend/extend.cuh>
#include <seed_extend/layouts.cuh>
#include <seed_extend/score.cuh>

namespace seed_extend {

// Scores all pairs of tasks. Called by all threads of a kernel with any grid. No barriers.
template <int B>
__device__ void score_all(const ExtendScoreParameters& p) {
  for (uint64_t pair = blockIdx.x * blockDim.x + threadIdx.x; pair < p.count; pair += gridDim.x * blockDim.x) {
    const uint32_t number[TASKS] = {p.pairs[TASKS * pair], p.pairs[TASKS * pair + 1]};
    constexpr bool TRACE = false;
    const Cells<B> no_cells{nullptr, 0};
    score<B, TRACE>(p.costs, p.text, p.queries, p.tasks, number, no_cells, p.ends,
                    UnfinishedTasks{p.unfinished, p.unfinished_count});
  }
}

// Sets `window_end` of the unfinished tasks in `ends`, as `score` left them. Called by all threads of a kernel with any
// grid. No barriers.
template <int B>
__device__ void end_all(const ExtendEndParameters& p) {
  for (uint32_t place = blockIdx.x * blockDim.x + threadIdx.x; place < *p.unfinished_count;
       place += gridDim.x * blockDim.x) {
    const uint32_t number = p.unfinished[place];
    const BandedTask banded[TASKS] = {banded_task(p.tasks, number), BandedTask{}};
    const AlignmentEnd known = p.ends[number];
    const uint32_t rows[TASKS] = {known.query_end, NO_TASK};
    const int wanted = known.score + FLOOR + p.costs.five_prime_clip + p.costs.three_prime_clip;
    constexpr bool TRACE = false;
    const Cells<B> no_cells{nullptr, 0};
    fill<B, TRACE>(p.costs, p.text, p.queries, banded, rows, no_cells,
                   [&](int, uint32_t row, const Band<B>& band, const Window<B>&, int, uint32_t) {
                     uint32_t column = 0;
#pragma unroll
                     for (int k = B - 1; k >= 0; k--) {
                       if (half(band.value[k], 0) == wanted) column = k;
                     }
                     p.ends[number].window_end = static_cast<uint32_t>(banded[0].place(row - 1, column)) + 1;
                   });
  }
}

}  // namespace seed_extend

#define EXTEND_KERNELS(B)                                                               \
  extern "C" __global__ void __launch_bounds__(128)                                     \
      extend_score_##B(const __grid_constant__ seed_extend::ExtendScoreParameters p) {  \
    seed_extend::score_all<B>(p);                                                       \
  }                                                                                     \
  SIMT_EXPORT(extend_score_##B)                                                         \
  extern "C" __global__ void __launch_bounds__(128)                                     \
      extend_end_##B(const __grid_constant__ seed_extend::ExtendEndParameters p) {      \
    seed_extend::end_all<B>(p);                                                         \
  }                                                                                     \
  SIMT_EXPORT(extend_end_##B)

EXTEND_KERNELS(16)
EXTEND_KERNELS(32)
EXTEND_KERNELS(64)
EXTEND_KERNELS(104)
EXTEND_KERNELS(128)

// Writes the span of each alignment to its task's place, with `first_run` counted from the first of all runs. Any grid,
// any blocks. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    extend_order(const __grid_constant__ seed_extend::ExtendOrderParameters p) {
  for (uint64_t number = blockIdx.x * blockDim.x + threadIdx.x; number < p.count;
       number += gridDim.x * blockDim.x) {
    const seed_extend::TaskAlignment aligned = p.aligned[number];
    seed_extend::AlignmentSpan span = aligned.span;
    span.first_run += p.first_run;
    p.spans[aligned.task] = span;
  }
}
SIMT_EXPORT(extend_order)
