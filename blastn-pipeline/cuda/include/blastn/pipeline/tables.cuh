// Tables that all stages of the pipeline read: database, queries and lookup table.
//
// All sequences are packed alike: 2 bits a code, 16 codes in a word of 32 bits, the first in the highest bits.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace blastn {

// A chunk of the database: a subject, or a part of a long one.
struct DatabaseChunk {
  uint64_t first;   // its first base among the packed ones: a multiple of 4
  uint32_t length;  // its bases
  uint32_t padding;
};

// A strand of a query, as the pipeline needs it. Scores are those of its own statistics.
struct QueryStrand {
  uint32_t first, end;     // its letters among those of the batch; the end is exclusive
  int32_t drop;            // minus the X-drop: an extension ends once its score falls below the best by more
  int32_t reduced_cutoff;  // least score of an extension by four columns at a time (NCBI's reduced_nucl_cutoff_score)
  int32_t cutoff;          // least score of an ungapped extension (NCBI's cutoff_score)
  uint32_t has_ambiguous;  // 1 if some letter of it is no base, else 0
};

// Score lookup entry: how eight columns, of which it is known which differ, change a score that is 0 before.
struct __align__(8) EightColumnScore {
  int16_t total;        // sum of all eight
  int16_t best;         // greatest sum of the first 1, 2, ..., 8 columns
  int16_t best_length;  // the fewest columns that have this sum
  int16_t fall;         // how far the sum falls below its best so far, or below 0, at most: 0 or negative
};

// Everything that a stage reads besides its input.
struct PipelineTables {
  const uint32_t* packed_bases;  // database; four words before it and four behind may be read; aligned to 8 bytes
  const DatabaseChunk* chunks;
  const uint32_t* word_present;  // of each possible word, a bit: whether the queries have it
  const uint32_t* word_starts;   // of each possible word, where its entries in `word_places` begin; and the end of all
  const uint32_t* word_places;   // places in `letters` at which words begin, grouped by word
  const uint32_t* word_begins;   // of each place in `letters`, a bit: whether a word that is looked up begins there
  const uint8_t* letters;        // all strands of all queries, a letter a byte, with sentinels between and around them
  const uint32_t* letter_bases;  // `letters` packed as the database, with 0 for what is no base
  const uint32_t* ambiguous;     // packed likewise: 1 for each letter that is no base, else 0
  const QueryStrand* strands;    // in the order of `letters`
  const int32_t* matrix;         // 16 x 16 scores of pairs of letters
  const int32_t* byte_scores;    // score of four columns, by the exclusive or of their packed bases (256 entries)
  const EightColumnScore* eight_column_scores;  // by the set of columns that differ, the first in the lowest bit
  uint64_t representative_offsets;  // bit e: whether a hit with e equal columns before it represents its exact match
  uint32_t letter_count, strand_count;
  uint32_t lookup_width;    // bases of a word in the lookup table
  uint32_t word_length;     // bases that must be equal in a row (the option word_size)
  uint32_t stride;          // bases between two words of the database that are looked up
  uint32_t uses_quads;      // 1 if extensions begin with the quad test (quads.cuh)
  int32_t reward, penalty;  // score of a column of equal bases, and of different ones
};

// Sixteen packed codes from a place on, the first in the highest bits. The place may be up to 16 before the first code.
static __device__ __forceinline__ uint32_t sixteen_codes(const uint32_t* packed, int64_t place) {
  const uint32_t* words = packed + (place >> 4);
  const uint64_t two = static_cast<uint64_t>(__ldg(words)) << 32 | __ldg(words + 1);
  return static_cast<uint32_t>(two << (2 * (place & 15)) >> 32);
}

// The base at a place of the database, from 0 to 3.
static __device__ __forceinline__ uint32_t base_at(const PipelineTables& tables, uint64_t place) {
  return __ldg(tables.packed_bases + place / 16) >> (30 - 2 * (place % 16)) & 3;
}

// The word of the lookup table that begins at a place of the database.
static __device__ __forceinline__ uint32_t word_at(const PipelineTables& tables, uint64_t place) {
  return sixteen_codes(tables.packed_bases, place) >> (32 - 2 * tables.lookup_width);
}

// Looks up the words at COUNT ascending places of a chunk; `places[0]` of the chunk is `first` of the database. Words that
// are close to each other are taken from the same four loads.
template <uint32_t COUNT>
static __device__ __forceinline__ void words_at(const PipelineTables& tables, uint64_t first,
                                                const uint32_t (&places)[COUNT], uint32_t (&codes)[COUNT]) {
  const uint32_t most = 64 - 15 - tables.lookup_width;
  const uint32_t shift = 32 - 2 * tables.lookup_width;
  if (COUNT > 1 && (COUNT - 1) * tables.stride <= most) {
    const uint32_t* words = tables.packed_bases + first / 16;
    const uint32_t four[4] = {__ldg(words), __ldg(words + 1), __ldg(words + 2), __ldg(words + 3)};
#pragma unroll
    for (uint32_t i = 0; i < COUNT; i++) {
      const uint32_t place = first % 16 + places[i] - places[0], word = place / 16;
      const uint32_t high = word == 0 ? four[0] : word == 1 ? four[1] : four[2];
      const uint32_t low = word == 0 ? four[1] : word == 1 ? four[2] : four[3];
      codes[i] = __funnelshift_l(low, high, 2 * (place % 16)) >> shift;
    }
  } else {
#pragma unroll
    for (uint32_t i = 0; i < COUNT; i++) codes[i] = word_at(tables, first + places[i] - places[0]);
  }
}

// Sixteen columns, two bits each, of which the lower tells: whether bases differ (undefined where the letter is
// ambiguous), and whether the query's letter is ambiguous. The first column is in the highest bits.
struct SixteenColumns {
  uint32_t different, ambiguous;

  // The columns from these places on; `subject` counts from the begin of the database.
  __device__ SixteenColumns(const PipelineTables& tables, int64_t query, int64_t subject) {
    const uint32_t bits = sixteen_codes(tables.letter_bases, query) ^ sixteen_codes(tables.packed_bases, subject);
    different = (bits | bits >> 1) & 0x55555555;
    ambiguous = sixteen_codes(tables.ambiguous, query);
  }

  __device__ uint32_t unequal() const { return different | ambiguous; }
};

// Sixty-four packed codes around a place: BEFORE (at most 48) before it, the others from it on; 16 a word, the first in the
// highest bits. The place may be that of the first code.
template <int BEFORE>
struct CodesAround {
  uint32_t words[4];

  __device__ __forceinline__ CodesAround(const uint32_t* packed, int64_t place) {
    const int64_t first = (place - BEFORE) >> 4;
    const uint2* pairs = reinterpret_cast<const uint2*>(packed + (first & ~int64_t{1}));
    const uint2 a = __ldg(pairs), b = __ldg(pairs + 1), c = __ldg(pairs + 2);
    const bool second = (first & 1) != 0;
    const uint32_t five[5] = {second ? a.y : a.x, second ? b.x : a.y, second ? b.y : b.x,
                              second ? c.x : b.y, second ? c.y : c.x};
    const uint32_t shift = 2 * (place & 15);
    for (int i = 0; i < 4; i++) {
      const uint64_t two = static_cast<uint64_t>(five[i]) << 32 | five[i + 1];
      words[i] = static_cast<uint32_t>(two << shift >> 32);
    }
  }
};

// Counts equal columns from two places to the right, up to `most`; `subject` counts from the begin of the database.
static __device__ __forceinline__ uint32_t equal_right(const PipelineTables& tables, uint32_t query,
                                                       uint64_t subject, uint32_t most) {
  uint32_t equal = 0;
  while (equal < most) {
    const uint32_t unequal = SixteenColumns(tables, query + equal, subject + equal).unequal();
    if (unequal != 0) return min(most, equal + __clz(static_cast<int>(unequal)) / 2);
    equal += 16;
  }
  return most;
}

// The letter at a place of the batch, from 0 to 15.
static __device__ __forceinline__ uint32_t letter_at(const PipelineTables& tables, uint32_t place) {
  return __ldg(tables.letters + place);
}

// The index of the strand that has a place of the letters, or ends there.
template <class S>
static __device__ __forceinline__ uint32_t strand_of(const S* strands, uint32_t count, uint32_t place) {
  uint32_t low = 0, high = count;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (__ldg(&strands[middle].first) <= place) low = middle;
    else high = middle;
  }
  return low;
}

// The strand that has a place of the letters, or ends there.
static __device__ __forceinline__ QueryStrand strand_at(const PipelineTables& tables, uint32_t place) {
  return tables.strands[strand_of(tables.strands, tables.strand_count, place)];
}

}  // namespace blastn
