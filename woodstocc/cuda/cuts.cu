// Cuts queries into pieces that occur least: filter/cuts.rs for a GPU, one thread a query.
#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>

namespace woodstocc {

// As in cuts.rs.
constexpr uint32_t kReach = 8, kPlaces = 2 * kReach + 1, kRare = 16, kNever = ~0u;
constexpr uint32_t kMostPieces = 16;

// Where a piece of a query of `length` bases begins if all are equally long, but for rounding.
__device__ inline uint32_t even(uint32_t length, uint32_t pieces, uint32_t number) {
  return number * length / pieces;
}

// Sets bounds[0..pieces] to where the pieces of the cheapest cut begin, and the end of the last.
// There are at most kMostPieces, and no fewer codes. Any thread, on its own.
__device__ void cut(const fm::View& view, const uint8_t* codes, uint32_t length, uint32_t pieces,
                    uint32_t* bounds) {
  // No piece is shorter; all of an even cut are as long.
  const uint32_t shortest = min(view.table_length, length / pieces);
  // For each place of the bound before, and of this one, the occurrences of the pieces up to there.
  uint32_t before[kPlaces], now[kPlaces];
  // For each piece and place of its end, the place of its beginning.
  uint8_t chosen[kMostPieces][kPlaces];
  for (uint32_t place = 0; place < kPlaces; place++) before[place] = place == kReach ? 0 : kNever;
  for (uint32_t number = 1; number <= pieces; number++) {
    const uint32_t previous = even(length, pieces, number - 1);
    for (uint32_t place = 0; place < kPlaces; place++) {
      uint32_t least = kNever, chosen_here = 0;
      uint32_t end = even(length, pieces, number) + place;
      const bool possible = end >= kReach + shortest && (number < pieces || place == kReach);
      end -= kReach;
      if (possible && end <= length) {
        uint32_t begin = end - shortest;
        fm::Interval rows = fm::search(view, codes + begin, shortest);
        while (true) {
          const uint32_t from = begin + kReach - previous;
          if (from < kPlaces && before[from] < kNever) {
            const uint32_t sum = min(before[from] + min(rows.size, ~before[from]), kNever - 1);
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

// Cuts queries wanted[0..count) into k + 1 pieces, at most 16.
//
// codes, offsets   query q has the codes offsets[q] to offsets[q + 1], more than k of them
// bounds           k + 2 a query: set to where its pieces begin, and the end of the last
//
// Any grid of one-dimensional blocks. No barriers, no shared memory.
extern "C" __global__ void __launch_bounds__(128)
    filter_cuts(const fm::View* index, const uint8_t* codes, const uint32_t* offsets,
                const uint32_t* wanted, uint32_t count, uint32_t k, uint32_t* bounds) {
  const fm::View view = *index;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const uint32_t query = wanted[i], begin = offsets[query];
    woodstocc::cut(view, codes + begin, offsets[query + 1] - begin, k + 1, bounds + query * (k + 2));
  }
}
SIMT_EXPORT(filter_cuts)
