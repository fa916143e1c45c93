// Fills the matrices of very many tasks: the device side of the stage `Fill` of src/extend/stages.rs. A block is a
// warp, so that no group waits for another, and has as many registers as there are.
#define STREAM_MAX_WIDTH 32
#define STREAM_MIN_BLOCKS 8
#define STREAM_MAX_TARGETS 2
#include "stream/stream.cuh"

#include <seed_extend/align.cuh>
#include <seed_extend/score.cuh>

namespace {

using seed_extend::AlignmentParameters;
using seed_extend::TaskGroup;
using seed_extend::TASKS;

// Fills the matrices of a lane's pair of tasks, and keeps their cells. It is not inlined: a row of the widest bands
// takes all registers, so the runtime's registers are spilled once per call, not in every row. Any thread may call it
// at any time.
template <int B>
__device__ __attribute__((noinline)) void fill_pair(const AlignmentParameters* parameters, TaskGroup group,
                                                    uint32_t lane) {
  const seed_extend::AlignmentCosts costs = parameters->costs;
  const uint32_t* pair = parameters->pairs_of(group) + TASKS * lane;
  const uint32_t number[TASKS] = {pair[0], pair[1]};
  const seed_extend::Cells<B> cells{parameters->cells + group.start + lane, group.bytes};
  constexpr bool TRACE = true;
  const seed_extend::UnfinishedTasks none{nullptr, nullptr};
  seed_extend::score<B, TRACE>(costs, parameters->text, parameters->queries, parameters->tasks, number, cells,
                               parameters->ends, none);
}

// Stage that fills the matrices of a group: each lane fills two tasks. All lanes of a warp run it with one group.
struct Fill : stream::Stage {
  using In = TaskGroup;
  using Out = stream::Channels<stream::Channel<TaskGroup, 1>>;
  using Global = AlignmentParameters;
  static constexpr stream::u32 THREADS = stream::WARP;

  template <class Push>
  __device__ void run(const TaskGroup& group, const stream::Site<Fill>& site, Push& push) const {
    const AlignmentParameters* const parameters = reinterpret_cast<const AlignmentParameters*>(site.global_parameters);
    if (TASKS * site.lane < group.tasks) {
      switch (group.columns) {
        case 16: fill_pair<16>(parameters, group, site.lane); break;
        case 32: fill_pair<32>(parameters, group, site.lane); break;
        case 64: fill_pair<64>(parameters, group, site.lane); break;
        case 104: fill_pair<104>(parameters, group, site.lane); break;
        default: fill_pair<128>(parameters, group, site.lane); break;
      }
    }
    if (site.lane == 0) push(stream::to<0>(), group);
  }
};

}  // namespace

STREAM_APP(fill, Fill)
