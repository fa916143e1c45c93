// Distances of a query at all starts near a diagonal, by a banded bit-parallel matrix: src/verify/band.rs explains it.
//
// Contract of all functions here: any thread may call them at any time, on its own; no barriers, no shared memory, and
// the result is valid in the calling thread.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>
#include <woodstocc/verify/window.cuh>

namespace woodstocc {

// Reads the indexed text from right to left, 32 bases at a time.
struct TextReader {
  uint64_t codes;   // codes of the next bases, the next one in the highest two bits
  uint32_t inside;  // for each of them, from the highest bit on, whether the text has its position
  uint32_t next;    // position, modulo 2^32, that the next refill begins at
  uint32_t left;    // bases left until the next refill

  __device__ void refill(const fm::IndexView& view) {
    const uint32_t word = next / 32, place = next % 32;
    codes = 0;
    inside = 0;
    left = 32;
    if (next < view.bases) {
      codes = __ldg(view.text + word) << (2 * (31 - place));
      if (place < 31 && word > 0) codes |= __ldg(view.text + word - 1) >> (2 * (place + 1));
      inside = next >= 31 ? ~0u : ~0u << (31 - next);
    } else if (next - view.bases < 31) {
      // The first `behind` bases lie beyond the text's end.
      const uint32_t behind = next - view.bases + 1, last = view.bases - 1;
      codes = __ldg(view.text + last / 32) << (2 * (31 - last % 32)) >> (2 * behind);
      if (last % 32 < 31 && last >= 32) {
        codes |= __ldg(view.text + last / 32 - 1) >> (2 * (last % 32 + 1)) >> (2 * behind);
      }
      inside = (last >= 31 ? ~0u : ~0u << (31 - last)) >> behind;
    }
    next -= 32;
  }
};

// The bases of the text in the band, as bits: the newest is bit 2k.
struct BandBases {
  uint32_t low, high;  // lower and higher bits of their codes
  uint32_t known;      // whether the text has their positions

  __device__ void enter(TextReader& reader, const fm::IndexView& view, uint32_t newest) {
    if (reader.left == 0) reader.refill(view);
    low = low >> 1 | static_cast<uint32_t>(reader.codes >> 62 & 1) << newest;
    high = high >> 1 | static_cast<uint32_t>(reader.codes >> 63) << newest;
    known = known >> 1 | reader.inside >> 31 << newest;
    reader.codes <<= 2;
    reader.inside <<= 1;
    reader.left--;
  }

  // The bases of the band that equal a code, 0 to 4.
  __device__ uint32_t equal(uint32_t code) const {
    const uint32_t differ = (low ^ (code & 1 ? ~0u : 0u)) | (high ^ (code & 2 ? ~0u : 0u));
    return code > 3 ? 0 : ~differ & known;
  }
};

// The banded matrix of a query near a diagonal, filled from the query's end to its front.
struct BandedMatrix {
  BandBases bases;
  TextReader reader;
  uint32_t plus, minus;  // cells whose left neighbour is greater by one, or less by one
  uint32_t value;        // value of the cell on the rightmost diagonal
  uint32_t newest;       // number of the highest bit, 2k
  uint32_t mask;         // bits 0 to 2k

  // The matrix before the row of query base from - 1; the alignment may end at any position of the band.
  __device__ BandedMatrix(const fm::IndexView& view, uint32_t from, uint32_t k, uint32_t diagonal)
      : bases{0, 0, 0},
        reader{0, 0, diagonal + from + k - 1, 0},
        plus(0),
        minus(0),
        value(0),
        newest(2 * k),
        mask(~0u >> (31 - 2 * k)) {
    for (uint32_t i = 0; i < newest; i++) bases.enter(reader, view, newest);
  }

  // Whether all cells of the row exceed k. Then all cells of later rows do, since values never decrease along a
  // diagonal.
  __device__ bool exceeds_k(uint32_t k) const { return value > k + __popc(minus); }

  // Fills the rows of query bases from - 1 down to `to`. Returns false as soon as all cells exceed k.
  __device__ bool fill(const fm::IndexView& view, const uint8_t* codes, uint32_t k, uint32_t from, uint32_t to) {
    for (uint32_t s = from; s-- > to;) {
      bases.enter(reader, view, newest);
      const uint32_t equal = bases.equal(codes[s]);
      const uint32_t stays = ((((equal & plus) + plus) ^ plus) | equal | minus) & mask;
      const uint32_t up = minus | ~(stays | plus);
      const uint32_t down = plus & stays;
      plus = down | ~(stays >> 1 | up);
      minus = stays >> 1 & up;
      value += 1 - (stays & 1);
      if (s % 8 == 0 && exceeds_k(k)) return false;
    }
    return !exceeds_k(k);
  }
};

// Prefilter: whether a query can match near a diagonal where its piece beginning at query base `piece` occurs. Fills
// only rows of the half of the query without that piece, and only as many as most random texts fail within.
__device__ inline bool passes_prefilter(const fm::IndexView& view, const uint8_t* codes, uint32_t length,
                                        uint32_t k, uint32_t diagonal, uint32_t piece) {
  const uint32_t rows = min(8 * (k / 2 + 2), length);
  const uint32_t from = 2 * piece < length ? length : rows;
  BandedMatrix matrix(view, from, k, diagonal);
  return matrix.fill(view, codes, k, from, from - rows);
}

// Finds the matches of a query of `length` codes within `k` (at most 15) whose alignments stay within `k` of a
// diagonal, and sets all fields of `window` but `query`. Returns whether there are any; if not, `window` is undefined.
__device__ inline bool find_window(const fm::IndexView& view, const uint8_t* codes, uint32_t length, uint32_t k,
                                   uint32_t diagonal, Window& window) {
  BandedMatrix matrix(view, length, k, diagonal);
  if (!matrix.fill(view, codes, k, length, 0)) return false;
  const uint32_t newest = 2 * k;
  uint32_t value = matrix.value;
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
    value += (matrix.plus >> i & 1) - (matrix.minus >> i & 1);
  }
  window.distances[0] = distances[0];
  window.distances[1] = distances[1];
  return window.starts != 0;
}

}  // namespace woodstocc
