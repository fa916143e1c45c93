// Chains of very many reads, of whose queries the seeds are known: the device side of chaining/stages.rs.
#define STREAM_MAX_WIDTH 128
#define STREAM_MIN_BLOCKS 6
#include "stream/stream.cuh"

#include <seed_extend/chains.cuh>

namespace {

using find::Anchor;
using find::Chain;
using find::LANES;
using find::Seed;

// Keys that a warp sorts in shared memory.
constexpr uint32_t KEYS = 256;

// A read whose queries have so many chains: `Joined` of stages.rs.
struct Joined {
  uint32_t read, forward, reverse, padding;
};

// A read of which so many chains are kept: `Chosen` of stages.rs.
struct Chosen {
  uint32_t read, count;
};

// What the application is given: DeviceContext of stages.rs.
struct Context {
  fm::View index;
  find::Numbers numbers;
  const Seed* seeds;            // query after query
  const uint64_t* seed_starts;  // seeds before each query, and all
  const uint64_t* starts;       // anchors before each query, and all
  const uint32_t* offsets;      // bases before each query, and all
  const uint32_t* ends;         // of the text's segments
  uint64_t base;                // anchors before the first read of these
  uint64_t* keys;               // room for each anchor of these reads: its key,
  Chain* chains;                // a chain,
  uint32_t* kept;               // and a chain's number
  uint32_t* counts;             // of each read, chains that are kept
  uint32_t segments, first_read;

  // Where what belongs to the first anchor of a query is.
  __device__ uint64_t start(uint32_t query) const { return starts[query] - base; }

  __device__ uint32_t anchors(uint32_t query) const {
    return static_cast<uint32_t>(starts[query + 1] - starts[query]);
  }

  __device__ uint32_t length(uint32_t query) const {
    return __ldg(offsets + query + 1) - __ldg(offsets + query);
  }
};
static_assert(sizeof(Context) == 192, "as in stages.rs");

// Finds one of a read's anchors: an occurrence of a seed of one of its queries. The last one sends the read on:
// by the time it is taken up all are there, since a block takes elements in their order and waits between two firings.
struct Locate : stream::Exploding {
  using In = uint32_t;
  using Out = stream::Channels<stream::Channel<uint32_t, 1>>;
  using Global = Context;

  __device__ uint32_t size(uint32_t read, const stream::Site<Locate>& site) const {
    const Context context = site.global();
    return context.anchors(2 * read) + context.anchors(2 * read + 1);
  }

  template <class Push>
  __device__ void run(uint32_t read, const stream::Site<Locate>& site, Push& push) const {
    const Context context = site.global();
    const uint32_t forward = context.anchors(2 * read), all = forward + context.anchors(2 * read + 1);
    const bool is_reverse = site.element >= forward;
    const uint32_t most = context.numbers.occurrences;
    const Seed* seed = context.seeds + context.seed_starts[2 * read + is_reverse];
    uint32_t which = site.element - (is_reverse ? forward : 0);
    while (which >= min(seed->size, most)) which -= min(seed++->size, most);
    const Seed of = *seed;
    // Of a seed that occurs more often, occurrences are spread evenly over its rows.
    const uint32_t row =
        of.size > most ? static_cast<uint32_t>(static_cast<uint64_t>(which) * of.size / most) : which;
    const uint32_t position = of.size == 1 ? of.first : fm::locate(context.index, of.first + row);
    context.keys[context.start(2 * read) + site.element] = Anchor::key(position, of.begin, of.length);
    if (site.element + 1 == all) push(stream::to<0>(), read);
  }
};

// Sorts the keys of a query, in `shared` if there are at most KEYS. All lanes of a warp.
__device__ void sort_keys(uint64_t* keys, uint32_t count, uint64_t* shared) {
  const uint32_t lane = threadIdx.x % LANES;
  if (count > KEYS) return find::sort(keys, count);
  for (uint32_t place = lane; place < count; place += LANES) shared[place] = keys[place];
  __syncwarp();
  find::sort(shared, count);
  for (uint32_t place = lane; place < count; place += LANES) keys[place] = shared[place];
  __syncwarp();
}

// Chains the anchors of a read's queries.
struct Join : stream::Stage {
  using In = uint32_t;
  using Out = stream::Channels<stream::Channel<Joined, 1>>;
  using Global = Context;
  static constexpr uint32_t THREADS = LANES;

  template <class Push>
  __device__ void run(uint32_t read, const stream::Site<Join>& site, Push& push) const {
    __shared__ uint64_t shared[STREAM_MAX_WIDTH / LANES][KEYS];
    const Context context = site.global();
    uint32_t found[2];
#pragma unroll
    for (uint32_t strand = 0; strand < 2; strand++) {
      const uint32_t query = 2 * read + strand, anchors = context.anchors(query);
      const uint64_t start = context.start(query);
      uint64_t* const keys = context.keys + start;
      sort_keys(keys, anchors, shared[threadIdx.x / LANES]);
      found[strand] = find::chain(query, context.length(query), keys, anchors, context.ends, context.segments,
                                  context.numbers.width, context.chains + start);
    }
    if (site.lane == 0) push(stream::to<0>(), Joined{read, found[0], found[1], 0});
  }
};

// Orders the chains of a read, and drops those that cannot matter.
struct Choose : stream::Stage {
  using In = Joined;
  using Out = stream::Channels<stream::Channel<Chosen, 1>>;
  using Global = Context;
  static constexpr uint32_t THREADS = LANES;

  template <class Push>
  __device__ void run(const Joined& joined, const stream::Site<Choose>& site, Push& push) const {
    const Context context = site.global();
    const uint32_t read = joined.read, gap = context.anchors(2 * read);
    const uint64_t start = context.start(2 * read);
    Chain* const chains = context.chains + start;
    // Those of the second query follow those of the first; a lane moves a chain that no other reads or
    // writes in the same round.
    if (joined.forward < gap) {
      for (uint32_t place = site.lane; place - site.lane < joined.reverse; place += LANES) {
        Chain moved{};
        if (place < joined.reverse) moved = chains[gap + place];
        __syncwarp();
        if (place < joined.reverse) chains[joined.forward + place] = moved;
        __syncwarp();
      }
    }
    const uint32_t count =
        find::keep_best(chains, joined.forward + joined.reverse, context.length(2 * read), context.numbers,
                        context.keys + start, context.kept + start);
    if (site.lane == 0) {
      context.counts[read - context.first_read] = count;
      push(stream::to<0>(), Chosen{read, count});
    }
  }
};

// Hands over the chains that are kept.
struct Give : stream::Exploding {
  using In = Chosen;
  using Out = stream::Channels<stream::Channel<find::Kept, 1>>;
  using Global = Context;

  __device__ uint32_t size(const Chosen& chosen, const stream::Site<Give>&) const { return chosen.count; }

  template <class Push>
  __device__ void run(const Chosen& chosen, const stream::Site<Give>& site, Push& push) const {
    const Context context = site.global();
    const uint64_t start = context.start(2 * chosen.read);
    const uint32_t number = context.kept[start + site.element];
    push(stream::to<0>(), find::Kept{context.chains[start + number], site.element, 0});
  }
};

}  // namespace

STREAM_APP(chains, Locate, Join, Choose, Give)
