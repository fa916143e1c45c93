// Text positions of the rows of many intervals, one thread per row, and of all rows.
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

// Sets the position of each row of the forward transform. In an index that contradicts itself, a row may be reached from
// several samples or from none. The position of such a row is another one than on the host, within the text, and may be
// another one the next time.
//
// A thread goes from a sampled row to the rows of longer and longer suffixes, until it comes to another sampled row or to
// the whole text, then on from its next sample. So each row costs one step, where locating them one by one costs about
// 1 << sample_shift steps a row, and the lanes of a warp wait for none that has a longer way.
//
// Launch: any grid of one-dimensional blocks. No barriers and no shared memory.
extern "C" __global__ void fm_locate_all_rows(const __grid_constant__ fm::LocateAllRowsParameters parameters) {
  const fm::IndexView view = parameters.index;
  const uint64_t threads = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  const uint64_t samples = (static_cast<uint64_t>(view.bases) >> view.sample_shift) + 1;
  uint64_t next = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  uint32_t row = 0, position = 0;
  bool is_on_its_way = false;
  while (is_on_its_way || next < samples) {
    if (!is_on_its_way) {
      row = static_cast<uint32_t>(next << view.sample_shift);
      position = fm::sampled_position(view, row);
      next += threads;
    }
    parameters.positions[row] = position;
    is_on_its_way = position > 0 && row != view.forward_primary;
    if (is_on_its_way) {
      row = fm::row_before(view, row);
      position--;
      is_on_its_way = !fm::has_sample(view, row);
    }
  }
}
SIMT_EXPORT(fm_locate_all_rows)
