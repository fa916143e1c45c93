// Distances of a query near a diagonal: filter/band.rs for a GPU.
//
// Contract: any thread may call at any time, on its own; no barriers, no shared memory.
#pragma once

#include <fm_index/fm_index.cuh>

namespace woodstocc {

// The starts near a diagonal where a query matches: Window of band.rs.
struct Window {
  uint32_t query;
  uint32_t first;         // the first start, modulo 2^32
  uint32_t starts;        // bit b: there is a match at start first + b
  uint32_t padding;       // 0
  uint64_t distances[2];  // four bits a start
};
static_assert(sizeof(Window) == 32, "as in band.rs");

// The last bases of the text that entered a band, as bits: the newest is bit 2k.
struct Bases {
  uint32_t low, high, known;

  __device__ void enter(const fm::View& view, uint32_t position, uint32_t newest) {
    const bool inside = position < view.bases;
    const uint32_t code = inside ? fm::base_at(view, position) : 0;
    low = low >> 1 | (code & 1) << newest;
    high = high >> 1 | (code >> 1) << newest;
    known = known >> 1 | (inside ? 1u : 0u) << newest;
  }

  // Which of them equal a code, 0 to 4.
  __device__ uint32_t equal(uint32_t code) const {
    const uint32_t differ = (low ^ (code & 1 ? ~0u : 0u)) | (high ^ (code & 2 ? ~0u : 0u));
    return code > 3 ? 0 : ~differ & known;
  }
};

// The matches of a query of `length` codes within `k`, at most 15, whose alignment stays within `k`
// of a diagonal. Whether there are any; if not, `window` is not to be used.
__device__ inline bool find_window(const fm::View& view, const uint8_t* codes, uint32_t length, uint32_t k,
                                   uint32_t diagonal, Window& window) {
  const uint32_t newest = 2 * k, mask = ~0u >> (31 - newest);
  Bases bases = {0, 0, 0};
  const uint32_t right = diagonal + length + k;
  for (uint32_t back = 1; back <= newest; back++) bases.enter(view, right - back, newest);
  uint32_t plus = 0, minus = 0, value = 0;
  for (uint32_t s = length; s-- > 0;) {
    bases.enter(view, diagonal + s - k, newest);
    const uint32_t equal = bases.equal(codes[s]);
    const uint32_t stays = ((((equal & plus) + plus) ^ plus) | equal | minus) & mask;
    const uint32_t up = minus | ~(stays | plus);
    const uint32_t down = plus & stays;
    plus = down | ~(stays >> 1 | up);
    minus = stays >> 1 & up;
    value += 1 - (stays & 1);
  }
  window.first = diagonal - k;
  window.starts = 0;
  window.padding = 0;
  uint64_t distances[2] = {0, 0};
  for (uint32_t i = 0; i <= newest; i++) {
    const uint32_t b = newest - i;
    if (value <= k && window.first + b < view.bases) {
      window.starts |= 1u << b;
      const uint64_t distance = static_cast<uint64_t>(value) << (4 * (b % 16));
      if (b < 16) distances[0] |= distance;
      else distances[1] |= distance;
    }
    value += (plus >> i & 1) - (minus >> i & 1);
  }
  window.distances[0] = distances[0];
  window.distances[1] = distances[1];
  return window.starts != 0;
}

}  // namespace woodstocc
