// Full matrices of 32-bit scores in device memory, with linear gaps: the kernels of Li's
// dissertation, chapter 3, for comparison.
//
//   Rodinia-NW, TiledDScan-mNW   nw_tiles   a launch for each diagonal of tiles, of one pair (3.3.4)
//                                           or of all (3.3.1, figure 5)
//   DScan-mNW                    nw_dscan   a block a pair, diagonal after diagonal (figure 6)
//   RScan-mNW                    nw_rscan   a thread a pair, row after row (figure 7)
//
// All of them set up the first row and column on the device, by nw_borders. Matrix p has its rows,
// of columns + 1 values, from matrices + starts[p] on.
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

// The first rows and columns of all matrices. Any grid; no barrier.
extern "C" __global__ void nw_borders(const Model* model, const Place* places, uint32_t count,
                                      const uint64_t* starts, int32_t* matrices) {
  for (uint32_t p = blockIdx.x; p < count; p += gridDim.x) {
    int32_t* matrix = matrices + starts[p];
    const uint32_t width = places[p].columns + 1;
    for (uint32_t j = threadIdx.x; j < width; j += blockDim.x) {
      matrix[j] = -static_cast<int>(j) * model->extend;
    }
    for (uint32_t i = threadIdx.x; i <= places[p].rows; i += blockDim.x) {
      matrix[static_cast<uint64_t>(i) * width] = -static_cast<int>(i) * model->extend;
    }
  }
}
SIMT_EXPORT(nw_borders)

// The last value of each matrix. Any grid; no barrier.
extern "C" __global__ void nw_corners(const Place* places, uint32_t count, const uint64_t* starts,
                                      const int32_t* matrices, int32_t* scores) {
  for (uint32_t p = blockIdx.x * blockDim.x + threadIdx.x; p < count;
       p += gridDim.x * blockDim.x) {
    const uint64_t width = places[p].columns + 1;
    scores[p] = matrices[starts[p] + places[p].rows * width + places[p].columns];
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
  __shared__ int values[TILE + 1][TILE + 1];
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
  const uint64_t pitch = place.columns + 1;
  int32_t* corner = matrices + starts[p] + top * pitch + left;
  const uint32_t t = threadIdx.x;
  if (t < width) {
    values[0][t + 1] = corner[t + 1];
    columns[t] = targets[place.target + left + t];
  }
  if (t < height) values[t + 1][0] = corner[(t + 1) * pitch];
  if (t == 0) values[0][0] = corner[0];
  const uint32_t query = t < height ? queries[place.query + top + t] : 0;
  __syncthreads();
  for (uint32_t d = 0; d < height + width - 1; d++) {
    const uint32_t j = d - t;  // a large number before this thread's turn
    if (t < height && j < width) {
      const int pair = pair_score(*model, table, query, columns[j]);
      values[t + 1][j + 1] =
          cell(values[t][j], values[t][j + 1], values[t + 1][j], pair, model->extend);
    }
    __syncthreads();
  }
  for (uint32_t i = 0; i < height; i++) {
    if (t < width) corner[(i + 1) * pitch + t + 1] = values[i + 1][t + 1];
  }
}
SIMT_EXPORT(nw_tiles)

// A block fills a matrix by diagonals, three of which are in shared memory: 3 * (rows + 1) words of
// the longest query. Any grid of one-dimensional blocks. Block barriers in uniform places.
extern "C" __global__ void nw_dscan(const Model* model, const Place* places, uint32_t count,
                                    uint32_t longest, const uint8_t* queries,
                                    const uint8_t* targets, const int16_t* table,
                                    const uint64_t* starts, int32_t* matrices) {
  DYN_SMEM(int, shared);
  for (uint32_t p = blockIdx.x; p < count; p += gridDim.x) {
    const Place place = places[p];
    const uint64_t pitch = place.columns + 1;
    int32_t* matrix = matrices + starts[p];
    int* before = shared;              // the diagonal before the last, by rows
    int* last = before + longest + 1;
    int* here = last + longest + 1;
    for (uint32_t d = 0; d <= place.rows + place.columns; d++) {
      const uint32_t lowest = d > place.columns ? d - place.columns : 0;
      const uint32_t highest = min(d, place.rows);
      for (uint32_t i = lowest + threadIdx.x; i <= highest; i += blockDim.x) {
        const uint32_t j = d - i;
        int value = -static_cast<int>(d) * model->extend;  // of the first row and column
        if (i > 0 && j > 0) {
          const int pair = pair_score(*model, table, queries[place.query + i - 1],
                                      targets[place.target + j - 1]);
          value = cell(before[i - 1], last[i - 1], last[i], pair, model->extend);
          matrix[i * pitch + j] = value;
        }
        here[i] = value;
      }
      __syncthreads();
      int* free = before;
      before = last;
      last = here;
      here = free;
    }
  }
}
SIMT_EXPORT(nw_dscan)

constexpr int SECTION = 32;

// A thread fills a matrix by rows. Of each row a section is in shared memory at a time, which the
// warp copies from and to device memory together. Blocks of 32 threads; no block barrier.
extern "C" __global__ void nw_rscan(const Model* model, const Place* places, uint32_t count,
                                    const uint8_t* queries, const uint8_t* targets,
                                    const int16_t* table, const uint64_t* starts,
                                    int32_t* matrices) {
  constexpr unsigned ALL = ~0u;
  __shared__ int sections[SECTION][SECTION + 1];  // above, then the row itself, of each thread
  __shared__ uint8_t codes[SECTION][SECTION + 1];
  const uint32_t t = threadIdx.x;
  const uint32_t begin = blockIdx.x * SECTION;
  const uint32_t pairs = min(static_cast<uint32_t>(SECTION), count - begin);
  const Place own = places[begin + min(t, pairs - 1)];
  uint32_t rows = own.rows, columns = own.columns;
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    rows = max(rows, __shfl_xor_sync(ALL, rows, lanes));
    columns = max(columns, __shfl_xor_sync(ALL, columns, lanes));
  }
  for (uint32_t i = 1; i <= rows; i++) {
    const bool active = t < pairs && i <= own.rows;
    const uint32_t query = active ? queries[own.query + i - 1] : 0;
    int left = -static_cast<int>(i) * model->extend;
    int diagonal = left + model->extend;
    for (uint32_t start = 1; start <= columns; start += SECTION) {
      for (uint32_t p = 0; p < pairs; p++) {
        const Place place = places[begin + p];
        if (i <= place.rows && start + t <= place.columns) {
          const uint64_t pitch = place.columns + 1;
          sections[p][t] = matrices[starts[begin + p] + (i - 1) * pitch + start + t];
          codes[p][t] = targets[place.target + start + t - 1];
        }
      }
      __syncwarp();
      for (uint32_t c = 0; active && c < SECTION && start + c <= own.columns; c++) {
        const int above = sections[t][c];
        const int pair = pair_score(*model, table, query, codes[t][c]);
        left = cell(diagonal, above, left, pair, model->extend);
        sections[t][c] = left;
        diagonal = above;
      }
      __syncwarp();
      for (uint32_t p = 0; p < pairs; p++) {
        const Place place = places[begin + p];
        if (i <= place.rows && start + t <= place.columns) {
          const uint64_t pitch = place.columns + 1;
          matrices[starts[begin + p] + i * pitch + start + t] = sections[p][t];
        }
      }
      __syncwarp();
    }
  }
}
SIMT_EXPORT(nw_rscan)

}  // namespace nw
