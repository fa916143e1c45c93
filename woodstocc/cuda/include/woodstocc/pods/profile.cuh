// A read as four bit masks, so that the comparisons of a whole row are one shift: `Profiles` of
// row.rs, with the words of the four codes interleaved.
//
// Bit i + kPad of code c's mask says that base i is c. Word w of the masks is at 4 * (profile + w),
// code by code; a read of m bases has m / 32 + 3 of them, so that two can always be read.
#pragma once

#include <woodstocc/pods/search.cuh>

namespace woodstocc::pods {

// Bits before the first base, for cells of prefixes that do not exist.
constexpr u32 kPad = 8;

// Fills the profile and, if the search is pruned, the bound of read `i`. One thread a read.
template <int K>
__device__ void prepare(const Search& search, u32 i) {
  Read& read = search.reads[i];
  const uint8_t* const codes = search.codes + search.offsets[read.query];
  uint4* const words = reinterpret_cast<uint4*>(search.profiles) + read.profile;
  for (u32 w = 0; w < read.length / 32 + 3; w++) {
    u32 masks[4] = {0, 0, 0, 0};
    for (u32 bit = 0; bit < 32; bit++) {
      const u32 place = 32 * w + bit;
      const u32 code = place >= kPad && place - kPad < read.length ? codes[place - kPad] : 4;
#pragma unroll
      for (u32 c = 0; c < 4; c++) masks[c] |= (code == c ? 1u : 0u) << bit;
    }
    words[w] = make_uint4(masks[0], masks[1], masks[2], masks[3]);
  }
  read.rest = search.pruned ? find_bound<K>(*search.index, codes, read.length) : Bound{};
}

// For the row at `depth`, 1 or more, under `code`: bit j says whether the base that cell j adds is
// the code. Any thread.
template <int K>
__device__ __forceinline__ u32 equal(const Search& search, u32 profile, u32 code, u32 depth) {
  const u32 bit = depth + kPad - 1 - K;
  const u32* const words = search.profiles + 4 * (static_cast<u64>(profile) + bit / 32) + code;
  return __funnelshift_r(__ldg(words), __ldg(words + 4), bit % 32) & ((1u << (2 * K + 1)) - 1);
}

}  // namespace woodstocc::pods
