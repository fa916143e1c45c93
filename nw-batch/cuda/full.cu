// Full matrices of 32-bit scores in device memory, with linear gaps: the kernels of Li's
// dissertation, chapter 3, for comparison.
//
//   Rodinia-NW, TiledDScan-mNW   nw_tiles   a launch for each diagonal of tiles, of one pair (3.3.4)
//                                           or of all (3.3.1, figure 5)
//   DScan-mNW                    nw_dscan   a block a pair, diagonal after diagonal (figure 6)
//   RScan-mNW                    nw_rscan   a thread a pair, row after row (figure 7)
//
// All of them set up the first row and column on the device, by nw_borders. The rows of matrix p,
// of pitch() values each, begin at matrices + starts[p], so that column 1 of every row is at the
// beginning of a sector: starts[p] is 7 more than a multiple of 8. What a warp writes of a row is
// then whole sectors, unlike in the papers' layout, where every write at the edge of a tile is
// completed by a read of the memory.
#include <gpualign/cuda_or_cpu.cuh>

#include <nw_batch/task.cuh>

namespace nw {

// The score of a pair of codes.
static __device__ __forceinline__ int pair_score(const Model& model, const int16_t* table,
                                                 uint32_t query, uint32_t target) {
  return table[query * CODES + target] - 2 * model.extend;
}

// The value of a cell, from its neighbours.
static __device__ __forceinline__ int cell(int diagonal, int above, int left, int pair, int gap) {
  return max(diagonal + pair, max(above, left) - gap);
}

// Values from a row of a matrix to the next.
static __device__ __forceinline__ uint64_t pitch(const Place& place) {
  return (place.columns / 8 + 1) * 8;
}

// The first rows and columns of all matrices. Any grid; no barrier.
extern "C" __global__ void nw_borders(const Model* model, const Place* places, uint32_t count,
                                      const uint64_t* starts, int32_t* matrices) {
  for (uint32_t p = blockIdx.x; p < count; p += gridDim.x) {
    int32_t* matrix = matrices + starts[p];
    const Place place = places[p];
    for (uint32_t j = threadIdx.x; j <= place.columns; j += blockDim.x) {
      matrix[j] = -static_cast<int>(j) * model->extend;
    }
    for (uint32_t i = threadIdx.x; i <= place.rows; i += blockDim.x) {
      matrix[i * pitch(place)] = -static_cast<int>(i) * model->extend;
    }
  }
}
SIMT_EXPORT(nw_borders)

// The last value of each matrix. Any grid; no barrier.
extern "C" __global__ void nw_corners(const Place* places, uint32_t count, const uint64_t* starts,
                                      const int32_t* matrices, int32_t* scores) {
  for (uint32_t p = blockIdx.x * blockDim.x + threadIdx.x; p < count;
       p += gridDim.x * blockDim.x) {
    const Place place = places[p];
    scores[p] = matrices[starts[p] + place.rows * pitch(place) + place.columns];
  }
}
SIMT_EXPORT(nw_corners)

constexpr int TILE = 32;

// The tiles of one diagonal of tiles of the matrices first..first + count. Blocks of TILE threads,
// `tiles` for each pair: the most that a diagonal has. Block barriers in uniform places.
extern "C" __global__ void nw_tiles(const Model* model, const Place* places, uint32_t first,
                                    uint32_t count, uint32_t tiles, uint32_t diagonal,
                                    const uint8_t* queries, const uint8_t* targets,
                                    const int16_t* table, const uint64_t* starts,
                                    int32_t* matrices) {
  // A diagonal's cells are TILE + 1 words from each other, and so in different banks.
  __shared__ int values[TILE + 1][TILE + 2];
  __shared__ uint8_t columns[TILE];
  const uint32_t p = first + blockIdx.x / tiles;
  const Place place = places[p];
  const uint32_t tile_rows = (place.rows + TILE - 1) / TILE;
  const uint32_t tile_columns = (place.columns + TILE - 1) / TILE;
  // The first tile of the diagonal is in its uppermost row.
  const uint32_t uppermost = diagonal < tile_columns ? 0 : diagonal - tile_columns + 1;
  const uint32_t tile_row = uppermost + blockIdx.x % tiles;
  if (blockIdx.x / tiles >= count || tile_row >= tile_rows || tile_row > diagonal) return;
  const uint32_t top = tile_row * TILE, left = (diagonal - tile_row) * TILE;
  const uint32_t height = min(static_cast<uint32_t>(TILE), place.rows - top);
  const uint32_t width = min(static_cast<uint32_t>(TILE), place.columns - left);
  const uint64_t to_next = pitch(place);
  int32_t* corner = matrices + starts[p] + top * to_next + left;
  const uint32_t t = threadIdx.x;
  if (t < width) {
    values[0][t + 1] = corner[t + 1];
    columns[t] = targets[place.target + left + t];
  }
  if (t < height) values[t + 1][0] = corner[(t + 1) * to_next];
  if (t == 0) values[0][0] = corner[0];
  const uint32_t query = t < height ? queries[place.query + top + t] : 0;
  __syncthreads();
  const int gap = model->extend;
  int before = t < height ? values[t + 1][0] : 0;
  int diagonal_value = t < height ? values[t][0] : 0;
  for (uint32_t d = 0; d < height + width - 1; d++) {
    const uint32_t j = d - t;  // a large number before this thread's turn
    if (t < height && j < width) {
      const int above = values[t][j + 1];
      before = cell(diagonal_value, above, before,
                    pair_score(*model, table, query, columns[j]), gap);
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

// A block fills a matrix by diagonals, the last four of which are in shared memory. A thread writes
// four values of its row at a time. Of longer queries a strip of rows is filled after the other, from
// the row above it. Any grid of one-dimensional blocks, with 4 * (strip + 1) words of shared memory.
// Block barriers in uniform places.
extern "C" __global__ void nw_dscan(const Model* model, const Place* places, uint32_t count,
                                    uint32_t strip, const uint8_t* queries,
                                    const uint8_t* targets, const int16_t* table,
                                    const uint64_t* starts, int32_t* matrices) {
  DYN_SMEM(int, shared);
  const int gap = model->extend;
  const auto diagonal = [&](uint32_t d) { return shared + (d % 4) * (strip + 1); };
  for (uint32_t p = blockIdx.x; p < count; p += gridDim.x) {
    const Place place = places[p];
    const uint64_t to_next = pitch(place);
    for (uint32_t top = 0; top < place.rows; top += strip) {
      const uint32_t height = min(strip, place.rows - top);
      int32_t* rows = matrices + starts[p] + top * to_next;
      for (uint32_t d = 0; d <= height + place.columns; d++) {
        const uint32_t lowest = d > place.columns ? d - place.columns : 0;
        const uint32_t highest = min(d, height);
        for (uint32_t i = lowest + threadIdx.x; i <= highest; i += blockDim.x) {
          const uint32_t j = d - i;
          if (i == 0 || j == 0) {
            // The row above a strip is read; the matrix's own first row and column are known.
            const bool known = j == 0 || top == 0;
            diagonal(d)[i] = known ? -static_cast<int>(top + d) * gap : rows[j];
            continue;
          }
          const int pair = pair_score(*model, table, queries[place.query + top + i - 1],
                                      targets[place.target + j - 1]);
          const int* last = diagonal(d - 1);
          const int value = cell(diagonal(d - 2)[i - 1], last[i - 1], last[i], pair, gap);
          diagonal(d)[i] = value;
          int32_t* written = rows + i * to_next + j;
          if (j % 4 == 0) {
            const int4 four = {diagonal(d - 3)[i], diagonal(d - 2)[i], last[i], value};
            *reinterpret_cast<int4*>(written - 3) = four;
          } else if (j == place.columns) {
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

constexpr int SECTION = 32;

// What the threads of a warp know of each other's matrices.
struct Rows {
  uint64_t first, to_next, target;  // where the matrix begins, a row's values, the target
  uint32_t rows, columns;
};

// A thread fills a matrix by rows. Of each row a section is in shared memory at a time, which the
// warp copies from and to device memory together. Blocks of 32 threads; no block barrier.
extern "C" __global__ void nw_rscan(const Model* model, const Place* places, uint32_t count,
                                    const uint8_t* queries, const uint8_t* targets,
                                    const int16_t* table, const uint64_t* starts,
                                    int32_t* matrices) {
  constexpr unsigned ALL = ~0u;
  __shared__ int sections[SECTION][SECTION + 1];  // above, then the row itself, of each thread
  __shared__ uint8_t codes[SECTION][SECTION + 1];
  __shared__ Rows all[SECTION];
  const int gap = model->extend;
  const uint32_t t = threadIdx.x;
  const uint32_t begin = blockIdx.x * SECTION;
  const uint32_t pairs = min(static_cast<uint32_t>(SECTION), count - begin);
  const uint32_t own_pair = begin + min(t, pairs - 1);
  const Place own = places[own_pair];
  // A thread without a pair has a matrix without rows.
  const uint32_t own_rows = t < pairs ? own.rows : 0;
  all[t] = {starts[own_pair], pitch(own), own.target, own_rows, own.columns};
  uint32_t rows = own_rows, columns = own.columns;
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    rows = max(rows, __shfl_xor_sync(ALL, rows, lanes));
    columns = max(columns, __shfl_xor_sync(ALL, columns, lanes));
  }
  __syncwarp();
  for (uint32_t i = 1; i <= rows; i++) {
    const bool active = i <= own_rows;
    const uint32_t query = active ? queries[own.query + i - 1] : 0;
    int left = -static_cast<int>(i) * gap;
    int diagonal = left + gap;
    for (uint32_t start = 1; start <= columns; start += SECTION) {
      const uint32_t j = start + t;
#pragma unroll 8
      for (uint32_t p = 0; p < SECTION; p++) {
        if (i > all[p].rows || j > all[p].columns) continue;
        sections[p][t] = matrices[all[p].first + (i - 1) * all[p].to_next + j];
        codes[p][t] = targets[all[p].target + j - 1];
      }
      __syncwarp();
      const uint32_t width = active && start <= own.columns ? own.columns - start + 1 : 0;
#pragma unroll 4
      for (uint32_t c = 0; c < min(width, static_cast<uint32_t>(SECTION)); c++) {
        const int above = sections[t][c];
        left = cell(diagonal, above, left, pair_score(*model, table, query, codes[t][c]), gap);
        sections[t][c] = left;
        diagonal = above;
      }
      __syncwarp();
#pragma unroll 8
      for (uint32_t p = 0; p < SECTION; p++) {
        if (i > all[p].rows || j > all[p].columns) continue;
        matrices[all[p].first + i * all[p].to_next + j] = sections[p][t];
      }
      __syncwarp();
    }
  }
}
SIMT_EXPORT(nw_rscan)

}  // namespace nw
