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

// Reads the indexed text from right to left, 32 bases at a time.
struct Reader {
  uint64_t codes;   // the next base in the highest two bits
  uint32_t inside;  // the next base's bit is the highest: whether the text has it
  uint32_t next;    // its position, modulo 2^32
  uint32_t left;    // bases until the next look at memory

  __device__ void refill(const fm::View& view) {
    const uint32_t word = next / 32, place = next % 32;
    codes = 0;
    inside = 0;
    left = 32;
    if (next < view.bases) {
      codes = __ldg(view.text + word) << (2 * (31 - place));
      if (place < 31 && word > 0) codes |= __ldg(view.text + word - 1) >> (2 * (place + 1));
      inside = next >= 31 ? ~0u : ~0u << (31 - next);
    } else if (next - view.bases < 31) {
      // The first bases lie behind the text's end, `behind` of them.
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

// The last bases of the text that entered a band, as bits: the newest is bit 2k.
struct Bases {
  uint32_t low, high, known;

  __device__ void enter(Reader& reader, const fm::View& view, uint32_t newest) {
    if (reader.left == 0) reader.refill(view);
    low = low >> 1 | static_cast<uint32_t>(reader.codes >> 62 & 1) << newest;
    high = high >> 1 | static_cast<uint32_t>(reader.codes >> 63) << newest;
    known = known >> 1 | reader.inside >> 31 << newest;
    reader.codes <<= 2;
    reader.inside <<= 1;
    reader.left--;
  }

  // Which of them equal a code, 0 to 4.
  __device__ uint32_t equal(uint32_t code) const {
    const uint32_t differ = (low ^ (code & 1 ? ~0u : 0u)) | (high ^ (code & 2 ? ~0u : 0u));
    return code > 3 ? 0 : ~differ & known;
  }
};

// The banded matrix of a query near a diagonal, filled from the query's end to its front.
struct Matrix {
  Bases bases;
  Reader reader;
  uint32_t plus, minus;  // differences between neighbours
  uint32_t value;        // of the rightmost diagonal
  uint32_t newest, mask;

  // Before the row of the query's base from - 1; the alignment may end anywhere there.
  __device__ Matrix(const fm::View& view, uint32_t from, uint32_t k, uint32_t diagonal)
      : bases{0, 0, 0},
        reader{0, 0, diagonal + from + k - 1, 0},
        plus(0),
        minus(0),
        value(0),
        newest(2 * k),
        mask(~0u >> (31 - 2 * k)) {
    for (uint32_t i = 0; i < newest; i++) bases.enter(reader, view, newest);
  }

  // Whether all cells exceed k, and so will all that follow: none ever decreases along its diagonal,
  // and none is less than the rightmost by more than there are steps down.
  __device__ bool hopeless(uint32_t k) const { return value > k + __popc(minus); }

  // Fills the rows from - 1 to `to`, and whether there is hope.
  __device__ bool fill(const fm::View& view, const uint8_t* codes, uint32_t k, uint32_t from, uint32_t to) {
    for (uint32_t s = from; s-- > to;) {
      bases.enter(reader, view, newest);
      const uint32_t equal = bases.equal(codes[s]);
      const uint32_t stays = ((((equal & plus) + plus) ^ plus) | equal | minus) & mask;
      const uint32_t up = minus | ~(stays | plus);
      const uint32_t down = plus & stays;
      plus = down | ~(stays >> 1 | up);
      minus = stays >> 1 & up;
      value += 1 - (stays & 1);
      if (s % 8 == 0 && hopeless(k)) return false;
    }
    return !hopeless(k);
  }
};

// Whether a query may match near a diagonal where the piece that begins at `piece` occurs. Looks at the
// half without the piece, or as much of it as a random text seldom passes.
__device__ inline bool promising(const fm::View& view, const uint8_t* codes, uint32_t length, uint32_t k,
                                 uint32_t diagonal, uint32_t piece) {
  const uint32_t rows = min(8 * (k / 2 + 2), length);
  const uint32_t from = 2 * piece < length ? length : rows;
  Matrix matrix(view, from, k, diagonal);
  return matrix.fill(view, codes, k, from, from - rows);
}

// The matches of a query of `length` codes within `k`, at most 15, whose alignment stays within `k`
// of a diagonal. Whether there are any; if not, `window` is not to be used.
__device__ inline bool find_window(const fm::View& view, const uint8_t* codes, uint32_t length, uint32_t k,
                                   uint32_t diagonal, Window& window) {
  Matrix matrix(view, length, k, diagonal);
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
