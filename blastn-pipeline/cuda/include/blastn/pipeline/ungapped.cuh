// Ungapped extension of seeds along their diagonals; on the CPU: src/ungapped.
#pragma once

#include <blastn/pipeline/columns.cuh>
#include <blastn/pipeline/quads.cuh>

namespace blastn {

// A seed with its ungapped alignment, which scores enough.
struct ExtendedSeed {
  SeedHit seed;
  uint32_t query, subject;  // where the alignment begins: letter of the batch, base of the chunk
  uint32_t length;          // columns
  int32_t score;
};

// A seed without an alignment: it was extended and did not score enough, or it was left to an earlier seed of its
// diagonal, whose extension probably passes it.
struct UnalignedSeed {
  SeedHit marked;  // with kTried in `probe` if it was extended

  // A bit above all places of a chunk.
  static constexpr uint32_t kTried = 1u << 31;

  UnalignedSeed() = default;
  __device__ UnalignedSeed(const SeedHit& seed, bool tried) : marked(seed) { marked.probe |= tried ? kTried : 0; }

  __device__ bool tried() const { return (marked.probe & kTried) != 0; }
  __device__ SeedHit seed() const { return {marked.chunk, marked.query, marked.subject, marked.probe & ~kTried}; }
};

// An extension to one side of a seed so far.
struct OneSidedExtension {
  int32_t score = 0;   // best score of its first columns
  int32_t sum = 0;     // score of all its columns minus `score`: 0 or negative
  uint32_t reach = 0;  // columns up to the one with the best score

  // Extends over the columns from `from` (a multiple of 16) to `end`. `limit(from_now_on)` gives the least sum with which
  // the extension goes on, at the next column or, if the argument is true, at all columns from now on. Returns false once
  // the sum is less.
  //
  // Eight columns are added at a time where the sum cannot fall below the limit between them; others one by one. The lanes
  // of a warp meet before the second part, or each would go through it alone.
  template <class Source, class Limit>
  __device__ __forceinline__ bool extend(const PipelineTables& tables, Source& columns, uint32_t from, uint32_t end,
                                         const Limit& limit) {
    bool goes_on = true;
    for (uint32_t i = from; i < end && goes_on;) {
      ColumnBits eight{};
      bool may_drop = false;
      while (i < end && !may_drop) {
        eight = columns.eight(i);
        may_drop = eight.ambiguous != 0 || i + 8 > end || !add_eight(tables.eight_column_scores[eight.different], i, limit(true));
        if (!may_drop) i += 8;
      }
      if (may_drop) goes_on = add_each(tables, columns, eight, i, min(end, i + 8), limit);
      i += 8;
    }
    return goes_on;
  }

  // Adds the columns from `from` to `end`, up to eight, one by one; false once the sum is below the limit.
  template <class Source, class Limit>
  __device__ __forceinline__ bool add_each(const PipelineTables& tables, const Source& columns, ColumnBits steps,
                                           uint32_t from, uint32_t end, const Limit& limit) {
    bool goes_on = true;
    if (steps.ambiguous == 0) {
      // Without branches, as lanes of a warp have different columns here.
#pragma unroll
      for (uint32_t n = 0; n < 8; n++) {
        const bool counts = goes_on && from + n < end;
        const int scored = (steps.different >> n & 1) != 0 ? tables.penalty : tables.reward;
        goes_on = add(counts ? scored : 0, from + n + 1, limit(false));
      }
    } else {
      for (uint32_t i = from; i < end && goes_on; i++) {
        const bool ambiguous = (steps.ambiguous >> (i - from) & 1) != 0, differs = (steps.different >> (i - from) & 1) != 0;
        goes_on = add(ambiguous || differs ? columns.score(ambiguous, i) : tables.reward, i + 1, limit(false));
      }
    }
    return goes_on;
  }

 private:
  // Adds the score of one column, after which there are `end`; false if the sum is then below the limit.
  __device__ __forceinline__ bool add(int scored, uint32_t end, int limit) {
    const int now = sum + scored;
    score += max(now, 0);
    reach = now > 0 ? end : reach;
    sum = min(now, 0);
    return now > 0 || now >= limit;
  }

  // Adds eight columns from `from` on and returns true, unless the sum may fall below the limit between them.
  __device__ __forceinline__ bool add_eight(const EightColumnScore& eight, uint32_t from, int limit) {
    if (sum + eight.fall < limit) return false;
    if (sum + eight.best > 0) {
      reach = from + eight.best_length;
      score += sum + eight.best;
      sum = eight.total - eight.best;
    } else {
      sum += eight.total;
    }
    return true;
  }
};

// Extension to one side by a thread on its own. Called by single threads, in any control flow; no barriers.
struct ThreadExtender {
  template <bool LEFT, class Limit>
  static __device__ __forceinline__ bool extend(const SideColumns<LEFT>& way, OneSidedExtension& side, uint32_t from, uint32_t end,
                                                const Limit& limit) {
    PrefetchedColumns<LEFT> columns(way, from);
    return side.extend(way.tables, columns, from, end, limit);
  }
};

// How far a seed's extension is: nothing is known; it passed the quad test (quads.cuh) and the left side is next; the
// left side is done and the right side is next.
enum class Progress : uint32_t { none, passed_quads, left_done };

// A seed whose extension is not finished; the left side is extended first.
struct PartialExtension {
  SeedHit seed;
  OneSidedExtension left = {}, right = {};
  uint32_t done = 0;  // columns of the next side that were extended over
  Progress progress = Progress::none;

  // Extends by up to `most` columns (a multiple of 16) to each side; false if there may be more. Only for seeds that passed
  // the test by four columns. `How` is ThreadExtender or WarpExtender, whose contract is that of this function.
  template <class How>
  __device__ inline bool extend(const PipelineTables& tables, uint32_t most) {
    const DatabaseChunk chunk = tables.chunks[seed.chunk];
    const QueryStrand strand = strand_at(tables, seed.query);
    const int64_t query = seed.query, place = chunk.first + seed.subject;
    if (progress != Progress::left_done) {
      const SideColumns<true> way(tables, strand, query, place);
      const uint32_t columns = min(seed.query - strand.first, seed.subject);
      const uint32_t end = done + min(columns - done, most);
      const bool goes_on = How::extend(way, left, done, end, left_limit(strand));
      if (goes_on && end < columns) return stopped(Progress::passed_quads, end);
      done = 0;
    }
    const SideColumns<false> way(tables, strand, query, place);
    const uint32_t columns = min(strand.end - seed.query, chunk.length - seed.subject);
    const uint32_t end = done + min(columns - done, most);
    const bool goes_on = How::extend(way, right, done, end, right_limit(strand));
    return goes_on && end < columns ? stopped(Progress::left_done, end) : true;
  }

  // Notes that `columns` of the next side are done, and returns false.
  __device__ __forceinline__ bool stopped(Progress now, uint32_t columns) {
    progress = now;
    done = columns;
    return false;
  }

  // The least sum on the left side.
  __device__ __forceinline__ auto left_limit(const QueryStrand& strand) const {
    return [drop = strand.drop](bool) { return drop; };
  }
  // The least sum on the right side: an extension whose total score is negative gains nothing.
  __device__ __forceinline__ auto right_limit(const QueryStrand& strand) const {
    return [this, drop = strand.drop](bool from_now_on) {
      const bool scores = from_now_on || right.reach > 0;
      return scores ? max(drop, -left.score - right.score) : drop;
    };
  }

  // Writes the alignment once `extend` returned true; false if it scores less than the cutoff.
  __device__ inline bool alignment(const PipelineTables& tables, ExtendedSeed& extended) const {
    const int score = left.score + right.score;
    extended = {seed, seed.query - left.reach, seed.subject - left.reach,
                left.reach + right.reach, score};
    return score >= strand_at(tables, seed.query).cutoff;
  }
};

}  // namespace blastn
