// Extension of intervals to both sides, as kernels of any crate call it.
#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>

// Sets left[4 * i + c] and right[4 * i + c] to the extensions of intervals[i] by code c. One thread
// an interval.
extern "C" __global__ void extend_both(const fm::View* index, const fm::Interval* intervals,
                                       uint32_t count, fm::Interval* left, fm::Interval* right) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  fm::extend_left(*index, intervals[i], left + 4 * i);
  fm::extend_right(*index, intervals[i], right + 4 * i);
}
SIMT_EXPORT(extend_both)

// The same, a code and a side at a time.
extern "C" __global__ void extend_by_code(const fm::View* index, const fm::Interval* intervals,
                                          uint32_t count, fm::Interval* left, fm::Interval* right) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (uint32_t code = 0; code < 4; code++) {
    left[4 * i + code] = right[4 * i + code] = intervals[i];
    fm::extend(*index, true, code, left[4 * i + code]);
    fm::extend(*index, false, code, right[4 * i + code]);
  }
}
SIMT_EXPORT(extend_by_code)
