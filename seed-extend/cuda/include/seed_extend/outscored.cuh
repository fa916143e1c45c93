// Chains that another chain of their read outscores: the device side of src/chain/outscored.rs, which explains them.
#pragma once

#include <seed_extend/chains.cuh>

namespace seed_extend {

// When a chain is outscored; `OutscoringRules` of the host explains the fields.
struct OutscoringRules {
  int32_t match_score, difference, gap, max_drop;
  float min_ratio;
  uint32_t band_margin, min_weight;

  // The score that a chain must be able to reach if another chain of the read scores `best`.
  __device__ int32_t limit(int32_t best) const {
    return min(best - max_drop, static_cast<int32_t>(static_cast<float>(best) * min_ratio));
  }
};

// Tails of fewer bases are taken to cost no more than their gap.
constexpr uint32_t SHORT_TAIL = 12;

// The bits of so many bases of a word, or all.
static __device__ __forceinline__ uint64_t first_bases(uint32_t count) {
  return count < 32 ? (uint64_t{1} << (2 * count)) - 1 : ~uint64_t{0};
}

// The bases of a query on one side of its chain, as they are on the chain's diagonal: what those next to the chain cost that
// are kept, as many as score most, and the number of the others. Differences are added from the chain outwards.
struct Side {
  int32_t kept;
  uint32_t tail;

  // What the side costs, if the tail costs so much; it may be cut off.
  __device__ int32_t cost(int32_t of_tail, const OutscoringRules& rules) const {
    return kept + min(of_tail, static_cast<int32_t>(tail) * rules.match_score);
  }
};

// Makes a side of `length` bases.
class SideBuilder {
 public:
  __device__ SideBuilder(uint32_t length, const OutscoringRules& rules)
      : rules_(rules), length_(length), whole_(static_cast<int32_t>(length) * rules.match_score) {}

  // Adds the next difference outwards, which has so many bases before it; false if no more bases can score more.
  __device__ bool add(uint32_t before) {
    const int32_t score = static_cast<int32_t>(before) * rules_.match_score - cost_;
    if (score > best_) {
      best_ = score;
      kept_ = before;
    }
    cost_ += rules_.difference;
    return whole_ - cost_ > best_;
  }

  __device__ Side side() {
    if (whole_ - cost_ > best_) {
      best_ = whole_ - cost_;
      kept_ = length_;
    }
    return Side{static_cast<int32_t>(kept_) * rules_.match_score - best_, length_ - kept_};
  }

 private:
  const OutscoringRules& rules_;
  uint32_t length_;
  int32_t whole_;
  int32_t best_ = 0;    // score of the best bases from the chain on
  uint32_t kept_ = 0;   // their number
  int32_t cost_ = 0;    // of all differences so far
};

// Calls visit(place) for the places from `begin` to `end` of a query that differ from the text, in ascending order, until it
// returns false. `position` of the text is opposite the query's first base. Any thread may call it at any time.
template <class Visit>
static __device__ __forceinline__ void places_from(const PackedQuery& query, const fm::IndexView& view, uint32_t position,
                                                   uint32_t begin, uint32_t end, Visit visit) {
  for (uint32_t word = begin; word < end; word += 32) {
    uint64_t bits = query.different(word, view, position + word) & first_bases(end - word);
    while (bits != 0) {
      if (!visit(word + static_cast<uint32_t>(__ffsll(static_cast<long long>(bits)) - 1) / 2)) return;
      bits &= bits - 1;
    }
  }
}

// As `places_from`, for the places before `end` in descending order.
template <class Visit>
static __device__ __forceinline__ void places_before(const PackedQuery& query, const fm::IndexView& view, uint32_t position,
                                                     uint32_t end, Visit visit) {
  for (uint32_t word = end; word > 0;) {
    const uint32_t count = min(32u, word);
    word -= count;
    uint64_t bits = query.different(word, view, position + word) & first_bases(count);
    while (bits != 0) {
      const uint32_t in_word = (63 - static_cast<uint32_t>(__clzll(static_cast<long long>(bits)))) / 2;
      if (!visit(word + in_word)) return;
      bits ^= uint64_t{1} << (2 * in_word);
    }
  }
}

// A whole query beside the text that lies opposite on the diagonal of its chain. Any thread may make one and call its
// functions at any time.
class Opposite {
 public:
  // Compares the query of a chain of one diagonal with the text, if all of it has text opposite.
  __device__ Opposite(const Chain& chain, const PackedQuery& query, const fm::IndexView& view, const OutscoringRules& rules)
      : query_(query), view_(view), rules_(rules) {
    is_there_ = chain.weight >= rules.min_weight && chain.low == chain.high && chain.low >= 0 &&
                chain.low + query.length <= view.bases;
    if (!is_there_) return;
    begin_ = static_cast<uint32_t>(chain.low);
    SideBuilder right(query.length - chain.end, rules), left(chain.begin, rules);
    places_from(query, view, begin_, chain.end, query.length, [&](uint32_t place) { return right.add(place - chain.end); });
    places_before(query, view, begin_, chain.begin, [&](uint32_t place) { return left.add(chain.begin - 1 - place); });
    left_ = left.side();
    right_ = right.side();
    uint32_t count = 0, first = 0, last = 0;
    places_from(query, view, begin_, chain.begin, chain.end, [&](uint32_t place) {
      if (count == 0) first = place;
      count += 1;
      last = place;
      return true;
    });
    const int32_t middle = static_cast<int32_t>(count) * rules.difference;
    const bool is_crowded = count > 0 && 2 * count > last - first;
    const int32_t score = static_cast<int32_t>(query.length) * rules.match_score;
    constexpr int32_t CUT = 0x7FFFFFFF;
    at_least_ = score - middle - left_.cost(CUT, rules) - right_.cost(CUT, rules);
    whole_ = score - (is_crowded ? min(middle, 2 * rules.gap) : middle);
  }

  // Whether the chain has one diagonal with text opposite the whole query, and enough weight; what follows is only for these.
  __device__ bool is_there() const { return is_there_; }

  // What the chain scores at least.
  __device__ int32_t at_least() const { return at_least_; }

  // The places of the query that the chain keeps without gaps: the middle, and the sides without their tails.
  __device__ uint32_t kept_begin() const { return left_.tail; }
  __device__ uint32_t kept_end() const { return query_.length - right_.tail; }

  // The best score of any of the bases that follow each other among those.
  __device__ int32_t score_of_kept() const {
    int32_t best = 0, score = 0;
    uint32_t begin = kept_begin();
    places_from(query_, view_, begin_, kept_begin(), kept_end(), [&](uint32_t place) {
      score += static_cast<int32_t>(place - begin) * rules_.match_score;
      best = max(best, score);
      score = max(score - (rules_.difference - rules_.match_score), 0);
      begin = place + 1;
      return true;
    });
    return max(best, score + static_cast<int32_t>(kept_end() - begin) * rules_.match_score);
  }

  // Whether an alignment that leaves the diagonal by at most `margin` may score so much.
  __device__ bool may_reach(int32_t limit, uint32_t margin) const {
    if (at_least_ >= limit) return true;
    // What both sides may cost. Where tails must be looked at, few chains can reach the limit.
    const int32_t most = whole_ - limit, of_right = right_.cost(rules_.gap, rules_);
    if (left_.cost(rules_.gap, rules_) + of_right > most) return false;
    const int32_t left_tail = tail_cost(0, left_.tail, margin, most - left_.kept - of_right);
    const int32_t of_left = left_.cost(left_tail, rules_);
    if (of_left + of_right > most) return false;
    const int32_t right_tail =
        tail_cost(query_.length - right_.tail, query_.length, margin, most - of_left - right_.kept);
    return of_left + right_.cost(right_tail, rules_) <= most;
  }

 private:
  // What a tail costs behind a gap: of each 32 bases the differences on the best diagonal near, or all of them, if that is
  // less. It need not be exact if it is more than `most`.
  __device__ int32_t tail_cost(uint32_t begin, uint32_t end, uint32_t margin, int32_t most) const {
    int32_t cost = rules_.gap;
    if (end - begin < SHORT_TAIL) return cost;
    // A gap of as many bases as the tail cannot pay.
    margin = min(margin, end - begin);
    const uint32_t text_words = (view_.bases + 31) / 32;
    for (; begin < end && cost <= most; begin += 32) {
      const uint32_t count = min(32u, end - begin), opposite = begin_ + begin;
      const uint64_t bases = fetch(query_.words, query_.count, begin);
      const uint64_t unknown = fetch(query_.unknown, query_.count, begin);
      const uint64_t inside = first_bases(count);
      const uint32_t last = static_cast<uint32_t>(min(uint64_t{opposite} + margin, uint64_t{view_.bases - count}));
      uint32_t fewest = 32;
      for (uint32_t position = opposite - min(opposite, margin); position <= last; position++) {
        const uint64_t either = bases ^ fetch(view_.text, text_words, position);
        const uint64_t differ = (((either | either >> 1) & 0x5555555555555555) | unknown) & inside;
        fewest = min(fewest, static_cast<uint32_t>(__popcll(differ)));
      }
      cost += min(static_cast<int32_t>(count) * rules_.match_score, static_cast<int32_t>(fewest) * rules_.difference);
    }
    return cost;
  }

  PackedQuery query_;
  const fm::IndexView& view_;
  const OutscoringRules& rules_;
  bool is_there_;
  uint32_t begin_ = 0;  // position of the text opposite the query's first base
  int32_t whole_ = 0;   // what the query scores if only the middle costs anything, and that no more than two gaps if crowded
  int32_t at_least_ = 0;
  Side left_ = {}, right_ = {};
};

}  // namespace seed_extend
