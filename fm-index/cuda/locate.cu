// Text positions of all rows of many intervals, one thread per row.
#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <fm_index/layouts.cuh>
#include <fm_index/locate.cuh>

// Sets positions[i], for each i below total, to the start of the suffix of the i-th row, all ranges counted through.
//
// Launch: any grid of one-dimensional blocks. No barriers and no shared memory.
extern "C" __global__ void fm_locate_rows(const __grid_constant__ fm::LocateRowsParameters parameters) {
  const fm::IndexView view = parameters.index;
  const uint64_t* const ends = parameters.ends;
  const uint64_t threads = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  const uint64_t thread = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (uint64_t i = thread; i < parameters.total; i += threads) {
    // Binary search for the first range that ends behind i; an empty range ends where the one before it ends.
    uint32_t range = 0, behind = parameters.ranges;
    while (range < behind) {
      const uint32_t middle = range + (behind - range) / 2;
      if (ends[middle] > i) {
        behind = middle;
      } else {
        range = middle + 1;
      }
    }
    const uint64_t start = range == 0 ? 0 : ends[range - 1];
    parameters.positions[i] = fm::locate(view, parameters.lo[range] + static_cast<uint32_t>(i - start));
  }
}
SIMT_EXPORT(fm_locate_rows)
