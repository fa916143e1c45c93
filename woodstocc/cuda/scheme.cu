// The device side of scheme/stages.rs.
#include "stream/stream.cuh"

#include <woodstocc/band.cuh>
#include <woodstocc/branch.cuh>

namespace {

using woodstocc::Branch;
using woodstocc::Path;
using woodstocc::Plan;

constexpr uint32_t kRoom = 16;         // open branches that an item has room for
constexpr uint32_t kOpens = 8;         // branches that extending one opens at most
constexpr uint32_t kSteps = 32;        // branches that a lane extends in one firing
constexpr uint32_t kSeedsAtOnce = 16;  // seeds that it yields in one firing

struct Start {
  uint32_t query, search;
};
struct Open {
  Start start;
  uint32_t count, padding;
  Branch branches[kRoom];
};
static_assert(sizeof(Open) == 400, "as in stages.rs");
struct Seed {
  Start start;
  uint32_t lo, size, offset;
};
struct Candidate {
  uint32_t query, diagonal;
};

// What the application is given: DeviceContext of stages.rs.
struct Context {
  fm::View index;
  const uint8_t* codes;
  const uint32_t* offsets;     // query q has the codes offsets[q] to offsets[q + 1]
  const Plan* plans;           // of each search
  unsigned long long* effort;  // nodes, lines
  uint32_t k;
  uint32_t pieces;
  uint32_t inverse;  // 2^32 / pieces, rounded up
  uint32_t few;

  __device__ Path path(const Start& start) const {
    const uint32_t begin = __ldg(offsets + start.query);
    Path path;
    path.codes = codes + begin;
    path.plan = plans + start.search;
    path.length = __ldg(offsets + start.query + 1) - begin;
    path.pieces = pieces;
    path.inverse = inverse;
    path.few = few;
    path.choose_word(index.table_length);
    return path;
  }
};
static_assert(sizeof(Context) == 128, "as in stages.rs");

// A search at work: its stack, and the seeds it yields.
template <class Push>
struct Walk {
  Open& stack;
  uint32_t origin;
  uint32_t seeds;
  Push& push;

  __device__ void open(const Branch& branch) { stack.branches[stack.count++] = branch; }

  __device__ void verify(const Branch& branch) {
    push(stream::to<0>(), Seed{stack.start, branch.rows.lo, branch.rows.size, origin - branch.left});
    seeds++;
  }

  // Extends the topmost branches, as far as one firing goes. One that the stack may have no room for is
  // verified as it is.
  __device__ void go_on(const Context& context, const Path& path) {
    uint32_t steps = 0, lines = 0;
    while (stack.count > 0 && steps < kSteps && seeds + 4 <= kSeedsAtOnce) {
      const Branch branch = stack.branches[--stack.count];
      if (stack.count + kOpens > kRoom) {
        verify(branch);
        continue;
      }
      steps++;
      lines += path.extend(context.index, branch, *this);
    }
    if (steps > 0) {
      atomicAdd(context.effort, static_cast<unsigned long long>(steps));
      atomicAdd(context.effort + 1, static_cast<unsigned long long>(lines));
    }
    if (stack.count > 0) push(stream::to<1>(), stack);
  }
};

using SearchOut = stream::Channels<stream::Channel<Seed, kSeedsAtOnce>, stream::Channel<Open, 1>>;

struct Search : stream::Stage {
  using In = Start;
  using Out = SearchOut;
  using Global = Context;

  template <class Push>
  __device__ void run(const Start& start, const stream::Site<Search>& site, Push& push) const {
    const Context context = site.global();
    const Path path = context.path(start);
    Open stack;
    stack.start = start;
    stack.count = 0;
    stack.padding = 0;
    Walk<Push> walk{stack, path.origin(), 0, push};
    path.start(context.index, walk);
    walk.go_on(context, path);
  }
};

struct Extend : stream::Stage {
  using In = Open;
  using Out = SearchOut;
  using Global = Context;

  template <class Push>
  __device__ void run(const Open& open, const stream::Site<Extend>& site, Push& push) const {
    const Context context = site.global();
    const Path path = context.path(open.start);
    Open stack = open;
    Walk<Push> walk{stack, path.origin(), 0, push};
    walk.go_on(context, path);
  }
};

struct Candidates : stream::Exploding {
  using In = Seed;
  using Out = stream::Channels<stream::Channel<Candidate, 1>>;
  using Global = Context;

  __device__ uint32_t size(const Seed& seed, const stream::Site<Candidates>&) const { return seed.size; }

  template <class Push>
  __device__ void run(const Seed& seed, const stream::Site<Candidates>& site, Push& push) const {
    const Context context = site.global();
    const Path path = context.path(seed.start);
    const uint32_t diagonal = fm::locate(context.index, seed.lo + site.element) - seed.offset;
    for (uint32_t earlier = 0; earlier < seed.start.search; earlier++) {
      if (comes_upon(context, path, context.plans[earlier], diagonal)) return;
    }
    const uint32_t begin = static_cast<uint32_t>(max(static_cast<int32_t>(seed.offset), 0));
    if (woodstocc::promising(context.index, path.codes, path.length, context.k, diagonal, begin)) {
      push(stream::to<0>(), Candidate{seed.start.query, diagonal});
    }
  }

  // Whether a search is certain to come upon a diagonal: its pieces, unchanged but for substitutions,
  // differ there by no more than it allows.
  __device__ static bool comes_upon(const Context& context, const Path& path, const Plan& plan,
                                    uint32_t diagonal) {
    uint32_t differences = 0;
    for (uint32_t i = 0; i < path.pieces; i++) {
      const uint32_t end = path.begin(plan.order[i] + 1u), most = plan.most[i];
      for (uint32_t s = path.begin(plan.order[i]); s < end; s++) {
        const uint32_t position = diagonal + s;
        if (position >= context.index.bases) return false;
        differences += fm::base_at(context.index, position) != path.codes[s] ? 1 : 0;
        if (differences > most) return false;
      }
    }
    return true;
  }
};

struct Verify : stream::Stage {
  using In = Candidate;
  using Out = stream::Channels<stream::Channel<woodstocc::Window, 1>>;
  using Global = Context;

  template <class Push>
  __device__ void run(const Candidate& candidate, const stream::Site<Verify>& site, Push& push) const {
    const Context context = site.global();
    const uint32_t begin = __ldg(context.offsets + candidate.query);
    const uint32_t length = __ldg(context.offsets + candidate.query + 1) - begin;
    woodstocc::Window window;
    window.query = candidate.query;
    if (woodstocc::find_window(context.index, context.codes + begin, length, context.k, candidate.diagonal,
                               window)) {
      push(stream::to<0>(), window);
    }
  }
};

}  // namespace

STREAM_APP(scheme, Search, Extend, Candidates, Verify)
