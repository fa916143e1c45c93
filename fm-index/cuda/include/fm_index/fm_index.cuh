// The FM-index on the device: rank, bidirectional extension, search and locate, with the same results as the host's
// index (fm-index/src/index/).
//
// Contract of every function here: any thread may call it at any time, by itself; there are no barriers, no warp
// collectives and no shared memory, no argument need be uniform, and the result is valid in the calling thread. The
// memory that an IndexView points to is read-only for the whole launch. A line is 64 bytes of memory.
#pragma once

#include <cstdint>

namespace fm {

// 192 symbols of a Burrows-Wheeler transform, as fm-index/src/index/rank.rs explains it.
struct alignas(64) RankBlock {
  uint4 counts;     // counts of A, C, G, T before the block
  uint4 planes[3];  // for each 64 symbols: low bits (x, y), high bits (z, w)
};

constexpr uint32_t kSymbolsPerBlock = 192;

// Rows of a word's occurrences in both transforms.
struct Interval {
  uint32_t lo;          // first row in the transform of the text
  uint32_t lo_reverse;  // first row in the transform of the reversed text
  uint32_t size;        // number of rows; if 0, the word does not occur, and lo and lo_reverse mean nothing
};

// Addresses and numbers of an index. Copy it into registers once a thread.
struct IndexView {
  const RankBlock* forward;   // transform of the text
  const RankBlock* reverse;   // transform of the reversed text
  const uint32_t* samples;    // text position of every (1 << sample_shift)-th row of forward
  const uint64_t* text;       // indexed text, 32 bases a word, the first in the lowest bits
  const Interval* table;      // interval of each word of table_length codes, the first code in the highest bits
  uint32_t bases;             // bases of the text; the transforms have one row more
  uint32_t forward_primary;   // row of the whole text in forward
  uint32_t reverse_primary;   // row of the whole reversed text in reverse
  uint32_t sample_shift;      // binary logarithm of the rows between samples
  uint32_t first[4];          // for each code, the first row whose suffix begins with it
  uint32_t table_length;      // bases of a word of the look-up table
  uint32_t padding;
};

// Low bits of 64 symbols, the first symbol in bit 0.
__device__ inline uint64_t low_plane(const uint4& planes) {
  return static_cast<uint64_t>(planes.y) << 32 | planes.x;
}

// High bits of 64 symbols, the first symbol in bit 0.
__device__ inline uint64_t high_plane(const uint4& planes) {
  return static_cast<uint64_t>(planes.w) << 32 | planes.z;
}

// Sets counts[c] to the number of symbols c of rows 0..row (excluded) of a transform, whose primary is `primary`. `row`
// is at most bases + 1. Reads one line.
__device__ inline void rank4(const RankBlock* blocks, uint32_t primary, uint32_t row,
                             uint32_t counts[4]) {
  const RankBlock* const block = blocks + row / kSymbolsPerBlock;
  const uint4 before = __ldg(&block->counts);
  // The primary, whose symbol is the sentinel, is stored as an A.
  uint32_t a = before.x - (primary < row ? 1u : 0u), c = before.y, g = before.z, t = before.w;
  const int places = static_cast<int>(row % kSymbolsPerBlock);
#pragma unroll
  for (int i = 0; i < 3; i++) {
    const uint4 planes = __ldg(&block->planes[i]);
    const int left = places - 64 * i;
    const int taken = left < 0 ? 0 : left > 64 ? 64 : left;
    const uint64_t mask = taken == 0 ? 0 : ~uint64_t{0} >> (64 - taken);
    const uint64_t low = low_plane(planes) & mask;
    const uint64_t high = high_plane(planes) & mask;
    const uint32_t both = static_cast<uint32_t>(__popcll(low & high));
    const uint32_t only_low = static_cast<uint32_t>(__popcll(low)) - both;
    const uint32_t only_high = static_cast<uint32_t>(__popcll(high)) - both;
    a += static_cast<uint32_t>(taken) - only_low - only_high - both;
    c += only_low;
    g += only_high;
    t += both;
  }
  counts[0] = a;
  counts[1] = c;
  counts[2] = g;
  counts[3] = t;
}

// Interval of the empty word: all rows.
__device__ inline Interval root(const IndexView& view) { return Interval{0, 0, view.bases + 1}; }

// Sets extended[c] to the interval of the word of `interval` with code c put before it, for each code. Reads two lines.
__device__ inline void extend_left(const IndexView& view, Interval interval, Interval extended[4]) {
  uint32_t before[4], through[4];
  rank4(view.forward, view.forward_primary, interval.lo, before);
  rank4(view.forward, view.forward_primary, interval.lo + interval.size, through);
  // In the other transform the extended words follow one another, after the occurrence at the text's start.
  uint32_t lo_reverse =
      interval.lo_reverse + (view.forward_primary - interval.lo < interval.size ? 1u : 0u);
#pragma unroll
  for (int code = 0; code < 4; code++) {
    const uint32_t size = through[code] - before[code];
    extended[code] = Interval{view.first[code] + before[code], lo_reverse, size};
    lo_reverse += size;
  }
}

// Sets extended[c] to the interval of the word of `interval` with code c put after it, for each code. Reads two lines.
__device__ inline void extend_right(const IndexView& view, Interval interval, Interval extended[4]) {
  uint32_t before[4], through[4];
  rank4(view.reverse, view.reverse_primary, interval.lo_reverse, before);
  rank4(view.reverse, view.reverse_primary, interval.lo_reverse + interval.size, through);
  // In the other transform the extended words follow one another, after the occurrence at the text's end.
  uint32_t lo = interval.lo + (view.reverse_primary - interval.lo_reverse < interval.size ? 1u : 0u);
#pragma unroll
  for (int code = 0; code < 4; code++) {
    const uint32_t size = through[code] - before[code];
    extended[code] = Interval{lo, view.first[code] + before[code], size};
    lo += size;
  }
}

// Symbol of a row of a transform, 0 to 3; 0 at the primary. Reads one line.
__device__ inline uint32_t symbol(const RankBlock* blocks, uint32_t row) {
  const uint32_t place = row % kSymbolsPerBlock;
  const uint4 planes = __ldg(&blocks[row / kSymbolsPerBlock].planes[place / 64]);
  const uint32_t low = static_cast<uint32_t>(low_plane(planes) >> (place % 64)) & 1;
  const uint32_t high = static_cast<uint32_t>(high_plane(planes) >> (place % 64)) & 1;
  return high << 1 | low;
}

// numbers[code] by selection instead of indexing, so that `numbers` can stay in registers.
__device__ inline uint32_t choose(const uint32_t numbers[4], uint32_t code) {
  const uint32_t low = code & 1 ? numbers[1] : numbers[0];
  const uint32_t high = code & 1 ? numbers[3] : numbers[2];
  return code & 2 ? high : low;
}

// Puts a code, 0 to 3, before the word of `interval` (to_left) or after it. The result is one of the intervals of
// extend_left or extend_right; both sides run the same instructions, so that lanes may differ in side. Reads two lines.
__device__ inline void extend(const IndexView& view, bool to_left, uint32_t code, Interval& interval) {
  const RankBlock* const blocks = to_left ? view.forward : view.reverse;
  const uint32_t primary = to_left ? view.forward_primary : view.reverse_primary;
  const uint32_t lo = to_left ? interval.lo : interval.lo_reverse;
  uint32_t before[4], through[4];
  rank4(blocks, primary, lo, before);
  rank4(blocks, primary, lo + interval.size, through);
  // In the other transform the extended words follow one another in order of this code, after the occurrence at the
  // text's start or end.
  uint32_t other = to_left ? interval.lo_reverse : interval.lo;
  other += primary - lo < interval.size ? 1u : 0u;
#pragma unroll
  for (uint32_t lower = 0; lower < 3; lower++) {
    if (lower < code) other += through[lower] - before[lower];
  }
  const uint32_t own = choose(view.first, code) + choose(before, code);
  interval.size = choose(through, code) - choose(before, code);
  interval.lo = to_left ? own : other;
  interval.lo_reverse = to_left ? other : own;
}

// Code, 0 to 3, of the indexed text at `position`, which is below `bases`.
__device__ inline uint32_t base_at(const IndexView& view, uint32_t position) {
  return static_cast<uint32_t>(__ldg(view.text + position / 32) >> (2 * (position % 32))) & 3;
}

// Puts a code, 0 to 3, before the word of `interval`, whose lo_reverse is not updated. Reads two lines.
__device__ inline void put_before(const IndexView& view, uint32_t code, Interval& interval) {
  uint32_t before[4], through[4];
  rank4(view.forward, view.forward_primary, interval.lo, before);
  rank4(view.forward, view.forward_primary, interval.lo + interval.size, through);
  interval.lo = choose(view.first, code) + choose(before, code);
  interval.size = choose(through, code) - choose(before, code);
}

// Interval of a word of `length` codes; its lo_reverse is not set. Looks up the last table_length codes in the table and
// reads two lines for each further code.
__device__ inline Interval search(const IndexView& view, const uint8_t* word, uint32_t length) {
  Interval interval = root(view);
  uint32_t left = length;
  if (length >= view.table_length) {
    left = length - view.table_length;
    uint32_t entry = 0;
    for (uint32_t i = left; i < length; i++) {
      if (word[i] > 3) return Interval{0, 0, 0};
      entry = entry << 2 | word[i];
    }
    interval = view.table[entry];
  }
  while (left > 0 && interval.size > 0) {
    const uint32_t code = word[--left];
    if (code > 3) return Interval{0, 0, 0};
    put_before(view, code, interval);
  }
  return interval;
}

// Whether a row has a sample: each (1 << sample_shift)-th one.
__device__ inline bool has_sample(const IndexView& view, uint32_t row) {
  return (row & ((1u << view.sample_shift) - 1)) == 0;
}

// Whether the start of the suffix of a row is known without a step in the transform: it has a sample, or is the whole text, which
// starts at 0.
__device__ inline bool is_sampled(const IndexView& view, uint32_t row) {
  return has_sample(view, row) || row == view.forward_primary;
}

// Start of the suffix of a row for which is_sampled holds, in indexed coordinates.
__device__ inline uint32_t sampled_position(const IndexView& view, uint32_t row) {
  return has_sample(view, row) ? __ldg(view.samples + (row >> view.sample_shift)) : 0;
}

// Row of the suffix that is one base longer than that of a row of the forward transform, which is not the one of the whole
// text. Reads a line.
__device__ inline uint32_t row_before(const IndexView& view, uint32_t row) {
  const uint32_t code = symbol(view.forward, row);
  uint32_t counts[4];
  rank4(view.forward, view.forward_primary, row, counts);
  return choose(view.first, code) + choose(counts, code);
}

// Start of the suffix of a row of the forward transform, in indexed coordinates; `row` is at most bases. Takes
// 1 << sample_shift steps on average, so lanes of a warp that call it together take different numbers of steps.
//
// No way is longer than the text, unless the index contradicts itself and the way goes in a circle without a sample. Then
// the position is that of the text's last base, as on the host.
__device__ inline uint32_t locate(const IndexView& view, uint32_t row) {
  uint32_t steps = 0;
  while (!is_sampled(view, row) && steps <= view.bases) {
    row = row_before(view, row);
    steps++;
  }
  if (steps == 0) return sampled_position(view, row);
  const uint32_t last = view.bases - 1;
  const uint32_t position = is_sampled(view, row) ? sampled_position(view, row) : 0;
  return position > last || steps > last - position ? last : position + steps;
}

}  // namespace fm
