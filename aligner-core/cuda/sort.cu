// A stable radix sort of items of four 32-bit words, one digit of up to 8 bits at a time, the least significant digit
// first. src/sort.rs launches three kernels for each digit: sort_count counts the digits of each block's share of the
// items, sort_sum adds up the counts, unless there is one block alone, and sort_move moves each item to its slot,
// keeping the order of equal digits.
#include <gpualign/cuda_or_cpu.cuh>

#include "sort/layouts.cuh"
#include "sort/sort.cuh"
#include "stream/scan.cuh"

namespace {

using sort::Digit;
using stream::ALL_LANES;
using stream::u32;
using stream::WARP;

// Values of a digit, and threads of a block.
constexpr u32 VALUES = 256;
constexpr u32 WARPS = VALUES / WARP;

// The items of the calling block: blocks share whole tiles of VALUES items evenly, in order.
struct BlockShare {
  u32 first, end;

  __device__ explicit BlockShare(u32 count) {
    const u32 tiles = count / VALUES + (count % VALUES != 0), each = (tiles + gridDim.x - 1) / gridDim.x;
    first = min(blockIdx.x * each, tiles) * VALUES;
    end = first + min(each * VALUES, count - min(count, first));
  }
};

}  // namespace

// Counts digits: sets counts[value * blocks + block] to the number of items in the block's share whose digit has
// this value.
//
// Fewer than 2^24 blocks of 256 threads. Static shared memory.
extern "C" __global__ void sort_count(const __grid_constant__ sort::SortCountParameters parameters) {
  __shared__ u32 own[VALUES];
  own[threadIdx.x] = 0;
  __syncthreads();
  const uint4* const items = parameters.items;
  const Digit digit = parameters.digit;
  const BlockShare share(parameters.count);
  for (u32 i = share.first + threadIdx.x; i < share.end; i += VALUES) atomicAdd(own + digit.of(items[i]), 1u);
  __syncthreads();
  parameters.counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}
SIMT_EXPORT(sort_count)

// Replaces each of a value's `count` numbers by the sum of the numbers before it, and sets totals[value] to the sum
// of all.
//
// A block for each value that the digit may have, of whole warps and at most 256 threads. Static shared memory.
extern "C" __global__ void sort_sum(const __grid_constant__ sort::SortSumParameters parameters) {
  // Two arrays, used alternately: threads may still read the sums of one tile while others write those of the next.
  __shared__ u32 sums[2][WARPS];
  const u32 count = parameters.count;
  u32* const own = parameters.counts + blockIdx.x * count;
  u32 sum = 0;
  for (u32 first = 0, half = 0; first < count; first += blockDim.x, half ^= 1) {
    const u32 i = first + threadIdx.x;
    const stream::Scanned<u32> scanned = stream::scan_block(i < count ? own[i] : 0, sums[half]);
    if (i < count) own[i] = sum + scanned.before;
    sum += scanned.all;
  }
  if (threadIdx.x == 0) parameters.totals[blockIdx.x] = sum;
}
SIMT_EXPORT(sort_sum)

// Moves the items of each block's share to `sorted`, in their order: behind all items with a lower digit, which
// `totals` counts, and behind the items of earlier blocks with the same digit, which `firsts` counts (the first block,
// which has none before it, does not read it).
//
// As many blocks of 256 threads as sort_count had. Static shared memory.
extern "C" __global__ void sort_move(const __grid_constant__ sort::SortMoveParameters parameters) {
  // For each warp and value, first how many items of the tile have it, then the slot of the first of them.
  __shared__ u32 of_warps[WARPS][VALUES];
  __shared__ u32 sums[WARPS];
  const uint4* const items = parameters.items;
  uint4* const sorted = parameters.sorted;
  const Digit digit = parameters.digit;
  const BlockShare share(parameters.count);
  const u32 warp = threadIdx.x / WARP, before = (1u << threadIdx.x % WARP) - 1;
  // The slot of the next item whose digit is the thread's number.
  const u32 total = threadIdx.x < 1u << digit.bits ? parameters.totals[threadIdx.x] : 0;
  u32 next = stream::scan_block(total, sums).before;
  if (blockIdx.x > 0 && total > 0) next += parameters.firsts[threadIdx.x * gridDim.x + blockIdx.x];
  for (u32 tile = share.first; tile < share.end; tile += VALUES) {
    for (u32 w = 0; w < WARPS; w++) of_warps[w][threadIdx.x] = 0;
    __syncthreads();
    const u32 index = tile + threadIdx.x;
    const bool has_item = index < share.end;
    const uint4 item = has_item ? items[index] : uint4{};
    const u32 value = has_item ? digit.of(item) : VALUES;
    const u32 equal = __match_any_sync(ALL_LANES, value), rank = __popc(equal & before);
    if (has_item && rank == 0) of_warps[warp][value] = __popc(equal);
    __syncthreads();
    for (u32 w = 0; w < WARPS; w++) {
      const u32 here = of_warps[w][threadIdx.x];
      of_warps[w][threadIdx.x] = next;
      next += here;
    }
    __syncthreads();
    if (has_item) sorted[of_warps[warp][value] + rank] = item;
    __syncthreads();
  }
}
SIMT_EXPORT(sort_move)
