// The codes of a window under a band, a bit a column.
#pragma once

#include "task.cuh"

namespace extend {

// The part of a window that is under the B columns of a row. Any thread may call its functions at any
// time; indices are constants once loops are unrolled, so all of it stays in registers.
template <int B>
struct Window {
  static constexpr int WORDS = (B + 31) / 32;
  uint32_t low[WORDS], high[WORDS];  // bits of the codes
  uint32_t inside[WORDS];            // whether the place is one of the window
  uint32_t in_band[WORDS];           // whether the column is one of the band

  // For row 0 of a task.
  __device__ void begin(const Banded& banded, const uint64_t* text) {
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      low[w] = high[w] = inside[w] = 0;
      const int columns = static_cast<int>(banded.width) - 32 * w;
      in_band[w] = columns >= 32 ? ~0u : columns <= 0 ? 0 : (1u << columns) - 1;
    }
    for (int column = 0; column < B; column++) {
      enter(banded, text, static_cast<int32_t>(banded.low) + column);
    }
  }

  // Goes on to the next row, in which `place` is under the last column.
  __device__ void enter(const Banded& banded, const uint64_t* text, int32_t place) {
    const bool is_inside = banded.is_inside(place);
    const uint32_t code =
        is_inside ? base(text, banded.task.window_start + static_cast<uint32_t>(place)) : 0;
    shift(low, code & 1);
    shift(high, code >> 1);
    shift(inside, is_inside);
  }

  // Columns of the band where the query's code matches.
  __device__ void equal(uint32_t code, uint32_t (&columns)[WORDS]) const {
    const uint32_t low_bit = 0 - (code & 1), high_bit = 0 - (code >> 1 & 1);
    const uint32_t known = code < UNKNOWN ? ~0u : 0;
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      columns[w] = ~(low[w] ^ low_bit) & ~(high[w] ^ high_bit) & inside[w] & in_band[w] & known;
    }
  }

 private:
  static __device__ void shift(uint32_t (&words)[WORDS], uint32_t last) {
#pragma unroll
    for (int w = 0; w + 1 < WORDS; w++) words[w] = __funnelshift_r(words[w], words[w + 1], 1);
    words[WORDS - 1] = words[WORDS - 1] >> 1 | last << ((B - 1) % 32);
  }
};

}  // namespace extend
