// Ranking the regions of one read: the device side of `deduplicate` of src/region/regions.rs and of src/region/ranking.rs, which
// explain the rules. Any thread may call these functions at any time.
#pragma once

#include <seed_extend/regions.cuh>

namespace seed_extend {

// In place of the score of a region that is removed.
constexpr int32_t REMOVED = INT32_MIN;

// The regions of a read, and an order of them.
struct ReadRegions {
  FoundRegion* all;
  uint32_t count;              // at most MOST_RANKED
  uint8_t order[MOST_RANKED];  // numbers of regions

  __device__ FoundRegion& at(uint32_t place) const { return all[order[place]]; }

  // Orders the regions so that none `is_before` the one in front of it; those that are equal keep the order of their numbers.
  template <class Before>
  __device__ void sort(Before is_before) {
    for (uint32_t number = 0; number < count; number++) {
      uint32_t place = number;
      for (; place > 0 && is_before(all[number], at(place - 1)); place--) order[place] = order[place - 1];
      order[place] = static_cast<uint8_t>(number);
    }
  }
};

// The number of places that two ranges have in common, and that of the shorter range.
struct Shared {
  float places, shorter;

  __device__ Shared(Places one, Places other) {
    const uint32_t end = min(one.end, other.end), begin = max(one.begin, other.begin);
    places = static_cast<float>(end > begin ? end - begin : 0);
    shorter = static_cast<float>(min(one.end - one.begin, other.end - other.begin));
  }
  // Whether they are nearly the same.
  __device__ bool is_most() const { return places > 0.95f * shorter; }
};

// Removes the worse of any two regions that are nearly the same alignment; the others keep their order.
static __device__ void deduplicate(ReadRegions& regions) {
  if (regions.count < 2) return;
  uint32_t longest = 0;
  for (uint32_t number = 0; number < regions.count; number++) {
    longest = max(longest, regions.all[number].end - regions.all[number].begin);
  }
  const auto are_apart = [&](const FoundRegion& first, const FoundRegion& second) {
    return first.query != second.query || first.segment != second.segment || first.begin + longest < second.begin;
  };
  regions.sort([](const FoundRegion& one, const FoundRegion& other) {
    if (one.query % 2 != other.query % 2) return one.query % 2 < other.query % 2;
    return one.begin != other.begin ? one.begin < other.begin : one.end < other.end;
  });
  // Those that are kept so far are first in the order.
  uint32_t kept = 0;
  for (uint32_t place = 0; place < regions.count; place++) {
    const uint8_t number = regions.order[place];
    FoundRegion region = regions.all[number];
    bool is_better = false;
    for (uint32_t before = kept; before > 0; before--) {
      FoundRegion& other = regions.at(before - 1);
      if (are_apart(other, region)) break;
      const Shared in_text(Places{region.begin, region.end}, Places{other.begin, other.end});
      const Shared in_query(Places{region.query_begin, region.query_end}, Places{other.query_begin, other.query_end});
      const bool is_exact = (region.begin == other.begin && region.query_begin == other.query_begin) ||
                            (region.end == other.end && region.query_end == other.query_end);
      if (!(in_text.is_most() && in_query.is_most()) && !is_exact) continue;
      region.is_supported |= other.is_supported;
      other.is_supported = region.is_supported;
      if (other.score >= region.score) {
        region.score = REMOVED;
        break;
      }
      other.score = REMOVED;
      is_better = true;
    }
    if (is_better) {
      uint32_t still = 0;
      for (uint32_t of_kept = 0; of_kept < kept; of_kept++) {
        const uint8_t own = regions.order[of_kept];
        if (regions.all[own].score != REMOVED) regions.order[still++] = own;
      }
      kept = still;
    }
    regions.all[number] = region;
    if (region.score != REMOVED) regions.order[kept++] = number;
  }
  uint32_t left = 0;
  for (uint32_t number = 0; number < regions.count; number++) {
    const FoundRegion region = regions.all[number];
    if (region.score != REMOVED) regions.all[left++] = region;
  }
  regions.count = left;
}

// A hash of a read's tie breaker and a region.
static __device__ uint64_t mix(uint64_t tie_breaker, const FoundRegion& region) {
  uint64_t hash = tie_breaker ^ (uint64_t{region.begin} << 1 | (region.query & 1));
  hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCD;
  hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53;
  return hash ^ hash >> 33;
}

// Orders the regions of a read of `length` bases, the best first, and sets which are secondary to which, and the second best
// scores, which must be 0.
static __device__ void rank(ReadRegions& regions, uint32_t length, uint64_t tie_breaker, const RankingRules& rules) {
  regions.sort([&](const FoundRegion& one, const FoundRegion& other) {
    if (one.score != other.score) return one.score > other.score;
    const uint64_t of_one = mix(tie_breaker, one), of_other = mix(tie_breaker, other);
    return of_one != of_other ? of_one < of_other : one.query_begin < other.query_begin;
  });
  uint8_t leaders[MOST_RANKED];
  uint32_t leader_count = 0;
  for (uint32_t place = 0; place < regions.count; place++) {
    FoundRegion& region = regions.at(place);
    const Places own = region.in_read(length);
    uint32_t number = 0;
    for (; number < leader_count; number++) {
      const Shared shared(own, regions.at(leaders[number]).in_read(length));
      if (shared.places > 0 && shared.places >= shared.shorter * rules.min_overlap) break;
    }
    if (number == leader_count) {
      leaders[leader_count++] = static_cast<uint8_t>(place);
      continue;
    }
    FoundRegion& leader = regions.at(leaders[number]);
    region.secondary_to = leaders[number] + 1u;
    leader.second_best_score = max(leader.second_best_score, region.score);
    leader.second_best_count += leader.score - region.score <= rules.score_margin;
  }
}

}  // namespace seed_extend
