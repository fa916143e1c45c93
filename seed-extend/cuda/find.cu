// Chains of very many reads, of whose queries the seeds are known: occurrences of these in the text, their
// chains, and those of each read that may matter. src/find/mod.rs tells the stages.
#include <gpualign/cuda_or_cpu.cuh>

#include <seed_extend/chains.cuh>
#include <seed_extend/seeds.cuh>
#include <stream/scan.cuh>

namespace find {

// Bases in those of some seeds of a query, in any order, that occur more than `most` times: from one that
// begins first to the one after it, and so on. There are few. Any thread may call it at any time.
static __device__ uint32_t repeated(const Seed* seeds, uint32_t count, uint32_t most) {
  uint32_t covered = 0, end = 0;
  for (;;) {
    uint32_t begin = ~0u, to = 0;  // of the one that begins first behind `end`, or there
    for (uint32_t number = 0; number < count; number++) {
      const Seed seed = seeds[number];
      const uint32_t own_begin = max(uint32_t{seed.begin}, end), own_to = seed.begin + seed.length;
      if (seed.size > most && own_to > end && own_begin < begin) {
        begin = own_begin;
        to = own_to;
      }
    }
    if (to == 0) return covered;
    covered += to - begin;
    end = to;
  }
}

// Warps of a block, and keys that one sorts in shared memory.
constexpr uint32_t WARPS = 4, KEYS = 256;

// Threads of a block that adds up, and numbers that each takes at a time.
constexpr uint32_t ADDING = 256, TOGETHER = 4;

}  // namespace find

// Sets the codes of `queries` queries, a byte each, in their places. A warp a query; any grid of whole warps, no
// barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_codes(const uint64_t* words, const uint64_t* unknown, const uint32_t* word_offsets,
               const uint32_t* offsets, uint32_t queries, uint8_t* codes) {
  using namespace find;
  const Queries all{words, unknown, word_offsets, offsets};
  const uint32_t lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
  for (uint32_t query = blockIdx.x * warps + threadIdx.x / LANES; query < queries;
       query += gridDim.x * warps) {
    const Word word(all, query);
    uint8_t* const own = codes + __ldg(offsets + query);
    for (uint32_t place = lane; place < word.length; place += LANES) {
      own[place] = static_cast<uint8_t>(word.code(place));
    }
  }
}
SIMT_EXPORT(find_codes)

// Adds to seed_counts[query] how many of `count` seeds are of it. Any grid, any blocks; no barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_tally(const find::Seed* found, uint32_t count, uint32_t* seed_counts) {
  for (uint32_t number = blockIdx.x * blockDim.x + threadIdx.x; number < count;
       number += gridDim.x * blockDim.x) {
    atomicAdd(seed_counts + found[number].query, 1u);
  }
}
SIMT_EXPORT(find_tally)

// Puts each of these seeds to the others of its query, in any order, from seeds[seed_starts[query]] on.
// seed_counts[query] is how many there are, and 0 afterwards. Any grid, any blocks; no barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_places(const find::Seed* found, uint32_t count, const uint64_t* seed_starts,
                uint32_t* seed_counts, find::Seed* seeds) {
  for (uint32_t number = blockIdx.x * blockDim.x + threadIdx.x; number < count;
       number += gridDim.x * blockDim.x) {
    const find::Seed seed = found[number];
    seeds[seed_starts[seed.query] + atomicSub(seed_counts + seed.query, 1u) - 1] = seed;
  }
}
SIMT_EXPORT(find_places)

// Sets anchors[query] of both queries of each of `reads` reads, and repeats[read], the bases of the one with
// more of them in seeds that occur too often, by a thread a read. Any grid, any blocks; no barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_counts(const find::Numbers* numbers, uint32_t reads, const find::Seed* seeds,
                const uint64_t* seed_starts, uint32_t* anchors, uint32_t* repeats) {
  using namespace find;
  const uint32_t most = numbers->occurrences;
  for (uint32_t read = blockIdx.x * blockDim.x + threadIdx.x; read < reads;
       read += gridDim.x * blockDim.x) {
    uint32_t covered = 0;
    for (uint32_t query = 2 * read; query < 2 * read + 2; query++) {
      const Seed* const own = seeds + seed_starts[query];
      const uint32_t count = static_cast<uint32_t>(seed_starts[query + 1] - seed_starts[query]);
      uint32_t found = 0;
      for (uint32_t number = 0; number < count; number++) found += min(own[number].size, most);
      anchors[query] = found;
      covered = max(covered, repeated(own, count, most));
    }
    repeats[read] = covered;
  }
}
SIMT_EXPORT(find_counts)

// Adds up `count` numbers in parts of `part`, one a block: totals[block] is the sum of its part. As many blocks of
// find::ADDING threads as there are parts, at least one and at most find::ADDING.
extern "C" __global__ void __launch_bounds__(find::ADDING)
    find_totals(const uint32_t* counts, uint32_t count, uint32_t part, uint64_t* totals) {
  using namespace find;
  __shared__ uint64_t of_warps[ADDING / LANES];
  const uint32_t first = min(blockIdx.x * part, count), end = first + min(part, count - first);
  uint64_t own = 0;
  for (uint32_t place = first + threadIdx.x; place < end; place += ADDING) own += counts[place];
  const uint64_t all = stream::scan_block(own, of_warps).all;
  if (threadIdx.x == 0) totals[blockIdx.x] = all;
}
SIMT_EXPORT(find_totals)

// Sets sums[i], the sum of the numbers before number i, and `*total`, that of all `count`, which is also
// sums[count]. `totals` are those of find_totals, with whose blocks and parts it is launched.
extern "C" __global__ void __launch_bounds__(find::ADDING)
    find_sums(const uint32_t* counts, uint32_t count, uint32_t part, const uint64_t* totals,
              uint64_t* sums, uint64_t* total) {
  using namespace find;
  __shared__ uint64_t of_warps[2][ADDING / LANES];  // in turns, so that one barrier a round suffices
  const uint32_t first = min(blockIdx.x * part, count), end = first + min(part, count - first);
  uint64_t before =
      stream::scan_block(threadIdx.x < blockIdx.x ? totals[threadIdx.x] : uint64_t{0}, of_warps[1]).all;
  uint32_t round = 0;
  for (uint32_t tile = first; tile < end; tile += ADDING * TOGETHER, round ^= 1) {
    const uint32_t own = tile + TOGETHER * threadIdx.x;
    uint32_t values[TOGETHER];
    uint64_t all = 0;
#pragma unroll
    for (uint32_t k = 0; k < TOGETHER; k++) {
      values[k] = own + k < end ? counts[own + k] : 0;
      all += values[k];
    }
    const auto scanned = stream::scan_block(all, of_warps[round]);
    uint64_t sum = before + scanned.before;
#pragma unroll
    for (uint32_t k = 0; k < TOGETHER; k++) {
      if (own + k < end) sums[own + k] = sum;
      sum += values[k];
    }
    before += scanned.all;
  }
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) sums[count] = *total = before;
}
SIMT_EXPORT(find_sums)

// Sets the keys of the anchors of `queries` queries from query `first_query` on, sorted: those of one
// begin at keys[starts[query] - starts[first_query]]. Blocks of find::WARPS warps, any grid. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_anchors(const fm::View* index, const find::Numbers* numbers, uint32_t first_query,
                 uint32_t queries, const find::Seed* seeds, const uint64_t* seed_starts,
                 const uint64_t* starts, uint64_t* keys) {
  using namespace find;
  __shared__ uint64_t shared[WARPS][KEYS];
  const fm::View view = *index;
  const uint32_t most = numbers->occurrences;
  const uint32_t warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const uint64_t base = starts[first_query];
  for (uint32_t number = blockIdx.x * WARPS + warp; number < queries; number += gridDim.x * WARPS) {
    const uint32_t query = first_query + number;
    const uint32_t count = static_cast<uint32_t>(starts[query + 1] - starts[query]);
    if (count == 0) continue;
    uint64_t* const here = keys + (starts[query] - base);
    uint64_t* const own = count <= KEYS ? shared[warp] : here;
    const Seed* const own_seeds = seeds + seed_starts[query];
    const uint32_t seed_count = static_cast<uint32_t>(seed_starts[query + 1] - seed_starts[query]);
    uint32_t done = 0;  // anchors
    for (uint32_t first = 0; first < seed_count; first += LANES) {
      // A seed a lane, and the anchors of all of them shared out.
      const bool is_one = first + lane < seed_count;
      const Seed seed = is_one ? own_seeds[first + lane] : Seed{};
      const uint32_t behind = stream::scan_warp(min(seed.size, most));
      const uint32_t all = __shfl_sync(ALL_LANES, behind, LANES - 1);
      for (uint32_t start = 0; start < all; start += LANES) {
        const uint32_t anchor = start + lane;
        // The first seed whose anchors end behind this one; the last if there is none.
        uint32_t of = 0;
        for (uint32_t step = LANES / 2; step > 0; step /= 2) {
          if (__shfl_sync(ALL_LANES, behind, of + step - 1) <= anchor) of += step;
        }
        const uint32_t sizes = __shfl_sync(ALL_LANES, seed.size, of);
        const uint32_t rows = __shfl_sync(ALL_LANES, seed.first, of);
        const uint32_t place = __shfl_sync(
            ALL_LANES, static_cast<uint32_t>(seed.begin) << 16 | seed.length, of);
        const uint32_t end = __shfl_sync(ALL_LANES, behind, of);
        if (anchor < all) {
          const uint32_t some = min(sizes, most), which = anchor - (end - some);
          const uint32_t row =
              sizes > most ? static_cast<uint32_t>(static_cast<uint64_t>(which) * sizes / most) : which;
          const uint32_t position = sizes == 1 ? rows : fm::locate(view, rows + row);
          own[done + anchor] = Anchor::key(position, place >> 16, place & 0xFFFF);
        }
      }
      done += all;
    }
    __syncwarp();
    sort(own, count);
    if (own != here) {
      for (uint32_t place = lane; place < count; place += LANES) here[place] = own[place];
      __syncwarp();
    }
  }
}
SIMT_EXPORT(find_anchors)

// Sets the chains of `queries` queries from query `first_query` on, and chain_counts[query - first_query]: of
// one query they begin where its keys do. `ends` are those of the text's segments. Blocks of whole warps, any grid.
extern "C" __global__ void __launch_bounds__(128)
    find_chains(const find::Numbers* numbers, const uint32_t* offsets, uint32_t first_query,
                uint32_t queries, const uint64_t* starts, const uint64_t* keys, const uint32_t* ends,
                uint32_t segments, find::Chain* chains, uint32_t* chain_counts) {
  using namespace find;
  const uint32_t width = numbers->width;
  const uint64_t base = starts[first_query];
  const uint32_t halves = blockDim.x / LOOK_BACK;
  for (uint32_t number = blockIdx.x * halves + threadIdx.x / LOOK_BACK; number < queries;
       number += gridDim.x * halves) {
    const uint32_t query = first_query + number;
    const uint64_t start = starts[query] - base;
    const uint32_t length = __ldg(offsets + query + 1) - __ldg(offsets + query);
    const uint32_t anchors = static_cast<uint32_t>(starts[query + 1] - starts[query]);
    const uint32_t found =
        chain(query, length, keys + start, anchors, ends, segments, width, chains + start);
    if (threadIdx.x % LOOK_BACK == 0) chain_counts[number] = found;
  }
}
SIMT_EXPORT(find_chains)

// Sets kept_counts[read - first_read], and the numbers of the chains that are kept of each of `reads` reads from read
// `first_read` on, best first: kept[starts[2 * read] - starts[2 * first_read] + i], as places in `chains`.
// Overwrites `keys`. Blocks of whole warps, any grid.
extern "C" __global__ void __launch_bounds__(128)
    find_best(const find::Numbers* numbers, const uint32_t* offsets, uint32_t first_read,
              uint32_t reads, const uint64_t* starts, uint64_t* keys, find::Chain* chains,
              const uint32_t* chain_counts, uint32_t* kept, uint32_t* kept_counts) {
  using namespace find;
  const Numbers own = *numbers;
  const uint32_t lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
  const uint64_t base = starts[2 * first_read];
  for (uint32_t number = blockIdx.x * warps + threadIdx.x / LANES; number < reads;
       number += gridDim.x * warps) {
    const uint32_t read = first_read + number;
    const uint64_t start = starts[2 * read] - base;
    const uint32_t gap = static_cast<uint32_t>(starts[2 * read + 1] - starts[2 * read]);
    const uint32_t forward = chain_counts[2 * number], reverse = chain_counts[2 * number + 1];
    // Those of the second query follow those of the first; a lane moves a chain that no other reads or
    // writes in the same round.
    if (forward < gap) {
      for (uint32_t place = lane; place - lane < reverse; place += LANES) {
        Chain moved{};
        if (place < reverse) moved = chains[start + gap + place];
        __syncwarp();
        if (place < reverse) chains[start + forward + place] = moved;
        __syncwarp();
      }
    }
    const uint32_t length = __ldg(offsets + 2 * read + 1) - __ldg(offsets + 2 * read);
    const uint32_t count = keep_best(chains + start, forward + reverse, length, own, keys + start,
                                     kept + start);
    if (lane == 0) kept_counts[number] = count;
  }
}
SIMT_EXPORT(find_best)

// Gathers the chains that `find_best` kept: those of a read to places from firsts[read - first_read] of
// `gathered` on. Blocks of whole warps, any grid. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_gather(uint32_t first_read, uint32_t reads, const uint64_t* starts,
                const find::Chain* chains, const uint32_t* kept, const uint64_t* firsts,
                find::Chain* gathered) {
  using namespace find;
  const uint32_t lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
  const uint64_t base = starts[2 * first_read];
  for (uint32_t number = blockIdx.x * warps + threadIdx.x / LANES; number < reads;
       number += gridDim.x * warps) {
    const uint32_t read = first_read + number;
    const uint64_t start = starts[2 * read] - base;
    const uint64_t first = firsts[number];
    const uint32_t count = static_cast<uint32_t>(firsts[number + 1] - first);
    for (uint32_t place = lane; place < count; place += LANES) {
      gathered[first + place] = chains[start + kept[start + place]];
    }
  }
}
SIMT_EXPORT(find_gather)
