// Finds the chains of very many reads, whose seeds are known: the device side of src/chain/stages.rs.
#define STREAM_MAX_WIDTH 128
#define STREAM_MIN_BLOCKS 6
#include "stream/stream.cuh"

#include <seed_extend/chaining.cuh>

namespace {

using seed_extend::Anchor;
using seed_extend::Chain;
using seed_extend::ChainCounts;
using seed_extend::ChainParameters;
using seed_extend::LANES;
using seed_extend::RankedChain;
using seed_extend::Seed;
using seed_extend::SelectedChains;

// Keys that a warp sorts in shared memory.
constexpr uint32_t KEYS = 256;

// Stage that locates one anchor of a read, an occurrence of a seed of one of its queries, a lane an anchor. The lane of
// the last anchor passes the read on: when the next stage takes it, all its anchors are there, since a block takes
// elements in their order and has a barrier between two firings.
struct LocateSeeds : stream::Exploding {
  using In = uint32_t;
  using Out = stream::Channels<stream::Channel<uint32_t, 1>>;
  using Global = ChainParameters;

  __device__ uint32_t size(uint32_t read, const stream::Site<LocateSeeds>& site) const {
    const ChainParameters p = site.global();
    return p.anchors(2 * read) + p.anchors(2 * read + 1);
  }

  template <class Push>
  __device__ void run(uint32_t read, const stream::Site<LocateSeeds>& site, Push& push) const {
    const ChainParameters p = site.global();
    const uint32_t forward = p.anchors(2 * read), all = forward + p.anchors(2 * read + 1);
    const bool is_reverse = site.element >= forward;
    const uint32_t most = p.thresholds.max_occurrences;
    const Seed* seed = p.seeds + p.seed_starts[2 * read + is_reverse];
    uint32_t which = site.element - (is_reverse ? forward : 0);
    while (which >= min(seed->size, most)) which -= min(seed++->size, most);
    const Seed of = *seed;
    // Of a more frequent seed, the rows are evenly spread over its interval.
    const uint32_t row =
        of.size > most ? static_cast<uint32_t>(static_cast<uint64_t>(which) * of.size / most) : which;
    const uint32_t position = of.size == 1 ? of.first : fm::locate(p.index, of.first + row);
    p.keys[p.start(2 * read) + site.element] = Anchor::key(position, of.begin, of.length);
    if (site.element + 1 == all) push(stream::to<0>(), read);
  }
};

// Sorts the keys of a query, in `shared` if there are at most KEYS. All lanes of a warp must call it with the same
// arguments; the sorted keys are visible to all of them afterwards.
__device__ void sort_keys(uint64_t* keys, uint32_t count, uint64_t* shared) {
  const uint32_t lane = threadIdx.x % LANES;
  if (count > KEYS) return seed_extend::sort(keys, count);
  for (uint32_t place = lane; place < count; place += LANES) shared[place] = keys[place];
  __syncwarp();
  seed_extend::sort(shared, count);
  for (uint32_t place = lane; place < count; place += LANES) keys[place] = shared[place];
  __syncwarp();
}

// Stage that sorts and chains the anchors of both queries of a read, a warp a read.
struct ChainAnchors : stream::Stage {
  using In = uint32_t;
  using Out = stream::Channels<stream::Channel<ChainCounts, 1>>;
  using Global = ChainParameters;
  static constexpr uint32_t THREADS = LANES;

  template <class Push>
  __device__ void run(uint32_t read, const stream::Site<ChainAnchors>& site, Push& push) const {
    __shared__ uint64_t shared[STREAM_MAX_WIDTH / LANES][KEYS];
    const ChainParameters p = site.global();
    uint32_t found[2];
#pragma unroll
    for (uint32_t strand = 0; strand < 2; strand++) {
      const uint32_t query = 2 * read + strand, anchors = p.anchors(query);
      const uint64_t start = p.start(query);
      uint64_t* const keys = p.keys + start;
      sort_keys(keys, anchors, shared[threadIdx.x / LANES]);
      found[strand] = seed_extend::chain(query, p.length(query), keys, anchors, p.segment_ends, p.segment_count,
                                  p.thresholds.band_width, p.chains + start);
    }
    if (site.lane == 0) push(stream::to<0>(), ChainCounts{read, found[0], found[1], 0});
  }
};

// Stage that orders the chains of a read and drops those that cannot matter, a warp a read.
struct SelectChains : stream::Stage {
  using In = ChainCounts;
  using Out = stream::Channels<stream::Channel<SelectedChains, 1>>;
  using Global = ChainParameters;
  static constexpr uint32_t THREADS = LANES;

  template <class Push>
  __device__ void run(const ChainCounts& joined, const stream::Site<SelectChains>& site, Push& push) const {
    const ChainParameters p = site.global();
    const uint32_t read = joined.read, gap = p.anchors(2 * read);
    const uint64_t start = p.start(2 * read);
    Chain* const chains = p.chains + start;
    // Moves the chains of the second query directly behind those of the first. In a round, all lanes read before any
    // writes.
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
        seed_extend::keep_best(chains, joined.forward + joined.reverse, p.length(2 * read), p.thresholds,
                        p.keys + start, p.kept + start);
    if (site.lane == 0) {
      p.counts[read - p.first_read] = count;
      push(stream::to<0>(), SelectedChains{read, count});
    }
  }
};

// Stage that outputs the chains that are kept, a lane a chain.
struct EmitChains : stream::Exploding {
  using In = SelectedChains;
  using Out = stream::Channels<stream::Channel<RankedChain, 1>>;
  using Global = ChainParameters;

  __device__ uint32_t size(const SelectedChains& chosen, const stream::Site<EmitChains>&) const { return chosen.count; }

  template <class Push>
  __device__ void run(const SelectedChains& chosen, const stream::Site<EmitChains>& site, Push& push) const {
    const ChainParameters p = site.global();
    const uint64_t start = p.start(2 * chosen.read);
    const uint32_t number = p.kept[start + site.element];
    push(stream::to<0>(), RankedChain{p.chains[start + number], site.element, 0});
  }
};

}  // namespace

STREAM_APP(chains, LocateSeeds, ChainAnchors, SelectChains, EmitChains)
