// Finds the seeds of very many queries: the device side of src/seed/stages.rs.
#include "stream/stream.cuh"

#include <seed_extend/seeds.cuh>

namespace {

using namespace seed_extend;

// Bases that a word is extended by in one firing, at most. Most words stop after three to five. With 8, 66% of the
// lanes of a warp are at work on reads of human chromosome 20; with 4, 82%, but 58% more firings cost more (70 ms
// instead of 65 ms for a million reads; with 16, 69 ms).
constexpr uint32_t STEPS = 8;

// Bases from which on a word that occurs once is compared with the text: COMPARE_FROM of src/seed/grow.rs.
constexpr uint32_t COMPARE_FROM = 16;

// Whether a word occurs seldom enough for a seed of the third kind. Any thread may call it at any time.
__device__ bool is_rare(const SeedParameters& p, const GrowingWord& it) {
  return it.rows.size < p.options.rare_occurrences;
}

// Extends a word by one base on its side, or takes one step towards its position, and returns whether it is to be
// extended further. A step towards the position of a word that occurs once puts the base before it in the text before
// its rows. Any thread may call it at any time.
__device__ bool extend(const SeedParameters& p, const PackedQuery& query, GrowingWord& it) {
  if (it.state == EXTEND_LEFT && it.rows.size == 1 && it.length() >= COMPARE_FROM) it.state = LOCATE_LEFT;
  const bool seeks = it.state == LOCATE_LEFT || it.state == LOCATE_MATCH;
  const bool is_left = it.state == EXTEND_LEFT, is_rarer = it.state == EXTEND_RARE;
  if (seeks && fm::is_sampled(p.index, it.rows.lo)) return false;
  if (is_rarer && (it.rows.size < 2 || (it.length() > p.options.min_length && is_rare(p, it)))) return false;
  const bool is_at_end = !seeks && (is_left ? it.begin == 0 : it.end == query.length);
  fm::Interval longer{0, 0, 0};  // nothing occurs with a code that is unknown
  if (!is_at_end) {
    const uint32_t code =
        seeks ? fm::symbol(p.index.forward, it.rows.lo) : query.code(is_left ? it.begin - 1 : it.end);
    if (code <= 3) {
      longer = it.rows;
      fm::extend(p.index, is_left || seeks, code, longer);
    }
  }
  if (is_at_end || (!is_rarer && longer.size < it.min_occurrences)) {
    if (it.state != EXTEND_RIGHT || it.rows.size != 1) return false;
    it.state = LOCATE_MATCH;
    return true;
  }
  it.rows = longer;
  if (seeks) {
    it.steps++;
  } else if (is_left) {
    it.begin--;
  } else {
    it.end++;
  }
  return true;
}

// Stage that begins each search with its first word: even ones for the matches of a query, odd ones for its rare words.
struct Begin : stream::Exploding {
  using In = SeedSearches;
  using Out = stream::Channels<stream::Channel<GrowingWord, 1>>;
  using Global = SeedParameters;

  __device__ uint32_t size(const SeedSearches& searches, const stream::Site<Begin>&) const { return searches.count; }

  template <class Push>
  __device__ void run(const SeedSearches& searches, const stream::Site<Begin>& site, Push& push) const {
    const SeedParameters p = site.global();
    const uint32_t search = searches.first + site.element, least = p.options.min_length;
    const uint32_t length = p.queries.length(search / 2);
    if (length < least) return;
    GrowingWord it{search / 2, 1, {0, 0, 0}, 0, 0, static_cast<uint16_t>(least),
               static_cast<uint16_t>(length), search % 2 == 0 ? LOOK_UP_MATCH : LOOK_UP_RARE};
    push(stream::to<0>(), it);
  }
};

// Stage that looks up the last bases of a match, or the first ones of a rare word, in the table of words. Other words
// pass unchanged. A match whose last bases occur too seldom starts empty instead.
struct LookUp : stream::Stage {
  using In = GrowingWord;
  using Out = stream::Channels<stream::Channel<GrowingWord, 1>>;
  using Global = SeedParameters;

  template <class Push>
  __device__ void run(const GrowingWord& word, const stream::Site<LookUp>& site, Push& push) const {
    const SeedParameters p = site.global();
    const uint32_t table = p.index.table_length;
    const bool is_rare = word.state == LOOK_UP_RARE;
    GrowingWord it = word;
    if (is_rare || word.state == LOOK_UP_MATCH) {
      const bool fits = is_rare || it.end >= table;
      const uint32_t begin = is_rare ? it.begin : it.end - table;
      if (fits) it.rows = PackedQuery(p.queries, it.query).look_up(begin, p.index);
      const bool is_found = fits && (is_rare || it.rows.size >= it.min_occurrences);
      if (!is_found) it.rows = fm::root(p.index);
      it.begin = static_cast<uint16_t>(is_found ? begin : it.end);
      if (is_rare) it.end = static_cast<uint16_t>(begin + table);
      it.state = is_rare ? EXTEND_RARE : EXTEND_LEFT;
    }
    push(stream::to<0>(), it);
  }
};

// Stage that extends a word.
struct Grow : stream::Stage {
  using In = GrowingWord;
  using Out = stream::Channels<stream::Channel<GrowingWord, 1>, stream::Channel<GrowingWord, 1>>;
  using Global = SeedParameters;

  template <class Push>
  __device__ void run(const GrowingWord& growing, const stream::Site<Grow>& site, Push& push) const {
    const SeedParameters p = site.global();
    const PackedQuery query(p.queries, growing.query);
    GrowingWord it = growing;
    for (uint32_t step = 0; step < STEPS; step++) {
      if (!extend(p, query, it)) {
        push(stream::to<1>(), it);
        return;
      }
    }
    push(stream::to<0>(), it);
  }
};

// Stage that decides whether a word that cannot be extended is a seed, and which word comes next.
struct Settle : stream::Stage {
  using In = GrowingWord;
  using Out = stream::Channels<stream::Channel<GrowingWord, 1>, stream::Channel<Seed, 1>,
                               stream::Channel<GrowingWord, 1>>;
  using Global = SeedParameters;

  template <class Push>
  __device__ void run(const GrowingWord& grown, const stream::Site<Settle>& site, Push& push) const {
    const SeedParameters p = site.global();
    const PackedQuery query(p.queries, grown.query);
    GrowingWord it = grown;
    Seed seed{it.query, 0, 0, 0, 0};
    const bool goes_on = settle(p, query, it, seed);
    if (seed.size > 0) {
      push(stream::to<1>(), seed);
      const bool is_long = seed.length >= p.options.split_length;
      if (grown.state != EXTEND_RARE && it.min_occurrences == 1 && is_long &&
          seed.size <= p.options.max_split_occurrences) {
        push(stream::to<2>(), split(it, seed));
      }
    }
    if (goes_on) push(stream::to<0>(), it);
  }

  // Sets `seed` if the word is one, and `it` to the word that its search goes on with: the same word, now to the right,
  // or the next one to look up. Returns false if there is no next word. A match that occurs once is first extended to
  // both sides as far as the text itself is equal. Any thread may call it at any time.
  __device__ static bool settle(const SeedParameters& p, const PackedQuery& query, GrowingWord& it, Seed& seed) {
    const uint32_t min_length = p.options.min_length, state = it.state;
    uint32_t first = it.rows.lo;
    if (state == LOCATE_LEFT || state == LOCATE_MATCH) first = fm::sampled_position(p.index, first) + it.steps;
    if (state == LOCATE_LEFT) {
      const uint32_t before = query.equal_before(it.begin, p.index, first);
      it.begin = static_cast<uint16_t>(it.begin - before);
      first -= before;
    }
    const bool is_left = state == EXTEND_LEFT || state == LOCATE_LEFT;
    if (is_left && it.begin > it.last_begin) return false;
    const bool is_long = it.length() >= min_length;
    if (state == EXTEND_LEFT && is_long) {
      it.state = EXTEND_RIGHT;
      return true;
    }
    if (state == LOCATE_LEFT && is_long) {
      const uint32_t after = query.equal_after(it.end, p.index, first + it.length());
      it.end = static_cast<uint16_t>(it.end + after);
    }
    const bool is_seed = state == EXTEND_RARE
                             ? it.length() > min_length && it.rows.size > 1 && is_rare(p, it)
                             : state == EXTEND_RIGHT || state == LOCATE_MATCH || (state == LOCATE_LEFT && is_long);
    if (is_seed) {
      seed = Seed{it.query, it.begin, static_cast<uint16_t>(it.length()), first, it.rows.size};
    }
    return next(p, query, is_seed, it);
  }

  // Sets `it` to the word to look up next, a match that ends at a place or a rare word that begins there, and returns
  // whether the query has room for it. Any thread may call it at any time.
  __device__ static bool next(const SeedParameters& p, const PackedQuery& query, bool is_seed, GrowingWord& it) {
    const uint32_t least = it.begin + p.options.min_length;
    const bool is_rare = it.state == LOOK_UP_RARE || it.state == EXTEND_RARE;
    uint32_t place = it.state == LOOK_UP_RARE ? it.begin : it.end;
    if (it.state == EXTEND_RARE) place = max(place, least + 1);
    // Words that begin before a too short word end before it does, so the next match begins no earlier than it.
    if (!is_rare && it.state != LOOK_UP_MATCH) place = is_seed ? place + 1 : least;
    const uint32_t needs = is_rare ? max(p.index.table_length, p.options.min_length + 1) : 0;
    if (place + needs > query.length) return false;
    if (is_rare) {
      it.begin = static_cast<uint16_t>(place);
    } else {
      it.end = static_cast<uint16_t>(place);
    }
    it.state = is_rare ? LOOK_UP_RARE : LOOK_UP_MATCH;
    it.steps = 0;
    return true;
  }

  // The search for matches that contain the middle of a seed and occur more often. Any thread may call it at any time.
  __device__ static GrowingWord split(const GrowingWord& it, const Seed& seed) {
    const uint32_t middle = seed.begin + seed.length / 2u;
    GrowingWord next = it;
    next.min_occurrences = seed.size + 1;
    next.steps = 0;
    next.end = static_cast<uint16_t>(middle + 1);
    next.last_begin = static_cast<uint16_t>(middle);
    next.state = LOOK_UP_MATCH;
    return next;
  }
};

}  // namespace

STREAM_APP(seeds, Begin, LookUp, Grow, Settle)
