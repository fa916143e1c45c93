// Seeds of very many queries: the device side of seeding/stages.rs.
#include "stream/stream.cuh"

#include <seed_extend/seeds.cuh>

namespace {

using find::Seed;
using find::Word;

// Bases that a word grows by at most in one firing. Most stop after three to five: of the steps that a warp
// takes on reads of human chromosome 20, 66% are at work, with 4 bases 82%, but for 58% more firings, which
// costs more (65 ms to 70 ms for a million reads; with 16, 69 ms).
constexpr uint32_t STEPS = 8;

// From this length on a word that occurs once is compared with the text: COMPARE_FROM of seeding/growing.rs.
constexpr uint32_t COMPARE_FROM = 16;

struct Hunts {
  uint32_t first, count;
};

// What becomes of a word: `Way` of stages.rs.
constexpr uint16_t MATCH = 0, RARE = 1, LEFT = 2, RIGHT = 3, RARER = 4, UNIQUE = 5, MATCHED = 6;

struct Growing {
  uint32_t query, least;
  fm::Interval rows;
  uint32_t steps;
  uint16_t begin, end, last, way;

  __device__ uint32_t length() const { return end - begin; }
};
static_assert(sizeof(Growing) == 32, "as in stages.rs");

// What the application is given: DeviceContext of stages.rs.
struct Context {
  fm::View index;
  find::Queries queries;
  find::SeedOptions options;

  __device__ bool is_rare(const Growing& it) const { return it.rows.size < options.rare; }

  // Adds a base to a word where it grows, and whether it is still to grow. To find the place of one that
  // occurs once is the same: what precedes it in the text is put before its rows.
  __device__ bool grow(const Word& word, Growing& it) const {
    if (it.way == LEFT && it.rows.size == 1 && it.length() >= COMPARE_FROM) it.way = UNIQUE;
    const bool seeks = it.way == UNIQUE || it.way == MATCHED;
    const bool is_left = it.way == LEFT, is_rarer = it.way == RARER;
    if (seeks && fm::is_sampled(index, it.rows.lo)) return false;
    if (is_rarer && (it.rows.size < 2 || (it.length() > options.min_length && is_rare(it)))) return false;
    const bool is_at_end = !seeks && (is_left ? it.begin == 0 : it.end == word.length);
    fm::Interval longer{0, 0, 0};  // nothing occurs with a code that is unknown
    if (!is_at_end) {
      const uint32_t code =
          seeks ? fm::symbol(index.forward, it.rows.lo) : word.code(is_left ? it.begin - 1 : it.end);
      if (code <= 3) {
        longer = it.rows;
        fm::extend(index, is_left || seeks, code, longer);
      }
    }
    if (is_at_end || (!is_rarer && longer.size < it.least)) {
      if (it.way != RIGHT || it.rows.size != 1) return false;
      it.way = MATCHED;
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
};
static_assert(sizeof(Context) == 128, "as in stages.rs");

// Begins hunts: even ones for the matches of a query, odd ones for its rare words.
struct Begin : stream::Exploding {
  using In = Hunts;
  using Out = stream::Channels<stream::Channel<Growing, 1>>;
  using Global = Context;

  __device__ uint32_t size(const Hunts& hunts, const stream::Site<Begin>&) const { return hunts.count; }

  template <class Push>
  __device__ void run(const Hunts& hunts, const stream::Site<Begin>& site, Push& push) const {
    const Context context = site.global();
    const uint32_t hunt = hunts.first + site.element, least = context.options.min_length;
    const uint32_t length = context.queries.length(hunt / 2);
    if (length < least) return;
    Growing it{hunt / 2, 1, {0, 0, 0}, 0, 0, static_cast<uint16_t>(least),
               static_cast<uint16_t>(length), hunt % 2 == 0 ? MATCH : RARE};
    push(stream::to<0>(), it);
  }
};

// Looks up words as they begin to grow; others pass as they are. Of one to the left only the last bases
// are looked up, and none of them if they do not occur often enough.
struct LookUp : stream::Stage {
  using In = Growing;
  using Out = stream::Channels<stream::Channel<Growing, 1>>;
  using Global = Context;

  template <class Push>
  __device__ void run(const Growing& word, const stream::Site<LookUp>& site, Push& push) const {
    const Context context = site.global();
    const uint32_t table = context.index.table_length;
    const bool is_rare = word.way == RARE;
    Growing it = word;
    if (is_rare || word.way == MATCH) {
      const bool fits = is_rare || it.end >= table;
      const uint32_t begin = is_rare ? it.begin : it.end - table;
      if (fits) it.rows = Word(context.queries, it.query).look_up(begin, context.index);
      const bool is_found = fits && (is_rare || it.rows.size >= it.least);
      if (!is_found) it.rows = fm::root(context.index);
      it.begin = static_cast<uint16_t>(is_found ? begin : it.end);
      if (is_rare) it.end = static_cast<uint16_t>(begin + table);
      it.way = is_rare ? RARER : LEFT;
    }
    push(stream::to<0>(), it);
  }
};

// Lets a word grow.
struct Grow : stream::Stage {
  using In = Growing;
  using Out = stream::Channels<stream::Channel<Growing, 1>, stream::Channel<Growing, 1>>;
  using Global = Context;

  template <class Push>
  __device__ void run(const Growing& growing, const stream::Site<Grow>& site, Push& push) const {
    const Context context = site.global();
    const Word word(context.queries, growing.query);
    Growing it = growing;
    for (uint32_t step = 0; step < STEPS; step++) {
      if (!context.grow(word, it)) {
        push(stream::to<1>(), it);
        return;
      }
    }
    push(stream::to<0>(), it);
  }
};

// Decides what a word is that grows no further, and which word comes after it.
struct Turn : stream::Stage {
  using In = Growing;
  using Out = stream::Channels<stream::Channel<Growing, 1>, stream::Channel<Seed, 1>,
                               stream::Channel<Growing, 1>>;
  using Global = Context;

  template <class Push>
  __device__ void run(const Growing& grown, const stream::Site<Turn>& site, Push& push) const {
    const Context context = site.global();
    const Word word(context.queries, grown.query);
    Growing it = grown;
    Seed seed{it.query, 0, 0, 0, 0};
    const bool goes_on = settle(context, word, it, seed);
    if (seed.size > 0) {
      push(stream::to<1>(), seed);
      const bool is_long = seed.length >= context.options.split_length;
      if (grown.way != RARER && it.least == 1 && is_long &&
          seed.size <= context.options.split_occurrences) {
        push(stream::to<2>(), again(it, seed));
      }
    }
    if (goes_on) push(stream::to<0>(), it);
  }

  // Sets `seed` if there is one, and `it` to what its hunt goes on with: the same word to the right, or the
  // next one. Gives false if there is none. Where a match occurs once, the text tells how far it reaches, to
  // both sides, and it grows so far.
  __device__ static bool settle(const Context& context, const Word& word, Growing& it, Seed& seed) {
    const uint32_t min_length = context.options.min_length, way = it.way;
    uint32_t first = it.rows.lo;
    if (way == UNIQUE || way == MATCHED) first = fm::sampled_position(context.index, first) + it.steps;
    if (way == UNIQUE) {
      const uint32_t before = word.equal_before(it.begin, context.index, first);
      it.begin = static_cast<uint16_t>(it.begin - before);
      first -= before;
    }
    const bool is_left = way == LEFT || way == UNIQUE;
    if (is_left && it.begin > it.last) return false;
    const bool is_long = it.length() >= min_length;
    if (way == LEFT && is_long) {
      it.way = RIGHT;
      return true;
    }
    if (way == UNIQUE && is_long) {
      const uint32_t after = word.equal_after(it.end, context.index, first + it.length());
      it.end = static_cast<uint16_t>(it.end + after);
    }
    const bool is_seed = way == RARER ? it.length() > min_length && it.rows.size > 1 && context.is_rare(it)
                                      : way == RIGHT || way == MATCHED || (way == UNIQUE && is_long);
    if (is_seed) {
      seed = Seed{it.query, it.begin, static_cast<uint16_t>(it.length()), first, it.rows.size};
    }
    return next(context, word, is_seed, it);
  }

  // Sets `it` to the word that is to be looked up next: a match that ends at a place, or a rare word that
  // begins there. Gives whether the query has room for it.
  __device__ static bool next(const Context& context, const Word& word, bool is_seed, Growing& it) {
    const uint32_t least = it.begin + context.options.min_length;
    const bool is_rare = it.way == RARE || it.way == RARER;
    uint32_t place = it.way == RARE ? it.begin : it.end;
    if (it.way == RARER) place = max(place, least + 1);
    // What begins before a short word ends before it.
    if (!is_rare && it.way != MATCH) place = is_seed ? place + 1 : least;
    const uint32_t needs = is_rare ? max(context.index.table_length, context.options.min_length + 1) : 0;
    if (place + needs > word.length) return false;
    if (is_rare) {
      it.begin = static_cast<uint16_t>(place);
    } else {
      it.end = static_cast<uint16_t>(place);
    }
    it.way = is_rare ? RARE : MATCH;
    it.steps = 0;
    return true;
  }

  // A hunt for matches that contain the middle of this one and occur more often.
  __device__ static Growing again(const Growing& it, const Seed& seed) {
    const uint32_t middle = seed.begin + seed.length / 2u;
    Growing again = it;
    again.least = seed.size + 1;
    again.steps = 0;
    again.end = static_cast<uint16_t>(middle + 1);
    again.last = static_cast<uint16_t>(middle);
    again.way = MATCH;
    return again;
  }
};

}  // namespace

STREAM_APP(seeds, Begin, LookUp, Grow, Turn)
