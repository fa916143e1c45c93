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
  uint32_t is_odd;      // whether it has letters that are no bases
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
                            // there are four words before, and four behind; aligned to 8 bytes
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
  uint64_t turns;           // bit e: a hit with e equal columns before it has a turn
  uint32_t letter_count, strand_count;
  uint32_t width, word, stride;  // bases of a looked-up word, of a hit, between looked-up words
  uint32_t by_four;              // whether extensions are tried by four columns first
  int32_t reward, penalty;       // scores of equal and of different bases
};
static_assert(sizeof(Context) == 144, "mirrored in Rust");

// 16 packed codes from a place on, the first in the highest bits. Up to 16 before the first may be asked
// for.
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

// The words at COUNT places, ascending, of which the first is `first` of the database. If they are close to
// each other, few loads do for all.
template <uint32_t COUNT>
static __device__ __forceinline__ void words_at(const Context& context, uint64_t first,
                                                const uint32_t (&places)[COUNT], uint32_t (&codes)[COUNT]) {
  const uint32_t most = 64 - 15 - context.width;
  const uint32_t shift = 32 - 2 * context.width;
  if (COUNT > 1 && (COUNT - 1) * context.stride <= most) {
    const uint32_t* words = context.packed + first / 16;
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
    for (uint32_t i = 0; i < COUNT; i++) codes[i] = word_at(context, first + places[i] - places[0]);
  }
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

// 64 packed codes, BEFORE before a place and the others from it on, 16 a word, the first in the highest
// bits. With up to 48 before the place, the place may be the first.
template <int BEFORE>
struct Codes {
  uint32_t words[4];

  __device__ __forceinline__ Codes(const uint32_t* packed, int64_t place) {
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
