// Edit distances of many pairs, with a bit for each matrix cell (Myers, J. ACM 46, 1999), in words with carries between
// them (Hyyro, 2003).
//
// G lanes share a matrix, W words of 32 rows each, in the same wave as in wave.cuh: a lane takes the horizontal
// differences of the row above from the lane before it. The vertical differences of the last column add up to the
// distance.
#include <gpualign/cuda_or_cpu.cuh>

#include <nw_batch/structs.cuh>

namespace nw {

// Codes that are told apart: A, C, G and T, and all others, which equal nothing.
constexpr uint32_t LETTERS = 5;

// Columns of a block, which the lanes of a matrix read together.
constexpr uint32_t BLOCK = 32;

// What a warp of edit_distances keeps in shared memory.
template <int G, int W>
struct EditMemory {
  // For each letter, which rows of each lane equal it: word w of all lanes, then the next word.
  uint32_t equal[LETTERS][W][32];
  // For each matrix, the letters of G columns before a block and of the block.
  uint32_t letters[32 / G][G + BLOCK];
  // For each matrix, the horizontal differences of the row above its strip in the block: bit 31 stands for 1, bit 30
  // for -1.
  uint32_t above[32 / G][BLOCK];
};

// The rows of a lane, a bit each: vertical differences of the last column, and its horizontal differences in the lane's
// last 32 rows, of which bit 31 is the last row's.
template <int W>
struct EditRows {
  uint32_t plus[W], minus[W];
  uint32_t rises, falls;

  // Computes the next column; `equal_rows` tells which rows equal its residue. The horizontal differences of the row
  // above are bits 31 of `rise` and `fall`.
  __device__ __forceinline__ void next_column(const uint32_t (&equal_rows)[W], uint32_t rise, uint32_t fall) {
#pragma unroll
    for (int w = 0; w < W; w++) {
      const uint32_t vertical = equal_rows[w] | minus[w];
      const uint32_t equal = equal_rows[w] | fall >> 31;
      const uint32_t horizontal = (((equal & plus[w]) + plus[w]) ^ plus[w]) | equal;
      const uint32_t rises_here = minus[w] | ~(horizontal | plus[w]);
      const uint32_t falls_here = plus[w] & horizontal;
      const uint32_t shifted = __funnelshift_l(rise, rises_here, 1);
      plus[w] = __funnelshift_l(fall, falls_here, 1) | ~(vertical | shifted);
      minus[w] = shifted & vertical;
      rise = rises_here;
      fall = falls_here;
    }
    rises = rise;
    falls = fall;
  }
};

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
  constexpr uint32_t UP = 1u << 31;
  __shared__ EditMemory<G, W> memories[4];
  EditMemory<G, W>& memory = memories[threadIdx.x / 32];
  const uint32_t warp_lane = threadIdx.x % 32;
  const uint32_t lane = threadIdx.x % G;
  const uint32_t group = threadIdx.x % 32 / G;
  const uint32_t strip_row = (blockIdx.x * blockDim.x + threadIdx.x) / G;
  uint8_t* row = parameters.strip_rows + static_cast<uint64_t>(strip_row) * parameters.row_bytes;
  const uint8_t* queries = parameters.sequences.queries;
  const uint8_t* targets = parameters.sequences.targets;
#pragma unroll
  for (int w = 0; w < W; w++) memory.equal[LETTERS - 1][w][warp_lane] = 0;
  for (;;) {
    uint32_t task = 0;
    if (warp_lane == 0) task = atomicAdd(parameters.next_task, 1u);
    task = __shfl_sync(ALL, task, 0);
    if (task >= parameters.tasks) return;
    const uint32_t index = parameters.order[task * PAIRS + group];
    const PairSpan span = span_of(parameters.pairs[index], parameters.sequences);
    const uint32_t m = span.rows, n = span.columns;
    uint32_t strips = (m + 32 * G * W - 1) / (32 * G * W), most = n, least = n;
    for (int lanes = G; lanes < 32; lanes *= 2) {
      strips = max(strips, __shfl_xor_sync(ALL, strips, lanes));
      most = max(most, __shfl_xor_sync(ALL, most, lanes));
      least = min(least, __shfl_xor_sync(ALL, least, lanes));
    }
    int distance = 0;
    for (uint32_t strip = 0; strip < strips; strip++) {
      const uint32_t top = (strip * G + lane) * W * 32;
      const bool feeds_next_strip = lane == G - 1 && strip + 1 < strips;
      EditRows<W> rows;
#pragma unroll
      for (int w = 0; w < W; w++) {
        uint32_t equal[LETTERS - 1] = {};
        for (uint32_t bit = 0; bit < 32; bit++) {
          const uint32_t i = top + 32 * w + bit;
          if (i >= m) break;
          const uint32_t code = queries[span.query + i];
#pragma unroll
          for (uint32_t letter = 0; letter < LETTERS - 1; letter++) equal[letter] |= (code == letter ? 1u : 0u) << bit;
        }
        // Only the lane itself reads them.
#pragma unroll
        for (uint32_t letter = 0; letter < LETTERS - 1; letter++) memory.equal[letter][w][warp_lane] = equal[letter];
        rows.plus[w] = ~0u;
        rows.minus[w] = 0;
      }
      rows.rises = rows.falls = 0;
      uint32_t last_letter = 0;
      // Orders the last lane's writes of the row above this strip before reads.
      __syncwarp();
      const uint32_t steps = most + G - 1;
      for (uint32_t first = 0; first < steps; first += BLOCK) {
        // All lanes are done with what is replaced.
        __syncwarp();
        memory.letters[group][lane] = last_letter;
        uint32_t letter = 0;
#pragma unroll
        for (uint32_t part = 0; part < BLOCK / G; part++) {
          const uint32_t column = first + part * G + lane;
          letter = column < n ? min(static_cast<uint32_t>(targets[span.target + column]), LETTERS - 1) : 0;
          memory.letters[group][G + part * G + lane] = letter;
          uint32_t above = UP;
          if (strip > 0 && column < n) above = static_cast<uint32_t>(row[column]) << 24;
          memory.above[group][part * G + lane] = above;
        }
        last_letter = letter;
        __syncwarp();
        const uint32_t* letters = memory.letters[group] + G - lane;
        const uint32_t* above = memory.above[group];
        const bool is_full = first >= G - 1 && first + BLOCK <= least;
        const uint32_t count = min(BLOCK, steps - first);
#pragma unroll 4
        for (uint32_t k = 0; k < count; k++) {
          uint32_t rise = __shfl_up_sync(ALL, rows.rises, 1, G);
          uint32_t fall = __shfl_up_sync(ALL, rows.falls, 1, G);
          if (lane == 0) {
            rise = above[k];
            fall = rise << 1;
          }
          // Column, from 0; a large number before the lane's first column.
          const uint32_t j = first + k - lane;
          if (is_full || j < n) {
            uint32_t equal[W];
            const uint32_t(&words)[W][32] = memory.equal[letters[k]];
#pragma unroll
            for (int w = 0; w < W; w++) equal[w] = words[w][warp_lane];
            rows.next_column(equal, rise, fall);
            if (feeds_next_strip) row[j] = static_cast<uint8_t>((rows.rises & UP) >> 24 | (rows.falls & UP) >> 25);
          }
        }
      }
#pragma unroll
      for (int w = 0; w < W; w++) {
        const uint32_t from = top + 32 * w;
        const uint32_t count = from >= m ? 0 : min(32u, m - from);
        const uint32_t inside = count == 32 ? ~0u : (1u << count) - 1;
        distance += __popc(rows.plus[w] & inside) - __popc(rows.minus[w] & inside);
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
