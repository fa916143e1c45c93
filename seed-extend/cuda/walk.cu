// Walks back through the matrices that fill.cu filled: the device side of the stage `Walk` of src/extend/stages.rs.
// Walks wait for memory, so there are many blocks.
#define STREAM_MAX_WIDTH 128
#define STREAM_MIN_BLOCKS 8
#define STREAM_MAX_TARGETS 2
#include "stream/stream.cuh"

#include <seed_extend/align.cuh>
#include <seed_extend/columns.cuh>

namespace {

using seed_extend::AlignmentParameters;
using seed_extend::TaskAlignment;
using seed_extend::TaskGroup;
using seed_extend::TASKS;

// CIGAR runs of a walk that a thread keeps in local memory.
constexpr uint32_t KEPT = 32;

// Stage that walks back through the matrix of each task of a group, from the end of its alignment to the begin, a lane
// a task. CIGAR runs are written to the next free words of `runs`. Their number is known only at the end: a thread
// keeps them until then, and walks a second time if they are too many to keep. If there are more runs than
// `run_capacity` in all, none is written beyond it, and the host repeats all walks with more room.
struct Walk : stream::Exploding {
  using In = TaskGroup;
  using Out = stream::Channels<stream::Channel<TaskAlignment, 1>>;
  using Global = AlignmentParameters;

  __device__ uint32_t size(const TaskGroup& group, const stream::Site<Walk>&) const { return group.tasks; }

  template <class Push>
  __device__ void run(const TaskGroup& group, const stream::Site<Walk>& site, Push& push) const {
    const AlignmentParameters& p = *reinterpret_cast<const AlignmentParameters*>(site.global_parameters);
    const uint32_t number = p.pairs_of(group)[site.element];
    if (number == seed_extend::NO_TASK) return;
    const seed_extend::AlignmentEnd end = p.ends[number];
    if (end.score <= 0) return;
    const uint32_t* lane = p.cells + group.start + site.element / TASKS;
    const seed_extend::BandedTask banded = seed_extend::banded_task(p.tasks, number);
    const seed_extend::Walker walker{p.costs, banded,        p.text,      p.queries,
                                     lane,    group.columns, group.bytes, site.element % TASKS};
    uint32_t kept[KEPT];
    seed_extend::AlignmentSpan span = walker.walk(end, gpualign::BackwardRuns{kept + KEPT, KEPT, 0, 0, 0});
    span.first_run = atomicAdd(p.run_count, static_cast<unsigned long long>(span.run_count));
    const uint64_t behind = span.first_run + span.run_count;
    if (behind <= p.run_capacity && span.run_count <= KEPT) {
      for (uint32_t run = 1; run <= span.run_count; run++) p.runs[behind - run] = kept[KEPT - run];
      seed_extend::judge(span, kept + KEPT - span.run_count, banded.task, p.costs);
    } else if (behind <= p.run_capacity) {
      walker.walk(end, gpualign::BackwardRuns{p.runs + behind, span.run_count, 0, 0, 0});
      seed_extend::judge(span, p.runs + span.first_run, banded.task, p.costs);
    }
    push(stream::to<0>(), TaskAlignment{span, number, 0});
  }
};

}  // namespace

STREAM_APP(walk, Walk)
