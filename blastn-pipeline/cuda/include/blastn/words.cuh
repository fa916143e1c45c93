// Looked-up words to runs of equal bases: src/words.rs.
#pragma once

#include <blastn/context.cuh>

namespace blastn {

// Mirrors `Word` of src/pipeline/stages.rs.
struct Word {
  uint32_t chunk, query, subject, end, probe;
};

// Whether a looked-up word's width of letters and bases is not the same, or not looked up.
static __device__ inline bool is_masked(const Context& context, uint64_t chunk, uint32_t query,
                                        uint32_t subject) {
  if ((__ldg(context.indexed + query / 32) >> (query % 32) & 1) == 0) return true;
  return equal_right(context, query, chunk + subject, context.width) < context.width;
}

// The run from where it is not masked on, extended to the right by what it lost on the left.
static __device__ inline bool unmasked(const Context& context, uint32_t number, const Chunk& chunk,
                                       uint32_t query, uint32_t subject, Word& word) {
  const uint32_t width = context.width, probe = subject;
  uint32_t query_end = query + context.word, end = subject + context.word;
  if (is_masked(context, chunk.first, query_end - width, end - width)) return false;
  while (is_masked(context, chunk.first, query, subject)) {
    query++;
    subject++;
  }
  const uint32_t lost = context.word - (query_end - query);
  const Strand strand = strand_at(context, query_end);
  if (lost > min(strand.end - query_end, chunk.length - end)) return false;
  query_end += lost;
  end += lost;
  uint32_t last = query_end - width, last_subject = end - width;
  while (last_subject > subject) {
    if (is_masked(context, chunk.first, last, last_subject)) return false;
    if (last_subject < width) break;
    last -= width;
    last_subject -= width;
  }
  word = {number, query, subject, end, probe};
  return true;
}

// Columns before a hit that are looked at to tell whether it may be tried.
constexpr uint32_t kBefore = 48;

// Whether all places from one to another are looked up.
static __device__ inline bool are_indexed(const Context& context, uint32_t first, uint32_t last) {
  for (uint32_t word = first / 32; word <= last / 32; word++) {
    uint32_t masked = ~__ldg(context.indexed + word);
    if (word == first / 32) masked &= ~0u << first % 32;
    if (word == last / 32) masked &= ~0u >> (31 - last % 32);
    if (masked != 0) return false;
  }
  return true;
}

// Whether the rule of diagonals may try a hit, if it has a run.
static __device__ inline bool may_be_tried(const Context& context, const Chunk& chunk, uint32_t query,
                                           uint32_t subject) {
  const auto up = [](uint32_t value, uint32_t of) { return (value + of - 1) / of * of; };
  const uint32_t stride = context.stride, missing = context.word - context.width;
  const uint32_t equal = equal_left(context, query, chunk.first + subject, min(kBefore, subject));
  if (equal == kBefore || !are_indexed(context, query - equal, query)) return true;
  const uint32_t begin = subject - equal;
  const uint32_t second = up(begin + context.word + missing, stride);
  if (subject == up(begin, stride)) return true;
  return subject >= second && (subject - second) % up(context.word, stride) == 0;
}

// Extends a looked-up word to enough equal bases, to the left first; false if there are not enough, or the word
// need not be tried.
static __device__ inline bool widen(const Context& context, uint32_t number, uint32_t query,
                                    uint32_t subject, Word& word) {
  const uint32_t missing = context.word - context.width;
  const Chunk chunk = context.chunks[number];
  if (missing == 0) {
    word = {number, query, subject, subject + context.word, subject};
    return may_be_tried(context, chunk, query, subject);
  }
  // A sentinel ends this before the strand does.
  const uint32_t left = equal_left(context, query, chunk.first + subject, min(missing, subject));
  const uint32_t right = missing - left;
  const uint32_t behind = query + context.width, after = subject + context.width;
  if (after + right > chunk.length) return false;
  if (equal_right(context, behind, chunk.first + after, right) < right) return false;
  return unmasked(context, number, chunk, query - left, subject - left, word) &&
         may_be_tried(context, chunk, query, subject);
}

}  // namespace blastn
