// Matrices of very many reads in bands of windows of a text: the device side of `Fill` of src/extend/stages.rs.
// A block is a warp, so that no group waits for another, and has as many registers as there are.
#define STREAM_MAX_WIDTH 32
#define STREAM_MIN_BLOCKS 8
#define STREAM_MAX_TARGETS 2
#include "stream/stream.cuh"

#include <seed_extend/align.cuh>
#include <seed_extend/score.cuh>

namespace {

using extend::Context;
using extend::Group;
using extend::TASKS;

// Fills the matrices of a lane's pair of tasks, and keeps their cells. A call, not inlined: a row of the widest bands
// takes all registers, so what the runtime has in them is put aside, once and not in every row. Any thread may
// call it at any time.
template <int B>
__device__ __attribute__((noinline)) void fill_pair(const Context* context, Group group, uint32_t lane) {
  const extend::Costs costs = context->costs;
  const uint32_t* pair = context->pairs_of(group) + TASKS * lane;
  const uint32_t number[TASKS] = {pair[0], pair[1]};
  const extend::Cells<B> cells{context->matrix + group.start + lane, group.bytes};
  extend::score<B, true>(costs, context->text, context->queries, context->tasks, number, cells, context->scored,
                         nullptr, nullptr);
}

// Fills the matrices of a group, a lane those of a pair of tasks.
struct Fill : stream::Stage {
  using In = Group;
  using Out = stream::Channels<stream::Channel<Group, 1>>;
  using Global = Context;
  static constexpr stream::u32 THREADS = stream::WARP;

  template <class Push>
  __device__ void run(const Group& group, const stream::Site<Fill>& site, Push& push) const {
    const Context* const context = reinterpret_cast<const Context*>(site.global_parameters);
    if (TASKS * site.lane < group.tasks) {
      switch (group.columns) {
        case 16: fill_pair<16>(context, group, site.lane); break;
        case 32: fill_pair<32>(context, group, site.lane); break;
        case 64: fill_pair<64>(context, group, site.lane); break;
        case 104: fill_pair<104>(context, group, site.lane); break;
        default: fill_pair<128>(context, group, site.lane); break;
      }
    }
    if (site.lane == 0) push(stream::to<0>(), group);
  }
};

}  // namespace

STREAM_APP(fill, Fill)
