// Pairs of a query and a chunk: their ungapped hits, and what gapped extensions make of these (src/gpu/pairs).
#pragma once

#include <blastn/gapped/greedy.cuh>
#include <blastn/hits.cuh>
#include <blastn/pipeline/tables.cuh>

namespace blastn {

// Item of aligner-core's `Sorter`: a hit or a side, ordered by three numbers, of which the last counts most.
struct __align__(16) SortKey {
  uint32_t numbers[3];
  uint32_t place;  // index of the hit or number of the side
};

// What is known of a pair of a query and a chunk after the extensions of its hits.
struct PairVerdict {
  uint32_t chunk;           // index of the chunk
  uint32_t strand;          // index of the strand of the best hit
  uint32_t first, count;    // its hits, in the order of all: the first is the best
  int32_t score;            // score of the best hit's extension
  int32_t others;           // best score of the other hits' extensions on the same strand, or kNoScore
  int32_t others_opposite;  // and on the opposite strand, or kNoScore
  uint32_t state;           // the greatest state below that is true
};

// As a score of a verdict: there is no such extension.
constexpr int32_t kNoScore = INT32_MIN;

// States of a verdict. The best hit's extension is kept, so hits within it were not extended; another extension replaced it, so
// all hits were extended; or some extension did not fit into memory and is not known.
constexpr uint32_t kBestStays = 0, kBestReplaced = 1, kOpen = 2;

// A pair whose hits the host asks for.
struct ChosenPair {
  uint32_t first, count;  // its hits, in the order of all
  uint32_t offset;        // hits of the chosen pairs before it
};

// Words of a side's reach in memory: those of a `GreedySideReach`, or of a `SideReach` and one more.
constexpr uint32_t kReachWords = 6;

// A hit, with the reaches of its left and its right side if it was extended.
struct GatheredHit {
  ChunkHit found;
  uint32_t is_extended;  // 1 if it was extended, else 0
  uint32_t reaches[2][kReachWords];
};

// As the number of a hit's extension: it was not extended.
constexpr uint32_t kNone = 0xFFFFFFFF;

// Parameters of the kernel that counts hits by query.
struct QueryCountParameters {
  const ChunkHit* hits;
  const PairStrand* strands;
  uint32_t* counts;  // of each query
  uint32_t hit_count, strand_count;
};

// Parameters of the kernels that order the hits of a run of chunks and judge its pairs. Reaches are kReachWords a side, the left
// and the right one of each hit.
struct PairParameters {
  const DatabaseChunk* chunks;
  const PairStrand* strands;
  const ChunkHit* found;        // hits, as the pipeline found them
  ChunkHit* hits;               // hits in order: those of a pair are together, the best first
  SortKey* keys;                // in the order of `hits`: minus score, query, chunk
  uint32_t* firsts;             // index of the best hit of each pair
  uint32_t* others;             // hits that do not lie within the extension of their pair's best hit
  uint32_t* inner;              // hits that do, of pairs whose best extension was replaced
  uint32_t* extended;           // of each hit, its index in `firsts`, or in `others` and then `inner`, or kNone
  const uint32_t* first_reaches;  // reaches of the hits of `firsts`
  const uint32_t* other_reaches;  // of those of `others`
  const uint32_t* inner_reaches;  // of those of `inner`
  PairVerdict* verdicts;        // of each pair, in the order of `firsts`
  uint32_t* cursor;             // count of what the kernel lists
  uint32_t strand_count, hit_count, pair_count, other_count;
  uint32_t longest;             // greatest length of a hit
  int32_t greatest_score;       // greatest score of a hit
  uint32_t is_greedy;           // 1 if gapped extensions are greedy
  int32_t reward, penalty;      // score of a match and of a mismatch
  int32_t x_drop;               // of gapped extensions
  int32_t least_drop;           // the least X-drop: the cost of a gap of one column
  int32_t separation;           // ends whose diagonals differ by less are close to each other
};

// Parameters of the kernels that prepare sides of listed hits, and keep what becomes of them. Side 2i is the left one of the
// i-th listed hit, side 2i + 1 the right one.
struct SideParameters {
  PairParameters pairs;
  const uint32_t* listed;   // indices of the hits
  const uint32_t* wanted;   // numbers of the sides that are extended now; null for all from `first_side` on
  SortKey* keys;            // of each wanted side, in the order in which they are extended: from the longest to the shortest
  ExtensionSide* sides;     // in the order of `keys`
  const uint32_t* reached;  // what the extensions' kernel writes, in the order of `keys`: `reached_words` a side
  uint32_t* reaches;        // of each side of the listed hits, kReachWords
  uint32_t* unfinished;     // numbers of sides that did not fit into memory
  uint32_t* cursor;         // count of unfinished sides
  uint32_t side_count, first_side, reached_words;
  uint32_t padding;
};

// Parameters of the kernel that adds listed hits to the verdicts.
struct JudgeParameters {
  PairParameters pairs;
  const uint32_t* listed;   // indices of the hits
  const uint32_t* reaches;  // of their sides
  uint32_t listed_count;
  uint32_t padding;
};

// Parameters of the kernel that gathers the hits of chosen pairs.
struct GatherParameters {
  PairParameters pairs;
  const ChosenPair* chosen;
  GatheredHit* gathered;
  uint32_t chosen_count;
  uint32_t first, count;  // which of the hits of all chosen pairs are gathered now
  uint32_t padding;
};

// A pair of places between letters, within a strand and a chunk.
struct StartPosition {
  uint32_t query, subject;
};

// Where an alignment lies: places within its strand and its chunk; ends are exclusive.
struct AlignedSpan {
  uint32_t strand;
  int32_t score;
  int32_t query, query_end, subject, subject_end;
};

// The index of the strand of a hit.
static __device__ __forceinline__ uint32_t strand_of(const PairParameters& parameters, const ChunkHit& found) {
  return strand_of(parameters.strands, parameters.strand_count, found.hit.seed_query);
}

// The number of the `number`-th wanted side.
static __device__ __forceinline__ uint32_t side_number(const SideParameters& parameters, uint32_t number) {
  return parameters.wanted != nullptr ? parameters.wanted[number] : parameters.first_side + number;
}

// The pair of places that stands for a hit: the middle of a greedy one, else near the begin of its seed; on the CPU:
// src/search/preliminary.rs.
static __device__ __forceinline__ StartPosition seed_of(const PairParameters& parameters, const PairStrand& strand,
                                                         const UngappedHit& hit) {
  constexpr uint32_t kIntoByte = 8;
  if (parameters.is_greedy) return {hit.query - strand.first + hit.length / 2, hit.subject + hit.length / 2};
  const uint32_t moved = hit.subject + hit.length >= hit.seed_subject + kIntoByte ? 3 : 0;
  return {hit.seed_query - strand.first + moved, hit.seed_subject + moved};
}

// The pair of places at which the sides of a hit begin: the next byte of the packed chunk, if it is not greedy; on the CPU:
// affine_begin of src/gapped.
static __device__ __forceinline__ StartPosition begin_of(const PairParameters& parameters, const PairStrand& strand,
                                                          const ChunkHit& found) {
  constexpr uint32_t kPack = 4;
  const StartPosition seed = seed_of(parameters, strand, found.hit);
  if (parameters.is_greedy) return seed;
  const uint32_t moved = kPack - seed.subject % kPack;
  const StartPosition begin = {seed.query + moved, seed.subject + moved};
  if (begin.query > strand.length || begin.subject > parameters.chunks[found.chunk].length) {
    return {begin.query - kPack, begin.subject - kPack};
  }
  return begin;
}

// Sides are ordered by length, in steps of kSideStep, as a single digit of the sort; step kLongestSide has all longer ones.
constexpr uint32_t kSideStep = 16, kLongestSide = 255;

// The left or the right side of a hit's extension.
static __device__ __forceinline__ ExtensionSide side_of(const PairParameters& parameters, const ChunkHit& found, bool is_right) {
  const PairStrand strand = parameters.strands[strand_of(parameters, found)];
  const DatabaseChunk chunk = parameters.chunks[found.chunk];
  const StartPosition begin = begin_of(parameters, strand, found);
  const int32_t x_drop = parameters.is_greedy ? parameters.x_drop : min(parameters.x_drop, found.hit.score);
  return {chunk.first + begin.subject,
          uint64_t{strand.first} + begin.query,
          is_right ? chunk.length - begin.subject : begin.subject,
          is_right ? strand.length - begin.query : begin.query,
          max(x_drop, parameters.least_drop),
          is_right ? 0u : 1u};
}

// The side of a number.
static __device__ __forceinline__ ExtensionSide side_of(const SideParameters& parameters, uint32_t number) {
  const PairParameters& pairs = parameters.pairs;
  return side_of(pairs, pairs.hits[parameters.listed[number / 2]], number % 2 == 1);
}

// Where the ungapped alignment of a hit lies.
static __device__ __forceinline__ AlignedSpan ungapped_span(const PairParameters& parameters, const ChunkHit& found) {
  const uint32_t strand = strand_of(parameters, found);
  const UngappedHit& hit = found.hit;
  const auto query = static_cast<int32_t>(hit.query - parameters.strands[strand].first);
  const auto subject = static_cast<int32_t>(hit.subject), length = static_cast<int32_t>(hit.length);
  return {strand, hit.score, query, query + length, subject, subject + length};
}

// Whether a side did not fit into memory, given its reach.
static __device__ __forceinline__ bool is_unknown(const PairParameters& parameters, const uint32_t* reach) {
  return parameters.is_greedy ? reach[0] == static_cast<uint32_t>(kNoFront) : reach[4] == kNoRoom;
}

// Writes where the gapped alignment of a hit lies, given the reaches of its sides; false if one did not fit into memory.
static __device__ __forceinline__ bool gapped_span(const PairParameters& parameters, const ChunkHit& found, const uint32_t* reaches,
                                                   AlignedSpan& span) {
  const uint32_t *left = reaches, *right = reaches + kReachWords;
  if (is_unknown(parameters, left) || is_unknown(parameters, right)) return false;
  const uint32_t number = strand_of(parameters, found);
  const StartPosition begin = begin_of(parameters, parameters.strands[number], found);
  const auto query = static_cast<int32_t>(begin.query), subject = static_cast<int32_t>(begin.subject);
  span.strand = number;
  const auto number_of = [](uint32_t word) { return static_cast<int32_t>(word); };
  // Words of the letters of query and subject in `GreedySideReach`, or in `SideReach`, whose rows are the subject.
  const int q = parameters.is_greedy ? 1 : 2, s = parameters.is_greedy ? 2 : 1;
  const int32_t lengths[4] = {number_of(left[q]), number_of(right[q]), number_of(left[s]), number_of(right[s])};
  span.query = query - lengths[0];
  span.query_end = query + lengths[1];
  span.subject = subject - lengths[2];
  span.subject_end = subject + lengths[3];
  span.score = number_of(left[0]) + number_of(right[0]);
  if (parameters.is_greedy) {
    const int32_t letters = lengths[0] + lengths[1] + lengths[2] + lengths[3];
    span.score = letters * parameters.reward / 2 - span.score * (parameters.reward - parameters.penalty);
  }
  return true;
}

// Whether an alignment lies within another that is kept; on the CPU: src/hsp/containment.rs.
static __device__ __forceinline__ bool lies_within(const AlignedSpan& inner, const AlignedSpan& outer, int32_t separation) {
  const auto is_close = [separation](int32_t one, int32_t other) { return abs(one - other) < separation; };
  return inner.strand == outer.strand && outer.score >= inner.score && outer.query <= inner.query &&
         inner.query_end <= outer.query_end && outer.subject <= inner.subject &&
         inner.subject_end <= outer.subject_end &&
         (is_close(outer.query - outer.subject, inner.query - inner.subject) ||
          is_close(outer.query_end - outer.subject_end, inner.query_end - inner.subject_end));
}

// Whether an alignment takes the place of another: they share an end, and it scores more, or as much and is shorter; on the
// CPU: src/hsp/containment.rs.
static __device__ __forceinline__ bool replaces(const AlignedSpan& newer, const AlignedSpan& kept) {
  const bool shares_begin = newer.query == kept.query && newer.subject == kept.subject;
  const bool shares_end = newer.query_end == kept.query_end && newer.subject_end == kept.subject_end;
  if (!shares_begin && !shares_end) return false;
  if (newer.score != kept.score) return newer.score > kept.score;
  const int32_t queries[2] = {newer.query_end - newer.query, kept.query_end - kept.query};
  const int32_t subjects[2] = {newer.subject_end - newer.subject, kept.subject_end - kept.subject};
  return queries[0] < queries[1] || (queries[0] == queries[1] && subjects[0] < subjects[1]);
}

// Whether two hits are of the same pair, given their keys.
static __device__ __forceinline__ bool is_pair(const SortKey& one, const SortKey& other) {
  return one.numbers[1] == other.numbers[1] && one.numbers[2] == other.numbers[2];
}

// The index of the best hit of the pair that a hit is of. Most pairs have few hits, so steps grow from the hit on.
static __device__ __forceinline__ uint32_t first_of_pair(const PairParameters& parameters, uint32_t hit) {
  const SortKey own = parameters.keys[hit];
  uint32_t first = hit, step = 1;
  const auto reaches = [&] { return step <= first && is_pair(parameters.keys[first - step], own); };
  for (; reaches(); step *= 2) first -= step;
  for (; step > 0; step /= 2) {
    if (reaches()) first -= step;
  }
  return first;
}

// One behind the last hit of the pair that a hit is of.
static __device__ __forceinline__ uint32_t end_of_pair(const PairParameters& parameters, uint32_t hit) {
  const SortKey own = parameters.keys[hit];
  uint32_t last = hit, step = 1;
  const auto reaches = [&] { return step < parameters.hit_count - last && is_pair(parameters.keys[last + step], own); };
  for (; reaches(); step *= 2) last += step;
  for (; step > 0; step /= 2) {
    if (reaches()) last += step;
  }
  return last + 1;
}

}  // namespace blastn
