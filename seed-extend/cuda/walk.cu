// The way back through the matrices that fill.cu filled: the device side of `Walk` of src/extend/stages.rs.
// Walks wait for memory, so there are many blocks.
#define STREAM_MAX_WIDTH 128
#define STREAM_MIN_BLOCKS 8
#define STREAM_MAX_TARGETS 2
#include "stream/stream.cuh"

#include <seed_extend/align.cuh>

namespace {

using extend::Aligned;
using extend::Context;
using extend::Group;
using extend::TASKS;

// Runs of a walk that a thread keeps.
constexpr uint32_t KEPT = 32;

// Walks back through the matrix of one of a group's tasks, from the end of its alignment to the begin. Runs go to the
// next free words of `runs`. How many they are is known at the end: a thread keeps them until then, and walks a second
// time if they are too many for that. If those of all are more than `capacity`, nothing is written beyond it, and all
// walks have to be done again with more room.
struct Walk : stream::Exploding {
  using In = Group;
  using Out = stream::Channels<stream::Channel<Aligned, 1>>;
  using Global = Context;

  __device__ uint32_t size(const Group& group, const stream::Site<Walk>&) const { return group.tasks; }

  template <class Push>
  __device__ void run(const Group& group, const stream::Site<Walk>& site, Push& push) const {
    const Context context = site.global();
    const uint32_t number = context.pairs_of(group)[site.element];
    if (number == extend::NO_TASK) return;
    const extend::Scored end = context.scored[number];
    if (end.score <= 0) return;
    const uint32_t* lane = context.matrix + group.start + site.element / TASKS;
    const extend::Walker walker{context.costs,   extend::banded(context.tasks, number),
                                context.text,    context.queries,
                                lane,            group.columns,
                                group.bytes,     site.element % TASKS};
    uint32_t kept[KEPT];
    extend::Place place = walker.walk(end, gpualign::BackwardRuns{kept + KEPT, KEPT, 0, 0, 0});
    place.first_run = atomicAdd(context.taken, static_cast<unsigned long long>(place.runs));
    const uint64_t behind = place.first_run + place.runs;
    if (behind <= context.capacity && place.runs <= KEPT) {
      for (uint32_t run = 1; run <= place.runs; run++) context.runs[behind - run] = kept[KEPT - run];
    } else if (behind <= context.capacity) {
      walker.walk(end, gpualign::BackwardRuns{context.runs + behind, place.runs, 0, 0, 0});
    }
    push(stream::to<0>(), Aligned{place, number, {}});
  }
};

}  // namespace

STREAM_APP(walk, Walk)
