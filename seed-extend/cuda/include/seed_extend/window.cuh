// The codes of a window under a row of a band, a bit a column.
#pragma once

#include <seed_extend/task.cuh>

namespace seed_extend {

// The part of a window under the B columns of a row. Any thread may call its functions at any time. Indices are
// constants once loops are unrolled, so all of it stays in registers.
template <int B>
struct Window {
  static constexpr int WORDS = (B + 31) / 32;
  uint32_t low[WORDS], high[WORDS];  // lower and higher bit of each code
  uint32_t inside[WORDS];            // whether the place is inside the window

  // Sets the window of row 0 of a task.
  __device__ void begin(const BandedTask& banded, const uint64_t* text) {
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      low[w] = high[w] = inside[w] = 0;
    }
    for (int column = 0; column < B; column++) {
      enter(banded, text, static_cast<int32_t>(banded.low) + column);
    }
  }

  // Goes on to the next row, in which `place` of the window is under the last column.
  __device__ void enter(const BandedTask& banded, const uint64_t* text, int32_t place) {
    const bool is_inside = banded.is_inside(place);
    const uint32_t code =
        is_inside ? base(text, banded.task.window_start + static_cast<uint32_t>(place)) : 0;
    shift(low, code & 1);
    shift(high, code >> 1);
    shift(inside, is_inside);
  }

  // Sets a bit for each column of the band whose base equals the query's code.
  __device__ void equal(uint32_t code, const uint32_t (&in_band)[WORDS], uint32_t (&columns)[WORDS]) const {
    const uint32_t low_bit = 0 - (code & 1), high_bit = 0 - (code >> 1 & 1);
    const uint32_t known = code < UNKNOWN ? ~0u : 0;
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      columns[w] = ~(low[w] ^ low_bit) & ~(high[w] ^ high_bit) & inside[w] & in_band[w] & known;
    }
  }

 private:
  // Moves all bits by one column, and puts `last` under the last one.
  static __device__ void shift(uint32_t (&words)[WORDS], uint32_t last) {
#pragma unroll
    for (int w = 0; w + 1 < WORDS; w++) words[w] = __funnelshift_r(words[w], words[w + 1], 1);
    words[WORDS - 1] = words[WORDS - 1] >> 1 | last << ((B - 1) % 32);
  }
};

}  // namespace seed_extend
