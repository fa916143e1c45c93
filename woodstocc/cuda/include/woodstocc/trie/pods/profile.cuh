// Profiles: the bases of a query as four bit masks, so that all comparisons of a row are one shift. They are the
// `Profiles` of row.rs, with the words of the four masks interleaved.
//
// Bit i + kPad of mask c is set if base i has code c. Word w of mask c is at 4 * (profile + w) + c. A query of m bases
// has m / 32 + 3 words in each mask, so two consecutive words can always be read.
#pragma once

#include <woodstocc/trie/pods/structs.cuh>

namespace woodstocc::pods {

// Bits before the first base, for cells whose prefix would have less than no bases.
constexpr uint32_t kPad = 8;

// Fills the profile of query number `i` and, if the search is pruned, its bound. One thread a query; no barriers.
template <int K>
__device__ void prepare(const PrepareParameters& parameters, uint32_t i) {
  TrieQuery& query = parameters.queries[i];
  const uint8_t* const codes = parameters.codes + parameters.offsets[query.number];
  uint4* const words = reinterpret_cast<uint4*>(parameters.profiles) + query.profile;
  for (uint32_t w = 0; w < query.length / 32 + 3; w++) {
    uint32_t masks[4] = {0, 0, 0, 0};
    for (uint32_t bit = 0; bit < 32; bit++) {
      const uint32_t base = 32 * w + bit - kPad;  // modulo 2^32
      const uint32_t code = base < query.length ? codes[base] : 4;
#pragma unroll
      for (uint32_t c = 0; c < 4; c++) masks[c] |= (code == c ? 1u : 0u) << bit;
    }
    words[w] = make_uint4(masks[0], masks[1], masks[2], masks[3]);
  }
  query.bound = parameters.is_pruned ? find_bound<K>(parameters.index, codes, query.length) : SuffixBound{};
}

// The comparisons for the row of a query at a node of `depth` 1 or more whose last base is `code`: bit j is set if the
// base that cell j adds to the prefix is the code. Any thread.
template <int K>
__device__ __forceinline__ uint32_t equal(const uint32_t* profiles, uint32_t profile, uint32_t code, uint32_t depth) {
  const uint32_t bit = depth + kPad - 1 - K;
  const uint32_t* const words = profiles + 4 * (static_cast<uint64_t>(profile) + bit / 32) + code;
  return __funnelshift_r(__ldg(words), __ldg(words + 4), bit % 32) & ((1u << (2 * K + 1)) - 1);
}

}  // namespace woodstocc::pods
