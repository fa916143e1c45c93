// Packed queries beside the packed text of an index, 32 bases a word: the device side of src/read/.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>

namespace seed_extend {

// The queries of a batch. Query 2r is read r, query 2r + 1 its reverse complement.
struct PackedQueries {
  const uint64_t* words;         // bases, 0 for unknown ones; every query begins a word
  const uint64_t* unknown;       // the lower bit of each unknown base
  const uint32_t* word_offsets;  // first word of each query, and the end of the last query
  const uint32_t* offsets;       // bases before each query, and all bases

  // Number of bases of a query.
  __device__ uint32_t length(uint32_t query) const {
    return __ldg(offsets + query + 1) - __ldg(offsets + query);
  }
};

// The 32 bases from a place on, of a text of `count` words; bases behind the last word are 0. Any thread may call it at
// any time.
static __device__ __forceinline__ uint64_t fetch(const uint64_t* words, uint32_t count,
                                                 uint32_t place) {
  const uint32_t word = place / 32, shift = 2 * (place % 32);
  const uint64_t low = word < count ? __ldg(words + word) >> shift : 0;
  if (shift == 0 || word + 1 >= count) return low;
  return low | __ldg(words + word + 1) << (64 - shift);
}

// One query, compared with the text of an index. Any thread may call its functions at any time.
struct PackedQuery {
  const uint64_t* words;
  const uint64_t* unknown;
  uint32_t count;   // number of words
  uint32_t length;  // number of bases

  __device__ PackedQuery(const PackedQueries& queries, uint32_t query) {
    const uint32_t first = __ldg(queries.word_offsets + query);
    words = queries.words + first;
    unknown = queries.unknown + first;
    count = __ldg(queries.word_offsets + query + 1) - first;
    length = queries.length(query);
  }

  // The code at a place: 0 to 3, or 4 or more for an unknown base.
  __device__ uint32_t code(uint32_t place) const {
    const uint32_t shift = 2 * (place % 32);
    const uint32_t code = static_cast<uint32_t>(__ldg(words + place / 32) >> shift) & 3;
    return code | (static_cast<uint32_t>(__ldg(unknown + place / 32) >> shift) & 1) << 2;
  }

  // Compares 32 bases of the query, from `place` on, with those of the text from `position` on: the lower bit of each
  // that differs or is unknown.
  __device__ uint64_t different(uint32_t place, const fm::IndexView& view, uint32_t position) const {
    const uint64_t either =
        fetch(words, count, place) ^ fetch(view.text, (view.bases + 31) / 32, position);
    return ((either | either >> 1) & 0x5555555555555555) | fetch(unknown, count, place);
  }

  // Number of equal bases to the right: of the query from `place` on and of the text from `position` on.
  __device__ uint32_t equal_after(uint32_t place, const fm::IndexView& view, uint32_t position) const {
    const uint32_t limit = min(length - place, view.bases - position);
    for (uint32_t equal = 0; equal < limit; equal += 32) {
      const uint64_t differ = different(place + equal, view, position + equal);
      if (differ != 0) {
        return min(limit, equal + static_cast<uint32_t>(__ffsll(static_cast<long long>(differ)) - 1) / 2);
      }
    }
    return limit;
  }

  // Number of equal bases to the left: of the query before `place` and of the text before `position`.
  __device__ uint32_t equal_before(uint32_t place, const fm::IndexView& view, uint32_t position) const {
    const uint32_t limit = min(place, position);
    uint32_t equal = 0;
    while (equal < limit) {
      const uint32_t some = min(32u, limit - equal), before = equal + some;
      const uint64_t differ = different(place - before, view, position - before) << (64 - 2 * some);
      if (differ != 0) {
        return equal + static_cast<uint32_t>(__clzll(static_cast<long long>(differ))) / 2;
      }
      equal = before;
    }
    return limit;
  }

  // The suffix array interval of the word of `view.table_length` bases that begins at `place`; empty if it has an
  // unknown base.
  __device__ fm::Interval look_up(uint32_t place, const fm::IndexView& view) const {
    const uint64_t mask = (uint64_t{1} << (2 * view.table_length)) - 1;
    if ((fetch(unknown, count, place) & mask) != 0) return fm::Interval{0, 0, 0};
    // The first base is in the highest bits of an entry's number.
    const uint64_t turned = __brevll(fetch(words, count, place));
    const uint64_t bases = (turned & 0x5555555555555555) << 1 | (turned >> 1 & 0x5555555555555555);
    return view.table[bases >> (64 - 2 * view.table_length)];
  }
};

}  // namespace seed_extend
