// Profiles: the bases of a query as four bit masks, so that all comparisons of a row are one shift. They are the
// `Profiles` of row.rs, with the words of the four masks interleaved.
//
// Bit i + kPad of mask c is set if base i has code c. Word w of mask c is at 4 * (profile + w) + c. A query of m bases
// has m / 32 + 3 words in each mask, so two consecutive words can always be read.
#pragma once

#include <woodstocc/trie/pods/parameters.cuh>

namespace woodstocc::pods {

// Bits before the first base, for cells whose prefix would have less than no bases.
constexpr u32 kPad = 8;

// Fills the profile of query number `i` and, if the search is pruned, its bound. One thread a query; no barriers.
template <int K>
__device__ void prepare(const PodParameters& parameters, u32 i) {
  TrieQuery& query = parameters.queries[i];
  const uint8_t* const codes = parameters.codes + parameters.offsets[query.number];
  uint4* const words = reinterpret_cast<uint4*>(parameters.profiles) + query.profile;
  for (u32 w = 0; w < query.length / 32 + 3; w++) {
    u32 masks[4] = {0, 0, 0, 0};
    for (u32 bit = 0; bit < 32; bit++) {
      const u32 base = 32 * w + bit - kPad;  // modulo 2^32
      const u32 code = base < query.length ? codes[base] : 4;
#pragma unroll
      for (u32 c = 0; c < 4; c++) masks[c] |= (code == c ? 1u : 0u) << bit;
    }
    words[w] = make_uint4(masks[0], masks[1], masks[2], masks[3]);
  }
  query.bound = parameters.is_pruned ? find_bound<K>(parameters.index, codes, query.length) : SuffixBound{};
}

// The comparisons for the row of a query at a node of `depth` 1 or more whose last base is `code`: bit j is set if the
// base that cell j adds to the prefix is the code. Any thread.
template <int K>
__device__ __forceinline__ u32 equal(const PodParameters& parameters, u32 profile, u32 code, u32 depth) {
  const u32 bit = depth + kPad - 1 - K;
  const u32* const words = parameters.profiles + 4 * (static_cast<u64>(profile) + bit / 32) + code;
  return __funnelshift_r(__ldg(words), __ldg(words + 4), bit % 32) & ((1u << (2 * K + 1)) - 1);
}

}  // namespace woodstocc::pods
