// Ungapped extension: src/ungapped.rs.
#pragma once

#include <blastn/pipeline/quads.cuh>
#include <blastn/pipeline/columns.cuh>

namespace blastn {

// Mirrors `Extended` of src/pipeline/items.rs.
struct Extended {
  Word word;
  uint32_t query, subject, length;
  int32_t score;
};

// A word without an alignment. Mirrors `Spent` of src/pipeline/items.rs.
struct Spent {
  Word marked;  // with kTried in `probe` if it was extended

  // More than any place in a chunk.
  static constexpr uint32_t kTried = 1u << 31;

  Spent() = default;
  __device__ Spent(const Word& word, bool tried) : marked(word) { marked.probe |= tried ? kTried : 0; }

  __device__ bool tried() const { return (marked.probe & kTried) != 0; }
  __device__ Word word() const { return {marked.chunk, marked.query, marked.subject, marked.probe & ~kTried}; }
};

// An extension to one side: what it scores, and how far it is from the word.
struct Side {
  int score = 0, sum = 0;
  uint32_t reach = 0;

  // Extends over columns from the `from`-th (a multiple of 16) up to `end`. `limit` is how far the sum may
  // drop, given what was reached: at the next column, or (true) at any from now on. Returns false once it
  // drops by more.
  //
  // Eight columns at a time where the sum cannot drop by too much; where it can, one by one. The lanes of
  // a warp wait there for each other, or all would go through the second part alone.
  template <class Source, class Limit>
  __device__ __forceinline__ bool extend(const Context& context, Source& columns, uint32_t from, uint32_t end,
                                         const Limit& limit) {
    bool goes_on = true;
    for (uint32_t i = from; i < end && goes_on;) {
      Steps eight{};
      bool may_drop = false;
      while (i < end && !may_drop) {
        eight = columns.eight(i);
        may_drop = eight.odd != 0 || i + 8 > end || !add_eight(context.eights[eight.different], i, limit(true));
        if (!may_drop) i += 8;
      }
      if (may_drop) goes_on = add_each(context, columns, eight, i, min(end, i + 8), limit);
      i += 8;
    }
    return goes_on;
  }

  // Adds up to eight columns from the `from`-th on, up to `end`, one by one; false once the sum drops by too
  // much.
  template <class Source, class Limit>
  __device__ __forceinline__ bool add_each(const Context& context, const Source& columns, Steps steps,
                                           uint32_t from, uint32_t end, const Limit& limit) {
    bool goes_on = true;
    if (steps.odd == 0) {
      // Without branches: all lanes of a warp that get here have other columns.
#pragma unroll
      for (uint32_t n = 0; n < 8; n++) {
        const bool counts = goes_on && from + n < end;
        const int scored = (steps.different >> n & 1) != 0 ? context.penalty : context.reward;
        goes_on = add(counts ? scored : 0, from + n + 1, limit(false));
      }
    } else {
      for (uint32_t i = from; i < end && goes_on; i++) {
        const bool odd = (steps.odd >> (i - from) & 1) != 0, differs = (steps.different >> (i - from) & 1) != 0;
        goes_on = add(odd || differs ? columns.score(odd, i) : context.reward, i + 1, limit(false));
      }
    }
    return goes_on;
  }

 private:
  // Adds what a column up to the `end`-th scores; false if the sum is then too low.
  __device__ __forceinline__ bool add(int scored, uint32_t end, int limit) {
    const int now = sum + scored;
    score += max(now, 0);
    reach = now > 0 ? end : reach;
    sum = min(now, 0);
    return now > 0 || now >= limit;
  }

  // Adds eight columns from the `from`-th on unless the sum may drop by too much in between; tells
  // whether it did.
  __device__ __forceinline__ bool add_eight(const Eight& eight, uint32_t from, int limit) {
    if (sum + eight.fall < limit) return false;
    if (sum + eight.best > 0) {
      reach = from + eight.place;
      score += sum + eight.best;
      sum = eight.total - eight.best;
    } else {
      sum += eight.total;
    }
    return true;
  }
};

// A thread extends on its own.
struct Alone {
  template <bool LEFT, class Limit>
  static __device__ __forceinline__ bool extend(const Way<LEFT>& way, Side& side, uint32_t from, uint32_t end,
                                                const Limit& limit) {
    Ahead<LEFT> columns(way, from);
    return side.extend(way.context, columns, from, end, limit);
  }
};

// How much is known of a word that is being extended.
enum class Progress : uint32_t { none, promising, left };

// A word on its way to both sides, to the left first. Mirrors `Long` of src/pipeline/items.rs.
struct Long {
  Word word;
  Side before, behind;
  uint32_t done;      // columns of the side that is next
  Progress progress;  // promising: to the left is next; left: to the right

  // Extends by up to `most` columns (a multiple of 16) to each side; false if there may be more. The word is
  // promising.
  template <class How>
  __device__ inline bool extend(const Context& context, uint32_t most) {
    const Chunk chunk = context.chunks[word.chunk];
    const Strand strand = strand_at(context, word.query);
    const int64_t query = word.query, place = chunk.first + word.subject;
    if (progress != Progress::left) {
      const Way<true> way(context, strand, query, place);
      const uint32_t left = min(word.query - strand.first, word.subject);
      const uint32_t end = done + min(left - done, most);
      const bool goes_on = How::extend(way, before, done, end, left_limit(strand));
      if (goes_on && end < left) return stopped(Progress::promising, end);
      done = 0;
    }
    const Way<false> way(context, strand, query, place);
    const uint32_t right = min(strand.end - word.query, chunk.length - word.subject);
    const uint32_t end = done + min(right - done, most);
    const bool goes_on = How::extend(way, behind, done, end, right_limit(strand));
    return goes_on && end < right ? stopped(Progress::left, end) : true;
  }

  // Notes that `columns` of a side are done; false.
  __device__ __forceinline__ bool stopped(Progress now, uint32_t columns) {
    progress = now;
    done = columns;
    return false;
  }

  // How far the sum may drop to the left.
  __device__ __forceinline__ auto left_limit(const Strand& strand) const {
    return [drop = strand.drop](bool) { return drop; };
  }
  // And to the right, given what was reached: nothing is gained by an extension whose score as a whole is
  // negative.
  __device__ __forceinline__ auto right_limit(const Strand& strand) const {
    return [this, drop = strand.drop](bool from_now_on) {
      const bool scores = from_now_on || behind.reach > 0;
      return scores ? max(drop, -before.score - behind.score) : drop;
    };
  }

  // The alignment, once that returned true; false if it does not score enough.
  __device__ inline bool found(const Context& context, Extended& extended) const {
    const int score = before.score + behind.score;
    extended = {word, word.query - before.reach, word.subject - before.reach,
                before.reach + behind.reach, score};
    return score >= strand_at(context, word.query).trigger;
  }
};
static_assert(sizeof(Long) == 48, "mirrored in Rust");

}  // namespace blastn
