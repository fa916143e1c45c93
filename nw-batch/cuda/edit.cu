// Edit distances of many pairs, a bit a cell (Myers, J. ACM 46, 1999; in words with carries between
// them by Hyyro, 2003).
//
// G lanes share a matrix, W words of 32 rows each, in the same wave as in wave.cuh: a lane takes the
// horizontal differences of the row above from its neighbour. The vertical differences in the last
// column add up to the distance.
#include <gpualign/cuda_or_cpu.cuh>

#include <nw_batch/task.cuh>

namespace nw {

// A horizontal difference of 1; bit 1 stands for -1.
constexpr uint32_t UP = 1;

// The negative edit distances of many of `pairs`: those with the numbers in `order`, which has 32 / G
// for each task, the last one repeated. A warp takes the next task when it is done with one: `next`
// starts at 0. `rooms` has `row_bytes` bytes for each G lanes of the grid, the longest target's
// columns; unused if no query has more than 32 G W rows. `scores` gets that of each pair by its
// number. Blocks of whole warps, in one dimension. No block barrier.
template <int G, int W>
__device__ void edit(const Pair* pairs, const uint32_t* order, uint32_t tasks,
                     const uint8_t* queries, const uint64_t* query_offsets, const uint8_t* targets,
                     const uint64_t* target_offsets, uint32_t* next, uint8_t* rooms,
                     uint32_t row_bytes, int32_t* scores) {
  constexpr unsigned ALL = ~0u;
  constexpr uint32_t PAIRS = 32 / G;
  const uint32_t lane = threadIdx.x % G;
  const uint32_t group = threadIdx.x % 32 / G;
  const uint64_t room = (blockIdx.x * blockDim.x + threadIdx.x) / G;
  uint8_t* row = rooms + room * row_bytes;
  for (;;) {
    uint32_t task = 0;
    if (threadIdx.x % 32 == 0) task = atomicAdd(next, 1u);
    task = __shfl_sync(ALL, task, 0);
    if (task >= tasks) return;
    const uint32_t number = order[task * PAIRS + group];
    const Place place = place_of(pairs[number], query_offsets, target_offsets);
    const uint32_t m = place.rows, n = place.columns;
    uint32_t strips = (m + 32 * G * W - 1) / (32 * G * W), columns = n;
    for (int lanes = G; lanes < 32; lanes *= 2) {
      strips = max(strips, __shfl_xor_sync(ALL, strips, lanes));
      columns = max(columns, __shfl_xor_sync(ALL, columns, lanes));
    }
    int distance = 0;
    for (uint32_t strip = 0; strip < strips; strip++) {
      const uint32_t top = (strip * G + lane) * W * 32;
      const bool hands_on = lane == G - 1 && strip + 1 < strips;
      // The codes of the rows, a bit of each in a word of its own, and which are known.
      uint32_t low[W], high[W], known[W], plus[W], minus[W];
#pragma unroll
      for (int w = 0; w < W; w++) {
        low[w] = high[w] = known[w] = 0;
        for (uint32_t bit = 0; bit < 32; bit++) {
          const uint32_t i = top + 32 * w + bit;
          if (i >= m) break;
          const uint32_t code = queries[place.query + i];
          low[w] |= (code & 1) << bit;
          high[w] |= (code >> 1 & 1) << bit;
          known[w] |= (code < 4 ? 1u : 0u) << bit;
        }
        plus[w] = ~0u;
        minus[w] = 0;
      }
      uint32_t bottom = 0;
      uint32_t following = targets[place.target];
      for (uint32_t step = 0; step < columns + G - 1; step++) {
        uint32_t above = __shfl_up_sync(ALL, bottom, 1, G);
        const uint32_t j = step - lane;  // from 0; a large number before this lane's turn
        if (lane == 0 && j < n) above = strip == 0 ? UP : row[j];
        if (j < n) {
          const uint32_t code = following;
          if (j + 1 < n) following = targets[place.target + j + 1];
          const uint32_t code_low = 0u - (code & 1), code_high = 0u - (code >> 1 & 1);
          const uint32_t code_known = code < 4 ? ~0u : 0u;
          uint32_t up = above & 1, down = above >> 1;
#pragma unroll
          for (int w = 0; w < W; w++) {
            uint32_t equal = known[w] & code_known & ~(low[w] ^ code_low) & ~(high[w] ^ code_high);
            const uint32_t vertical = equal | minus[w];
            equal |= down;
            const uint32_t horizontal = (((equal & plus[w]) + plus[w]) ^ plus[w]) | equal;
            uint32_t rises = minus[w] | ~(horizontal | plus[w]);
            uint32_t falls = plus[w] & horizontal;
            const uint32_t next_up = rises >> 31, next_down = falls >> 31;
            rises = rises << 1 | up;
            falls = falls << 1 | down;
            plus[w] = falls | ~(vertical | rises);
            minus[w] = rises & vertical;
            up = next_up;
            down = next_down;
          }
          bottom = up | down << 1;
          if (hands_on) row[j] = static_cast<uint8_t>(bottom);
        }
        // Lane 0 reads what the last lane wrote G - 1 columns and a strip ago.
        if (strips > 1) __syncwarp();
      }
#pragma unroll
      for (int w = 0; w < W; w++) {
        const uint32_t first = top + 32 * w;
        const uint32_t rows = first >= m ? 0 : min(32u, m - first);
        const uint32_t inside = rows == 32 ? ~0u : (1u << rows) - 1;
        distance += __popc(plus[w] & inside) - __popc(minus[w] & inside);
      }
    }
    for (int lanes = G / 2; lanes > 0; lanes /= 2) {
      distance += __shfl_xor_sync(ALL, distance, lanes);
    }
    if (lane == 0) scores[number] = -(distance + static_cast<int>(n));
  }
}

}  // namespace nw

#define NW_EDIT(G, W)                                                                           \
  extern "C" __global__ void __launch_bounds__(128) nw_edit_##G##_##W(                          \
      const nw::Pair* pairs, const uint32_t* order, uint32_t tasks, const uint8_t* queries,     \
      const uint64_t* query_offsets, const uint8_t* targets, const uint64_t* target_offsets,    \
      uint32_t* next, uint8_t* rooms, uint32_t row_bytes, int32_t* scores) {                    \
    nw::edit<G, W>(pairs, order, tasks, queries, query_offsets, targets, target_offsets, next,  \
                   rooms, row_bytes, scores);                                                   \
  }                                                                                             \
  SIMT_EXPORT(nw_edit_##G##_##W)

NW_EDIT(8, 1)
NW_EDIT(8, 2)
NW_EDIT(8, 4)
NW_EDIT(8, 6)
