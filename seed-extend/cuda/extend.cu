// Scores of very many reads in bands of windows of a text, a thread for two of them; and alignments, which stages
// found in any order (fill.cu, walk.cu), in the order of their tasks.
#include <gpualign/cuda_or_cpu.cuh>

#include <seed_extend/align.cuh>
#include <seed_extend/score.cuh>

namespace extend {

// Does `score` for `count` pairs of tasks, whose numbers are `pairs`. Any grid. No barriers.
template <int B>
__device__ void score_all(const Costs* costs_of_all, const uint64_t* text, const uint8_t* queries,
                          const Task* tasks, const uint32_t* pairs, uint32_t count, Scored* scored,
                          uint32_t* rest, uint32_t* rest_count) {
  const Costs costs = *costs_of_all;
  for (uint32_t pair = blockIdx.x * blockDim.x + threadIdx.x; pair < count;
       pair += gridDim.x * blockDim.x) {
    const uint32_t number[TASKS] = {pairs[TASKS * pair], pairs[TASKS * pair + 1]};
    score<B, false>(costs, text, queries, tasks, number, Cells<B>{nullptr, 0}, scored, rest, rest_count);
  }
}

// Sets `window_end` of the tasks in `rest`, of which there are `*rest_count`, in `scored`, as `score`
// left it. Any grid. No barriers.
template <int B>
__device__ void end(const Costs* costs_of_all, const uint64_t* text, const uint8_t* queries,
                    const Task* tasks, const uint32_t* rest, const uint32_t* rest_count,
                    Scored* scored) {
  const Costs costs = *costs_of_all;
  for (uint32_t place = blockIdx.x * blockDim.x + threadIdx.x; place < *rest_count;
       place += gridDim.x * blockDim.x) {
    const uint32_t number = rest[place];
    const Banded banded[TASKS] = {extend::banded(tasks, number), Banded{}};
    const Scored known = scored[number];
    const uint32_t rows[TASKS] = {known.query_end, NO_TASK};
    const int wanted = known.score + costs.first + 2 * costs.clip;
    fill<B, false>(costs, text, queries, banded, rows, Cells<B>{nullptr, 0},
                   [&](int, uint32_t row, const Band<B>& band, const Window<B>&, int, uint32_t) {
                     uint32_t column = 0;
#pragma unroll
                     for (int k = B - 1; k >= 0; k--) {
                       if (half(band.value[k], 0) == wanted) column = k;
                     }
                     scored[number].window_end =
                         static_cast<uint32_t>(banded[0].place(row - 1, column)) + 1;
                   });
  }
}

}  // namespace extend

#define EXTEND_KERNELS(B)                                                                          \
  extern "C" __global__ void __launch_bounds__(128) extend_score_##B(                              \
      const extend::Costs* costs, const uint64_t* text, const uint8_t* queries,                    \
      const extend::Task* tasks, const uint32_t* pairs, uint32_t count, extend::Scored* scored,    \
      uint32_t* rest, uint32_t* rest_count) {                                                      \
    extend::score_all<B>(costs, text, queries, tasks, pairs, count, scored, rest, rest_count);     \
  }                                                                                                \
  SIMT_EXPORT(extend_score_##B)                                                                    \
  extern "C" __global__ void __launch_bounds__(128) extend_end_##B(                                \
      const extend::Costs* costs, const uint64_t* text, const uint8_t* queries,                    \
      const extend::Task* tasks, const uint32_t* rest, const uint32_t* rest_count,                 \
      extend::Scored* scored) {                                                                    \
    extend::end<B>(costs, text, queries, tasks, rest, rest_count, scored);                         \
  }                                                                                                \
  SIMT_EXPORT(extend_end_##B)

EXTEND_KERNELS(16)
EXTEND_KERNELS(32)
EXTEND_KERNELS(64)
EXTEND_KERNELS(104)
EXTEND_KERNELS(128)

// Sets places[task] of `count` alignments, whose first runs are behind `before` others. Any grid, any blocks; no
// barriers.
extern "C" __global__ void __launch_bounds__(128)
    extend_order(const extend::Aligned* aligned, uint32_t count, uint64_t before, extend::Place* places) {
  for (uint32_t number = blockIdx.x * blockDim.x + threadIdx.x; number < count;
       number += gridDim.x * blockDim.x) {
    const extend::Aligned it = aligned[number];
    extend::Place place = it.place;
    place.first_run += before;
    places[it.task] = place;
  }
}
SIMT_EXPORT(extend_order)
