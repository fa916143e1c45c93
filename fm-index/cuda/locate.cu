// The text positions of all rows of many intervals, one thread a row.
#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>

// Row j of range r is lo[r] + j. With ends[r] the rows of ranges 0..=r, sets positions[i] for each
// i below `total` = ends[ranges - 1] to where the i-th row's suffix starts, in indexed coordinates.
//
// Any grid of one-dimensional blocks; `ranges` is at least 1. No barriers, no shared memory.
extern "C" __global__ void fm_locate_rows(const fm::View* index, const uint32_t* lo,
                                          const uint64_t* ends, uint32_t ranges, uint64_t total,
                                          uint32_t* positions) {
  const fm::View view = *index;
  const uint64_t threads = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  const uint64_t thread = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (uint64_t i = thread; i < total; i += threads) {
    // The first range that ends behind i; empty ranges never do.
    uint32_t range = 0, behind = ranges;
    while (range < behind) {
      const uint32_t middle = range + (behind - range) / 2;
      if (ends[middle] > i) {
        behind = middle;
      } else {
        range = middle + 1;
      }
    }
    const uint64_t start = range == 0 ? 0 : ends[range - 1];
    positions[i] = fm::locate(view, lo[range] + static_cast<uint32_t>(i - start));
  }
}
SIMT_EXPORT(fm_locate_rows)
