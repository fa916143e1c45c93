// Seeds, and what the stages that find them pass on and share: the device side of src/seed/.
#pragma once

#include <seed_extend/queries.cuh>

namespace seed_extend {

// A word of a query that occurs in the text, as an interval of suffix array rows.
struct Seed {
  uint32_t query;          // twice the read's number, plus 1 for its reverse complement
  uint16_t begin, length;  // first base in the query, and number of bases
  uint32_t first;          // first row; of a seed that occurs once, its position in the text
  uint32_t size;           // occurrences, at least 1
};

// Which exact matches are seeds; src/seed/seeds.rs explains the fields.
struct SeedOptions {
  uint32_t min_length, split_length, max_split_occurrences, rare_occurrences;
};

// Consecutive searches: even ones for the matches of a query, odd ones for its rare words.
struct SeedSearches {
  uint32_t first, count;
};

// What happens to a word next; src/seed/growing_word.rs explains the states.
enum WordState : uint16_t {
  LOOK_UP_MATCH,
  LOOK_UP_RARE,
  EXTEND_LEFT,
  EXTEND_RIGHT,
  EXTEND_RARE,
  LOCATE_LEFT,
  LOCATE_MATCH,
};

// A word of a query that is being extended, or is to be looked up.
struct GrowingWord {
  uint32_t query;            // twice the read's number, plus 1 for its reverse complement
  uint32_t min_occurrences;  // that a match must have
  fm::Interval rows;         // suffix array interval
  uint32_t steps;            // bases put before the word to find its position
  uint16_t begin, end;       // in the query; the end is exclusive
  uint16_t last_begin;       // matches that begin later are not wanted
  uint16_t state;            // its WordState

  __device__ uint32_t length() const { return end - begin; }
};

// What the stages that find seeds share.
struct SeedParameters {
  fm::IndexView index;
  PackedQueries queries;
  SeedOptions options;
};

}  // namespace seed_extend
