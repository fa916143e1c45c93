// Looked-up words to runs of equal bases: src/words.rs.
#pragma once

#include <blastn/context.cuh>

namespace blastn {

// Mirrors `Word` of src/pipeline/items.rs.
struct Word {
  uint32_t chunk, query, subject, probe;

  // Where it ends in the chunk.
  __device__ uint32_t end(const Context& context) const { return subject + context.word; }
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
  word = {number, query, subject, probe};
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

// Equal columns around the beginning of a hit, with all loads at once.
struct Around {
  uint32_t before;  // next to it, up to kBefore
  uint32_t behind;  // from it on, up to 16

  __device__ __forceinline__ Around(const Context& context, uint32_t query, uint64_t subject) {
    const Codes<kBefore> bases(context.bases, query), odd(context.odd, query);
    const Codes<kBefore> others(context.packed, static_cast<int64_t>(subject));
    uint32_t special[4];
    for (int i = 0; i < 4; i++) {
      const uint32_t bits = bases.words[i] ^ others.words[i];
      special[i] = ((bits | bits >> 1) & 0x55555555) | odd.words[i];
    }
    before = 0;
    for (int i = 2; i >= 0; i--) before += before == 16u * (2 - i) ? zeros_below(special[i]) : 0;
    behind = __clz(static_cast<int>(special[3])) / 2;
  }

 private:
  static __device__ __forceinline__ uint32_t zeros_below(uint32_t special) {
    return special == 0 ? 16 : (__ffs(static_cast<int>(special)) - 1) / 2;
  }
};

// Whether the rule of diagonals may try a hit, if it has a run; `equal` columns are before it.
static __device__ inline bool may_be_tried(const Context& context, uint32_t query, uint32_t subject,
                                           uint32_t equal) {
  const auto up = [](uint32_t value, uint32_t of) { return (value + of - 1) / of * of; };
  const uint32_t stride = context.stride, missing = context.word - context.width;
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
  const Around around(context, query, chunk.first + subject);
  const uint32_t equal = min(around.before, subject);
  if (missing == 0) {
    word = {number, query, subject, subject};
    return may_be_tried(context, query, subject, equal);
  }
  // A sentinel ends this before the strand does.
  const uint32_t left = min(equal, missing), columns = context.word - left;
  if (around.behind < min(columns, 16u) || subject + columns > chunk.length) return false;
  if (columns > 16 &&
      equal_right(context, query + 16, chunk.first + subject + 16, columns - 16) < columns - 16) {
    return false;
  }
  if (!may_be_tried(context, query, subject, equal)) return false;
  const uint32_t first = query - left, begin = subject - left;
  if (are_indexed(context, first, first + missing)) {
    word = {number, first, begin, begin};
    return true;
  }
  return unmasked(context, number, chunk, first, begin, word);
}

}  // namespace blastn
