// Edit distances of many pairs, with a bit for each matrix cell (Myers, J. ACM 46, 1999), in words with carries between
// them (Hyyro, 2003).
//
// G lanes share a matrix, W words of 32 rows each, in the same wave as in wave.cuh: a lane takes the horizontal
// differences of the row above from the lane before it. The vertical differences of the last column add up to the
// distance.
#include <gpualign/cuda_or_cpu.cuh>

#include <nw_batch/structs.cuh>

namespace nw {

// Horizontal difference of 1, as lanes pass it on; bit 1 stands for a difference of -1.
constexpr uint32_t UP = 1;

// Computes the negative edit distances of the pairs of all tasks. Task t is of the 32 / G pairs order[t * 32 / G] and
// on; the last pair may be there several times. A warp takes the next task when it is done with one. Blocks of whole
// warps, in one dimension, all threads of which call it together. No block barrier.
//   next_task   counts the tasks taken; at first 0
//   strip_rows  row_bytes bytes for each G lanes of the grid, where row_bytes is at least the columns of the longest
//               target; unused if no query has more than 32 G W residues
//   scores      output, by the index of the pair
template <int G, int W>
__device__ void edit_distances(const EditParameters& parameters) {
  constexpr unsigned ALL = ~0u;
  constexpr uint32_t PAIRS = 32 / G;
  const uint32_t lane = threadIdx.x % G;
  const uint32_t group = threadIdx.x % 32 / G;
  const uint64_t strip_row = (blockIdx.x * blockDim.x + threadIdx.x) / G;
  uint8_t* row = parameters.strip_rows + strip_row * parameters.row_bytes;
  const uint8_t* queries = parameters.sequences.queries;
  const uint8_t* targets = parameters.sequences.targets;
  for (;;) {
    uint32_t task = 0;
    if (threadIdx.x % 32 == 0) task = atomicAdd(parameters.next_task, 1u);
    task = __shfl_sync(ALL, task, 0);
    if (task >= parameters.tasks) return;
    const uint32_t index = parameters.order[task * PAIRS + group];
    const PairSpan span = span_of(parameters.pairs[index], parameters.sequences);
    const uint32_t m = span.rows, n = span.columns;
    uint32_t strips = (m + 32 * G * W - 1) / (32 * G * W), columns = n;
    for (int lanes = G; lanes < 32; lanes *= 2) {
      strips = max(strips, __shfl_xor_sync(ALL, strips, lanes));
      columns = max(columns, __shfl_xor_sync(ALL, columns, lanes));
    }
    int distance = 0;
    for (uint32_t strip = 0; strip < strips; strip++) {
      const uint32_t top = (strip * G + lane) * W * 32;
      const bool feeds_next_strip = lane == G - 1 && strip + 1 < strips;
      // Codes of the rows, one row a bit: low bits, high bits, and which residues are known nucleotides; then the
      // vertical differences of 1 and of -1.
      uint32_t low[W], high[W], known[W], plus[W], minus[W];
#pragma unroll
      for (int w = 0; w < W; w++) {
        low[w] = high[w] = known[w] = 0;
        for (uint32_t bit = 0; bit < 32; bit++) {
          const uint32_t i = top + 32 * w + bit;
          if (i >= m) break;
          const uint32_t code = queries[span.query + i];
          low[w] |= (code & 1) << bit;
          high[w] |= (code >> 1 & 1) << bit;
          known[w] |= (code < 4 ? 1u : 0u) << bit;
        }
        plus[w] = ~0u;
        minus[w] = 0;
      }
      uint32_t bottom = 0;
      uint32_t following = targets[span.target];
      for (uint32_t step = 0; step < columns + G - 1; step++) {
        uint32_t above = __shfl_up_sync(ALL, bottom, 1, G);
        const uint32_t j = step - lane;  // column, from 0; a large number before the lane's first column
        if (lane == 0 && j < n) above = strip == 0 ? UP : row[j];
        if (j < n) {
          const uint32_t code = following;
          if (j + 1 < n) following = targets[span.target + j + 1];
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
          if (feeds_next_strip) row[j] = static_cast<uint8_t>(bottom);
        }
        // Orders the last lane's write of a column before lane 0's read of it in the next strip.
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
    if (lane == 0) parameters.scores[index] = -(distance + static_cast<int>(n));
  }
}

}  // namespace nw

// Defines the kernel nw_edit_G_W.
#define NW_EDIT(G, W)                                                                           \
  extern "C" __global__ void __launch_bounds__(128)                                             \
      nw_edit_##G##_##W(const __grid_constant__ nw::EditParameters parameters) {                \
    nw::edit_distances<G, W>(parameters);                                                       \
  }                                                                                             \
  SIMT_EXPORT(nw_edit_##G##_##W)

NW_EDIT(8, 1)
NW_EDIT(8, 2)
NW_EDIT(8, 4)
NW_EDIT(8, 6)
