// Greedy gapped extension of similar sequences (Zhang et al., J. Comput. Biol. 7, 2000), a thread a side; on the CPU:
// src/gapped/greedy.rs.
//
// For each number of differences, a *front* has the farthest end on each diagonal; a diagonal is a place of the query minus one
// of the subject. The next front follows from the last one and from runs of equal letters.
#pragma once

#include <blastn/gapped/side.cuh>

namespace blastn {

// How far a side's best alignment reaches, if it was extended greedily for the score alone.
struct GreedySideReach {
  int32_t differences;             // mismatches and columns of gaps; or kNoFront
  int32_t query, subject;          // letters of each sequence
  int32_t run_query, run_subject;  // where its longest run of equal letters begins
  int32_t run_length;              // columns of that run
};

// As `GreedySideReach::differences`: the fronts did not fit into memory, and the other fields are undefined.
constexpr int kNoFront = -1;

// Scores of greedy extensions, multiplied by `factor` so that half a match is an integer.
struct GreedyScores {
  int32_t reward;  // score of a match
  int32_t cost;    // of a difference, if each letter counts half a match
  int32_t factor;  // 1 or 2
};

// Parameters of the kernels that extend sides greedily.
struct GreedyParameters {
  const ExtensionSide* sides;  // rows are letters of the subject, columns those of the query
  const uint32_t* subject;     // text of the subjects: 2 bits a letter for scores alone, 4 bits for columns
  const uint32_t* query;       // text of the queries, 4 bits a letter
  GreedySideReach* reaches;    // of each side; null if columns are asked for
  uint32_t* cursor;            // count of sides that were taken; null if columns are asked for
  uint32_t side_count;
  uint32_t front_slots;        // diagonals that a front has room for: a power of two
  GreedyScores scores;
  uint32_t padding;
};

// Parameters of the kernel that extends sides greedily with their columns.
struct GreedyTraceParameters {
  GreedyParameters greedy;
  SideReach* reaches;     // of each side; `score` has the differences, rows are letters of the subject
  uint32_t* cursors;      // counts of sides that were taken, and of runs that were written
  uint32_t* sources;      // `source_words` words for each thread: how diagonals were reached
  uint32_t* runs;         // runs of columns
  uint64_t source_words;
  uint32_t run_capacity;  // runs that `runs` has room for
  uint32_t padding;
};

// How a front reached a diagonal by its last difference: from the diagonal before it (a letter of the query beside a gap), from
// itself (a mismatch), or from the diagonal behind it (a letter of the subject beside a gap).
constexpr uint32_t kFromBefore = 0, kFromSame = 1, kFromBehind = 2;

// Sources in a word, 2 bits each.
constexpr int kSources = 16;

// End on a diagonal that no alignment has reached.
constexpr int kUnreached = -2;

// Extends sides, one after the other: `begin`, `go_on` until it returns false, `reached`. Called by single threads, in any
// control flow; no barriers. `Subject` (Bases or Letters) reads the subjects' text.
//
// With TRACE, the sources of each front are kept for `walk`, in a row of `front_slots` / 16 words. They tell the differences on
// the way back, and equal letters fill the columns between them; so the fronts themselves need not be kept.
template <class Subject, bool TRACE>
class GreedySideExtender {
 public:
  // `slots` are the lane's slots, every 32nd word: two fronts, and the best score of each number of differences. `sources`
  // has `room` words. `parameters` must outlive the extender.
  __device__ GreedySideExtender(const GreedyParameters& parameters, uint32_t* slots, uint32_t* sources, uint64_t room)
      : parameters_(parameters), mask_(parameters.front_slots - 1), before_(slots), now_(slots + parameters.front_slots * 32),
        scores_(slots + parameters.front_slots * 64), sources_(sources), room_(room) {}

  // Begins a side with the equal letters before any difference.
  __device__ void begin(const ExtensionSide& side) {
    side_ = side;
    lengths_[0] = static_cast<int>(side.columns);
    lengths_[1] = static_cast<int>(side.rows);
    x_drop_ = parameters_.scores.factor * side.x_drop;
    const int run = equal(0, 0);
    first_run_ = run;
    reached_ = {0, run, run, 0, 0, run};
    is_over_ = run == lengths_[0] || run == lengths_[1];
    if (is_over_) return;
    back_ = (x_drop_ + parameters_.scores.reward / 2) / parameters_.scores.cost + 1;
    if (back_ >= static_cast<int>(parameters_.front_slots)) return give_up();
    for (int diagonal = -3; diagonal <= 3; diagonal++) set(before_, diagonal, kUnreached);
    set(before_, 0, run);
    for (int number = 0; number < back_; number++) set(scores_, number, 0);
    best_ = run * parameters_.scores.reward;
    set(scores_, back_, best_);
    differences_ = 0;
    lower_ = -1;
    upper_ = 1;
    query_ended_ = subject_ended_ = false;
  }

  // Goes on with one more difference; false if no diagonal is left, or the fronts do not fit. `reached` is valid then.
  __device__ bool go_on() {
    if (is_over_) return false;
    const int half = parameters_.scores.reward / 2, cost = parameters_.scores.cost;
    differences_++;
    set(before_, lower_ - 1, kUnreached);
    set(before_, lower_, kUnreached);
    set(before_, upper_, kUnreached);
    set(before_, upper_ + 1, kUnreached);
    // The sources of the first and the last diagonal must not share a word.
    const int slots = static_cast<int>(parameters_.front_slots) - (TRACE ? kSources : 0);
    if (upper_ - lower_ + 7 > slots || (TRACE && (differences_ + uint64_t{1}) * words() > room_)) {
      give_up();
      return false;
    }
    for (int diagonal = lower_ - 3; diagonal <= upper_ + 3; diagonal++) set(now_, diagonal, kUnreached);
    const int needed = get(scores_, differences_) + cost * differences_ - x_drop_;
    // The least extent, rounded up.
    const int least = needed > 0 ? (needed + half - 1) / half : needed / half;
    int extent = 0, far_end = 0, far_diagonal = 0;
    const int last = upper_;
    uint32_t sources = 0;
    for (int diagonal = lower_; diagonal <= last; diagonal++) {
      const int before = get(before_, diagonal - 1);
      const int same = get(before_, diagonal), behind = get(before_, diagonal + 1);
      const int by_pair = max(behind, same) + 1;
      int end = max(by_pair, before);
      if (TRACE) {
        uint32_t source = same > behind ? kFromSame : kFromBehind;
        if (before >= by_pair) source = kFromBefore;
        sources |= source << (2 * (diagonal & (kSources - 1)));
        if ((diagonal & (kSources - 1)) == kSources - 1 || diagonal == last) {
          sources_[differences_ * uint64_t{words()} + (diagonal & mask_) / kSources] = sources;
          sources = 0;
        }
      }
      if (end < 0 || end + end + diagonal < least) {
        if (diagonal == lower_) lower_++;
        continue;
      }
      upper_ = diagonal;
      const int run = equal(end + diagonal, end);
      if (run > reached_.run_length) {
        reached_.run_query = end + diagonal;
        reached_.run_subject = end;
        reached_.run_length = run;
      }
      end += run;
      set(now_, diagonal, end);
      if (end + end + diagonal > extent) {
        extent = end + end + diagonal;
        far_end = end;
        far_diagonal = diagonal;
      }
      if (end == lengths_[1]) {
        lower_ = diagonal + 1;
        subject_ended_ = true;
      }
      if (end + diagonal == lengths_[0]) {
        upper_ = diagonal - 1;
        query_ended_ = true;
      }
    }
    const int score = extent * half - differences_ * cost;
    // Of equally good ends the one with most differences counts.
    if (score >= best_) {
      best_ = score;
      reached_.differences = differences_;
      reached_.query = far_end + far_diagonal;
      reached_.subject = far_end;
    }
    set(scores_, back_ + differences_, best_);
    if (lower_ > upper_) return false;
    if (!subject_ended_) lower_--;
    if (!query_ended_) upper_++;
    uint32_t* const swapped = before_;
    before_ = now_;
    now_ = swapped;
    return true;
  }

  __device__ GreedySideReach reached() const { return reached_; }

  // Writes the runs of columns, from the begin of the side to its far end, over its sources, and returns how many there are.
  // Only for a side that fits.
  __device__ uint32_t walk() {
    // First back along the sources: the source of each difference is written to the first word of its row.
    int diagonal = reached_.query - reached_.subject;
    for (int row = reached_.differences; row > 0; row--) {
      uint32_t* const sources = sources_ + row * uint64_t{words()};
      const uint32_t source = sources[(diagonal & mask_) / kSources] >> (2 * (diagonal & (kSources - 1))) & 3;
      sources[0] = source;
      diagonal += source == kFromBefore ? -1 : source == kFromBehind ? 1 : 0;
    }
    // Then forward along the letters. The runs, up to two a row, overwrite rows that were read: a row has four words or more.
    uint32_t count = 0, kind = kPairColumns, length = first_run_;
    int query = first_run_, subject = first_run_;
    for (int row = 1; row <= reached_.differences; row++) {
      const uint32_t source = sources_[row * uint64_t{words()}];
      const uint32_t step = source == kFromBefore ? kInsertionColumns : source == kFromSame ? kPairColumns : kDeletionColumns;
      if (step != kDeletionColumns) query++;
      if (step != kInsertionColumns) subject++;
      const uint32_t run = equal(query, subject);
      add(step, 1, kind, length, count);
      add(kPairColumns, run, kind, length, count);
      query += run;
      subject += run;
    }
    if (length > 0) sources_[count++] = length << 2 | kind;
    return count;
  }

 private:
  // Adds columns to the last run, or writes it and begins another.
  __device__ void add(uint32_t kind, uint32_t columns, uint32_t& last, uint32_t& length, uint32_t& count) {
    if (columns == 0) return;
    if (kind != last) {
      if (length > 0) sources_[count++] = length << 2 | last;
      last = kind;
      length = 0;
    }
    length += columns;
  }

  // Words of a row of sources.
  __device__ __forceinline__ uint32_t words() const { return parameters_.front_slots / kSources; }

  // Reads or writes a slot of a front, or of the scores, which are rings.
  __device__ __forceinline__ int get(const uint32_t* slots, int place) const {
    return static_cast<int>(slots[(place & mask_) * 32]);
  }
  __device__ __forceinline__ void set(uint32_t* slots, int place, int value) const {
    slots[(place & mask_) * 32] = static_cast<uint32_t>(value);
  }

  // Notes that the side does not fit.
  __device__ void give_up() {
    reached_.differences = kNoFront;
    is_over_ = true;
  }

  // Counts equal letters from two places on; ambiguous letters equal none.
  __device__ int equal(int query, int subject) const {
    const int most = min(lengths_[0] - query, lengths_[1] - subject);
    int count = 0;
    for (; count < most; count += 8) {
      const int64_t q = query + count, s = subject + count;
      uint32_t of_query, of_subject;
      if (side_.reverse) {
        of_query = reversed_letters(eight_letters(parameters_.query, static_cast<int64_t>(side_.column_at) - q - 8));
        of_subject = reversed_letters(Subject::eight_letters(parameters_.subject, static_cast<int64_t>(side_.row_at) - s - 8));
      } else {
        of_query = eight_letters(parameters_.query, static_cast<int64_t>(side_.column_at) + q);
        of_subject = Subject::eight_letters(parameters_.subject, static_cast<int64_t>(side_.row_at) + s);
      }
      const uint32_t different = (of_query ^ of_subject) | (of_query & 0xCCCCCCCC);
      if (different != 0) return min(most, count + __clz(static_cast<int>(different)) / 4);
    }
    return max(most, 0);
  }

  const GreedyParameters& parameters_;
  const int mask_;
  uint32_t *before_, *now_, *const scores_, *const sources_;
  const uint64_t room_;
  ExtensionSide side_;
  GreedySideReach reached_;
  int lengths_[2];  // of query and subject
  int first_run_;   // equal letters before any difference
  int x_drop_, back_, best_, differences_, lower_, upper_;
  bool query_ended_, subject_ended_, is_over_;
};

}  // namespace blastn
