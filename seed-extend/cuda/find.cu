// Chains of very many reads, of whose queries the seeds are known: occurrences of these in the text, their
// chains, and those of each read that may matter. src/find/mod.rs tells the stages.
#include <gpualign/cuda_or_cpu.cuh>

#include <seed_extend/chains.cuh>
#include <seed_extend/seeds.cuh>

namespace find {

// Seeds of query `query` begin at this place, and there is room up to where those of the next one begin.
static __device__ uint32_t room_for_seeds(const uint32_t* offsets, uint32_t query) {
  return __ldg(offsets + query) / 2 + 8 * query;
}

// Mirrors `Counted` of src/find/gpu/numbers.rs.
struct Counted {
  uint32_t seeds;    // MANY if there are more than there is room for
  uint32_t anchors;  // 0 then
  uint32_t repeats;  // bases in seeds that occur too often
};
static_assert(sizeof(Counted) == 12, "mirrored in Rust");

constexpr uint32_t MANY = ~0u;

// Bases in those of some seeds of a query, in any order, that occur more than `most` times: from one that
// begins first to the one after it, and so on. There are few. Any thread may call it at any time.
static __device__ uint32_t repeats(const Seed* seeds, uint32_t count, uint32_t most) {
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

}  // namespace find

// Puts each of `count` seeds, of any queries and in any order, to the others of its query, as far as there
// is room, and counts it. counted[query].seeds is 0 before. Any grid, any blocks; no barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_places(const uint32_t* offsets, const find::Seed* found, uint32_t count, find::Seed* seeds,
                find::Counted* counted) {
  using namespace find;
  for (uint32_t number = blockIdx.x * blockDim.x + threadIdx.x; number < count;
       number += gridDim.x * blockDim.x) {
    const Seed seed = found[number];
    const uint32_t first = room_for_seeds(offsets, seed.query);
    const uint32_t room = room_for_seeds(offsets, seed.query + 1) - first;
    const uint32_t place = atomicAdd(&counted[seed.query].seeds, 1u);
    if (place < room) seeds[first + place] = seed;
  }
}
SIMT_EXPORT(find_places)

// Completes `counted` of each of `queries` queries, by a thread a query; counted[query].seeds is how many
// there are. Any grid, any blocks; no barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_counts(const find::Numbers* numbers, const uint32_t* offsets, uint32_t queries,
                const find::Seed* seeds, find::Counted* counted) {
  using namespace find;
  const uint32_t most = numbers->occurrences;
  for (uint32_t query = blockIdx.x * blockDim.x + threadIdx.x; query < queries;
       query += gridDim.x * blockDim.x) {
    const uint32_t first = room_for_seeds(offsets, query), count = counted[query].seeds;
    if (count > room_for_seeds(offsets, query + 1) - first) {
      counted[query] = Counted{MANY, 0, 0};
      continue;
    }
    uint32_t anchors = 0;
    for (uint32_t number = 0; number < count; number++) anchors += min(seeds[first + number].size, most);
    counted[query] = Counted{count, anchors, repeats(seeds + first, count, most)};
  }
}
SIMT_EXPORT(find_counts)

// Sets the keys of the anchors of `queries` queries from query `first_query` on, sorted: those of one
// begin at keys[starts[query] - starts[first_query]]. Blocks of find::WARPS warps, any grid. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_anchors(const fm::View* index, const find::Numbers* numbers, const uint32_t* offsets,
                 uint32_t first_query, uint32_t queries, const find::Seed* seeds,
                 const find::Counted* counted, const uint64_t* starts, uint64_t* keys) {
  using namespace find;
  __shared__ uint64_t shared[WARPS][KEYS];
  const fm::View view = *index;
  const uint32_t most = numbers->occurrences;
  const uint32_t warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const uint64_t base = starts[first_query];
  for (uint32_t number = blockIdx.x * WARPS + warp; number < queries; number += gridDim.x * WARPS) {
    const uint32_t query = first_query + number;
    const uint32_t count = counted[query].anchors;
    if (count == 0) continue;
    uint64_t* const here = keys + (starts[query] - base);
    uint64_t* const own = count <= KEYS ? shared[warp] : here;
    const Seed* const own_seeds = seeds + room_for_seeds(offsets, query);
    uint32_t done = 0;  // anchors
    for (uint32_t first = 0; first < counted[query].seeds; first += LANES) {
      // A seed a lane, and the anchors of all of them shared out.
      const bool is_one = first + lane < counted[query].seeds;
      const Seed seed = is_one ? own_seeds[first + lane] : Seed{};
      uint32_t behind = min(seed.size, most);
      for (uint32_t distance = 1; distance < LANES; distance *= 2) {
        const uint32_t before = __shfl_up_sync(ALL_LANES, behind, distance);
        if (lane >= distance) behind += before;
      }
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

// Sets the chains of `queries` queries from query `first_query` on, and chain_counts[query]: of one query
// they begin where its keys do. `ends` are those of the text's segments. Blocks of whole warps, any grid.
extern "C" __global__ void __launch_bounds__(128)
    find_chains(const find::Numbers* numbers, const uint32_t* offsets, uint32_t first_query,
                uint32_t queries, const find::Counted* counted, const uint64_t* starts,
                const uint64_t* keys, const uint32_t* ends, uint32_t segments, find::Chain* chains,
                uint32_t* chain_counts) {
  using namespace find;
  const uint32_t width = numbers->width;
  const uint64_t base = starts[first_query];
  const uint32_t halves = blockDim.x / LOOK_BACK;
  for (uint32_t number = blockIdx.x * halves + threadIdx.x / LOOK_BACK; number < queries;
       number += gridDim.x * halves) {
    const uint32_t query = first_query + number;
    const uint64_t start = starts[query] - base;
    const uint32_t length = __ldg(offsets + query + 1) - __ldg(offsets + query);
    const uint32_t found = chain(query, length, keys + start, counted[query].anchors, ends, segments,
                                 width, chains + start);
    if (threadIdx.x % LOOK_BACK == 0) chain_counts[query] = found;
  }
}
SIMT_EXPORT(find_chains)

// Sets kept_counts[read], and the numbers of the chains that are kept of each of `reads` reads from read
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
    const uint32_t forward = chain_counts[2 * read], reverse = chain_counts[2 * read + 1];
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
    if (lane == 0) kept_counts[read] = count;
  }
}
SIMT_EXPORT(find_best)

// Gathers the chains that `find_best` kept: those of a read to places from firsts[read] - firsts[first_read]
// of `gathered` on. Blocks of whole warps, any grid. No barriers.
extern "C" __global__ void __launch_bounds__(128)
    find_gather(uint32_t first_read, uint32_t reads, const uint64_t* starts,
                const find::Chain* chains, const uint32_t* kept, const uint32_t* firsts,
                find::Chain* gathered) {
  using namespace find;
  const uint32_t lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
  const uint64_t base = starts[2 * first_read];
  for (uint32_t number = blockIdx.x * warps + threadIdx.x / LANES; number < reads;
       number += gridDim.x * warps) {
    const uint32_t read = first_read + number;
    const uint64_t start = starts[2 * read] - base;
    const uint32_t first = firsts[read], count = firsts[read + 1] - first;
    for (uint32_t place = lane; place < count; place += LANES) {
      gathered[first - firsts[first_read] + place] = chains[start + kept[start + place]];
    }
  }
}
SIMT_EXPORT(find_gather)
