// Sorting items of four words by digits of them, one digit at a time, the least significant first
// (src/sort.rs).
//
// A digit of `bits` bits, 8 at most, is at `shift` in the word-th word. Every block has a part of the
// items; parts are equal but for the last ones, and whole tiles. Each pass is stable: it counts digits
// (`sort_count`), adds up the counts (`sort_sum`) and moves items to where they belong (`sort_move`).
#include <gpualign/cuda_or_cpu.cuh>

#include "stream/scan.cuh"

namespace {

using stream::ALL_LANES;
using stream::u32;
using stream::WARP;

// Threads of a block: as many as a digit has values.
constexpr u32 VALUES = 256;
constexpr u32 WARPS = VALUES / WARP;

struct Digit {
  u32 word, shift, bits;

  __device__ u32 of(const uint4& item) const {
    const u32 words[4] = {item.x, item.y, item.z, item.w};
    u32 value = words[0];
    for (u32 i = 1; i < 4; i++) value = word == i ? words[i] : value;
    return value >> shift & ((1u << bits) - 1);
  }
};

struct Part {
  u32 first, end;

  // That of the block.
  __device__ explicit Part(u32 count) {
    const u32 tiles = count / VALUES + (count % VALUES != 0), each = (tiles + gridDim.x - 1) / gridDim.x;
    first = min(blockIdx.x * each, tiles) * VALUES;
    end = first + min(each * VALUES, count - min(count, first));
  }
};

}  // namespace

// Sets counts[value * blocks + block] to how often a digit has a value in the block's part of `count`
// items.
//
// Fewer than 2^24 blocks of 256 threads; count is below 2^32 - 2^8. Static shared memory.
extern "C" __global__ void sort_count(const uint4* items, u32 count, u32 word, u32 shift, u32 bits, u32* counts) {
  __shared__ u32 own[VALUES];
  own[threadIdx.x] = 0;
  __syncthreads();
  const Digit digit{word, shift, bits};
  const Part part(count);
  for (u32 i = part.first + threadIdx.x; i < part.end; i += VALUES) atomicAdd(own + digit.of(items[i]), 1u);
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}
SIMT_EXPORT(sort_count)

// Replaces each of a value's `count` numbers by the sum of those before it, and tells the sum of all.
//
// A block for each value that the digit may have, of whole warps and at most 256 threads. Static shared memory.
extern "C" __global__ void sort_sum(u32* counts, u32 count, u32* totals) {
  // Taken in turns, as others may still read those of the tile before.
  __shared__ u32 sums[2][WARPS];
  u32* const own = counts + blockIdx.x * count;
  u32 sum = 0;
  for (u32 first = 0, turn = 0; first < count; first += blockDim.x, turn ^= 1) {
    const u32 i = first + threadIdx.x;
    const stream::Scanned<u32> scanned = stream::scan_block(i < count ? own[i] : 0, sums[turn]);
    if (i < count) own[i] = sum + scanned.before;
    sum += scanned.all;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = sum;
}
SIMT_EXPORT(sort_sum)

// Moves the items of each part to `sorted`, in their order: behind those with a lower value of the digit, of
// which `totals` tells how many there are, and behind the firsts[value * blocks + block] of blocks before.
//
// As many blocks of 256 threads as counted. Static shared memory.
extern "C" __global__ void sort_move(const uint4* items, u32 count, u32 word, u32 shift, u32 bits,
                                     const u32* firsts, const u32* totals, uint4* sorted) {
  // Of each warp, first how many items have a value, then where they begin.
  __shared__ u32 of_warps[WARPS][VALUES];
  __shared__ u32 sums[WARPS];
  const Digit digit{word, shift, bits};
  const Part part(count);
  const u32 warp = threadIdx.x / WARP, before = (1u << threadIdx.x % WARP) - 1;
  // Where the next item goes whose value is the thread's number.
  const u32 total = threadIdx.x < 1u << bits ? totals[threadIdx.x] : 0;
  u32 next = stream::scan_block(total, sums).before;
  if (total > 0) next += firsts[threadIdx.x * gridDim.x + blockIdx.x];
  for (u32 tile = part.first; tile < part.end; tile += VALUES) {
    for (u32 w = 0; w < WARPS; w++) of_warps[w][threadIdx.x] = 0;
    __syncthreads();
    const u32 place = tile + threadIdx.x;
    const bool is_there = place < part.end;
    const uint4 item = is_there ? items[place] : uint4{};
    const u32 value = is_there ? digit.of(item) : VALUES;
    const u32 equal = __match_any_sync(ALL_LANES, value), rank = __popc(equal & before);
    if (is_there && rank == 0) of_warps[warp][value] = __popc(equal);
    __syncthreads();
    for (u32 w = 0; w < WARPS; w++) {
      const u32 here = of_warps[w][threadIdx.x];
      of_warps[w][threadIdx.x] = next;
      next += here;
    }
    __syncthreads();
    if (is_there) sorted[of_warps[warp][value] + rank] = item;
    __syncthreads();
  }
}
SIMT_EXPORT(sort_move)
