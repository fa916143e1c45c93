// Seeds of a query, by one thread: src/seeds.rs says what they are, src/seeding/mod.rs why they are found so.
#pragma once

#include "queries.cuh"

namespace find {

// Mirrors `Seed` of src/seeds.rs.
struct Seed {
  uint32_t query;
  uint16_t begin, length;
  uint32_t first, size;
};
static_assert(sizeof(Seed) == 16, "mirrored in Rust");

// Mirrors `SeedOptions` of src/seeds.rs.
struct SeedOptions {
  uint32_t min_length, split_length, split_occurrences, rare;
};

// Mirrors `Numbers` of src/find/gpu/numbers.rs.
struct Numbers {
  SeedOptions seeds;
  uint32_t occurrences;  // of a seed that are looked at
  uint32_t width;        // of `ChainOptions`
  float overlap, drop_ratio;
  uint32_t drop_weight, most;
};
static_assert(sizeof(Numbers) == 40, "mirrored in Rust");

// A word with its occurrences: rows, or the one position `rows.lo` in the text, of a place in the query
// that goes with it.
struct Found {
  fm::Interval rows;
  bool is_place;
};

constexpr uint32_t COMPARE_FROM = 16;

// Finds the seeds of one query into `seeds`, of which there are at most `room`. Any thread may call its
// functions at any time.
struct Seeder {
  const fm::View& view;
  const SeedOptions& options;
  Word word;
  uint32_t query;
  Seed* seeds;
  uint32_t room;
  uint32_t count;  // of seeds; those beyond `room` are counted only

  // All seeds. If there are more than there is room for, those that are there mean nothing.
  __device__ void all() {
    count = 0;
    if (word.length < options.min_length) return;
    matches(options.min_length, word.length, 1);
    const uint32_t first = count;
    if (first > room) return;
    for (uint32_t number = 0; number < first; number++) {
      const Seed seed = seeds[number];
      if (seed.length >= options.split_length && seed.size <= options.split_occurrences) {
        const uint32_t middle = seed.begin + seed.length / 2;
        matches(middle + 1, middle, seed.size + 1);
      }
    }
    rare();
  }

 private:
  __device__ void push(uint32_t begin, uint32_t length, uint32_t first, uint32_t size) {
    if (count < room) {
      seeds[count] = Seed{query, static_cast<uint16_t>(begin), static_cast<uint16_t>(length), first, size};
    }
    count++;
  }

  __device__ void rare() {
    const uint32_t table = view.table_length, least = options.min_length + 1;
    uint32_t begin = 0;
    while (begin + max(least, table) <= word.length) {
      fm::Interval rows = word.look_up(begin, view);
      uint32_t end = begin + table;
      while (!(rows.size < 2 || (end - begin >= least && rows.size < options.rare)) &&
             end < word.length) {
        extend<false>(word.code(end), rows);
        end++;
      }
      if (end - begin >= least && rows.size >= 2 && rows.size < options.rare) {
        push(begin, end - begin, rows.lo, rows.size);
      }
      begin = max(end, begin + least);
    }
  }

  __device__ void matches(uint32_t end, uint32_t last, uint32_t least) {
    while (end <= word.length) {
      Found found;
      const uint32_t begin = leftwards(end, least, found);
      if (begin > last) return;
      if (end - begin < options.min_length) {
        end = begin + options.min_length;
        continue;
      }
      const uint32_t to = rightwards(end, found, least);
      const uint32_t first = found.is_place          ? found.rows.lo - (end - begin)
                             : found.rows.size == 1 ? fm::locate(view, found.rows.lo)
                                                    : found.rows.lo;
      push(begin, to - begin, first, found.is_place ? 1 : found.rows.size);
      end = to + 1;
    }
  }

  // The longest word that ends at `end` and occurs `least` times: its begin, and what was found, which
  // is the position of `end` if it is one.
  __device__ uint32_t leftwards(uint32_t end, uint32_t least, Found& found) {
    const uint32_t table = view.table_length;
    uint32_t begin = end;
    found = Found{fm::root(view), false};
    if (end >= table) {
      const fm::Interval rows = word.look_up(end - table, view);
      if (rows.size >= least) {
        begin = end - table;
        found.rows = rows;
      }
    }
    while (begin > 0) {
      if (found.rows.size == 1 && end - begin >= COMPARE_FROM) {
        const uint32_t position = fm::locate(view, found.rows.lo);
        found = Found{{position + (end - begin), 0, 1}, true};
        return begin - word.equal_before(begin, view, position);
      }
      fm::Interval longer = found.rows;
      extend<true>(word.code(begin - 1), longer);
      if (longer.size < least) break;
      begin--;
      found.rows = longer;
    }
    return begin;
  }

  // The longest continuation behind `end` that occurs `least` times: its end.
  __device__ uint32_t rightwards(uint32_t end, Found& found, uint32_t least) {
    if (found.is_place) return end + word.equal_after(end, view, found.rows.lo);
    uint32_t to = end;
    while (to < word.length) {
      fm::Interval longer = found.rows;
      extend<false>(word.code(to), longer);
      if (longer.size < least) break;
      to++;
      found.rows = longer;
    }
    return to;
  }

  // Puts a code before or behind the word of `rows`; nothing occurs with one that is unknown.
  template <bool BEFORE>
  __device__ void extend(uint32_t code, fm::Interval& rows) {
    if (code > 3) {
      rows.size = 0;
      return;
    }
    fm::Interval extended[4];
    if (BEFORE) {
      fm::extend_left(view, rows, extended);
    } else {
      fm::extend_right(view, rows, extended);
    }
    const fm::Interval low = code & 1 ? extended[1] : extended[0];
    const fm::Interval high = code & 1 ? extended[3] : extended[2];
    rows = code & 2 ? high : low;
  }
};

}  // namespace find
