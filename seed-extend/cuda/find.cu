// What is done between the applications that find seeds (seeds.cu) and chains (chains.cu): their outputs, which come in
// any order, are counted and grouped by query or read. src/chain/finder.rs explains the steps.
#include <gpualign/cuda_or_cpu.cuh>

#include <seed_extend/find.cuh>
#include <seed_extend/sort.cuh>
#include <stream/scan.cuh>

namespace seed_extend {

// Number of bases of a query that lie in seeds with more than `max_occurrences` occurrences. The seeds of the query,
// which are few, come in any order; they are visited by their begins. Any thread may call it at any time.
static __device__ uint32_t repeat_bases(const Seed* seeds, uint32_t count, uint32_t max_occurrences) {
  uint32_t covered = 0, end = 0;
  for (;;) {
    uint32_t begin = ~0u, to = 0;  // of the seed that reaches beyond `end` and begins there or first behind it
    for (uint32_t number = 0; number < count; number++) {
      const Seed seed = seeds[number];
      const uint32_t own_begin = max(uint32_t{seed.begin}, end), own_to = seed.begin + seed.length;
      if (seed.size > max_occurrences && own_to > end && own_begin < begin) {
        begin = own_begin;
        to = own_to;
      }
    }
    if (to == 0) return covered;
    covered += to - begin;
    end = to;
  }
}

// Threads of a block that adds counts up, and counts that each takes at a time.
constexpr uint32_t SUM_THREADS = 256, SUM_COUNTS = 4;

}  // namespace seed_extend

// Writes the codes of all queries, a byte each. A warp takes a query. Any grid of whole warps. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_codes(const __grid_constant__ seed_extend::FindCodesParameters p) {
  using namespace seed_extend;
  const uint32_t lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
  for (uint32_t query = blockIdx.x * warps + threadIdx.x / LANES; query < p.count; query += gridDim.x * warps) {
    const PackedQuery packed(p.queries, query);
    uint8_t* const own = p.codes + __ldg(p.queries.offsets + query);
    for (uint32_t place = lane; place < packed.length; place += LANES) {
      own[place] = static_cast<uint8_t>(packed.code(place));
    }
  }
}
SIMT_EXPORT(find_codes)

// Adds the number of seeds of each query to seed_counts[query]. Any grid, any blocks. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_tally(const __grid_constant__ seed_extend::FindTallyParameters p) {
  for (uint64_t number = blockIdx.x * blockDim.x + threadIdx.x; number < p.count;
       number += gridDim.x * blockDim.x) {
    atomicAdd(p.seed_counts + p.found[number].query, 1u);
  }
}
SIMT_EXPORT(find_tally)

// Groups seeds by query, in any order within each: those of a query are written from seeds[seed_starts[query]] on.
// seed_counts[query] must be their number, and is 0 afterwards. Any grid, any blocks. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_places(const __grid_constant__ seed_extend::FindPlacesParameters p) {
  for (uint64_t number = blockIdx.x * blockDim.x + threadIdx.x; number < p.count;
       number += gridDim.x * blockDim.x) {
    const seed_extend::Seed seed = p.found[number];
    p.seeds[p.seed_starts[seed.query] + atomicSub(p.seed_counts + seed.query, 1u) - 1] = seed;
  }
}
SIMT_EXPORT(find_places)

// Counts the anchors of both queries of each read, and the bases of the read in seeds too frequent to be located
// completely, in the query with more of them. A thread takes a read. Any grid, any blocks. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_counts(const __grid_constant__ seed_extend::FindCountsParameters p) {
  using namespace seed_extend;
  const uint32_t most = p.max_occurrences;
  for (uint32_t read = blockIdx.x * blockDim.x + threadIdx.x; read < p.reads; read += gridDim.x * blockDim.x) {
    uint32_t covered = 0;
    for (uint32_t query = 2 * read; query < 2 * read + 2; query++) {
      const Seed* const own = p.seeds + p.seed_starts[query];
      const uint32_t count = static_cast<uint32_t>(p.seed_starts[query + 1] - p.seed_starts[query]);
      uint32_t anchors = 0;
      for (uint32_t number = 0; number < count; number++) anchors += min(own[number].size, most);
      p.anchors[query] = anchors;
      covered = max(covered, repeat_bases(own, count, most));
    }
    p.repeat_bases[read] = covered;
  }
}
SIMT_EXPORT(find_counts)

// Adds counts up in parts, a part a block: totals[block] is the sum of its part. There must be as many blocks of
// SUM_THREADS threads as there are parts, at least 1 and at most SUM_THREADS.
extern "C" __global__ void __launch_bounds__(seed_extend::SUM_THREADS)
    find_totals(const __grid_constant__ seed_extend::FindTotalsParameters p) {
  using namespace seed_extend;
  __shared__ uint64_t of_warps[SUM_THREADS / LANES];
  const uint32_t first = min(blockIdx.x * p.part, p.count), end = first + min(p.part, p.count - first);
  uint64_t own = 0;
  for (uint32_t place = first + threadIdx.x; place < end; place += SUM_THREADS) own += p.counts[place];
  const uint64_t all = stream::scan_block(own, of_warps).all;
  if (threadIdx.x == 0) p.totals[blockIdx.x] = all;
}
SIMT_EXPORT(find_totals)

// Sets sums[i], the sum of the counts before number i, and `*total`, the sum of all, which is also sums[count].
// `totals` are those of find_totals, and blocks and parts must be the same.
extern "C" __global__ void __launch_bounds__(seed_extend::SUM_THREADS)
    find_sums(const __grid_constant__ seed_extend::FindSumsParameters p) {
  using namespace seed_extend;
  __shared__ uint64_t of_warps[2][SUM_THREADS / LANES];  // used alternately, so that one barrier a round suffices
  const uint32_t first = min(blockIdx.x * p.part, p.count), end = first + min(p.part, p.count - first);
  uint64_t before =
      stream::scan_block(threadIdx.x < blockIdx.x ? p.totals[threadIdx.x] : uint64_t{0}, of_warps[1]).all;
  uint32_t round = 0;
  for (uint32_t tile = first; tile < end; tile += SUM_THREADS * SUM_COUNTS, round ^= 1) {
    const uint32_t own = tile + SUM_COUNTS * threadIdx.x;
    uint32_t values[SUM_COUNTS];
    uint64_t all = 0;
#pragma unroll
    for (uint32_t k = 0; k < SUM_COUNTS; k++) {
      values[k] = own + k < end ? p.counts[own + k] : 0;
      all += values[k];
    }
    const auto scanned = stream::scan_block(all, of_warps[round]);
    uint64_t sum = before + scanned.before;
#pragma unroll
    for (uint32_t k = 0; k < SUM_COUNTS; k++) {
      if (own + k < end) p.sums[own + k] = sum;
      sum += values[k];
    }
    before += scanned.all;
  }
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) p.sums[p.count] = *p.total = before;
}
SIMT_EXPORT(find_sums)

// Groups chains by read, the best one of each first: those of a read are written from
// chains[chain_starts[read - first_read]] on. Any grid, any blocks. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_order(const __grid_constant__ seed_extend::FindOrderParameters p) {
  for (uint32_t number = blockIdx.x * blockDim.x + threadIdx.x; number < p.count;
       number += gridDim.x * blockDim.x) {
    const seed_extend::RankedChain it = p.kept[number];
    p.chains[p.chain_starts[it.chain.query / 2 - p.first_read] + it.rank] = it.chain;
  }
}
SIMT_EXPORT(find_order)

// Sets `at_least` of each chain, and `best` of each read: of several chains, the best of those that can be compared (Opposite). A
// thread takes a chain, since most reads have a few, and some have hundreds. Any grid, any blocks. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_best(const __grid_constant__ seed_extend::FindOutscoredParameters p) {
  using namespace seed_extend;
  for (uint32_t place = blockIdx.x * blockDim.x + threadIdx.x; place < p.count; place += gridDim.x * blockDim.x) {
    const Chain chain = p.chains[place];
    const uint32_t read = chain.query / 2 - p.first_read;
    const uint64_t first = p.chain_starts[read];
    int32_t at_least = NOT_COMPARED;
    if (p.chain_starts[read + 1] - first > 1) {
      const Opposite own(chain, PackedQuery(p.queries, chain.query), p.index, p.rules);
      if (own.is_there()) {
        at_least = own.at_least();
        atomicMax(p.best + read, ScoredChain::of(at_least, place - static_cast<uint32_t>(first)));
      }
    }
    p.at_least[place] = at_least;
  }
}
SIMT_EXPORT(find_best)

// Sets `is_outscored` of each chain and `best_outscored` of each read, and makes `counts` less by the outscored chains other than that
// one. A thread takes a chain. Any grid, any blocks. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_outscored(const __grid_constant__ seed_extend::FindOutscoredParameters p) {
  using namespace seed_extend;
  for (uint32_t place = blockIdx.x * blockDim.x + threadIdx.x; place < p.count; place += gridDim.x * blockDim.x) {
    const int32_t at_least = p.at_least[place];
    const Chain chain = p.chains[place];
    const uint32_t read = chain.query / 2 - p.first_read;
    bool is_outscored = false;
    if (at_least != NOT_COMPARED) {
      const int32_t limit = p.rules.limit(ScoredChain::at_least(p.best[read]));
      if (at_least < limit) {
        const Opposite own(chain, PackedQuery(p.queries, chain.query), p.index, p.rules);
        is_outscored = !own.may_reach(limit, min(chain.gap, p.rules.band_margin));
      }
    }
    if (is_outscored) {
      const auto scored = ScoredChain::of(at_least, place - static_cast<uint32_t>(p.chain_starts[read]));
      if (atomicMax(p.best_outscored + read, scored) != ScoredChain::NONE) atomicSub(p.counts + read, 1u);
    }
    p.is_outscored[place] = is_outscored;
  }
}
SIMT_EXPORT(find_outscored)

// Copies the chains that are kept together, in their order: those that are not outscored, and the best of the others. Compares the
// whole query of each that has one diagonal with the text there. The ends of the outscored one become those of the bases that it
// keeps without gaps. A warp takes a read, and a lane a chain at a time. Any grid of whole warps. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_whole_matches(const __grid_constant__ seed_extend::FindWholeMatchesParameters p) {
  using namespace seed_extend;
  const uint32_t lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
  for (uint32_t read = blockIdx.x * warps + threadIdx.x / LANES; read < p.reads; read += gridDim.x * warps) {
    const uint64_t from = p.chain_starts[read];
    const uint32_t count = static_cast<uint32_t>(p.chain_starts[read + 1] - from);
    const uint32_t stays = ScoredChain::number(p.best_outscored[read]);
    uint64_t to = p.kept_starts[read];
    for (uint32_t first = 0; first < count; first += LANES) {
      const uint32_t number = first + lane;
      const bool is_outscored = number < count && p.is_outscored[from + number] != 0;
      const bool is_kept = number < count && (!is_outscored || number == stays);
      const uint32_t all = __ballot_sync(ALL_LANES, is_kept);
      if (is_kept) {
        Chain chain = p.chains[from + number];
        const PackedQuery query(p.queries, chain.query);
        uint32_t place = NO_PLACE;
        if (is_outscored) {
          const Opposite own(chain, query, p.index, p.rules);
          chain.begin = own.kept_begin();
          chain.end = own.kept_end();
          place = OUTSCORED | static_cast<uint32_t>(own.score_of_kept());
        } else if (chain.low == chain.high && chain.low >= 0 && chain.low + query.length <= p.index.bases) {
          const uint32_t begin = static_cast<uint32_t>(chain.low);
          const uint32_t equal = query.equal_after(0, p.index, begin);
          if (equal == query.length) {
            place = equal;
          } else if (query.code(equal) < 4) {
            const uint32_t rest = query.equal_after(equal + 1, p.index, begin + equal + 1);
            if (equal + 1 + rest == query.length) place = equal;
          }
        }
        const uint64_t own = to + __popc(all & ((1u << lane) - 1));
        p.kept[own] = chain;
        p.places[own] = place;
      }
      to += __popc(all);
    }
  }
}
SIMT_EXPORT(find_whole_matches)
