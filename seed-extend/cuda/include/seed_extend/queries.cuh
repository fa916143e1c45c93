// Queries and the text, 32 bases a word: src/queries.rs and src/packed.rs.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <fm_index/fm_index.cuh>

namespace find {

// The queries of a batch, as `Queries` of src/queries.rs keeps them.
struct Queries {
  const uint64_t* words;         // bases, 0 for those that are unknown
  const uint64_t* unknown;       // the lower bit of each base that is unknown
  const uint32_t* word_offsets;  // first word of each query, and the end of the last
  const uint32_t* offsets;       // bases before each query, and all

  __device__ uint32_t length(uint32_t query) const {
    return __ldg(offsets + query + 1) - __ldg(offsets + query);
  }
};

// 32 bases from a place on, of a text of `count` words; what is behind the last word is 0. Any thread
// may call it at any time.
static __device__ __forceinline__ uint64_t fetch(const uint64_t* words, uint32_t count,
                                                 uint32_t place) {
  const uint32_t word = place / 32, shift = 2 * (place % 32);
  const uint64_t low = word < count ? __ldg(words + word) >> shift : 0;
  if (shift == 0 || word + 1 >= count) return low;
  return low | __ldg(words + word + 1) << (64 - shift);
}

// One query beside the text of an index. Any thread may call its functions at any time.
struct Word {
  const uint64_t* words;
  const uint64_t* unknown;
  uint32_t count;   // of words
  uint32_t length;  // bases

  __device__ Word(const Queries& queries, uint32_t query) {
    const uint32_t first = __ldg(queries.word_offsets + query);
    words = queries.words + first;
    unknown = queries.unknown + first;
    count = __ldg(queries.word_offsets + query + 1) - first;
    length = queries.length(query);
  }

  // The code at a place, and 4 or more if it is unknown.
  __device__ uint32_t code(uint32_t place) const {
    const uint32_t shift = 2 * (place % 32);
    const uint32_t code = static_cast<uint32_t>(__ldg(words + place / 32) >> shift) & 3;
    return code | (static_cast<uint32_t>(__ldg(unknown + place / 32) >> shift) & 1) << 2;
  }

  // The lower bit of each of 32 bases that differ, from a place here and one of the text on.
  __device__ uint64_t different(uint32_t place, const fm::View& view, uint32_t position) const {
    const uint64_t either =
        fetch(words, count, place) ^ fetch(view.text, (view.bases + 31) / 32, position);
    return ((either | either >> 1) & 0x5555555555555555) | fetch(unknown, count, place);
  }

  // How many bases from a place here and one of the text on are equal.
  __device__ uint32_t equal_after(uint32_t place, const fm::View& view, uint32_t position) const {
    const uint32_t most = min(length - place, view.bases - position);
    for (uint32_t equal = 0; equal < most; equal += 32) {
      const uint64_t differ = different(place + equal, view, position + equal);
      if (differ != 0) {
        return min(most, equal + static_cast<uint32_t>(__ffsll(static_cast<long long>(differ)) - 1) / 2);
      }
    }
    return most;
  }

  // How many bases before a place here and one of the text are equal.
  __device__ uint32_t equal_before(uint32_t place, const fm::View& view, uint32_t position) const {
    const uint32_t most = min(place, position);
    uint32_t equal = 0;
    while (equal < most) {
      const uint32_t some = min(32u, most - equal), before = equal + some;
      const uint64_t differ = different(place - before, view, position - before) << (64 - 2 * some);
      if (differ != 0) {
        return equal + static_cast<uint32_t>(__clzll(static_cast<long long>(differ))) / 2;
      }
      equal = before;
    }
    return most;
  }

  // The rows of the word of `view.table_length` bases that begins at a place.
  __device__ fm::Interval look_up(uint32_t place, const fm::View& view) const {
    const uint64_t mask = (uint64_t{1} << (2 * view.table_length)) - 1;
    if ((fetch(unknown, count, place) & mask) != 0) return fm::Interval{0, 0, 0};
    // The first base is the highest of an entry's number.
    const uint64_t turned = __brevll(fetch(words, count, place));
    const uint64_t bases = (turned & 0x5555555555555555) << 1 | (turned >> 1 & 0x5555555555555555);
    return view.table[bases >> (64 - 2 * view.table_length)];
  }
};

}  // namespace find
