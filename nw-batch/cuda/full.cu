// Full matrices of 32-bit scores in device memory, with linear gaps: the kernels of Li 2016, chapter 3, for comparison.
//
//   Rodinia-NW, TiledDScan-mNW   nw_tiles   a launch for each diagonal of tiles, of one pair (Li 2016, 3.3.4) or of all
//                                           pairs (3.3.1, fig. 5)
//   DScan-mNW                    nw_dscan   a block for each pair, diagonal after diagonal (fig. 6)
//   RScan-mNW                    nw_rscan   a thread for each pair, row after row (fig. 7)
//
// For each of them nw_borders first sets up row 0 and column 0, and nw_corners at the end reads the scores. The rows of
// the matrix of pair p, of pitch() values each, begin at matrices + starts[p], so that column 1 of every row begins a
// sector of device memory: starts[p] is 7 more than a multiple of 8. A warp's write to a row then has whole sectors; in
// Li's layout, memory has to be read to complete the sectors at the edges of each tile.
#include <gpualign/cuda_or_cpu.cuh>

#include <nw_batch/structs.cuh>

namespace nw {

// Score of two residues, by their codes. Any thread may call it.
static __device__ __forceinline__ int pair_score(const MatrixGroupParameters& group, uint32_t query,
                                                 uint32_t target) {
  return group.table[query * CODES + target] - 2 * static_cast<int>(group.gap);
}

// Value of a cell, from its three neighbours, the score of its residues and the cost of a residue in a gap.
static __device__ __forceinline__ int cell(int diagonal, int above, int left, int pair, int gap) {
  return max(diagonal + pair, max(above, left) - gap);
}

// Values from a row of a pair's matrix to the next.
static __device__ __forceinline__ uint64_t pitch(const PairSpan& span) {
  return (span.columns / 8 + 1) * 8;
}

// Sets row 0 and column 0 of all matrices. Any grid; no barrier.
extern "C" __global__ void nw_borders(const __grid_constant__ MatrixGroupParameters group) {
  const int gap = static_cast<int>(group.gap);
  for (uint32_t p = blockIdx.x; p < group.count; p += gridDim.x) {
    int32_t* matrix = group.matrices + group.starts[p];
    const PairSpan span = group.spans[p];
    for (uint32_t j = threadIdx.x; j <= span.columns; j += blockDim.x) {
      matrix[j] = -static_cast<int>(j) * gap;
    }
    for (uint32_t i = threadIdx.x; i <= span.rows; i += blockDim.x) {
      matrix[i * pitch(span)] = -static_cast<int>(i) * gap;
    }
  }
}
SIMT_EXPORT(nw_borders)

// Copies the last value of each matrix to the scores. Any grid; no barrier.
extern "C" __global__ void nw_corners(const __grid_constant__ MatrixGroupParameters group) {
  for (uint32_t p = blockIdx.x * blockDim.x + threadIdx.x; p < group.count;
       p += gridDim.x * blockDim.x) {
    const PairSpan span = group.spans[p];
    group.scores[p] = group.matrices[group.starts[p] + span.rows * pitch(span) + span.columns];
  }
}
SIMT_EXPORT(nw_corners)

// Rows and columns of a tile.
constexpr int TILE = 32;

// Fills the tiles of one diagonal of tiles, of the pairs `first` to `first + count - 1`. Blocks of TILE threads,
// `tiles` for each pair. Block barriers in uniform places.
extern "C" __global__ void nw_tiles(const __grid_constant__ TilesParameters parameters) {
  const MatrixGroupParameters& group = parameters.group;
  const uint32_t tiles = parameters.tiles, diagonal = parameters.diagonal;
  // A diagonal's cells are TILE + 1 words from each other, and so in different banks.
  __shared__ int values[TILE + 1][TILE + 2];
  __shared__ uint8_t columns[TILE];
  const uint32_t p = parameters.first + blockIdx.x / tiles;
  const PairSpan span = group.spans[p];
  const uint32_t tile_rows = (span.rows + TILE - 1) / TILE;
  const uint32_t tile_columns = (span.columns + TILE - 1) / TILE;
  // Row of tiles of the diagonal's first tile.
  const uint32_t uppermost = diagonal < tile_columns ? 0 : diagonal - tile_columns + 1;
  const uint32_t tile_row = uppermost + blockIdx.x % tiles;
  if (blockIdx.x / tiles >= parameters.count || tile_row >= tile_rows || tile_row > diagonal) return;
  const uint32_t top = tile_row * TILE, left = (diagonal - tile_row) * TILE;
  const uint32_t height = min(static_cast<uint32_t>(TILE), span.rows - top);
  const uint32_t width = min(static_cast<uint32_t>(TILE), span.columns - left);
  const uint64_t to_next = pitch(span);
  int32_t* corner = group.matrices + group.starts[p] + top * to_next + left;
  const uint32_t t = threadIdx.x;
  if (t < width) {
    values[0][t + 1] = corner[t + 1];
    columns[t] = group.targets[span.target + left + t];
  }
  if (t < height) values[t + 1][0] = corner[(t + 1) * to_next];
  if (t == 0) values[0][0] = corner[0];
  const uint32_t query = t < height ? group.queries[span.query + top + t] : 0;
  __syncthreads();
  const int gap = static_cast<int>(group.gap);
  int before = t < height ? values[t + 1][0] : 0;
  int diagonal_value = t < height ? values[t][0] : 0;
  for (uint32_t d = 0; d < height + width - 1; d++) {
    const uint32_t j = d - t;  // a large number before the thread's first column
    if (t < height && j < width) {
      const int above = values[t][j + 1];
      before = cell(diagonal_value, above, before,
                    pair_score(group, query, columns[j]), gap);
      diagonal_value = above;
      values[t + 1][j + 1] = before;
    }
    __syncthreads();
  }
  for (uint32_t i = 0; i < height; i++) {
    if (t < width) corner[(i + 1) * to_next + t + 1] = values[i + 1][t + 1];
  }
}
SIMT_EXPORT(nw_tiles)

// Fills matrices, a block for each, by diagonals, the last four of which are in shared memory. A thread writes four
// values of its row at a time. Queries longer than `strip` are filled in strips of rows, each from the row above it.
// Any grid of one-dimensional blocks, with 4 * (strip + 1) words of dynamic shared memory. Block barriers in uniform
// places.
extern "C" __global__ void nw_dscan(const __grid_constant__ DscanParameters parameters) {
  const MatrixGroupParameters& group = parameters.group;
  const uint32_t strip = parameters.strip;
  DYN_SMEM(int, shared);
  const int gap = static_cast<int>(group.gap);
  const auto diagonal = [&](uint32_t d) { return shared + (d % 4) * (strip + 1); };
  for (uint32_t p = blockIdx.x; p < group.count; p += gridDim.x) {
    const PairSpan span = group.spans[p];
    const uint64_t to_next = pitch(span);
    for (uint32_t top = 0; top < span.rows; top += strip) {
      const uint32_t height = min(strip, span.rows - top);
      int32_t* rows = group.matrices + group.starts[p] + top * to_next;
      for (uint32_t d = 0; d <= height + span.columns; d++) {
        const uint32_t lowest = d > span.columns ? d - span.columns : 0;
        const uint32_t highest = min(d, height);
        for (uint32_t i = lowest + threadIdx.x; i <= highest; i += blockDim.x) {
          const uint32_t j = d - i;
          if (i == 0 || j == 0) {
            // Borders of the matrix are computed; the row above a strip is read from memory.
            const bool known = j == 0 || top == 0;
            diagonal(d)[i] = known ? -static_cast<int>(top + d) * gap : rows[j];
            continue;
          }
          const int pair = pair_score(group, group.queries[span.query + top + i - 1],
                                      group.targets[span.target + j - 1]);
          const int* last = diagonal(d - 1);
          const int value = cell(diagonal(d - 2)[i - 1], last[i - 1], last[i], pair, gap);
          diagonal(d)[i] = value;
          int32_t* written = rows + i * to_next + j;
          if (j % 4 == 0) {
            const int4 four = {diagonal(d - 3)[i], diagonal(d - 2)[i], last[i], value};
            *reinterpret_cast<int4*>(written - 3) = four;
          } else if (j == span.columns) {
            for (uint32_t back = 0; back < j % 4; back++) {
              *(written - back) = diagonal(d - back)[i];
            }
          }
        }
        __syncthreads();
      }
    }
  }
}
SIMT_EXPORT(nw_dscan)

// Pairs of a block of nw_rscan, and columns of a row that are in shared memory at a time.
constexpr int SECTION = 32;

// Matrix of one thread, as the other threads of its warp need it to copy sections of rows.
struct RowMatrix {
  uint64_t first;    // index of the matrix's first value
  uint64_t pitch;    // values from a row to the next
  uint64_t target;   // index of the target's first residue
  uint32_t rows, columns;
};

// Fills matrices, a thread for each, by rows. A section of the current row is in shared memory at a time; the warp
// copies sections from and to device memory together. Blocks of SECTION threads; no block barrier.
extern "C" __global__ void nw_rscan(const __grid_constant__ MatrixGroupParameters group) {
  constexpr unsigned ALL = ~0u;
  __shared__ int sections[SECTION][SECTION + 1];  // of each thread: the row above, then the row itself
  __shared__ uint8_t codes[SECTION][SECTION + 1];
  __shared__ RowMatrix all[SECTION];
  const int gap = static_cast<int>(group.gap);
  const uint32_t t = threadIdx.x;
  const uint32_t begin = blockIdx.x * SECTION;
  const uint32_t pairs = min(static_cast<uint32_t>(SECTION), group.count - begin);
  const uint32_t own_pair = begin + min(t, pairs - 1);
  const PairSpan own = group.spans[own_pair];
  // Threads beyond the last pair get a matrix without rows.
  const uint32_t own_rows = t < pairs ? own.rows : 0;
  all[t] = {group.starts[own_pair], pitch(own), own.target, own_rows, own.columns};
  uint32_t rows = own_rows, columns = own.columns;
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    rows = max(rows, __shfl_xor_sync(ALL, rows, lanes));
    columns = max(columns, __shfl_xor_sync(ALL, columns, lanes));
  }
  __syncwarp();
  for (uint32_t i = 1; i <= rows; i++) {
    const bool active = i <= own_rows;
    const uint32_t query = active ? group.queries[own.query + i - 1] : 0;
    int left = -static_cast<int>(i) * gap;
    int diagonal = left + gap;
    for (uint32_t start = 1; start <= columns; start += SECTION) {
      const uint32_t j = start + t;
#pragma unroll 8
      for (uint32_t p = 0; p < SECTION; p++) {
        if (i > all[p].rows || j > all[p].columns) continue;
        sections[p][t] = group.matrices[all[p].first + (i - 1) * all[p].pitch + j];
        codes[p][t] = group.targets[all[p].target + j - 1];
      }
      __syncwarp();
      const uint32_t width = active && start <= own.columns ? own.columns - start + 1 : 0;
#pragma unroll 4
      for (uint32_t c = 0; c < min(width, static_cast<uint32_t>(SECTION)); c++) {
        const int above = sections[t][c];
        left = cell(diagonal, above, left, pair_score(group, query, codes[t][c]), gap);
        sections[t][c] = left;
        diagonal = above;
      }
      __syncwarp();
#pragma unroll 8
      for (uint32_t p = 0; p < SECTION; p++) {
        if (i > all[p].rows || j > all[p].columns) continue;
        group.matrices[all[p].first + i * all[p].pitch + j] = sections[p][t];
      }
      __syncwarp();
    }
  }
}
SIMT_EXPORT(nw_rscan)

}  // namespace nw
