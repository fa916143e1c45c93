// Ungapped alignments of queries and chunks, and what gaps make of them (src/pairs).
#pragma once

#include <blastn/pipeline/tables.cuh>
#include <blastn/gapped/greedy.cuh>
#include <blastn/hits.cuh>

namespace blastn {

// What decides about the place of a hit or a side in an order: three numbers, of which the last counts most, and
// where or which it is. Mirrors an item of aligner-core's `Sorter`.
struct __align__(16) SortKey {
  uint32_t numbers[3];
  uint32_t place;
};

// What is known of a pair of a query and a chunk. Mirrors `Verdict`.
struct Verdict {
  uint32_t chunk, strand;       // the strand is that of the best hit
  uint32_t first, count;        // hits
  int32_t score;                // of the best hit's extension
  int32_t rest, rest_opposite;  // the best of the others' extensions on its strand, and on the other; or `kNoScore`
  uint32_t state;               // the greatest that is true
};
static_assert(sizeof(Verdict) == 32, "mirrored in Rust");

constexpr int32_t kNoScore = INT32_MIN;

// As `state`: what lies within the best hit's extension is not extended; that extension is replaced by another,
// and so all are extended; some extension is not known.
constexpr uint32_t kBestStays = 0, kBestReplaced = 1, kOpen = 2;

// Hits that are wanted. Mirrors `Chosen`.
struct Chosen {
  uint32_t first, count;
  uint32_t offset;  // of those before
};

// Words of a side's answer: those of `Reached` or `GreedyReached`.
constexpr uint32_t kAnswer = 6;

// A hit, and the answers of its left and its right side. Mirrors `Gathered`.
struct Gathered {
  ChunkHit hit;
  uint32_t is_extended;
  uint32_t answers[2][kAnswer];
};
static_assert(sizeof(Gathered) == 80, "mirrored in Rust");

// As the number of an extension: none was made.
constexpr uint32_t kNone = 0xFFFFFFFF;

// What kernels are given; each says what it needs. Mirrors `Task`.
struct Pairs {
  const Chunk* chunks;
  const PairStrand* strands;
  ChunkHit* found;     // hits as they were found
  ChunkHit* hits;      // and in order: those of a pair are together, the best first
  SortKey* keys;       // in that order: minus score, query, chunk
  uint32_t* firsts;    // the best hit of each pair
  uint32_t* others;    // hits that do not lie within what became of their pair's best
  uint32_t* inner;     // those that do, of pairs whose best was replaced
  uint32_t* extended;  // of each hit, its number among `firsts`, or among `others` and then `inner`, or `kNone`
  uint32_t* answers;         // of the sides of `firsts`, the left and the right of each: `kAnswer` words
  uint32_t* others_answers;  // and of those of `others`
  uint32_t* inner_answers;   // and of `inner`
  Verdict* verdicts;         // of each pair
  uint32_t* cursors;         // what is listed is counted in the first; or for each query
  // Sides that are extended now.
  const uint32_t* listed;  // hits with sides
  const uint32_t* wanted;  // numbers of sides of these; null for all from `first_side` on
  SortKey* side_keys;      // of each, in the order in which they are extended: length, from the longest down
  Side* sides;
  const uint32_t* made;    // what the extension's kernel answers, `made_words` a side
  uint32_t* kept;          // where it is kept, as `answers`
  uint32_t* left;          // sides that did not fit into memory
  // What is wanted in the end.
  const Chosen* chosen;
  Gathered* gathered;
  uint32_t strand_count, hit_count, pair_count, other_count, listed_count;
  uint32_t side_count, first_side, made_words;
  uint32_t chosen_count, first_gathered, gathered_count;
  uint32_t longest;     // columns of an alignment, at most
  int32_t most;         // what it scores, at most
  uint32_t is_greedy;
  int32_t reward, penalty;
  int32_t x_drop, least_drop;  // how far an extension's score may drop; and at least
  int32_t separation;   // diagonals of close ends differ by less
  uint32_t padding;
};
static_assert(sizeof(Pairs) == 264, "mirrored in Rust");

// Places between letters, within a strand and a chunk.
struct Begin {
  uint32_t query, subject;
};

// An alignment: places within its strand and chunk, ends behind the last.
struct Span {
  uint32_t strand;
  int32_t score;
  int32_t query, query_end, subject, subject_end;
};

static __device__ __forceinline__ uint32_t strand_of(const Pairs& task, const ChunkHit& hit) {
  return strand_of(task.strands, task.strand_count, hit.seed_query);
}

// The number of a wanted side.
static __device__ __forceinline__ uint32_t side_number(const Pairs& task, uint32_t number) {
  return task.wanted != nullptr ? task.wanted[number] : task.first_side + number;
}

// Where a hit is extended from: src/preliminary.rs.
static __device__ __forceinline__ Begin seed_of(const Pairs& task, const PairStrand& strand, const ChunkHit& hit) {
  constexpr uint32_t kIntoByte = 8;
  if (task.is_greedy) return {hit.query - strand.first + hit.length / 2, hit.subject + hit.length / 2};
  const uint32_t moved = hit.subject + hit.length >= hit.seed_subject + kIntoByte ? 3 : 0;
  return {hit.seed_query - strand.first + moved, hit.seed_subject + moved};
}

// Where its sides begin: src/gapped.
static __device__ __forceinline__ Begin begin_of(const Pairs& task, const PairStrand& strand, const ChunkHit& hit) {
  constexpr uint32_t kPack = 4;
  const Begin seed = seed_of(task, strand, hit);
  if (task.is_greedy) return seed;
  const uint32_t moved = kPack - seed.subject % kPack;
  const Begin begin = {seed.query + moved, seed.subject + moved};
  if (begin.query > strand.length || begin.subject > task.chunks[hit.chunk].length) {
    return {begin.query - kPack, begin.subject - kPack};
  }
  return begin;
}

// Sides are ordered by their length in steps: one digit of a sort. The last step has all that are longer.
constexpr uint32_t kSideStep = 16, kLongestSide = 255;

// A side of a hit's extension.
static __device__ __forceinline__ Side side_of(const Pairs& task, const ChunkHit& hit, bool is_right) {
  const PairStrand strand = task.strands[strand_of(task, hit)];
  const Chunk chunk = task.chunks[hit.chunk];
  const Begin begin = begin_of(task, strand, hit);
  const int32_t x_drop = task.is_greedy ? task.x_drop : min(task.x_drop, hit.score);
  return {chunk.first + begin.subject,
          uint64_t{strand.first} + begin.query,
          is_right ? chunk.length - begin.subject : begin.subject,
          is_right ? strand.length - begin.query : begin.query,
          max(x_drop, task.least_drop),
          is_right ? 0u : 1u};
}

// A side of `listed`, of which each hit has two.
static __device__ __forceinline__ Side side_of(const Pairs& task, uint32_t number) {
  return side_of(task, task.hits[task.listed[number / 2]], number % 2 == 1);
}

// The ungapped alignment itself.
static __device__ __forceinline__ Span ungapped_span(const Pairs& task, const ChunkHit& hit) {
  const uint32_t strand = strand_of(task, hit);
  const auto query = static_cast<int32_t>(hit.query - task.strands[strand].first);
  const auto subject = static_cast<int32_t>(hit.subject), length = static_cast<int32_t>(hit.length);
  return {strand, hit.score, query, query + length, subject, subject + length};
}

// Whether a side is not known, given its answer.
static __device__ __forceinline__ bool is_unknown(const Pairs& task, const uint32_t* answer) {
  return task.is_greedy ? answer[0] == static_cast<uint32_t>(kNoFront) : answer[4] == kNoRoom;
}

// What two sides make of a hit; false if they are not known.
static __device__ __forceinline__ bool gapped_span(const Pairs& task, const ChunkHit& hit, const uint32_t* answers,
                                                   Span& span) {
  const uint32_t *left = answers, *right = answers + kAnswer;
  if (is_unknown(task, left) || is_unknown(task, right)) return false;
  const uint32_t number = strand_of(task, hit);
  const Begin begin = begin_of(task, task.strands[number], hit);
  const auto query = static_cast<int32_t>(begin.query), subject = static_cast<int32_t>(begin.subject);
  span.strand = number;
  const auto number_of = [](uint32_t word) { return static_cast<int32_t>(word); };
  // Letters of query and subject: `GreedyReached`, or those of the other order in `Reached`.
  const int q = task.is_greedy ? 1 : 2, s = task.is_greedy ? 2 : 1;
  const int32_t lengths[4] = {number_of(left[q]), number_of(right[q]), number_of(left[s]), number_of(right[s])};
  span.query = query - lengths[0];
  span.query_end = query + lengths[1];
  span.subject = subject - lengths[2];
  span.subject_end = subject + lengths[3];
  span.score = number_of(left[0]) + number_of(right[0]);
  if (task.is_greedy) {
    const int32_t letters = lengths[0] + lengths[1] + lengths[2] + lengths[3];
    span.score = letters * task.reward / 2 - span.score * (task.reward - task.penalty);
  }
  return true;
}

// Whether an alignment lies within another, if that is kept: src/contained.rs.
static __device__ __forceinline__ bool lies_within(const Span& inner, const Span& outer, int32_t separation) {
  const auto is_close = [separation](int32_t one, int32_t other) { return abs(one - other) < separation; };
  return inner.strand == outer.strand && outer.score >= inner.score && outer.query <= inner.query &&
         inner.query_end <= outer.query_end && outer.subject <= inner.subject &&
         inner.subject_end <= outer.subject_end &&
         (is_close(outer.query - outer.subject, inner.query - inner.subject) ||
          is_close(outer.query_end - outer.subject_end, inner.query_end - inner.subject_end));
}

// Whether an alignment takes the place of another: it shares an end with it, and scores more, or as much if it
// is shorter. See src/contained.rs.
static __device__ __forceinline__ bool replaces(const Span& newer, const Span& kept) {
  const bool shares_begin = newer.query == kept.query && newer.subject == kept.subject;
  const bool shares_end = newer.query_end == kept.query_end && newer.subject_end == kept.subject_end;
  if (!shares_begin && !shares_end) return false;
  if (newer.score != kept.score) return newer.score > kept.score;
  const int32_t queries[2] = {newer.query_end - newer.query, kept.query_end - kept.query};
  const int32_t subjects[2] = {newer.subject_end - newer.subject, kept.subject_end - kept.subject};
  return queries[0] < queries[1] || (queries[0] == queries[1] && subjects[0] < subjects[1]);
}

// Whether two hits are of a pair, given their keys.
static __device__ __forceinline__ bool is_pair(const SortKey& one, const SortKey& other) {
  return one.numbers[1] == other.numbers[1] && one.numbers[2] == other.numbers[2];
}

// The first of the hits of the pair that `hit` is of. Most pairs have few hits: steps grow from there on.
static __device__ __forceinline__ uint32_t first_of_pair(const Pairs& task, uint32_t hit) {
  const SortKey own = task.keys[hit];
  uint32_t first = hit, step = 1;
  const auto reaches = [&] { return step <= first && is_pair(task.keys[first - step], own); };
  for (; reaches(); step *= 2) first -= step;
  for (; step > 0; step /= 2) {
    if (reaches()) first -= step;
  }
  return first;
}

// And one behind the last.
static __device__ __forceinline__ uint32_t end_of_pair(const Pairs& task, uint32_t hit) {
  const SortKey own = task.keys[hit];
  uint32_t last = hit, step = 1;
  const auto reaches = [&] { return step < task.hit_count - last && is_pair(task.keys[last + step], own); };
  for (; reaches(); step *= 2) last += step;
  for (; step > 0; step /= 2) {
    if (reaches()) last += step;
  }
  return last + 1;
}

}  // namespace blastn
