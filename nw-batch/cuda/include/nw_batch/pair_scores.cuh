// Pair scorers: biased scores of the residues of a lane's R rows with the residue of a column, of two pairs or one.
//
// A pair scorer is a thread's own. fill_matrices (wave.cuh) makes the words of each column by `column`, with the codes
// of both targets. It calls `set_row` once for each row, with the codes of both pairs' queries, then `end_rows`; and
// for each column `begin_column` with its words, then for each row `score`, or with ADDS `add_scores` to the scores on the diagonal.
#pragma once

#include "lane_words.cuh"
#include "structs.cuh"

namespace nw {

// Two words that are read at once.
struct alignas(8) WordPair {
  uint32_t first, second;
};

// Scores in shared memory. What a scorer does not use is absent.
struct ScoreMemory {
  // Biased scores of all pairs of codes: CODES rows of CODES, a row for each residue of the query.
  const int16_t* table;
  // The same in a byte each, but a row for each residue of the target.
  const int8_t* bytes;
  // For each code its scores with A, C, G and T, a byte each; then, for each code, twice these scores.
  const uint32_t* nucleotides;
  // The warp's own: for each residue of the first pair's target below `letters`, then of the second's, scores with all
  // rows of the warp, a byte each (Profile).
  uint8_t* profile;
  uint32_t letters;
  uint32_t one;  // 1, which the compiler does not know (lane_words.cuh)
};

// In ScoreMemory::nucleotides, the index of twice the scores of code 0.
constexpr uint32_t TWICE = 8;

// Selector of the permutation that picks byte `a` of its first and byte `b` of its second word, as the two lowest bytes.
static __device__ __forceinline__ constexpr uint32_t bytes_selector(uint32_t a, uint32_t b) { return a | (4 + b) << 4; }

// Selector of the permutation that picks byte `a` of its first and byte `b` of its second word, each with copies of its
// sign above.
static __device__ __forceinline__ constexpr uint32_t byte_selector(uint32_t a, uint32_t b) {
  return a * 0x11u + b * 0x1100u + 0xc480u;
}

// `word` with the lowest byte of `scores` added to its lower half, and half of the byte above to its upper half. The bytes
// have signs, the halves have none and must not overflow, since they are added as one number. The dot product of
// two bytes with 1 and 2^15 has the pipe of multiplications, while permutations and maxima share another, the busy one.
static __device__ __forceinline__ uint32_t add_to_halves(uint32_t word, uint32_t scores) {
#if defined(__CUDACC__)
  uint32_t sum;
  asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(0x80000001u), "r"(scores), "r"(word));
  return sum;
#else
  const int32_t first = static_cast<int8_t>(scores), second = static_cast<int8_t>(scores >> 8);
  return word + static_cast<uint32_t>(first + second * 0x8000);
#endif
}

// Match and mismatch scores of nucleotides, two pairs. A column has a word for each pair: scores of its residue with A,
// C, G and T, a byte each. Each row has a selector, and one permutation picks a score of both pairs and widens it to 16
// bits. The queries must have no unknown residue, and biased scores must fit into 8 bits.
template <int R>
struct Nucleotides {
  static constexpr bool HAS_TABLE = false, HAS_NUCLEOTIDES = true, HAS_PROFILE = false, ADDS = false;
  uint32_t selectors[R];
  WordPair words;

  static __device__ __forceinline__ WordPair column(const ScoreMemory& memory, uint32_t a, uint32_t b) {
    return {memory.nucleotides[a], memory.nucleotides[b]};
  }
  __device__ __forceinline__ void set_row(int r, const BiasedScoring&, uint32_t a, uint32_t b) {
    selectors[r] = byte_selector(a, b);
  }
  __device__ __forceinline__ void end_rows(const ScoreMemory&) {}
  __device__ __forceinline__ void begin_column(const ScoreMemory&, WordPair column) { words = column; }
  __device__ __forceinline__ uint32_t score(int r, const ScoreMemory&) const {
    return permute(words.first, words.second, selectors[r]);
  }
};

// The same scores, which have to fit into 7 bits, added to a word by one instruction. A column's second word has twice the
// scores of the second pair, and selectors pick a byte of each word.
template <int R>
struct AddedNucleotides : Nucleotides<R> {
  static constexpr bool ADDS = true;

  static __device__ __forceinline__ WordPair column(const ScoreMemory& memory, uint32_t a, uint32_t b) {
    return {memory.nucleotides[a], memory.nucleotides[TWICE + b]};
  }
  __device__ __forceinline__ void set_row(int r, const BiasedScoring&, uint32_t a, uint32_t b) {
    this->selectors[r] = bytes_selector(a, b);
  }
  __device__ __forceinline__ uint32_t add_scores(int r, uint32_t word, const ScoreMemory&) const {
    return add_to_halves(word, permute(this->words.first, this->words.second, this->selectors[r]));
  }
};

// Nucleotides for queries with unknown residues, where the roles of rows and columns are exchanged: each row has a word
// for each pair, and a column has a selector, and a mask of the pairs whose column has an unknown residue.
template <int R>
struct NucleotidesOrUnknown {
  static constexpr bool HAS_TABLE = false, HAS_NUCLEOTIDES = true, HAS_PROFILE = false, ADDS = false;
  uint32_t first[R], second[R];
  uint32_t selector, unknown;
  uint32_t different;  // score of a mismatch, of both pairs

  static __device__ __forceinline__ WordPair column(const ScoreMemory&, uint32_t a, uint32_t b) {
    return {byte_selector(a & 3, b & 3), (a >> 2) * 0xffffu | (b >> 2) * 0xffff0000u};
  }
  __device__ __forceinline__ void set_row(int r, const BiasedScoring& scoring, uint32_t a, uint32_t b) {
    first[r] = a;
    second[r] = b;
    different = (static_cast<uint32_t>(scoring.mismatch_score) & 0xffff) * 0x10001u;
  }
  __device__ __forceinline__ void end_rows(const ScoreMemory& memory) {
#pragma unroll
    for (int r = 0; r < R; r++) {
      first[r] = memory.nucleotides[first[r]];
      second[r] = memory.nucleotides[second[r]];
    }
  }
  __device__ __forceinline__ void begin_column(const ScoreMemory&, WordPair column) {
    selector = column.first;
    unknown = column.second;
  }
  __device__ __forceinline__ uint32_t score(int r, const ScoreMemory&) const {
    return (permute(first[r], second[r], selector) & ~unknown) | (different & unknown);
  }
};

// The same scores, which have to fit into 7 bits, added to a word as AddedNucleotides does.
template <int R>
struct AddedNucleotidesOrUnknown : NucleotidesOrUnknown<R> {
  static constexpr bool ADDS = true;

  static __device__ __forceinline__ WordPair column(const ScoreMemory&, uint32_t a, uint32_t b) {
    return {bytes_selector(a & 3, b & 3), (a >> 2) * 0xffu | (b >> 2) * 0xff00u};
  }
  __device__ __forceinline__ void set_row(int r, const BiasedScoring& scoring, uint32_t a, uint32_t b) {
    this->first[r] = a;
    this->second[r] = TWICE + b;
    const uint32_t mismatch = static_cast<uint32_t>(scoring.mismatch_score);
    this->different = (mismatch & 0xff) | (2 * mismatch & 0xff) << 8;
  }
  __device__ __forceinline__ uint32_t add_scores(int r, uint32_t word, const ScoreMemory& memory) const {
    return add_to_halves(word, this->score(r, memory));
  }
};

// Scores of any residues in a byte each, two pairs, from a profile: the scores of each residue that a target may have
// with all rows. A lane reads those of its rows for a column by few wide loads, without bank conflicts, and one
// permutation widens a score of both pairs to 16 bits. R is 8 or a multiple of 16. Farrar (2007) calls the scores of a
// query with each residue its profile.
template <int R>
struct Profile {
  static constexpr bool HAS_TABLE = true, HAS_NUCLEOTIDES = false, HAS_PROFILE = true, ADDS = false;
  // Bytes of a load, and loads of a lane for a pair's rows.
  static constexpr int LOAD = R < 16 ? R : 16, LOADS = R / LOAD;
  // Bytes of the profile for each residue.
  static constexpr uint32_t RESIDUE_BYTES = 32 * R;
  uint32_t first[R / 4], second[R / 4];

  static __device__ __forceinline__ WordPair column(const ScoreMemory& memory, uint32_t a, uint32_t b) {
    return {a * RESIDUE_BYTES, (memory.letters + b) * RESIDUE_BYTES};
  }
  __device__ __forceinline__ void set_row(int r, const BiasedScoring&, uint32_t a, uint32_t b) {
    const int shift = r % 4 * 8;
    first[r / 4] = (shift == 0 ? 0 : first[r / 4]) | a << shift;
    second[r / 4] = (shift == 0 ? 0 : second[r / 4]) | b << shift;
  }
  // Writes the lane's part of the profile, which no other lane reads.
  __device__ __forceinline__ void end_rows(const ScoreMemory& memory) {
    for (uint32_t letter = 0; letter < memory.letters; letter++) {
      const int8_t* scores = memory.bytes + letter * CODES;
      uint32_t* places[] = {place(memory, letter * RESIDUE_BYTES, 0),
                            place(memory, (memory.letters + letter) * RESIDUE_BYTES, 0)};
#pragma unroll
      for (int word = 0; word < R / 4; word++) {
        const int offset = word / (LOAD / 4) * (32 * LOAD / 4) + word % (LOAD / 4);
        places[0][offset] = scores_of(scores, first[word]);
        places[1][offset] = scores_of(scores, second[word]);
      }
    }
  }
  __device__ __forceinline__ void begin_column(const ScoreMemory& memory, WordPair column) {
#pragma unroll
    for (int load = 0; load < LOADS; load++) {
      read(place(memory, column.first, load), first + load * (LOAD / 4));
      read(place(memory, column.second, load), second + load * (LOAD / 4));
    }
  }
  __device__ __forceinline__ uint32_t score(int r, const ScoreMemory&) const {
    return permute(first[r / 4], second[r / 4], byte_selector(r % 4, r % 4));
  }

 private:
  // Where a load of the lane begins.
  static __device__ __forceinline__ uint32_t* place(const ScoreMemory& memory, uint32_t residue, int load) {
    return reinterpret_cast<uint32_t*>(memory.profile + residue + (load * 32 + threadIdx.x % 32) * LOAD);
  }
  // Scores with four residues, a byte each.
  static __device__ __forceinline__ uint32_t scores_of(const int8_t* scores, uint32_t codes) {
    uint32_t all = 0;
    for (int i = 0; i < 4; i++) {
      const uint8_t score = static_cast<uint8_t>(scores[codes >> 8 * i & 0xff]);
      all |= static_cast<uint32_t>(score) << 8 * i;
    }
    return all;
  }
  static __device__ __forceinline__ void read(const uint32_t* from, uint32_t* to) {
    if (LOAD == 16) {
      const uint4 words = *reinterpret_cast<const uint4*>(from);
      to[0] = words.x, to[1] = words.y, to[2] = words.z, to[3] = words.w;
    } else {
      const uint2 words = *reinterpret_cast<const uint2*>(from);
      to[0] = words.x, to[1] = words.y;
    }
  }
};

// Scores of any residues, from a table in shared memory; one pair or two.
template <int R>
struct Table {
  static constexpr bool HAS_TABLE = true, HAS_NUCLEOTIDES = false, HAS_PROFILE = false, ADDS = false;
  uint32_t rows[R];  // first index of each row in the table, 16 bits for each pair
  uint32_t residues;

  static __device__ __forceinline__ WordPair column(const ScoreMemory&, uint32_t a, uint32_t b) {
    return {a | b << 16, 0};
  }
  __device__ __forceinline__ void set_row(int r, const BiasedScoring&, uint32_t a, uint32_t b) {
    rows[r] = a * CODES | (b * CODES) << 16;
  }
  __device__ __forceinline__ void end_rows(const ScoreMemory&) {}
  __device__ __forceinline__ void begin_column(const ScoreMemory&, WordPair column) { residues = column.first; }
  __device__ __forceinline__ uint32_t score(int r, const ScoreMemory& memory) const {
    const uint32_t places = rows[r] + residues;
    const uint32_t a = static_cast<uint16_t>(memory.table[places & 0xffff]);
    const uint32_t b = static_cast<uint16_t>(memory.table[places >> 16]);
    return a | b << 16;
  }
};

// The same of one pair in 32 bits.
template <int R>
struct WideTable : Table<R> {
  __device__ __forceinline__ uint32_t score(int r, const ScoreMemory& memory) const {
    const int value = memory.table[(this->rows[r] + this->residues) & 0xffff];
    return static_cast<uint32_t>(value);
  }
};

}  // namespace nw
