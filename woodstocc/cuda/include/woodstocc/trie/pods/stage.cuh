// The stage that walks down the trie: src/trie/pods/stage.rs explains it.
//
// Contract of all functions here: any thread may call them at any time, on its own; no barriers, no shared memory, and
// the result is valid in the calling thread.
#pragma once

#include "stream/stream.cuh"

#include <woodstocc/trie/pods/profile.cuh>

namespace woodstocc::pods {

// A query that is live at a node, in words of 32 bits.
template <int K>
struct LiveQuery {
  static constexpr uint32_t kWords = sizeof(Row<K>) / 4;

  uint32_t row[kWords];
  uint32_t tag;  // index of the query << 4 | distance below which hits count

  __device__ __forceinline__ Row<K> get_row() const {
    Row<K> bits = 0;
#pragma unroll
    for (uint32_t w = 0; w < kWords; w++) bits |= Row<K>(row[w]) << (32 * w);
    return bits;
  }
  __device__ __forceinline__ void set_row(Row<K> bits) {
#pragma unroll
    for (uint32_t w = 0; w < kWords; w++) row[w] = static_cast<uint32_t>(bits >> (32 * w));
  }
};

// The interval of the word of a unit. Empty (size 0) if the word does not occur.
__device__ inline fm::Interval find_word(const fm::IndexView& view, const TrieUnit& unit) {
  fm::Interval interval = fm::root(view);
  for (uint32_t i = unit.length; i-- > 0 && interval.size > 0;) {
    fm::extend(view, false, unit.word >> (2 * i) & 3, interval);
  }
  return interval;
}

template <int K>
struct TrieWalk
    : stream::Walking<TrieUnit, TrieNode, LiveQuery<K>, 4, stream::Channels<stream::Channel<TrieHit, 1>>> {
  using Global = TrieDeviceContext;
  using Site = stream::WalkSite<TrieWalk>;

  __device__ uint32_t enter(const TrieUnit& unit, const Site& site, TrieNode& root) const {
    root = TrieNode{find_word(site.global().index, unit), unit.length << 2};
    return root.interval.size > 0 ? unit.queries : 0;
  }

  // No query has a hit at the node of the word or above, since words are shorter than all queries by more than K.
  __device__ bool element(const TrieUnit& unit, const Site& site, LiveQuery<K>& live) const {
    const TrieDeviceContext& context = site.global();
    const uint32_t number = unit.first + site.element;
    const TrieQuery query = context.queries[number];
    Row<K> row = RowBand<K>::root(query.length);
    bool lives = reaches<K>(row, 0, K + 1, query.bound);
    for (uint32_t depth = 1; lives && depth <= unit.length; depth++) {
      const uint32_t code = unit.word >> (2 * (unit.length - depth)) & 3;
      const uint32_t whole = query.length + K - depth;
      row = RowBand<K>::step(row, equal<K>(context.profiles, query.profile, code, depth), whole);
      lives = reaches<K>(row, depth, K + 1, query.bound);
    }
    live.set_row(row);
    live.tag = number << 4 | (K + 1);
    return lives;
  }

  template <class Children>
  __device__ void children(const TrieNode& node, const Site& site, Children& add) const {
    fm::Interval found[4];
    fm::extend_right(site.global().index, node.interval, found);
#pragma unroll
    for (uint32_t code = 0; code < 4; code++) {
      if (found[code].size > 0) add(code, TrieNode{found[code], (node.depth_and_code >> 2 << 2) + 4 + code});
    }
  }

  template <class Push>
  __device__ __forceinline__ bool visit(const TrieNode& child, LiveQuery<K>& live, const Site& site, Push& push) const {
    const TrieDeviceContext& context = site.global();
    const uint32_t depth = child.depth_and_code >> 2, code = child.depth_and_code & 3;
    const TrieQuery* const query = context.queries + (live.tag >> 4);
    // Two loads of 16 bytes: number, length and profile, and the bound.
    const uint4 facts = __ldg(reinterpret_cast<const uint4*>(query));
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(&query->bound));
    const uint32_t number = facts.x, length = facts.y, profile = facts.z;
    SuffixBound bound;
    memcpy(&bound, &words, sizeof(SuffixBound));
    const uint32_t whole = length + K - depth;
    const Row<K> row =
        RowBand<K>::step(live.get_row(), equal<K>(context.profiles, profile, code, depth), whole);
    uint32_t wanted = live.tag & 15;
    const uint32_t distance = RowBand<K>::cell(row, whole);
    if (distance < wanted) {
      wanted = distance;
      push(stream::to<0>(), TrieHit{number, child.interval.lo, child.interval.size, distance});
    }
    live.set_row(row);
    live.tag = (live.tag & ~15u) | wanted;
    return wanted > 0 && reaches<K>(row, depth, wanted, bound);
  }
};

}  // namespace woodstocc::pods
