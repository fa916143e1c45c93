// Scores and alignments of very many reads in bands of windows of a text, a thread for two of them.
#include <gpualign/cuda_or_cpu.cuh>

#include <seed_extend/fill.cuh>
#include <seed_extend/walk.cuh>

namespace extend {

// A thread's two tasks.
static __device__ __forceinline__ void take(const Task* tasks, const uint32_t* pairs, uint32_t pair,
                                            uint32_t (&number)[TASKS], Banded (&found)[TASKS]) {
#pragma unroll
  for (int task = 0; task < TASKS; task++) {
    number[task] = pairs[TASKS * pair + task];
    found[task] = banded(tasks, number[task]);
  }
}

// The scores of `count` pairs of tasks, whose numbers are `pairs`, and where they end: `scored`, by task.
// Where an alignment ends before the query does, `window_end` is left 0; without TRACE such a
// task's number goes to `rest`, of which `*rest_count` are taken. With TRACE, cells go to `matrix`, where those of
// warp `w` begin at rooms[w].start: as many as `Cells` wants of its longest query's rows, without the last one.
// All tasks have cells; both bands of a pair are equally wide, at most B columns, and more than half
// as many if B is more than 16; no number of a cell is 2^15 or more, or more than a byte has where they are kept so.
// Any grid; with TRACE, of whole warps. No barriers.
template <int B, bool TRACE>
__device__ void score(const Costs* costs_of_all, const uint64_t* text, const uint8_t* queries,
                      const Task* tasks, const uint32_t* pairs, uint32_t count, Scored* scored,
                      uint32_t* rest, uint32_t* rest_count, const Room* rooms,
                      uint32_t* matrix) {
  const Costs costs = *costs_of_all;
  for (uint32_t pair = blockIdx.x * blockDim.x + threadIdx.x; pair < count;
       pair += gridDim.x * blockDim.x) {
    uint32_t number[TASKS], rows[TASKS];
    Banded banded[TASKS];
    take(tasks, pairs, pair, number, banded);
#pragma unroll
    for (int task = 0; task < TASKS; task++) {
      rows[task] = number[task] == NO_TASK ? NO_TASK : banded[task].task.query_len - 1;
    }
    const Cells<B> cells = TRACE ? Cells<B>{matrix + rooms[pair / 32].start + pair % 32, rooms[pair / 32].bytes}
                                 : Cells<B>{nullptr, 0};
    fill<B, TRACE>(
        costs, text, queries, banded, rows, cells,
        [&](int task, uint32_t row, const Band<B>& band, const Window<B>& window, int best,
            uint32_t best_row) {
          const uint32_t code = queries[banded[task].task.query_start + row];
          uint32_t equal[Window<B>::WORDS];
          window.equal(code, equal);
          const int different = code < UNKNOWN ? -costs.mismatch : costs.unknown;
          int last = -1;  // the greatest number of a pair in the query's last row
          uint32_t column = 0;
#pragma unroll
          for (int k = 0; k < B; k++) {
            const uint32_t inside = window.inside[k / 32] & window.in_band[k / 32];
            const bool matches = (equal[k / 32] >> (k % 32) & 1) != 0;
            const int value = half(band.value[k], task) + (matches ? costs.matched : different);
            if ((inside >> (k % 32) & 1) != 0 && value > last) {
              last = value;
              column = k;
            }
          }
          const int at_end = last - costs.first - costs.clip;
          const int before = best - costs.first - 2 * costs.clip;
          Scored end{};
          if (last >= 0 && at_end >= before && at_end > 0) {
            end.score = at_end;
            end.query_end = row + 1;
            end.window_end = static_cast<uint32_t>(banded[task].place(row, column)) + 1;
          } else if (before > 0) {
            end.score = before;
            end.query_end = best_row + 1;
            if (!TRACE) rest[atomicAdd(rest_count, 1u)] = number[task];
          }
          scored[number[task]] = end;
        });
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

// `extend_trace_B` does the pairs from `first` on, which is the first of a warp's.
#define EXTEND_KERNELS(B)                                                                          \
  extern "C" __global__ void __launch_bounds__(128) extend_score_##B(                              \
      const extend::Costs* costs, const uint64_t* text, const uint8_t* queries,                    \
      const extend::Task* tasks, const uint32_t* pairs, uint32_t count, extend::Scored* scored,    \
      uint32_t* rest, uint32_t* rest_count) {                                                      \
    extend::score<B, false>(costs, text, queries, tasks, pairs, count, scored, rest, rest_count,   \
                            nullptr, nullptr);                                                     \
  }                                                                                                \
  SIMT_EXPORT(extend_score_##B)                                                                    \
  extern "C" __global__ void __launch_bounds__(128) extend_end_##B(                                \
      const extend::Costs* costs, const uint64_t* text, const uint8_t* queries,                    \
      const extend::Task* tasks, const uint32_t* rest, const uint32_t* rest_count,                 \
      extend::Scored* scored) {                                                                    \
    extend::end<B>(costs, text, queries, tasks, rest, rest_count, scored);                         \
  }                                                                                                \
  SIMT_EXPORT(extend_end_##B)                                                                      \
  extern "C" __global__ void __launch_bounds__(128) extend_trace_##B(                              \
      const extend::Costs* costs, const uint64_t* text, const uint8_t* queries,                    \
      const extend::Task* tasks, const uint32_t* pairs, uint32_t first, uint32_t count,            \
      extend::Scored* scored, const extend::Room* rooms, uint32_t* matrix) {                       \
    extend::score<B, true>(costs, text, queries, tasks, pairs + extend::TASKS * first, count,      \
                           scored, nullptr, nullptr, rooms + first / 32, matrix);                  \
  }                                                                                                \
  SIMT_EXPORT(extend_trace_##B)

EXTEND_KERNELS(16)
EXTEND_KERNELS(32)
EXTEND_KERNELS(64)
EXTEND_KERNELS(104)
EXTEND_KERNELS(128)

// Runs of a walk that a thread keeps.
constexpr uint32_t KEPT = 32;

// The alignments of `count` pairs of tasks, from the cells that `extend_trace_B` kept, whatever B:
// a thread a task. A walk goes from the end to the begin; its runs go to the next free words of `runs`, of
// which `*taken` (0 at first) are taken. They are known by number only then: a thread keeps them until it
// knows, and walks a second time if they are too many for that. If all are more than
// `capacity`, nothing is written beyond it, and the walks have to be made again with more room.
//   before  runs of other tasks, before those
//   places  of each task
// Any grid. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    extend_walk(const extend::Costs* costs, const uint64_t* text, const uint8_t* queries,
                const extend::Task* tasks, const uint32_t* pairs, uint32_t count,
                const extend::Scored* scored, const extend::Room* rooms, const uint32_t* matrix,
                unsigned long long* taken, uint32_t* runs, uint64_t capacity, uint64_t before,
                extend::Place* places) {
  using namespace extend;
  for (uint32_t t = blockIdx.x * blockDim.x + threadIdx.x; t < TASKS * count;
       t += gridDim.x * blockDim.x) {
    const uint32_t number = pairs[t], pair = t / TASKS;
    if (number == NO_TASK) continue;
    const Room room = rooms[pair / 32];
    const uint32_t* lane = matrix + room.start + pair % 32;
    const Walker walker{*costs, banded(tasks, number), text, queries, lane, room.columns, room.bytes, t % TASKS};
    const Scored end = scored[number];
    Place place{};
    if (end.score > 0) {
      uint32_t kept[KEPT];
      place = walker.walk(end, Runs{kept + KEPT, KEPT, 0, 0, 0});
      const uint64_t first = atomicAdd(taken, static_cast<unsigned long long>(place.runs));
      const uint64_t behind = first + place.runs;
      if (behind <= capacity && place.runs <= KEPT) {
        for (uint32_t run = 1; run <= place.runs; run++) runs[behind - run] = kept[KEPT - run];
      } else if (behind <= capacity) {
        walker.walk(end, Runs{runs + behind, place.runs, 0, 0, 0});
      }
      place.first_run = before + first;
    }
    places[number] = place;
  }
}
SIMT_EXPORT(extend_walk)
