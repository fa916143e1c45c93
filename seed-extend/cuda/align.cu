// Alignments of very many reads in bands of windows of a text: the device side of src/extend/stages.rs, an
// application for each number of columns, which decides how many registers a thread needs.
#define STREAM_MAX_WIDTH 128
#define STREAM_MIN_BLOCKS BLOCKS  // of each application
#define STREAM_MAX_TARGETS 3
#include "stream/stream.cuh"

#include <seed_extend/score.cuh>
#include <seed_extend/walk.cuh>

namespace extend {

// Tasks whose cells lie side by side: the pairs of a warp's lanes. Mirrors `Group` of stages.rs.
struct Group {
  uint64_t start;  // the first word of its cells, in the matrix
  uint32_t first;  // the first of its tasks, in `pairs`
  uint16_t tasks;  // how many they are, with those that are none
  uint16_t bytes;  // of each task's number in a cell
};
static_assert(sizeof(Group) == 16, "mirrored in Rust");

// Where the alignment of a task is. Mirrors `Aligned` of stages.rs.
struct Aligned {
  Place place;
  uint32_t task;
  uint32_t padding[3];
};
static_assert(sizeof(Aligned) == 48, "mirrored in Rust");

// What the applications are given. Mirrors `DeviceContext` of stages.rs.
struct Context {
  const uint64_t* text;
  const uint8_t* queries;
  const Task* tasks;
  const uint32_t* pairs;  // numbers of tasks, two by two; the second may be NO_TASK
  Scored* scored;         // of each task, once it is filled
  uint32_t* matrix;       // cells of all groups
  unsigned long long* taken;  // of `runs`
  uint32_t* runs;             // of all alignments, in any order
  uint64_t capacity;          // of `runs`
  Costs costs;

  __device__ const uint32_t* pairs_of(const Group& group) const { return pairs + group.first; }
};
static_assert(sizeof(Context) == 96, "mirrored in Rust");

// Fills the matrices of a lane's pair of tasks, and keeps their cells. A call, not inlined: a row of the widest bands
// takes all registers, so what the runtime has in them is put aside, once and not in every row. Any thread may
// call it at any time.
template <int B>
__device__ __attribute__((noinline)) void fill_pair(const Context* context, Group group, uint32_t lane) {
  const Costs costs = context->costs;
  const uint32_t* pair = context->pairs_of(group) + TASKS * lane;
  const uint32_t number[TASKS] = {pair[0], pair[1]};
  const Cells<B> cells{context->matrix + group.start + lane, group.bytes};
  score<B, true>(costs, context->text, context->queries, context->tasks, number, cells, context->scored, nullptr,
                 nullptr);
}

// Fills the matrices of a group, a lane those of a pair of tasks.
template <int B>
struct Fills : stream::Stage {
  using In = Group;
  using Out = stream::Channels<stream::Channel<Group, 1>>;
  using Global = Context;
  static constexpr stream::u32 THREADS = stream::WARP;

  template <class Push>
  __device__ void run(const Group& group, const stream::Site<Fills>& site, Push& push) const {
    if (TASKS * site.lane < group.tasks) {
      fill_pair<B>(reinterpret_cast<const Context*>(site.global_parameters), group, site.lane);
    }
    if (site.lane == 0) push(stream::to<0>(), group);
  }
};

// Runs of a walk that a thread keeps.
constexpr uint32_t KEPT = 32;

// Walks back through the matrix of one of a group's tasks, from the end of its alignment to the begin. The block that
// filled it walks, behind a barrier, since blocks hand on no rests. Runs go to the next free words of `runs`. How many
// they are is known at the end: a thread keeps them until then, and walks a second time if they are too many for
// that. If those of all are more than `capacity`, nothing is written beyond it, and all has to be done again with
// more room.
template <int B>
struct Walks : stream::Exploding {
  using In = Group;
  using Out = stream::Channels<stream::Channel<Aligned, 1>>;
  using Global = Context;

  __device__ uint32_t size(const Group& group, const stream::Site<Walks>&) const { return group.tasks; }

  template <class Push>
  __device__ void run(const Group& group, const stream::Site<Walks>& site, Push& push) const {
    const Context context = site.global();
    const uint32_t number = context.pairs_of(group)[site.element];
    if (number == NO_TASK) return;
    const Scored end = context.scored[number];
    if (end.score <= 0) return;
    const uint32_t* lane = context.matrix + group.start + site.element / TASKS;
    const Walker walker{context.costs, banded(context.tasks, number), context.text, context.queries,
                        lane,          B,                              group.bytes,  site.element % TASKS};
    uint32_t kept[KEPT];
    Place place = walker.walk(end, Runs{kept + KEPT, KEPT, 0, 0, 0});
    place.first_run = atomicAdd(context.taken, static_cast<unsigned long long>(place.runs));
    const uint64_t behind = place.first_run + place.runs;
    if (behind <= context.capacity && place.runs <= KEPT) {
      for (uint32_t run = 1; run <= place.runs; run++) context.runs[behind - run] = kept[KEPT - run];
    } else if (behind <= context.capacity) {
      walker.walk(end, Runs{context.runs + behind, place.runs, 0, 0, 0});
    }
    push(stream::to<0>(), Aligned{place, number, {}});
  }
};

}  // namespace extend

// The application for B columns. So many blocks a multiprocessor leave the registers that a row needs: 128 a thread
// for 4 blocks, all 255 for 2. The stages have the same names in all applications, since the host's have.
#define ALIGN_APP(B, RESIDENT)      \
  namespace columns_##B {           \
  constexpr int BLOCKS = RESIDENT;  \
  using Fill = extend::Fills<B>;    \
  using Walk = extend::Walks<B>;    \
  STREAM_APP(align_##B, Fill, Walk) \
  }

ALIGN_APP(16, 4)
ALIGN_APP(32, 4)
ALIGN_APP(64, 2)
ALIGN_APP(104, 2)
ALIGN_APP(128, 2)
