// What is done between the applications that find seeds (seeds.cu) and chains (chains.cu) of very many reads: their
// outputs, which come in any order, are counted and put in order. src/find/mod.rs tells the stages.
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

// Puts the chains that were kept to the others of their reads, which begin at gathered[firsts[read - first_read]],
// the best one first. Any grid, any blocks; no barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_order(const find::Kept* kept, uint32_t count, uint32_t first_read, const uint64_t* firsts,
               find::Chain* gathered) {
  using namespace find;
  for (uint32_t number = blockIdx.x * blockDim.x + threadIdx.x; number < count;
       number += gridDim.x * blockDim.x) {
    const Kept it = kept[number];
    gathered[firsts[it.chain.query / 2 - first_read] + it.rank] = it.chain;
  }
}
SIMT_EXPORT(find_order)
