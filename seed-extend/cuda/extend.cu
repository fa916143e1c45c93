// The plan of very many tasks: those of equal widths in pairs; their scores, a thread for two of them; and alignments,
// which the applications of fill.cu and walk.cu make in any order, in the order of tasks.
#include <gpualign/cuda_or_cpu.cuh>

#include <seed_extend/extend.cuh>
#include <seed_extend/layouts.cuh>
#include <seed_extend/score.cuh>
#include <seed_extend/sort.cuh>

namespace seed_extend {

// Lengths of queries are told apart by their highest bit and so many bits behind it.
constexpr uint32_t LENGTH_BITS = 3;
// Numbers of lengths: queries for kernels have less than 2^15 bases.
constexpr uint32_t LENGTHS = 16 << LENGTH_BITS;
// Numbers of kinds of tasks: a kind for each width and length that kernels take, the widest first and the shortest first
// among equally wide ones; one of tasks that no kernel takes, which is the last one of a plan; one of tasks without cells.
constexpr uint32_t LEFT = MOST_COLUMNS * LENGTHS, NO_CELLS = LEFT + 1;

// A task and its kind.
struct TaskKind {
  BandedTask banded;
  uint32_t kind;

  // Any thread may call it at any time.
  __device__ TaskKind(const AlignmentTask* tasks, uint32_t number, uint32_t most_rows)
      : banded(banded_task(tasks, number)), kind(NO_CELLS) {
    const AlignmentTask& task = banded.task;
    const uint32_t rows = task.query_len;
    const int32_t high = min(task.high, static_cast<int32_t>(task.window_len) - 1);
    if (rows == 0 || task.window_len == 0 || high < banded.low) return;
    if (banded.width > MOST_COLUMNS || rows > most_rows) {
      kind = LEFT;
      return;
    }
    const uint32_t highest = 31 - __clz(static_cast<int>(rows)), shift = max(highest, LENGTH_BITS) - LENGTH_BITS;
    // Of a query with less than 2^LENGTH_BITS bases, the number of its bases.
    const uint32_t length =
        ((shift + (highest >= LENGTH_BITS)) << LENGTH_BITS) + (rows >> shift & ((1u << LENGTH_BITS) - 1));
    kind = (MOST_COLUMNS - banded.width) * LENGTHS + length;
  }
};

// Adds 1 to counters[kind], and returns what it was before; unless the kind is NO_CELLS. All lanes of a warp call, converged:
// those of one kind add once, and get different numbers.
static __device__ uint32_t add_one(uint32_t* counters, uint32_t kind) {
  const uint32_t lane = threadIdx.x % LANES, same = __match_any_sync(ALL_LANES, kind);
  const uint32_t first = __ffs(static_cast<int>(same)) - 1;
  const uint32_t before = lane == first && kind != NO_CELLS ? atomicAdd(counters + kind, __popc(same)) : 0;
  return __shfl_sync(ALL_LANES, before, first) + __popc(same & ((1u << lane) - 1));
}

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

// Counts the tasks of each kind. Any grid of whole warps. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    extend_tally(const __grid_constant__ seed_extend::ExtendTallyParameters p) {
  using namespace seed_extend;
  const uint32_t lane = threadIdx.x % LANES;
  for (uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < p.count; first += gridDim.x * blockDim.x) {
    const uint32_t number = first + lane;
    add_one(p.counts, number < p.count ? TaskKind(p.tasks, number, p.most_rows).kind : NO_CELLS);
  }
}
SIMT_EXPORT(extend_tally)

// Puts tasks that kernels take into pairs of equal widths, those with queries of about equal lengths next to each other, and
// finds the rows of each group of LANES pairs. Lists the tasks that no kernel takes. Any grid of whole warps. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    extend_pair(const __grid_constant__ seed_extend::ExtendPairParameters p) {
  using namespace seed_extend;
  const uint32_t lane = threadIdx.x % LANES;
  for (uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < p.count; first += gridDim.x * blockDim.x) {
    const uint32_t number = first + lane;
    const TaskKind task(p.tasks, number < p.count ? number : NO_TASK, p.most_rows);
    const uint32_t place = add_one(p.next, task.kind);
    if (task.kind == LEFT) p.left[place] = number;
    if (task.kind >= LEFT) continue;
    const WidthPlace width = p.widths[MOST_COLUMNS - task.banded.width];
    const uint32_t pair = width.first_pair + place / TASKS;
    uint32_t* const both = p.pairs + TASKS * pair;
    both[place % TASKS] = number;
    if (place + 1 == width.count && place % TASKS == 0) both[1] = NO_TASK;
    atomicMax(p.rows + width.first_group + (pair - width.launch_pair) / LANES, task.banded.task.query_len);
  }
}
SIMT_EXPORT(extend_pair)

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
