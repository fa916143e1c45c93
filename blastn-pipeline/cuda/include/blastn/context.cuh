// What all stages of the pipeline are given (src/pipeline/device.rs).
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

namespace blastn {

// A chunk of the database. Mirrors `DeviceChunk`.
struct Chunk {
  uint64_t first;  // its first base, a multiple of 4
  uint32_t length;
  uint32_t padding;
};

// A strand of a query. Mirrors `DeviceStrand`.
struct Strand {
  uint32_t first, end;  // its letters
  int32_t drop;         // how far the score of an extension may drop: negative
  int32_t nearly;       // what an extension by four columns must score
  int32_t trigger;      // and one by single columns
};

// What eight columns add to a score that is 0. Mirrors `Eight`.
struct __align__(8) Eight {
  int16_t total;  // all of them
  int16_t best;   // the best of the first one, two, ...
  int16_t place;  // how many columns that is, at least
  int16_t fall;   // the most by which the score falls below its best, or 0, before: negative
};

// Mirrors `DeviceContext`.
struct Context {
  const uint32_t* packed;   // the database, 16 bases a word, the first in the highest bits;
                            // there are two words before, and four behind; aligned to 8 bytes
  const Chunk* chunks;
  const uint32_t* present;  // which words are in the queries, a bit each
  const uint32_t* starts;   // where the places of each word begin in `places`, and the end
  const uint32_t* places;   // in `letters`
  const uint32_t* indexed;  // at which places a word begins, a bit each
  const uint8_t* letters;   // of all strands, with sentinels between them and around
  const uint32_t* bases;    // the same, packed as the database
  const uint32_t* odd;      // 1 for each letter that is no base, packed likewise
  const Strand* strands;
  const int32_t* matrix;    // 16 x 16 scores
  const int32_t* fours;     // of four columns, given the exclusive or of their bases
  const Eight* eights;      // for each set of columns that differ, the first in the lowest bit
  uint32_t letter_count, strand_count;
  uint32_t width, word, stride;  // bases of a looked-up word, of a hit, between looked-up words
  uint32_t by_four;              // whether extensions are tried by four columns first
  int32_t reward, penalty;       // scores of equal and of different bases
};
static_assert(sizeof(Context) == 136, "mirrored in Rust");

// 16 packed codes from a place on, the first in the highest bits. Up to 16 before the first may be
// asked for.
static __device__ __forceinline__ uint32_t sixteen(const uint32_t* packed, int64_t place) {
  const uint32_t* words = packed + (place >> 4);
  const uint64_t two = static_cast<uint64_t>(__ldg(words)) << 32 | __ldg(words + 1);
  return static_cast<uint32_t>(two << (2 * (place & 15)) >> 32);
}

static __device__ __forceinline__ uint32_t base_at(const Context& context, uint64_t place) {
  return __ldg(context.packed + place / 16) >> (30 - 2 * (place % 16)) & 3;
}

static __device__ __forceinline__ uint32_t word_at(const Context& context, uint64_t place) {
  return sixteen(context.packed, place) >> (32 - 2 * context.width);
}

// Sixteen columns, two bits each, of which the lower is set: where bases differ (or may), and where
// the query's letter is no base. The first column is in the highest bits.
struct Columns {
  uint32_t different, odd;

  // From these places on; `subject` counts from the beginning of the database.
  __device__ Columns(const Context& context, int64_t query, int64_t subject) {
    const uint32_t bits = sixteen(context.bases, query) ^ sixteen(context.packed, subject);
    different = (bits | bits >> 1) & 0x55555555;
    odd = sixteen(context.odd, query);
  }

  __device__ uint32_t special() const { return different | odd; }
};

// Equal columns from two places on to the right, up to `most`.
static __device__ __forceinline__ uint32_t equal_right(const Context& context, uint32_t query,
                                                       uint64_t subject, uint32_t most) {
  uint32_t equal = 0;
  while (equal < most) {
    const uint32_t special = Columns(context, query + equal, subject + equal).special();
    if (special != 0) return min(most, equal + __clz(static_cast<int>(special)) / 2);
    equal += 16;
  }
  return most;
}

// Equal columns before two places, up to `most`.
static __device__ __forceinline__ uint32_t equal_left(const Context& context, uint32_t query,
                                                      uint64_t subject, uint32_t most) {
  uint32_t equal = 0;
  while (equal < most) {
    const int64_t back = equal + 16;
    const uint32_t special = Columns(context, query - back, subject - back).special();
    if (special != 0) return min(most, equal + (__ffs(static_cast<int>(special)) - 1) / 2);
    equal += 16;
  }
  return most;
}

static __device__ __forceinline__ uint32_t letter_at(const Context& context, uint32_t place) {
  return __ldg(context.letters + place);
}

// The number of the strand that a place of the letters is in, or ends with.
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

static __device__ __forceinline__ Strand strand_at(const Context& context, uint32_t place) {
  return context.strands[strand_of(context.strands, context.strand_count, place)];
}

}  // namespace blastn
