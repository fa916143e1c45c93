// Cuts queries into the pieces that occur least, one thread a query: src/filter/cuts.rs explains how.
#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <woodstocc/filter/stages.cuh>
#include <woodstocc/layouts.cuh>
#include <woodstocc/limits.cuh>

namespace woodstocc {

// The constants of cuts.rs.
constexpr uint32_t kReach = 8;                // bases between a bound's place in an even cut and its farthest place
constexpr uint32_t kPlaces = 2 * kReach + 1;  // number of possible places of a bound
constexpr uint32_t kRare = 16;                // a word with no more occurrences than this is rare
constexpr uint32_t kNoCut = ~0u;              // number of occurrences that stands for "no cut has its bound here"

// The first base of piece `number` if a query of `length` bases is cut into equally long pieces, but for rounding.
__device__ inline uint32_t even(uint32_t length, uint32_t pieces, uint32_t number) {
  return number * length / pieces;
}

// Sets bounds[0..pieces] to the starts of the pieces of the cheapest cut, and bounds[pieces] to the end of the last
// one. There are at most kMaxPieces pieces, and at least as many codes. Any thread may call it, on its own; no
// barriers, no shared memory.
__device__ void cut(const fm::IndexView& view, const uint8_t* codes, uint32_t length, uint32_t pieces,
                    uint32_t* bounds) {
  // No piece is shorter than this; the pieces of an even cut have at least this length.
  const uint32_t shortest = min(view.table_length, length / pieces);
  // For each place of the previous bound, and of this one, the least number of occurrences of the pieces up to it.
  uint32_t before[kPlaces], now[kPlaces];
  // For each piece and place of its end, the best place of its beginning.
  uint8_t chosen[kMaxPieces][kPlaces];
  for (uint32_t place = 0; place < kPlaces; place++) before[place] = place == kReach ? 0 : kNoCut;
  for (uint32_t number = 1; number <= pieces; number++) {
    const uint32_t previous = even(length, pieces, number - 1);
    for (uint32_t place = 0; place < kPlaces; place++) {
      uint32_t least = kNoCut, chosen_here = 0;
      uint32_t end = even(length, pieces, number) + place;
      const bool possible = end >= kReach + shortest && (number < pieces || place == kReach);
      end -= kReach;
      if (possible && end <= length) {
        uint32_t begin = end - shortest;
        fm::Interval rows = fm::search(view, codes + begin, shortest);
        while (true) {
          const uint32_t from = begin + kReach - previous;
          if (from < kPlaces && before[from] < kNoCut) {
            const uint32_t sum = min(before[from] + min(rows.size, ~before[from]), kNoCut - 1);
            if (sum < least) {
              least = sum;
              chosen_here = from;
            }
          }
          if (begin == 0 || begin + kReach == previous) break;
          begin--;
          if (rows.size > kRare) {
            if (codes[begin] > 3) rows.size = 0;
            else fm::put_before(view, codes[begin], rows);
          }
        }
      }
      now[place] = least;
      chosen[number - 1][place] = static_cast<uint8_t>(chosen_here);
    }
    for (uint32_t place = 0; place < kPlaces; place++) before[place] = now[place];
  }
  bounds[pieces] = length;
  uint32_t place = kReach;
  for (uint32_t number = pieces; number-- > 0;) {
    place = chosen[number][place];
    bounds[number] = even(length, pieces, number) + place - kReach;
  }
}

}  // namespace woodstocc

// Cuts the wanted queries into k + 1 pieces. Any grid of one-dimensional blocks; no barriers, no shared memory.
extern "C" __global__ void __launch_bounds__(128)
    filter_cuts(const __grid_constant__ woodstocc::CutParameters parameters) {
  const fm::IndexView& view = parameters.index;
  const uint32_t pieces = parameters.k + 1, threads = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < parameters.wanted_count; i += threads) {
    const uint32_t query = parameters.wanted[i], begin = parameters.offsets[query];
    const uint32_t length = parameters.offsets[query + 1] - begin;
    woodstocc::cut(view, parameters.codes + begin, length, pieces, parameters.bounds + query * (pieces + 1));
  }
}
SIMT_EXPORT(filter_cuts)
