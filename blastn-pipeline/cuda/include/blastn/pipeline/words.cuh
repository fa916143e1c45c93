// From words of the lookup table to seeds: exact matches of the word size around them; on the CPU: src/seed/word_hits.rs.
#pragma once

#include <blastn/pipeline/items.cuh>

namespace blastn {

// Whether the words of the lookup width at two places differ, or the one of the query is masked. `chunk` is the first base
// of the chunk in the database.
static __device__ inline bool is_masked(const PipelineTables& tables, uint64_t chunk, uint32_t query,
                                        uint32_t subject) {
  if ((__ldg(tables.word_begins + query / 32) >> (query % 32) & 1) == 0) return true;
  return equal_right(tables, query, chunk + subject, tables.lookup_width) < tables.lookup_width;
}

// Moves an exact match that begins masked to the first word that is not masked, and extends it on the right by as many bases;
// writes the seed, or returns false if there is none. `number` is the index of the chunk.
static __device__ inline bool unmasked(const PipelineTables& tables, uint32_t number, const DatabaseChunk& chunk,
                                       uint32_t query, uint32_t subject, SeedHit& word) {
  const uint32_t width = tables.lookup_width, probe = subject;
  uint32_t query_end = query + tables.word_length, end = subject + tables.word_length;
  if (is_masked(tables, chunk.first, query_end - width, end - width)) return false;
  while (is_masked(tables, chunk.first, query, subject)) {
    query++;
    subject++;
  }
  const uint32_t lost = tables.word_length - (query_end - query);
  const QueryStrand strand = strand_at(tables, query_end);
  if (lost > min(strand.end - query_end, chunk.length - end)) return false;
  query_end += lost;
  end += lost;
  uint32_t last = query_end - width, last_subject = end - width;
  while (last_subject > subject) {
    if (is_masked(tables, chunk.first, last, last_subject)) return false;
    if (last_subject < width) break;
    last -= width;
    last_subject -= width;
  }
  word = {number, query, subject, probe};
  return true;
}

// Columns before a word that are compared to find where its exact match begins.
constexpr uint32_t kBefore = 48;

// Whether a word that is looked up begins at each place from `first` to `last`, both included.
static __device__ inline bool all_begin_words(const PipelineTables& tables, uint32_t first, uint32_t last) {
  for (uint32_t word = first / 32; word <= last / 32; word++) {
    uint32_t masked = ~__ldg(tables.word_begins + word);
    if (word == first / 32) masked &= ~0u << first % 32;
    if (word == last / 32) masked &= ~0u >> (31 - last % 32);
    if (masked != 0) return false;
  }
  return true;
}

// The columns before a word that are compared, and 16 from its begin on.
using CodesNear = CodesAround<kBefore>;

// Equal columns in a row around the begin of a word.
struct EqualColumns {
  uint32_t before;  // up to kBefore
  uint32_t behind;  // from its begin on, up to 16
};

// Counts the columns below the lowest one that is marked; 16 if none is.
static __device__ __forceinline__ uint32_t zeros_below(uint32_t unequal) {
  return unequal == 0 ? 16 : (__ffs(static_cast<int>(unequal)) - 1) / 2;
}

// Counts equal columns around a place of the letters; `others` are the bases of the database there. All loads come first.
static __device__ __forceinline__ EqualColumns around(const PipelineTables& tables, uint32_t query, const CodesNear& others) {
  const CodesNear bases(tables.letter_bases, query), ambiguous(tables.ambiguous, query);
  uint32_t unequal[4];
  for (int i = 0; i < 4; i++) {
    const uint32_t bits = bases.words[i] ^ others.words[i];
    unequal[i] = ((bits | bits >> 1) & 0x55555555) | ambiguous.words[i];
  }
  uint32_t before = 0;
  for (int i = 2; i >= 0; i--) before += before == 16u * (2 - i) ? zeros_below(unequal[i]) : 0;
  return {before, static_cast<uint32_t>(__clz(static_cast<int>(unequal[3]))) / 2};
}

// Whether a hit represents its exact match, so that the search extends it; `equal` columns are before it. Within one exact
// match without masks, only hits at fixed offsets from its begin do.
static __device__ inline bool may_be_representative(const PipelineTables& tables, uint32_t query, uint32_t equal) {
  return (tables.representative_offsets >> equal & 1) != 0 || !all_begin_words(tables, query - equal, query);
}

// No number of columns: the word is in no exact match of the word size.
constexpr uint32_t kNoRun = ~0u;

// Counts the columns before a word that belong to its seed, which is extended to the left first; kNoRun if its exact match is
// shorter than the word size, or if another hit represents it.
static __device__ inline uint32_t left_of_run(const PipelineTables& tables, const DatabaseChunk& chunk, uint32_t query,
                                              uint32_t subject, const EqualColumns& around) {
  const uint32_t missing = tables.word_length - tables.lookup_width;
  const uint32_t equal = min(around.before, subject);
  // A sentinel ends this before the strand does.
  const uint32_t left = min(equal, missing), columns = tables.word_length - left;
  if (missing > 0) {
    if (around.behind < min(columns, 16u) || subject + columns > chunk.length) return kNoRun;
    if (columns > 16 &&
        equal_right(tables, query + 16, chunk.first + subject + 16, columns - 16) < columns - 16) {
      return kNoRun;
    }
  }
  return may_be_representative(tables, query, equal) ? left : kNoRun;
}

}  // namespace blastn
