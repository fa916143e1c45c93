// Seeds of very many queries: the device side of seeding/stages.rs.
#include "stream/stream.cuh"

#include <seed_extend/seeds.cuh>

namespace {

using find::COMPARE_FROM;
using find::Seed;
using find::Word;

constexpr uint32_t STEPS = 4;  // bases that a word grows by at most in one firing

struct Hunts {
  uint32_t first, count;
};

// What becomes of a word: `Way` of stages.rs.
constexpr uint16_t MATCH = 0, RARE = 1, LEFT = 2, RIGHT = 3, RARER = 4;

struct Growing {
  uint32_t query, least;
  fm::Interval rows;
  uint16_t begin, end, last, way;

  __device__ uint32_t length() const { return end - begin; }
};
static_assert(sizeof(Growing) == 28, "as in stages.rs");

// What the application is given: DeviceContext of stages.rs.
struct Context {
  fm::View index;
  find::Queries queries;
  find::SeedOptions options;

  __device__ bool is_rare(const Growing& it) const { return it.rows.size < options.rare; }

  // Adds a base to a word, on the side where it grows, and whether it is still to grow.
  __device__ bool grow(const Word& word, Growing& it) const {
    const bool goes_left = it.way == LEFT, is_rarer = it.way == RARER;
    const uint32_t length = it.length(), size = it.rows.size;
    if (goes_left ? it.begin == 0 || (size == 1 && length >= COMPARE_FROM) : it.end == word.length) {
      return false;
    }
    if (is_rarer && (size < 2 || (length > options.min_length && is_rare(it)))) return false;
    const uint32_t code = word.code(goes_left ? it.begin - 1 : it.end);
    fm::Interval longer{0, 0, 0};  // nothing occurs with a code that is unknown
    if (code <= 3) {
      longer = it.rows;
      fm::extend(index, goes_left, code, longer);
    }
    if (!is_rarer && longer.size < it.least) return false;
    it.rows = longer;
    if (goes_left) {
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
    Growing it{hunt / 2, 1, {0, 0, 0}, 0, static_cast<uint16_t>(least), static_cast<uint16_t>(length),
               hunt % 2 == 0 ? MATCH : RARE};
    push(stream::to<0>(), it);
  }
};

// What comes of a word that grows no further: nothing, the same word on its way to the right, or the next
// word of its hunt.
enum class After { nothing, right, next };

// Decides what a word is that grows no further, and looks the one after it up.
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
    uint32_t place = 0;
    const After after = settle(context, word, it, seed, place);
    if (after == After::nothing) return;
    if (seed.size > 0) {
      push(stream::to<1>(), seed);
      const bool is_long = seed.length >= context.options.split_length;
      if (it.way != RARER && it.least == 1 && is_long && seed.size <= context.options.split_occurrences) {
        push(stream::to<2>(), again(it, seed));
      }
    }
    if (after == After::right) {
      it.way = RIGHT;
    } else if (!look_up(context, word, place, it)) {
      return;
    }
    push(stream::to<0>(), it);
  }

  // Sets `seed` if there is one, and `place` to where the next word is to be looked for: the end of a
  // match, the begin of a rare word. Where a match occurs once, the text tells how far it reaches, to both
  // sides, and `it` grows so far.
  __device__ static After settle(const Context& context, const Word& word, Growing& it, Seed& seed,
                                 uint32_t& place) {
    const uint32_t size = it.rows.size, length = it.length(), min_length = context.options.min_length;
    const bool compares = it.way == LEFT && size == 1 && length >= COMPARE_FROM;
    // Locating takes longest, so that lanes do it together, whatever for.
    uint32_t first = it.rows.lo;
    if (compares || (it.way == RIGHT && size == 1)) first = fm::locate(context.index, first);
    bool is_seed = it.way == RIGHT;
    if (it.way == LEFT) {
      const uint32_t end = first + length;  // of the word in the text, if it compares
      if (compares) {
        const uint32_t before = word.equal_before(it.begin, context.index, first);
        it.begin = static_cast<uint16_t>(it.begin - before);
        first -= before;
      }
      if (it.begin > it.last) return After::nothing;
      is_seed = it.length() >= min_length;
      if (is_seed && !compares) return After::right;
      if (is_seed) it.end = static_cast<uint16_t>(it.end + word.equal_after(it.end, context.index, end));
    } else if (it.way == RARER) {
      is_seed = length > min_length && size > 1 && context.is_rare(it);
    }
    if (is_seed) seed = Seed{it.query, it.begin, static_cast<uint16_t>(it.length()), first, size};
    switch (it.way) {
      case MATCH: place = it.end; break;
      case RARE: place = it.begin; break;
      // What begins before a short one ends before it.
      case LEFT: place = is_seed ? it.end + 1 : it.begin + min_length; break;
      case RIGHT: place = it.end + 1; break;
      default: place = max(uint32_t{it.end}, it.begin + min_length + 1);
    }
    return After::next;
  }

  // A hunt for matches that contain the middle of this one and occur more often.
  __device__ static Growing again(const Growing& it, const Seed& seed) {
    const uint32_t middle = seed.begin + seed.length / 2u;
    Growing again = it;
    again.least = seed.size + 1;
    again.end = static_cast<uint16_t>(middle + 1);
    again.last = static_cast<uint16_t>(middle);
    again.way = MATCH;
    return again;
  }

  // Looks for the match that ends at a place, or the rare word that begins there, if the query has room
  // for it.
  __device__ static bool look_up(const Context& context, const Word& word, uint32_t place, Growing& it) {
    const uint32_t table = context.index.table_length;
    const bool is_rare = it.way == RARE || it.way == RARER;
    const uint32_t needs = is_rare ? max(table, context.options.min_length + 1) : 0;
    if (place + needs > word.length) return false;
    const bool fits = is_rare || place >= table;
    const uint32_t begin = is_rare ? place : place - table;
    if (fits) it.rows = word.look_up(begin, context.index);
    const bool is_found = fits && (is_rare || it.rows.size >= it.least);
    if (!is_found) it.rows = fm::root(context.index);
    it.begin = static_cast<uint16_t>(is_found ? begin : place);
    it.end = static_cast<uint16_t>(is_rare ? place + table : place);
    it.way = is_rare ? RARER : LEFT;
    return true;
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

}  // namespace

STREAM_APP(seeds, Begin, Turn, Grow)
