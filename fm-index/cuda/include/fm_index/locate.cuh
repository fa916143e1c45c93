// Parameters of the kernels that locate rows.
#pragma once

#include <cstdint>

#include <fm_index/fm_index.cuh>

namespace fm {

// Parameters of fm_locate_rows: row j of range r is lo[r] + j.
struct LocateRowsParameters {
  IndexView index;
  const uint32_t* lo;    // first row of each range
  const uint64_t* ends;  // for each range r, the number of rows of ranges 0..=r
  uint32_t* positions;   // output: start of the suffix of each row, in indexed coordinates
  uint64_t total;        // number of rows of all ranges: the last of ends
  uint32_t ranges;       // number of ranges, at least 1
  uint32_t padding;
};

// Parameters of fm_locate_all_rows.
struct LocateAllRowsParameters {
  IndexView index;
  uint32_t* positions;  // output: start of the suffix of each row, in indexed coordinates; all 0 before
};

}  // namespace fm
