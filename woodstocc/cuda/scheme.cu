// The stages of search schemes: src/scheme/stages.rs explains them.
//
// Contract of all stages: each thread runs on its own; no barriers, no shared memory. Counters are added to by atomics.
#include "stream/stream.cuh"

#include <woodstocc/scheme/stages.cuh>
#include <woodstocc/verify/band.cuh>

namespace {

using namespace woodstocc;

// The search of this identity, with its query.
__device__ QuerySearch query_search(const SchemeDeviceContext& context, const SearchId& id) {
  const uint32_t begin = __ldg(context.offsets + id.query);
  QuerySearch search;
  search.codes = context.codes + begin;
  search.plan = context.plans + id.search;
  search.length = __ldg(context.offsets + id.query + 1) - begin;
  search.pieces = context.pieces;
  search.inverse = context.inverse;
  search.rare_limit = context.rare_limit;
  search.choose_word(context.index.table_length);
  return search;
}

// One firing of a search: its stack, and the seeds that it yields.
template <class Push>
struct StackWalk {
  BranchStack& stack;
  uint32_t origin;  // query position of the word that the search began with
  uint32_t seeds;   // number of seeds so far
  Push& push;

  __device__ void open(const Branch& branch) { stack.branches[stack.count++] = branch; }

  __device__ void verify(const Branch& branch) {
    push(stream::to<0>(), SchemeSeed{stack.id, branch.rows.lo, branch.rows.size, origin - branch.left});
    seeds++;
  }

  // Extends the topmost branches, up to the limits of one firing, and passes on the rest. A branch whose extensions the
  // stack may have no room for is verified as it is.
  __device__ void go_on(const SchemeDeviceContext& context, const QuerySearch& search) {
    uint32_t steps = 0, lines = 0;
    while (stack.count > 0 && steps < kSteps && seeds + 4 <= kSeedsAtOnce) {
      const Branch branch = stack.branches[--stack.count];
      if (stack.count + kOpens > kStackRoom) {
        verify(branch);
        continue;
      }
      steps++;
      lines += search.extend(context.index, branch, *this);
    }
    if (steps > 0) {
      atomicAdd(&context.counts->nodes, static_cast<unsigned long long>(steps));
      atomicAdd(&context.counts->lines, static_cast<unsigned long long>(lines));
    }
    if (stack.count > 0) push(stream::to<1>(), stack);
  }
};

using SearchOut = stream::Channels<stream::Channel<SchemeSeed, kSeedsAtOnce>, stream::Channel<BranchStack, 1>>;

// Begins a search and extends its first branches.
struct Search : stream::Stage {
  using In = SearchId;
  using Out = SearchOut;
  using Global = SchemeDeviceContext;

  template <class Push>
  __device__ void run(const SearchId& id, const stream::Site<Search>& site, Push& push) const {
    const SchemeDeviceContext context = site.global();
    const QuerySearch search = query_search(context, id);
    BranchStack stack;
    stack.id = id;
    stack.count = 0;
    stack.padding = 0;
    StackWalk<Push> walk{stack, search.origin(), 0, push};
    search.start(context.index, walk);
    walk.go_on(context, search);
  }
};

// Extends more branches of an unfinished search.
struct Extend : stream::Stage {
  using In = BranchStack;
  using Out = SearchOut;
  using Global = SchemeDeviceContext;

  template <class Push>
  __device__ void run(const BranchStack& open, const stream::Site<Extend>& site, Push& push) const {
    const SchemeDeviceContext context = site.global();
    const QuerySearch search = query_search(context, open.id);
    BranchStack stack = open;
    StackWalk<Push> walk{stack, search.origin(), 0, push};
    walk.go_on(context, search);
  }
};

// Locates the occurrences of a seed, one a thread. Drops those whose diagonal a search of a lower number is certain to
// reach, too, and those whose diagonal fails the prefilter.
struct Candidates : stream::Exploding {
  using In = SchemeSeed;
  using Out = stream::Channels<stream::Channel<SchemeCandidate, 1>>;
  using Global = SchemeDeviceContext;

  __device__ uint32_t size(const SchemeSeed& seed, const stream::Site<Candidates>&) const { return seed.size; }

  template <class Push>
  __device__ void run(const SchemeSeed& seed, const stream::Site<Candidates>& site, Push& push) const {
    const SchemeDeviceContext context = site.global();
    const QuerySearch search = query_search(context, seed.id);
    const uint32_t diagonal = fm::locate(context.index, seed.lo + site.element) - seed.offset;
    for (uint32_t earlier = 0; earlier < seed.id.search; earlier++) {
      if (is_certain_to_reach(context, search, context.plans[earlier], diagonal)) return;
    }
    const uint32_t begin = static_cast<uint32_t>(max(static_cast<int32_t>(seed.offset), 0));
    if (passes_prefilter(context.index, search.codes, search.length, context.k, diagonal, begin)) {
      push(stream::to<0>(), SchemeCandidate{seed.id.query, diagonal});
    }
  }

  // Whether a search is certain to reach a diagonal: whether it allows the substitutions of each piece on the diagonal.
  __device__ static bool is_certain_to_reach(const SchemeDeviceContext& context, const QuerySearch& search,
                                             const SearchPlan& plan, uint32_t diagonal) {
    uint32_t differences = 0;
    for (uint32_t i = 0; i < search.pieces; i++) {
      const uint32_t end = search.begin(plan.order[i] + 1u), most = plan.most[i];
      for (uint32_t s = search.begin(plan.order[i]); s < end; s++) {
        const uint32_t position = diagonal + s;
        if (position >= context.index.bases) return false;
        differences += fm::base_at(context.index, position) != search.codes[s] ? 1 : 0;
        if (differences > most) return false;
      }
    }
    return true;
  }
};

// Computes the distances near a candidate's diagonal.
struct Verify : stream::Stage {
  using In = SchemeCandidate;
  using Out = stream::Channels<stream::Channel<Window, 1>>;
  using Global = SchemeDeviceContext;

  template <class Push>
  __device__ void run(const SchemeCandidate& candidate, const stream::Site<Verify>& site, Push& push) const {
    const SchemeDeviceContext context = site.global();
    const uint32_t begin = __ldg(context.offsets + candidate.query);
    const uint32_t length = __ldg(context.offsets + candidate.query + 1) - begin;
    Window window;
    window.query = candidate.query;
    if (find_window(context.index, context.codes + begin, length, context.k, candidate.diagonal,
                               window)) {
      push(stream::to<0>(), window);
    }
  }
};

}  // namespace

STREAM_APP(scheme, Search, Extend, Candidates, Verify)
