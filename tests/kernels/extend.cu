// Extension of intervals of the FM-index to both sides, as kernels of any crate call it; one thread per interval.
#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <tests/extend.cuh>
#include <tests/extend_layouts.cuh>

// Extends by all codes at once. Launch: any one-dimensional grid of at least `count` threads.
extern "C" __global__ void extend_both(const __grid_constant__ tests::ExtendParameters parameters) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= parameters.count) return;
  fm::extend_left(parameters.index, parameters.intervals[i], parameters.left + 4 * i);
  fm::extend_right(parameters.index, parameters.intervals[i], parameters.right + 4 * i);
}
SIMT_EXPORT(extend_both)

// Extends by one code and to one side at a time. Launch: as extend_both.
extern "C" __global__ void extend_by_code(const __grid_constant__ tests::ExtendParameters parameters) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= parameters.count) return;
  for (uint32_t code = 0; code < 4; code++) {
    fm::Interval& left = parameters.left[4 * i + code];
    fm::Interval& right = parameters.right[4 * i + code];
    left = right = parameters.intervals[i];
    fm::extend(parameters.index, true, code, left);
    fm::extend(parameters.index, false, code, right);
  }
}
SIMT_EXPORT(extend_by_code)
